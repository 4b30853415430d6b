#include "fuzz/night_sections.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "fuzz/corpus.h"
#include "fuzz/corpus_figures.h"

namespace lockstep::fuzz {
namespace {

using Json = nlohmann::ordered_json;

double PerSecond(const Shift& shift) {
  const double seconds = absl::ToDoubleSeconds(shift.used);
  return seconds > 0 ? static_cast<double>(shift.executions) / seconds : 0;
}

Json Samples(const Shift& shift) {
  Json rows = Json::array();
  for (const Sample& sample : shift.samples) {
    rows.push_back({{"seconds", sample.seconds},
                    {"executions", sample.executions},
                    {"coverage", sample.coverage},
                    {"corpus", sample.corpus}});
  }
  return rows;
}

Json TargetRow(const NightOptions& options, const Shift& shift) {
  return {{"target", shift.target.name},
          {"executions", shift.executions},
          {"executions_per_second", PerSecond(shift)},
          {"coverage", shift.last.coverage},
          {"features", shift.last.features},
          {"corpus", CountFiles(GrownCorpus(options, shift.target))},
          {"seconds", absl::ToDoubleSeconds(shift.used)},
          {"unmerged", shift.unmerged},
          {"samples", Samples(shift)}};
}

Json FindingRow(const FoundFault& fault) {
  return {{"check", fault.target},
          {"what", fault.signature + (fault.flaky ? " (flaky)" : "")},
          {"found_by", "fuzz " + fault.target},
          {"signature", fault.signature},
          {"transcript", fault.transcript},
          {"flaky", fault.flaky},
          {"times", fault.times},
          {"folder", fault.folder}};
}

class Floors {
 public:
  void Add(const std::string& name, double least, double got) {
    rows_.push_back({{"floor", name}, {"least", least}, {"got", got}, {"held", got >= least}});
    held_ = held_ && got >= least;
  }
  bool held() const { return held_; }
  const Json& rows() const { return rows_; }

 private:
  Json rows_ = Json::array();
  bool held_ = true;
};

// Every target ran, and long nights ran often enough and reached everything.
Floors CheckFloors(const NightOptions& options, const std::vector<Shift>& shifts, Json& fuzz) {
  Floors floors;
  for (const Shift& shift : shifts) {
    floors.Add("executions of " + shift.target.name, 1, static_cast<double>(shift.executions));
    if (!options.floors() || !options.impl.empty()) continue;
    floors.Add("executions a second of " + shift.target.name, shift.target.least_per_second,
               PerSecond(shift));
    if (shift.target.name != "cache_exact") continue;
    const CorpusFigures figures =
        FiguresOf({SeedCorpus(options, shift.target), GrownCorpus(options, shift.target)});
    const std::vector<std::string> missing = figures.NotReached();
    const auto all = static_cast<double>(Situation::kCount);
    fuzz["corpus"] = {{"inputs", figures.inputs},
                      {"wrapping_share", figures.wrapping_share()},
                      {"not_reached", missing}};
    floors.Add("situations reached by cache_exact", all, all - static_cast<double>(missing.size()));
    floors.Add("share of the inputs of cache_exact that wrap a ring", 1.0 / 3,
               figures.wrapping_share());
  }
  return floors;
}

std::string Feedback(const std::vector<Shift>& shifts) {
  const bool counts = std::any_of(shifts.begin(), shifts.end(),
                                  [](const Shift& shift) { return shift.modules > 1; });
  return counts ? "coverage of the library counts"
                : "none: the library was built without coverage, so the fuzzer is blind to it; "
                  "fuzz/README.md has the flags";
}

}  // namespace

void WriteNightSections(const NightOptions& options, const std::vector<Shift>& shifts,
                        const Canary& canary, const std::vector<FoundFault>& faults,
                        Result& result) {
  Json& fuzz = result.sections["fuzz"] = Json::object();
  fuzz["canary"] = {{"found", !canary.signature.empty()},
                    {"signature", canary.signature},
                    {"seconds", canary.seconds}};
  Json& targets = fuzz["targets"] = Json::array();
  for (const Shift& shift : shifts) targets.push_back(TargetRow(options, shift));
  if (!options.impl.empty()) fuzz["feedback"] = Feedback(shifts);
  const Floors floors = CheckFloors(options, shifts, fuzz);
  fuzz["floors"] = floors.rows();
  Json& findings = result.sections["findings"] = Json::array();
  for (const FoundFault& fault : faults) findings.push_back(FindingRow(fault));

  const auto worsen = [&](int code) { result.exit_code = WorseExitCode(result.exit_code, code); };
  if (!faults.empty()) worsen(kExitBrokenPromise);
  // An interrupted night owes nothing but what it found.
  if (Interrupted()) return worsen(kExitInconclusive);
  if (canary.signature.empty()) worsen(kExitHarnessFailed);
  const bool refused = std::any_of(shifts.begin(), shifts.end(),
                                   [](const Shift& shift) { return shift.merge_refused; });
  if (!floors.held() || refused) worsen(kExitFloorMissed);
}

std::string NightText(const Result& result) {
  const Json& fuzz = result.sections.at("fuzz");
  std::string text = absl::StrFormat("canary: %s after %.1f s\n",
                                     fuzz.at("canary").at("found") == true ? "found" : "MISSED",
                                     fuzz.at("canary").at("seconds").get<double>());
  for (const Json& t : fuzz.at("targets")) {
    const std::string unmerged = t.at("unmerged").get<std::string>();
    absl::StrAppend(
        &text, t.at("target").get<std::string>(), ": ", t.at("executions").get<uint64_t>(),
        " executions, ", static_cast<uint64_t>(t.at("executions_per_second").get<double>()),
        " a second, coverage ", t.at("coverage").get<uint64_t>(), ", corpus ",
        t.at("corpus").get<uint64_t>(), unmerged.empty() ? "" : ", not merged: ", unmerged, "\n");
  }
  if (fuzz.contains("feedback")) {
    absl::StrAppend(&text, "feedback: ", fuzz.at("feedback").get<std::string>(), "\n");
  }
  for (const Json& floor : fuzz.at("floors")) {
    if (floor.at("held") == true) continue;
    absl::StrAppend(
        &text,
        absl::StrFormat("FLOOR MISSED: %s: %g, at least %g\n", floor.at("floor").get<std::string>(),
                        floor.at("got").get<double>(), floor.at("least").get<double>()));
  }
  if (fuzz.contains("corpus") && !fuzz.at("corpus").at("not_reached").empty()) {
    absl::StrAppend(
        &text, "not reached: ",
        absl::StrJoin(fuzz.at("corpus").at("not_reached").get<std::vector<std::string>>(), ", "),
        "\n");
  }
  for (const Json& f : result.sections.at("findings")) {
    absl::StrAppend(&text, "FOUND by ", f.at("found_by").get<std::string>(), ": ",
                    f.at("what").get<std::string>(), "; see ", f.at("folder").get<std::string>(),
                    "\n");
  }
  return text;
}

}  // namespace lockstep::fuzz
