// Benchmarks and replays.

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/html.h"
#include "reports/json_members.h"
#include "reports/page_parts.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

double Number(const Json& object, const char* key) {
  const Json& value = MemberOf(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::string Percent(double part, double whole) {
  return whole > 0 ? absl::StrFormat("%.1f %%", 100 * part / whole) : "";
}

// Times and their spread as multiples of the memory floor.
std::string HtmlOfFloorChart(const Json& rows) {
  Chart chart{.type = "bar",
              .caption = "Time as a multiple of what memory alone costs, with its interval",
              .x_title = "",
              .y_title = "times the floor",
              .series = {{.name = "interval", .low = Json::array(), .high = Json::array()}},
              .horizontal = true};
  for (const Json& row : rows) {
    const double floor = Number(row, "floor_ns");
    const double time = Number(row, "ns");
    if (floor <= 0 || time <= 0) continue;
    const auto multiple = [&](const char* key) {
      const double value = Number(row, key);
      return (value > 0 ? value : time) / floor;
    };
    const std::string impl = TextOf(row, "impl");
    chart.x.push_back(absl::StrCat(TextOf(row, "name"), impl.empty() ? "" : ", ", impl));
    chart.series[0].y.push_back(time / floor);
    chart.series[0].low.push_back(multiple("ns_low"));
    chart.series[0].high.push_back(multiple("ns_high"));
  }
  return HtmlOfChart(chart);
}

// Google Benchmark's own file: medians where it repeated, every run otherwise.
std::string HtmlOfGoogleBenchmark(const std::string& text) {
  const Json file = Json::parse(text, nullptr, false);
  const Json& all = MemberOf(file, "benchmarks");
  if (!IsRows(all)) return "";
  const bool repeated = std::any_of(all.begin(), all.end(), [](const Json& row) {
    return TextOf(row, "aggregate_name") == "median";
  });
  Json rows = Json::array();
  for (const Json& row : all) {
    if (repeated && TextOf(row, "aggregate_name") != "median") continue;
    Json shown = Json::object();
    for (const auto& [key, value] : row.items()) {
      static const std::set<std::string> kBookkeeping = {
          "family_index",   "per_family_instance_index",
          "run_name",       "run_type",
          "repetitions",    "aggregate_name",
          "aggregate_unit", "repetition_index",
          "threads"};
      if (!kBookkeeping.contains(key)) shown[key] = value;
    }
    rows.push_back(std::move(shown));
  }
  return absl::StrCat("<p class=\"label\">Google Benchmark",
                      repeated ? ": medians of the repetitions" : "", "</p>\n",
                      HtmlOfJson(rows, "benchmarks"));
}

// What distinguishes the replays beside budget and key length.
std::string SettingOf(const Json& row) {
  const std::string scopes = CountTextOf(row, "max_scopes");
  return absl::StrCat(TextOf(row, "trace"), ", ", scopes, scopes == "1" ? " scope" : " scopes",
                      ", drafts of up to ", CountTextOf(row, "max_draft"), ", ",
                      TextOf(row, "policy"), " policy");
}

struct Sweep {
  std::set<double> budgets, key_lens;
  std::map<std::pair<double, double>, double> saved_percent;  // by budget and key length
};

double SavedPercent(const Json& row) {
  const Json& all = MemberOf(row, "all");
  const double tokens = Number(all, "output_tokens");
  return tokens > 0 ? 100 * Number(all, "steps_saved") / tokens : 0;
}

// Steps saved by budget and key length.
std::string HtmlOfSweep(const std::string& setting, const Sweep& sweep) {
  if (sweep.budgets.size() < 2 && sweep.key_lens.size() < 2) return "";
  std::vector<HtmlTable::Column> columns = {{"budget"}};
  for (const double key_len : sweep.key_lens) {
    columns.push_back({absl::StrFormat("key of %.0f", key_len), true});
  }
  HtmlTable table("steps saved by budget and key length", std::move(columns));
  Chart chart{.type = "line",
              .caption = absl::StrCat("Steps saved by budget and key length: ", setting),
              .x_title = "budget",
              .y_title = "steps saved, %",
              .series = {}};
  for (const double key_len : sweep.key_lens) {
    chart.series.push_back(
        {.name = absl::StrFormat("key of %.0f", key_len), .low = {}, .high = {}});
  }
  for (const double budget : sweep.budgets) {
    std::vector<std::string> cells = {HumanBytes(budget)};
    chart.x.push_back(HumanBytes(budget));
    size_t at = 0;
    for (const double key_len : sweep.key_lens) {
      const auto it = sweep.saved_percent.find({budget, key_len});
      const bool measured = it != sweep.saved_percent.end();
      cells.push_back(measured ? absl::StrFormat("%.1f %%", it->second) : "");
      chart.series[at++].y.push_back(measured ? Json(it->second) : Json());
    }
    table.AddRow(std::move(cells));
  }
  return absl::StrCat("<p class=\"label\">Steps saved by budget and key length: ",
                      EscapeHtml(setting), "</p>\n", table.Render(), HtmlOfChart(chart));
}

std::string HtmlOfReplayRows(const Json& rows) {
  HtmlTable table("replays", {{"trace"},
                              {"budget", true},
                              {"scopes", true},
                              {"key", true},
                              {"draft", true},
                              {"policy"},
                              {"output tokens", true},
                              {"steps, own history", true},
                              {"steps, and cache", true},
                              {"tokens/step", true},
                              {"saved", true}});
  for (const Json& row : rows) {
    const Json& all = MemberOf(row, "all");
    table.AddRow({EscapeHtml(TextOf(row, "trace")), HumanBytes(Number(row, "budget_bytes")),
                  HtmlValue(MemberOf(row, "max_scopes")), HtmlValue(MemberOf(row, "key_len")),
                  HtmlValue(MemberOf(row, "max_draft")), EscapeHtml(TextOf(row, "policy")),
                  HtmlValue(MemberOf(all, "output_tokens")),
                  HtmlValue(MemberOf(all, "steps_own_only")), HtmlValue(MemberOf(all, "steps")),
                  absl::StrFormat("%.3f", Number(all, "tokens_per_step")),
                  Percent(Number(all, "steps_saved"), Number(all, "output_tokens"))});
  }
  return table.Render();
}

}  // namespace

std::string HtmlOfBench(const ReportedRun& run) {
  const Json& bench = Section(run.result, "bench");
  if (bench.empty() && run.google_benchmark.empty()) return "";
  if (bench.empty()) return HtmlOfGoogleBenchmark(run.google_benchmark);
  const Json& rows = bench.is_array() ? bench : MemberOf(bench, "rows");
  if (!IsRows(rows)) return HtmlOfJson(bench, "benchmarks");
  Json rest = bench.is_object() ? bench : Json::object();
  if (rest.is_object()) rest.erase("rows");
  return absl::StrCat(HtmlOfFloorChart(rows), HtmlOfJson(rows, "benchmarks"),
                      rest.empty() ? "" : HtmlOfJson(rest, "benchmarks"));
}

std::string HtmlOfReplay(const ReportedRun& run) {
  const Json& rows = Section(run.result, "replay");
  if (rows.empty()) return "";
  if (!IsRows(rows)) return HtmlOfJson(rows, "replay");
  std::map<std::string, Sweep> sweeps;
  for (const Json& row : rows) {
    Sweep& sweep = sweeps[SettingOf(row)];
    const double budget = Number(row, "budget_bytes");
    const double key_len = Number(row, "key_len");
    sweep.budgets.insert(budget);
    sweep.key_lens.insert(key_len);
    sweep.saved_percent[{budget, key_len}] = SavedPercent(row);
  }
  std::string html;
  for (const auto& [setting, sweep] : sweeps) html += HtmlOfSweep(setting, sweep);
  // The whole of it, drafts and latencies and scopes too, for those who look for more.
  return absl::StrCat(html, HtmlOfReplayRows(rows),
                      "<details class=\"rest raw\"><summary>All figures: drafts, latencies, "
                      "scopes</summary>",
                      HtmlOfJson(rows, "all figures of the replays"), "</details>\n");
}

}  // namespace lockstep
