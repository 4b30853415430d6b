#include "reports/html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

std::string Fraction(double value) {
  const double size = std::fabs(value);
  if (size >= 1e15) return absl::StrFormat("%.3e", value);
  if (size >= 1000) {
    const std::string digits = WithThousands(static_cast<uint64_t>(std::llround(size)));
    return value < 0 ? "-" + digits : digits;
  }
  if (size != 0 && size < 0.001) return absl::StrFormat("%.2e", value);
  std::string text = absl::StrFormat("%.*f", size >= 100 ? 1 : size >= 10 ? 2 : 3, value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string Scalar(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_unsigned()) return WithThousands(value.get<uint64_t>());
  if (value.is_number_integer()) {
    const auto number = value.get<int64_t>();
    const auto size =
        number < 0 ? ~static_cast<uint64_t>(number) + 1 : static_cast<uint64_t>(number);
    return (number < 0 ? "-" : "") + WithThousands(size);
  }
  if (value.is_number_float()) return Fraction(value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  while (true) {
    const size_t end = text.find('\n');
    escaped += absl::StrReplaceAll(
        PrintableLine(text.substr(0, end)),
        {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
    if (end == std::string_view::npos) return escaped;
    escaped += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string ScriptJson(const Json& json) {
  // With all but ASCII written as \u...., U+2028 ends no line; "<" covers "</script" and "<!--".
  return absl::StrReplaceAll(json.dump(-1, ' ', true, Json::error_handler_t::replace),
                             {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string LabelOf(std::string_view key) {
  std::string label(key);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string HtmlValue(const Json& value) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    const std::string escaped = EscapeHtml(text);
    return text.find('\n') == std::string::npos ? escaped
                                                : absl::StrCat("<pre>", escaped, "</pre>");
  }
  if (!value.is_array()) return EscapeHtml(Scalar(value));
  std::string joined;
  for (const Json& item : value) {
    absl::StrAppend(&joined, joined.empty() ? "" : ", ", HtmlValue(item));
  }
  return joined;
}

std::string_view RowClass(const std::string& word) {
  for (const char* good : {"holds", "pass", "same", "faster", "found", "caught", "yes", "ok"}) {
    if (word == good) return "is-good";
  }
  for (const char* bad : {"broken", "broken promise", "slower", "bad input", "harness failed",
                          "floor missed", "survived", "differs", "failed"}) {
    if (word == bad) return "is-bad";
  }
  for (const char* open : {"not checked", "inconclusive", "cannot tell", "unclear"}) {
    if (word == open) return "is-open";
  }
  return "";
}

std::string Badge(const std::string& word) {
  const std::string_view row_class = RowClass(word);
  if (row_class.empty()) return EscapeHtml(word);
  return absl::StrCat("<span class=\"badge ", std::string(row_class), "\">", EscapeHtml(word),
                      "</span>");
}

std::string HumanBytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  // What would be rounded up to 1024.00 is one of the next unit.
  for (; bytes >= 1023.995 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  const double shown = std::round(100 * bytes) / 100;
  const int decimals = unit == 0 || shown == std::floor(shown) ? 0 : 2;
  return absl::StrFormat("%.*f %s", decimals, shown, kUnits[unit]);
}

void HtmlTable::AddRow(std::vector<std::string> cells, std::string_view row_class) {
  rows_.push_back({std::move(cells), std::string(row_class)});
}

std::string HtmlTable::RenderRows(size_t begin, size_t end) const {
  std::string html = "<table><thead><tr>";
  for (const Column& column : columns_) {
    absl::StrAppend(&html, column.number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">",
                    EscapeHtml(column.title), "</th>");
  }
  html += "</tr></thead><tbody>\n";
  for (size_t i = begin; i < end; ++i) {
    const Row& row = rows_[i];
    html += row.row_class.empty() ? "<tr>" : absl::StrCat("<tr class=\"", row.row_class, "\">");
    for (size_t c = 0; c < row.cells.size(); ++c) {
      const bool number = c < columns_.size() && columns_[c].number;
      absl::StrAppend(&html, number ? "<td class=\"n\">" : "<td>", row.cells[c], "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table>";
}

std::string HtmlTable::Render() const {
  const auto box = [&](size_t begin, size_t end) {
    return absl::StrCat("<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"",
                        EscapeHtml(label_), "\">", RenderRows(begin, end), "</div>\n");
  };
  if (rows_.size() <= kMostOpenRows) return box(0, rows_.size());
  const size_t shown = std::min(rows_.size(), kMostRows);
  std::string html = absl::StrCat(box(0, kMostOpenRows), "<details class=\"rest\"><summary>",
                                  WithThousands(shown - kMostOpenRows), " more rows</summary>",
                                  box(kMostOpenRows, shown), "</details>\n");
  if (shown < rows_.size()) {
    absl::StrAppend(&html, "<p class=\"label\">", WithThousands(rows_.size() - shown),
                    " further rows, of ", WithThousands(rows_.size()),
                    ", are in the result.json alone.</p>\n");
  }
  return html;
}

}  // namespace lockstep
