// HTML out of values that are not our own: everything from a file is escaped here and nowhere else.

#ifndef LOCKSTEP_REPORTS_HTML_H_
#define LOCKSTEP_REPORTS_HTML_H_

#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

namespace lockstep {

// Text for an element or a quoted attribute. Lines stay lines; other control characters and what is
// no UTF-8 become "\x1b".
std::string EscapeHtml(std::string_view text);

// JSON for a <script type="application/json">: nothing in it can end the element or a line.
std::string ScriptJson(const nlohmann::ordered_json& json);

// "steps_saved" -> "steps saved"; not escaped.
std::string LabelOf(std::string_view key);

// A scalar as a person reads it: thousands apart, four digits of a fraction, yes and no; an array
// of scalars is joined. Escaped; text of several lines is a block that keeps them.
std::string HtmlValue(const nlohmann::ordered_json& value);

// A word of judgement, coloured: good, bad, or open.
std::string Badge(const std::string& word);
std::string_view RowClass(const std::string& word);  // "is-good", "is-bad", "is-open" or ""

// "1.50 GiB"; whole below 1 KiB.
std::string HumanBytes(double bytes);

// A table that scrolls sideways in its own box, and folds away what is beyond `kMostOpenRows`. What
// is beyond `kMostRows` is counted and left to the result.json: a page must open at once.
class HtmlTable {
 public:
  static constexpr size_t kMostOpenRows = 60;
  static constexpr size_t kMostRows = 2000;  // twice what a sweep of replays may have

  struct Column {
    std::string title;  // not escaped
    bool number = false;
  };

  // `label` says what the table holds, to those who do not see it.
  HtmlTable(std::string label, std::vector<Column> columns)
      : label_(std::move(label)), columns_(std::move(columns)) {}

  // Cells are HTML; `row_class` is one of ours.
  void AddRow(std::vector<std::string> cells, std::string_view row_class = "");
  bool empty() const { return rows_.empty(); }
  std::string Render() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string row_class;
  };

  std::string RenderRows(size_t begin, size_t end) const;

  std::string label_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Any value: rows of objects as a table, objects as names and values, what is nested below it under
// a title of its own. Nothing is left out but rows past HtmlTable::kMostRows.
std::string HtmlOfJson(const nlohmann::ordered_json& value, const std::string& label);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_HTML_H_
