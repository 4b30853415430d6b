// Shows a section of which nothing is known but that it is JSON.

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "reports/html.h"
#include "reports/json_members.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// Deeper than this it is shown as JSON: files may nest as deep as they like.
constexpr int kMostDepth = 6;

bool IsNested(const Json& value) {
  if (value.is_object()) return true;
  return value.is_array() && std::any_of(value.begin(), value.end(),
                                         [](const Json& item) { return item.is_structured(); });
}

// {"own": {"drafts": 1}} -> {"own drafts": 1}: a table has one level.
void Flatten(const Json& object, const std::string& prefix, int depth, Json& flat) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix.empty() ? key : absl::StrCat(prefix, " ", key);
    if (value.is_object() && !value.empty() && depth < 3) {
      Flatten(value, name, depth + 1, flat);
    } else {
      flat[name] = value;
    }
  }
}

// Samples, such as [[seconds, covered], ...].
bool IsMatrix(const Json& value) {
  return std::all_of(value.begin(), value.end(),
                     [](const Json& item) { return item.is_array() && !IsNested(item); });
}

std::string RenderMatrix(const Json& matrix, const std::string& label) {
  size_t width = 0;
  for (const Json& row : matrix) width = std::max(width, row.size());
  HtmlTable table(label, std::vector<HtmlTable::Column>(width, {"", true}));
  for (const Json& row : matrix) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(HtmlValue(value));
    table.AddRow(std::move(cells));
  }
  return table.Render();
}

std::string Render(const Json& value, const std::string& label, int depth);

std::string Cell(const Json& value, const std::string& label, int depth) {
  if (label == "verdict" && value.is_string()) return Badge(value.get<std::string>());
  if (!IsNested(value)) return HtmlValue(value);
  return absl::StrCat("<details><summary>", WithThousands(value.size()), "</summary>",
                      Render(value, label, depth + 1), "</details>");
}

std::string RenderRows(const Json& rows, const std::string& label, int depth) {
  std::vector<Json> flat;
  std::vector<std::string> keys;
  std::map<std::string, size_t> column_of;
  for (const Json& row : rows) {
    flat.push_back(Json::object());
    Flatten(row, "", 0, flat.back());
    for (const auto& [key, value] : flat.back().items()) {
      if (column_of.emplace(key, keys.size()).second) keys.push_back(key);
    }
  }
  std::vector<HtmlTable::Column> columns;
  for (const std::string& key : keys) {
    const bool number = std::all_of(flat.begin(), flat.end(), [&](const Json& row) {
      const auto it = row.find(key);
      return it == row.end() || it->is_number() || it->is_null();
    });
    columns.push_back({LabelOf(key), number});
  }
  HtmlTable table(label, std::move(columns));
  for (const Json& row : flat) {
    std::vector<std::string> cells(keys.size());
    for (const auto& [key, value] : row.items()) cells[column_of[key]] = Cell(value, key, depth);
    table.AddRow(std::move(cells));
  }
  return table.Render();
}

std::string RenderObject(const Json& object, const std::string& label, int depth) {
  HtmlTable table(label, {{"", false}, {"", false}});
  std::string below;
  for (const auto& [key, value] : object.items()) {
    if (IsNested(value)) {
      absl::StrAppend(&below, "<p class=\"label\">", EscapeHtml(LabelOf(key)), "</p>\n",
                      Render(value, key, depth + 1));
    } else {
      table.AddRow({EscapeHtml(LabelOf(key)), HtmlValue(value)});
    }
  }
  return table.empty() ? below
                       : absl::StrCat("<div class=\"pairs\">", table.Render(), "</div>", below);
}

std::string Render(const Json& value, const std::string& label, int depth) {
  if (depth >= kMostDepth) {
    return absl::StrCat(
        "<pre>", EscapeHtml(value.dump(1, ' ', false, Json::error_handler_t::replace)), "</pre>");
  }
  if (IsRows(value)) return RenderRows(value, label, depth);
  if (value.is_object()) return RenderObject(value, label, depth);
  if (!IsNested(value)) return absl::StrCat("<p>", HtmlValue(value), "</p>\n");
  if (IsMatrix(value)) return RenderMatrix(value, label);
  std::string html;
  for (const Json& item : value) html += Render(item, label, depth + 1);
  return html;
}

}  // namespace

std::string HtmlOfJson(const Json& value, const std::string& label) {
  return Render(value, label, 0);
}

}  // namespace lockstep
