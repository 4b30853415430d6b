// A chart's figures, as JSON for page/page.js.

#include "absl/strings/str_cat.h"
#include "reports/html.h"
#include "reports/page_parts.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// A figure of a chart stands in a table, too.
constexpr size_t kMostPoints = HtmlTable::kMostRows;

Json ToJson(const Chart& chart) {
  Json json = {{"type", chart.type},
               {"x", chart.x},
               {"x_title", chart.x_title},
               {"y_title", chart.y_title},
               {"horizontal", chart.horizontal},
               {"stacked", chart.stacked},
               {"numeric", chart.numeric},
               {"log", chart.log},
               {"series", Json::array()}};
  for (const Chart::Series& series : chart.series) {
    Json one = {{"name", series.name}, {"y", series.y}};
    if (!series.low.is_null()) {
      one["low"] = series.low;
      one["high"] = series.high;
    }
    json["series"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string HtmlOfChart(const Chart& chart) {
  if (chart.x.empty() || chart.series.empty() || chart.x.size() > kMostPoints) return "";
  const std::string caption = EscapeHtml(chart.caption);
  // Bars below each other need room each; the others share what there is.
  const std::string height =
      chart.horizontal && chart.x.size() > 10
          ? absl::StrCat(" style=\"height:", 4 + chart.x.size() * 3 / 2, "rem\"")
          : "";
  return absl::StrCat(
      "<figure class=\"chart\"><figcaption>", caption, "</figcaption><div class=\"canvas\"", height,
      "><canvas role=\"img\" aria-label=\"", caption,
      ". The table holds the figures.\"></canvas></div>", "<script type=\"application/json\">",
      ScriptJson(ToJson(chart)), "</script></figure>\n");
}

}  // namespace lockstep
