#include "reports/text.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// The bytes of the UTF-8 sequence at the front of `text`; 0 when there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t len = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (len == 0 || first > 0xf4 || text.size() < len) return 0;
  for (size_t i = 1; i < len; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (len < 3) return len;
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  const int start = first << 8 | byte(1);
  const bool bad = start < 0xe0a0 || (start >= 0xeda0 && start < 0xee80) ||
                   (start >= 0xf000 && start < 0xf090) || start >= 0xf490;
  return bad ? 0 : len;
}

bool IsControl(std::string_view code_point) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(code_point[i]); };
  if (code_point.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  // U+0080..U+009F, and U+202A..U+202E, which turn the direction of writing.
  if (code_point.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
  return byte(0) == 0xe2 && byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae;
}

bool InsideWord(std::string_view line, size_t i) {
  const auto in_word = [&](size_t at) {
    return absl::ascii_isalnum(static_cast<unsigned char>(line[at]));
  };
  return i > 0 && i + 1 < line.size() && in_word(i - 1) && in_word(i + 1);
}

size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

std::string PrintableLine(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const size_t len = Utf8Length(text);
    const std::string_view next = text.substr(0, std::max<size_t>(len, 1));
    if (len > 0 && !IsControl(next)) {
      line += next;
    } else {
      for (const char c : next) {
        absl::StrAppend(&line, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
      }
    }
    text.remove_prefix(next.size());
  }
  return line;
}

std::string EscapeMarkdown(std::string_view text) {
  const std::string line = PrintableLine(text);
  std::string escaped;
  for (size_t i = 0; i < line.size(); ++i) {
    switch (const char c = line[i]) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case ':':  // An address would be made a link.
        escaped += line.compare(i, 3, "://") == 0 ? "&#58;" : ":";
        break;
      case '@':  // A name would be notified.
        escaped += "&#64;";
        break;
      case '_':  // Within a word it is no markup.
        if (!InsideWord(line, i)) escaped += '\\';
        escaped += c;
        break;
      default:
        if (std::string_view("\\`*{}[]#|~$!").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
  }
  return escaped;
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string CommandLine(const std::string& command, int argc, const char* const* argv) {
  std::string line = command;
  for (int i = 1; i < argc; ++i) line += " " + ShellWord(argv[i]);
  return line;
}

std::string WithThousands(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

bool StdoutTakesColour() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') &&
         term != nullptr && std::string_view(term) != "dumb";
}

std::string TextTable::Render(std::string_view indent) const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string padding(widths[i] - Width(row[i]), ' ');
      const bool right = i < columns_.size() && columns_[i] == Align::kRight;
      line += right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace lockstep
