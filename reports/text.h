// Text that came from files and foreign libraries, made fit for a terminal, Markdown or a shell;
// and tables whose columns line up.

#ifndef LOCKSTEP_REPORTS_TEXT_H_
#define LOCKSTEP_REPORTS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// One line that cannot steer a terminal: control characters and what is no UTF-8 become "\x1b".
std::string PrintableLine(std::string_view text);

// One line that Markdown shows as it is, in a table cell too: no markup, no HTML, no link.
std::string EscapeMarkdown(std::string_view text);

// One word of a POSIX shell; quoted only where it must be.
std::string ShellWord(std::string_view text);

// "plan FILE --json": a command and its arguments as they would be typed again.
std::string CommandLine(const std::string& command, int argc, const char* const* argv);

std::string WithThousands(uint64_t value);  // 1234567 -> "1,234,567"

// Whether standard output is a terminal that wants colour (NO_COLOR is honoured).
bool StdoutTakesColour();

// Rows of cells, padded so that columns line up; widths are counted in code points.
class TextTable {
 public:
  enum class Align : uint8_t { kLeft, kRight };

  // Columns past `columns` are aligned left.
  explicit TextTable(std::vector<Align> columns = {}) : columns_(std::move(columns)) {}

  // Cells are shown as they are: pass PrintableLine() of what is not one's own.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Every row starts with `indent` and ends with "\n"; no trailing blanks.
  std::string Render(std::string_view indent = "") const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_TEXT_H_
