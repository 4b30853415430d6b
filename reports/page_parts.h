// The parts of the page, each the HTML of one section of one run; "" where the run has none.

#ifndef LOCKSTEP_REPORTS_PAGE_PARTS_H_
#define LOCKSTEP_REPORTS_PAGE_PARTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "reports/merge.h"

namespace lockstep {

// What is embedded when the program is built; see page/ and embed.cmake.
extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kChartLibrary;  // "" when it was not there

std::string HtmlOfInvariants(const ReportedRun& run);
std::string HtmlOfChecks(const ReportedRun& run);
std::string HtmlOfClasses(const ReportedRun& run);
std::string HtmlOfFindings(const ReportedRun& run);
std::string HtmlOfFuzz(const ReportedRun& run);
std::string HtmlOfMutation(const ReportedRun& run);
std::string HtmlOfBench(const ReportedRun& run);
std::string HtmlOfGate(const ReportedRun& run);
std::string HtmlOfReplay(const ReportedRun& run);
std::string HtmlOfPlan(const ReportedRun& run);

// A chart, drawn by page/page.js.
struct Chart {
  struct Series {
    std::string name;
    nlohmann::ordered_json y = nlohmann::ordered_json::array();
    nlohmann::ordered_json low, high;  // arrays, or null
  };

  std::string type;  // "line" or "bar"
  std::string caption;
  std::string x_title, y_title;
  nlohmann::ordered_json x = nlohmann::ordered_json::array();
  std::vector<Series> series;
  bool horizontal = false;
  bool stacked = false;
  bool numeric = false;  // x is a scale, not names
  bool log = false;      // y
};

// "" for a chart without points.
std::string HtmlOfChart(const Chart& chart);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_PAGE_PARTS_H_
