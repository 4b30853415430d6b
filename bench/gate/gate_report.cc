#include "bench/gate/gate_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

using Json = nlohmann::ordered_json;

bool Timed(const Row& row) { return row.verdict != Verdict::kNew && row.verdict != Verdict::kGone; }

std::string Instructions(const Row& row) {
  if (!row.instructions.has_value()) return "";
  return absl::StrFormat("%+.2f %%", 100 * *row.instructions);
}

std::string TableRow(const Row& row) {
  if (!Timed(row))
    return absl::StrFormat("| %s | | | | | %s |\n", row.name, VerdictName(row.verdict));
  const TimeDecision& t = row.time;
  std::string verdict = VerdictName(row.verdict);
  if (!row.note.empty()) absl::StrAppend(&verdict, ": ", row.note);
  return absl::StrFormat("| %s | %+.2f %% (%+.2f to %+.2f) | %+.2f %% | %.2g | %s | %s |\n",
                         row.name, 100 * t.ratio, 100 * t.interval.low, 100 * t.interval.high,
                         100 * row.wall_ratio, t.p_slower, Instructions(row),
                         absl::StrReplaceAll(verdict, {{"|", "\\|"}}));
}

std::string Xml(const std::string& text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

Json RowJson(const Row& row) {
  Json json = {{"workload", row.name}, {"verdict", VerdictName(row.verdict)}};
  if (!row.note.empty()) json["note"] = row.note;
  if (!Timed(row)) return json;
  json["ratio"] = row.time.ratio;
  json["interval"] = {row.time.interval.low, row.time.interval.high};
  json["p_slower"] = row.time.p_slower;
  json["p_faster"] = row.time.p_faster;
  json["wall_ratio"] = row.wall_ratio;
  json["base_ns"] = row.base_ns;
  if (row.instructions.has_value()) json["instructions"] = *row.instructions;
  return json;
}

}  // namespace

Json GateSection(const Comparison& c, const Surroundings& s) {
  Json section = {{"verdict", c.verdict},
                  {"base", s.base},
                  {"head", s.head},
                  {"identical", c.identical},
                  {"remarks", s.remarks},
                  {"noise", c.noise},
                  {"different_answers", c.different_answers}};
  section["rows"] = Json::array();
  for (const Row& row : c.rows) section["rows"].push_back(RowJson(row));
  section["attempts"] = Json::array();
  for (const Attempt& a : c.attempts) {
    section["attempts"].push_back({{"what", a.what},
                                   {"processes", a.processes},
                                   {"alpha", a.alpha},
                                   {"slower", a.slower},
                                   {"unclear", a.unclear},
                                   {"noise", a.noise},
                                   {"log_ratios", a.samples},
                                   {"control", a.control}});
  }
  return section;
}

std::string GateMarkdown(const Comparison& c, const Surroundings& s) {
  std::string text = absl::StrCat("**", c.verdict, "**\n\n");
  constexpr size_t kMostRemarks = 10;
  for (size_t i = 0; i < std::min(s.remarks.size(), kMostRemarks); ++i) {
    absl::StrAppend(&text, "- ", s.remarks[i], "\n");
  }
  if (s.remarks.size() > kMostRemarks) {
    absl::StrAppend(&text, "- and ", s.remarks.size() - kMostRemarks, " more in result.json\n");
  }
  if (!c.rows.empty()) {
    absl::StrAppend(
        &text,
        "\n| workload | change of CPU time (95 %) | of wall time, not judged | p | instructions | "
        "verdict |\n|---|---:|---:|---:|---:|---|\n");
    for (const Row& row : c.rows) text += TableRow(row);
  }
  absl::StrAppend(&text, "\nbase ", s.base, ", head ", s.head, "; ", s.machine, "\n");
  for (const Attempt& a : c.attempts) {
    const std::string control =
        a.control.empty()
            ? ""
            : absl::StrFormat("; two copies of base differ by %+.2f %%", 100 * Median(a.control));
    absl::StrAppend(&text, "\n", a.what, ": ", a.processes, " processes, alpha ", a.alpha,
                    ", slower: ", a.slower.empty() ? "none" : absl::StrJoin(a.slower, " "),
                    ", unclear: ", a.unclear.empty() ? "none" : absl::StrJoin(a.unclear, " "),
                    control);
  }
  if (!c.attempts.empty()) {
    absl::StrAppend(&text, absl::StrFormat("\n\nseed %d, %.0f s. p: one-sided signed-rank test of "
                                           "more than +0.5 %%, Holm-corrected.\n",
                                           s.seed, c.seconds));
  }
  return text;
}

std::string GateJUnit(const Comparison& c) {
  std::string cases;
  size_t failures = 0;
  const auto add = [&](const std::string& name, const std::string& failure) {
    absl::StrAppend(&cases, "  <testcase classname=\"gate\" name=\"", Xml(name), "\"");
    if (failure.empty()) {
      cases += "/>\n";
      return;
    }
    ++failures;
    absl::StrAppend(&cases, "><failure message=\"", Xml(failure), "\"/></testcase>\n");
  };
  add("gate", c.exit_code == kExitPass ? "" : c.verdict);
  for (const Row& row : c.rows) {
    const bool failed = row.verdict == Verdict::kSlower || row.verdict == Verdict::kUnclear;
    add(row.name,
        failed ? absl::StrFormat("%s: %+.2f %%", VerdictName(row.verdict), 100 * row.time.ratio)
               : "");
  }
  return absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gate\" tests=\"",
      c.rows.size() + 1, "\" failures=\"", failures, "\">\n", cases, "</testsuite>\n");
}

}  // namespace lockstep::gate
