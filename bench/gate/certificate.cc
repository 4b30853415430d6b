// The certificate, out of the records.

#include <fstream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/gate/certify.h"
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

}  // namespace

absl::StatusOr<Certificate> RenderCertificate(const std::string& records_path) {
  std::ifstream file(records_path);
  std::map<std::string, Count> groups;
  std::string calibrations;
  std::string false_alarms;
  std::string machine;
  std::string first;
  std::string last;
  std::vector<double> short_seconds;
  std::vector<double> full_seconds;
  std::vector<double> loads;
  for (std::string line; std::getline(file, line);) {
    const Json r = Json::parse(line, nullptr, false);
    if (r.is_discarded()) continue;
    const std::string kind = r.value("kind", "");
    if (kind == "start") machine = r.value("machine", "");
    if (kind == "calibration") {
      absl::StrAppend(&calibrations,
                      absl::StrFormat("| %s | %s | %d %% | %+.2f %% |\n", r.value("site", ""),
                                      r.value("target", ""), r.value("percent", 0),
                                      100 * r.value("measured", 0.0)));
    }
    if (kind != "gate") continue;
    last = r.value("started", "");
    if (first.empty()) first = last;
    loads.push_back(r.value("load_before", 0.0));
    (r.value("full", false) ? full_seconds : short_seconds).push_back(r.value("seconds", 0.0));
    Count& count = groups[GroupOf(r)];
    ++count.gates;
    const int exit_code = r.value("exit_code", 0);
    if (exit_code == kExitSlower) ++count.flagged;
    if (exit_code == kExitInconclusive) ++count.unclear;
    if (exit_code == kExitSlower && r.value("percent", 0) == 0) {
      absl::StrAppend(&false_alarms, "- ", r.value("started", ""), ": ", r.value("verdict", ""),
                      "\n");
    }
  }
  if (groups.empty()) {
    return absl::InvalidArgumentError(records_path + ": holds no gates; run --certify first");
  }
  Certificate c;
  c.markdown = absl::StrCat(
      "# What the gate's verdicts are worth\n\nMeasured ", first, " to ", last, " on ", machine,
      absl::StrFormat(" (load average before the gates: median %.1f; other work on the machine is "
                      "in these figures).\n\n",
                      Median(loads)),
      "Flagged is exit code 3. An inconclusive gate counts as a miss. In brackets: exact 95 % "
      "bounds\n(Clopper and Pearson).\n\n",
      "| gates over | gates | flagged slower | inconclusive |\n|---|---:|---:|---:|\n");
  c.json["machine"] = machine;
  c.json["from"] = first;
  c.json["to"] = last;
  for (const auto& [name, count] : groups) {
    absl::StrAppend(&c.markdown, "| ", name, " | ", count.gates, " | ",
                    Rate(count.flagged, count.gates), " | ", Rate(count.unclear, count.gates),
                    " |\n");
    c.json["groups"][name] = ToJson(count);
  }
  if (!short_seconds.empty()) {
    absl::StrAppend(&c.markdown, absl::StrFormat("\nA short gate (20 processes, 40 pairs of "
                                                 "batches of %.1f ms, six workloads) took %.1f s "
                                                 "(median).\n",
                                                 kCertifyBatchUs / 1e3, Median(short_seconds)));
    c.json["short_gate_seconds"] = Median(short_seconds);
  }
  if (!full_seconds.empty()) {
    absl::StrAppend(&c.markdown,
                    absl::StrFormat("A full gate took %.0f s (median).\n", Median(full_seconds)));
    c.json["full_gate_seconds"] = Median(full_seconds);
  }
  absl::StrAppend(
      &c.markdown,
      "Short gates decide by time alone here: instructions and link orders have no part in "
      "them.\n\n",
      "| extra work in | calibrated on | meant | measured |\n|---|---|---:|---:|\n", calibrations);
  if (!false_alarms.empty()) {
    absl::StrAppend(&c.markdown, "\nFalse alarms:\n\n", false_alarms);
  }
  return c;
}

}  // namespace lockstep::gate
