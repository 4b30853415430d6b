// Fuzzing, mutation, gate and plan: their figures as tables, and charts where a course or a
// comparison is easier seen than read.

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/html.h"
#include "reports/json_members.h"
#include "reports/page_parts.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Json Without(const Json& object, std::initializer_list<const char*> keys) {
  Json rest = object;
  for (const char* key : keys) {
    if (rest.is_object()) rest.erase(key);
  }
  return rest;
}

bool HaveNumber(const Json& rows, const char* key) {
  return IsRows(rows) && std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
           return MemberOf(row, key).is_number();
         });
}

// Coverage of one target over time.
std::string HtmlOfCourse(const std::string& target, const Json& samples) {
  if (!HaveNumber(samples, "seconds") || !HaveNumber(samples, "coverage")) return "";
  Chart chart{.type = "line",
              .caption = absl::StrCat("Coverage of ", target, " over time"),
              .x_title = "seconds",
              .y_title = "places reached",
              .series = {{.name = target, .low = {}, .high = {}}},
              .numeric = true};
  for (const Json& sample : samples) {
    chart.x.push_back(sample["seconds"]);
    chart.series[0].y.push_back(sample["coverage"]);
  }
  return absl::StrCat(HtmlOfChart(chart), "<details class=\"rest\"><summary>Figures of ",
                      EscapeHtml(target), " over time</summary>",
                      HtmlOfJson(samples, "coverage of " + target), "</details>\n");
}

// A source line and the change that nobody noticed: "- before" and "+ after".
std::string HtmlOfDiff(const std::string& diff) {
  std::string html = "<pre>";
  size_t at = 0;
  while (at < diff.size()) {
    const size_t end = std::min(diff.find('\n', at), diff.size());
    const std::string line = diff.substr(at, end - at);
    const char* mark = line.starts_with('+') ? "add" : line.starts_with('-') ? "del" : "";
    absl::StrAppend(&html, *mark == '\0' ? "" : absl::StrCat("<span class=\"", mark, "\">"),
                    EscapeHtml(line), *mark == '\0' ? "" : "</span>", "\n");
    at = end + 1;
  }
  return html + "</pre>\n";
}

// A line in small print of what is there of `texts`; "" for nothing.
std::string Meta(const std::vector<std::string>& texts) {
  std::string line;
  for (const std::string& text : texts) {
    if (!text.empty()) absl::StrAppend(&line, line.empty() ? "" : ", in ", EscapeHtml(text));
  }
  return line.empty() ? "" : absl::StrCat("<p class=\"meta\">", line, "</p>\n");
}

std::string HtmlOfSurvivors(const Json& survivors) {
  if (!IsRows(survivors)) return HtmlOfJson(survivors, "survivors");
  std::string html;
  for (const Json& survivor : survivors) {
    std::string place = TextOf(survivor, "file");
    if (const std::string line = TextOf(survivor, "line"); !line.empty()) {
      absl::StrAppend(&place, place.empty() ? "" : ":", line);
    }
    const std::string diff = TextOf(survivor, "diff");
    Json rest = Without(survivor, {"file", "line", "diff", "kind", "function", "key"});
    if (!diff.empty()) rest = Without(rest, {"original", "replacement"});  // the diff has them
    absl::StrAppend(&html, "<article class=\"finding\"><h3>", EscapeHtml(place), "</h3>\n",
                    Meta({TextOf(survivor, "kind"), TextOf(survivor, "function")}),
                    HtmlOfDiff(diff), Meta({TextOf(survivor, "key")}),
                    rest.empty() ? "" : HtmlOfJson(rest, "survivor"), "</article>\n");
  }
  return html;
}

std::string HtmlOfMutationScores(const Json& files) {
  if (!HaveNumber(files, "caught") || !HaveNumber(files, "survived")) return "";
  Chart chart{.type = "bar",
              .caption = "Changed cores that were caught, and that were not, by file",
              .x_title = "",
              .y_title = "mutants",
              .series = {{.name = "caught", .low = {}, .high = {}},
                         {.name = "survived", .low = {}, .high = {}}},
              .horizontal = true,
              .stacked = true};
  for (const Json& file : files) {
    chart.x.push_back(TextOf(file, "name"));
    chart.series[0].y.push_back(file["caught"]);
    chart.series[1].y.push_back(file["survived"]);
  }
  return HtmlOfChart(chart);
}

// A change as a part of the base, with its interval, or nothing.
std::optional<std::array<double, 3>> ChangeOf(const Json& row) {
  const Json& ratio = MemberOf(row, "ratio");
  const Json& interval = MemberOf(row, "interval");
  if (!ratio.is_number() || !interval.is_array() || interval.size() != 2 ||
      !interval[0].is_number() || !interval[1].is_number()) {
    return std::nullopt;
  }
  return std::array{100 * ratio.get<double>(), 100 * interval[0].get<double>(),
                    100 * interval[1].get<double>()};
}

std::string HtmlOfGateChart(const Json& rows) {
  Chart chart{.type = "bar",
              .caption = "Change of time against the base, in percent, with its interval",
              .x_title = "",
              .y_title = "percent; more is slower",
              .series = {{.name = "interval", .low = Json::array(), .high = Json::array()}},
              .horizontal = true};
  for (const Json& row : rows) {
    const auto change = ChangeOf(row);
    if (!change) continue;
    chart.x.push_back(TextOf(row, "workload"));
    chart.series[0].y.push_back((*change)[0]);
    chart.series[0].low.push_back((*change)[1]);
    chart.series[0].high.push_back((*change)[2]);
  }
  return HtmlOfChart(chart);
}

// The rows with what a reader asks first in front, and ratios as percent.
Json GateRows(const Json& rows) {
  Json shown = Json::array();
  for (const Json& row : rows) {
    Json one = {{"workload", MemberOf(row, "workload")}, {"verdict", MemberOf(row, "verdict")}};
    if (const auto change = ChangeOf(row)) {
      one["change"] = absl::StrFormat("%+.2f %%", (*change)[0]);
      one["95 % interval"] = absl::StrFormat("%+.2f to %+.2f %%", (*change)[1], (*change)[2]);
    }
    for (const auto& [key, value] : row.items()) {
      if (one.contains(key) || (one.contains("change") && (key == "ratio" || key == "interval"))) {
        continue;
      }
      one[key] = value;
    }
    shown.push_back(std::move(one));
  }
  return shown;
}

}  // namespace

std::string HtmlOfFuzz(const ReportedRun& run) {
  const Json& fuzz = Section(run.result, "fuzz");
  if (fuzz.empty()) return "";
  const Json& targets = MemberOf(fuzz, "targets");
  if (!IsRows(targets)) return HtmlOfJson(fuzz, "fuzzing");
  Json rows = Json::array();
  std::string courses;
  for (const Json& target : targets) {
    courses += HtmlOfCourse(TextOf(target, "target"), MemberOf(target, "samples"));
    const bool drawn = HaveNumber(MemberOf(target, "samples"), "coverage");
    rows.push_back(drawn ? Without(target, {"samples"}) : target);
  }
  return absl::StrCat(HtmlOfJson(rows, "fuzz targets"), courses,
                      HtmlOfJson(Without(fuzz, {"targets"}), "fuzzing"));
}

std::string HtmlOfMutation(const ReportedRun& run) {
  const Json& mutation = Section(run.result, "mutation");
  if (mutation.empty()) return "";
  const Json& survivors = MemberOf(mutation, "survivors");
  std::string html = absl::StrCat(HtmlOfMutationScores(MemberOf(mutation, "files")),
                                  HtmlOfJson(Without(mutation, {"survivors"}), "mutation"));
  if (survivors.is_null()) return html;
  absl::StrAppend(&html, "<p class=\"label\">Survivors: changes that nothing noticed</p>\n",
                  survivors.empty() ? "<p>None.</p>\n" : HtmlOfSurvivors(survivors));
  return html;
}

std::string HtmlOfGate(const ReportedRun& run) {
  const Json& gate = Section(run.result, "gate");
  if (gate.empty()) return "";
  const Json& rows = MemberOf(gate, "rows");
  if (!IsRows(rows)) return HtmlOfJson(gate, "gate");
  return absl::StrCat(HtmlOfGateChart(rows), HtmlOfJson(GateRows(rows), "workloads"),
                      HtmlOfJson(Without(gate, {"rows"}), "gate"));
}

std::string HtmlOfPlan(const ReportedRun& run) {
  const Json& plan = Section(run.result, "plan");
  if (plan.empty()) return "";
  const Json& terms = MemberOf(plan, "terms");
  if (!IsRows(terms)) return HtmlOfJson(plan, "plan");
  HtmlTable table(
      "terms of the plan",
      {{"state"}, {"kind"}, {"dtype"}, {"units", true}, {"bytes", true}, {"", true}, {"memory"}});
  const auto human = [](const Json& bytes) {
    return bytes.is_number() ? HumanBytes(bytes.get<double>()) : "";
  };
  for (const Json& term : terms) {
    const Json& host = MemberOf(term, "host");
    table.AddRow({EscapeHtml(TextOf(term, "state")), EscapeHtml(LabelOf(TextOf(term, "kind"))),
                  EscapeHtml(TextOf(term, "dtype")), HtmlValue(MemberOf(term, "units")),
                  HtmlValue(MemberOf(term, "bytes")), human(MemberOf(term, "bytes")),
                  host.is_boolean() ? (host.get<bool>() ? "host" : "device") : HtmlValue(host)});
  }
  for (const char* memory : {"device", "host"}) {
    const Json& bytes = MemberOf(plan, absl::StrCat(memory, "_bytes").c_str());
    table.AddRow({"<b>all</b>", "", "", "", HtmlValue(bytes), human(bytes), memory});
  }
  const Json rest = Without(plan, {"terms", "device_bytes", "host_bytes"});
  return table.Render() + (rest.empty() ? "" : HtmlOfJson(rest, "plan"));
}

}  // namespace lockstep
