// The certificate, out of the records.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/gate/certify.h"
#include "bench/gate/certify_records.h"
#include "bench/gate/statistics.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

using Json = nlohmann::ordered_json;

struct Count {
  size_t gates = 0;
  size_t flagged = 0;
  size_t unclear = 0;
};

// What the records say, gathered.
struct Tally {
  std::map<std::string, Count> groups;
  std::vector<Json> calibrations;
  std::map<std::string, std::vector<double>> in_gates;  // by Slowed: ratios of quiet short gates
  std::vector<std::string> false_alarms;
  std::string machine;
  std::vector<std::string> commits;
  std::string first;
  std::string last;
  std::vector<double> short_seconds;
  std::vector<double> full_seconds;
  std::vector<double> loads;
};

// Which libraries, among those that are slower.
std::string Slowed(const Json& r) {
  return absl::StrCat(r.value("site", ""), " ", r.value("percent", 0));
}

std::string Rate(size_t events, size_t trials) {
  const Interval b = ExactRateBounds(events, trials, 0.95);
  return absl::StrFormat("%d (%.1f %% to %.1f %%)", events, 100 * b.low, 100 * b.high);
}

std::string GroupOf(const Json& r) {
  return absl::StrCat(r.value("full", false) ? "full gate, " : "short gate, ",
                      r.value("noisy", false) ? "noisy neighbour, " : "no neighbour, ",
                      r.value("percent", 0) == 0
                          ? "equal libraries"
                          : absl::StrCat(r.value("percent", 0), " % slower"));
}

Json ToJson(const Count& c) {
  const Interval flagged = ExactRateBounds(c.flagged, c.gates, 0.95);
  const Interval unclear = ExactRateBounds(c.unclear, c.gates, 0.95);
  return {{"gates", c.gates},
          {"flagged", c.flagged},
          {"flagged_bounds", {flagged.low, flagged.high}},
          {"inconclusive", c.unclear},
          {"inconclusive_bounds", {unclear.low, unclear.high}}};
}

void AddGate(const Json& r, Tally& t) {
  t.last = r.value("started", "");
  if (t.first.empty()) t.first = t.last;
  t.loads.push_back(r.value("load_before", 0.0));
  const bool full = r.value("full", false);
  (full ? t.full_seconds : t.short_seconds).push_back(r.value("seconds", 0.0));
  Count& count = t.groups[GroupOf(r)];
  ++count.gates;
  const int exit_code = r.value("exit_code", 0);
  if (exit_code == kExitSlower) ++count.flagged;
  if (exit_code == kExitInconclusive) ++count.unclear;
  if (exit_code == kExitSlower && r.value("percent", 0) == 0) {
    t.false_alarms.push_back(
        absl::StrCat("- ", r.value("started", ""), ": ", r.value("verdict", "")));
  }
  if (full || r.value("noisy", false)) return;
  for (const Json& calibration : t.calibrations) {
    if (Slowed(calibration) != Slowed(r)) continue;
    const Json& rows = r.at("rows");
    const std::string target = calibration.value("target", "");
    if (rows.contains(target)) t.in_gates[Slowed(r)].push_back(rows[target].value("ratio", 0.0));
  }
}

Tally TallyOf(const std::vector<Json>& records) {
  Tally t;
  for (const Json& r : records) {
    const std::string kind = r.value("kind", "");
    if (kind == "run") {
      t.machine = r.value("machine", "");
      const std::string commit = r.value("commit", "").substr(0, 12);
      if (std::find(t.commits.begin(), t.commits.end(), commit) == t.commits.end()) {
        t.commits.push_back(commit);
      }
    }
    if (kind == "calibration") t.calibrations.push_back(r);
    if (kind == "gate") AddGate(r, t);
  }
  return t;
}

std::string GroupTable(const Tally& t) {
  std::string text =
      "| gates over | gates | flagged slower | inconclusive |\n|---|---:|---:|---:|\n";
  for (const auto& [name, count] : t.groups) {
    absl::StrAppend(&text, "| ", name, " | ", count.gates, " | ", Rate(count.flagged, count.gates),
                    " | ", Rate(count.unclear, count.gates), " |\n");
  }
  return text;
}

std::string CalibrationTable(const Tally& t) {
  if (t.calibrations.empty()) return "";
  std::string text =
      "\nHow much slower the slower libraries are: as meant, as measured by 40 processes that had "
      "no "
      "part\nin choosing the library, and the median of the gates themselves (no neighbour).\n\n"
      "| extra work in | calibrated on | meant | measured | in the gates |\n"
      "|---|---|---:|---:|---:|\n";
  for (const Json& c : t.calibrations) {
    const auto gates = t.in_gates.find(Slowed(c));
    absl::StrAppend(
        &text, absl::StrFormat("| %s | %s | %d %% | %+.2f %% | %s |\n", c.value("site", ""),
                               c.value("target", ""), c.value("percent", 0),
                               100 * c.value("measured", 0.0),
                               gates == t.in_gates.end()
                                   ? ""
                                   : absl::StrFormat("%+.2f %%", 100 * Median(gates->second))));
  }
  return text;
}

Json JsonOf(const Tally& t) {
  Json json = {{"machine", t.machine}, {"commits", t.commits}, {"from", t.first}, {"to", t.last}};
  for (const auto& [name, count] : t.groups) json["groups"][name] = ToJson(count);
  if (!t.short_seconds.empty()) json["short_gate_seconds"] = Median(t.short_seconds);
  if (!t.full_seconds.empty()) json["full_gate_seconds"] = Median(t.full_seconds);
  json["calibrations"] = Json::array();
  for (const Json& c : t.calibrations) {
    Json entry = {{"site", c.value("site", "")},
                  {"target", c.value("target", "")},
                  {"percent", c.value("percent", 0)},
                  {"measured", c.value("measured", 0.0)}};
    const auto gates = t.in_gates.find(Slowed(c));
    if (gates != t.in_gates.end()) entry["in_gates"] = Median(gates->second);
    json["calibrations"].push_back(entry);
  }
  json["false_alarms"] = t.false_alarms;
  return json;
}

}  // namespace

absl::StatusOr<Certificate> RenderCertificate(const std::string& records_path) {
  const Tally t = TallyOf(ReadRecords(records_path));
  if (t.groups.empty()) {
    return absl::InvalidArgumentError(records_path + ": holds no gates; run --certify first");
  }
  Certificate c = {.json = JsonOf(t), .markdown = ""};
  c.markdown = absl::StrCat(
      "# What the gate's verdicts are worth\n\nMeasured ", t.first, " to ", t.last, " on ",
      t.machine, ", at commit ", absl::StrJoin(t.commits, ", "),
      absl::StrFormat(".\nLoad average before the gates: median %.1f; other work on the machine is "
                      "in these figures.\n\n",
                      Median(t.loads)),
      "Flagged is exit code 3. An inconclusive gate counts as a miss. In brackets: exact 95 % "
      "bounds\n(Clopper and Pearson).\n\n",
      GroupTable(t));
  if (!t.short_seconds.empty()) {
    absl::StrAppend(
        &c.markdown,
        absl::StrFormat("\nA short gate (20 processes, 40 pairs of batches of %.1f ms, six "
                        "workloads) took %.0f s (median).\nShort gates decide by time alone here: "
                        "instructions and link orders have no part in them.\n",
                        kCertifyBatchUs / 1e3, Median(t.short_seconds)));
  }
  if (!t.full_seconds.empty()) {
    absl::StrAppend(&c.markdown,
                    absl::StrFormat("A full gate took %.0f s (median).\n", Median(t.full_seconds)));
  }
  c.markdown += CalibrationTable(t);
  if (!t.false_alarms.empty()) {
    absl::StrAppend(&c.markdown, "\nFalse alarms:\n\n", absl::StrJoin(t.false_alarms, "\n"), "\n");
  }
  return c;
}

}  // namespace lockstep::gate
