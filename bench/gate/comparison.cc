#include "bench/gate/comparison.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/gate/conclusion.h"
#include "bench/gate/identical.h"
#include "bench/gate/instructions.h"
#include "bench/gate/sampling.h"
#include "bench/workload.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Comparer {
 public:
  Comparer(std::string base, std::string head, const ComparisonOptions& options)
      : base_(std::move(base)), head_(std::move(head)), options_(options), random_(options.seed) {}

  absl::StatusOr<Comparison> Run();

 private:
  MeasureSpec Spec(std::vector<std::string> workloads) const {
    return {.base = base_,
            .head = head_,
            .workloads = std::move(workloads),
            .trace = options_.trace,
            .pairs = options_.pairs,
            .batch_us = options_.batch_us};
  }
  absl::Status CompareAnswers();
  absl::Status Sample(MeasureSpec spec, const std::vector<std::string>& forced, int processes,
                      const std::string& what, Sampling& sampling);
  std::map<std::string, TimeDecision> Record(const std::string& what, const Sampling& sampling,
                                             double alpha);
  absl::Status TimeBoth();
  std::vector<std::string> SlowerByTimeAlone() const;
  absl::Status ConfirmByLinkOrders();
  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }
  bool OutOfBudget() const {
    return options_.budget_seconds > 0 && Since(start_) > options_.budget_seconds;
  }
  std::string BudgetEnded() const {
    return absl::StrFormat("the budget of %.0f s ended", options_.budget_seconds);
  }

  std::string base_;
  std::string head_;
  const ComparisonOptions& options_;
  Random random_;
  Clock::time_point start_ = Clock::now();
  Comparison result_;
  std::vector<std::string> names_;   // workloads that both support
  std::vector<std::string> forced_;  // those timed on the forced path too
  Evidence evidence_;
};

absl::Status Comparer::CompareAnswers() {
  Say("comparing answers");
  MeasureSpec spec = Spec(options_.workloads);
  spec.mode = MeasureMode::kDigest;
  if (!options_.forced.empty()) spec.hash_path = kForcedPath;
  absl::StatusOr<Readings> readings = MeasureInProcess(spec);
  if (!readings.ok()) return readings.status();
  for (const auto& [name, digests] : readings->digests) {
    names_.push_back(name);
    if (digests.first != digests.second) result_.different_answers.push_back(name);
  }
  if (readings->takes_hash_path) {
    for (const std::string& name : names_) {
      const auto& wanted = options_.forced;
      if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) forced_.push_back(name);
    }
  }
  // What neither offers is no matter of this change.
  std::vector<std::string>& by_base = readings->unsupported_by_base;
  std::vector<std::string>& by_head = readings->unsupported_by_head;
  std::sort(by_base.begin(), by_base.end());
  std::sort(by_head.begin(), by_head.end());
  std::set_difference(by_base.begin(), by_base.end(), by_head.begin(), by_head.end(),
                      std::back_inserter(evidence_.only_head));
  std::set_difference(by_head.begin(), by_head.end(), by_base.begin(), by_base.end(),
                      std::back_inserter(evidence_.only_base));
  return absl::OkStatus();
}

absl::Status Comparer::Sample(MeasureSpec spec, const std::vector<std::string>& forced,
                              int processes, const std::string& what, Sampling& sampling) {
  spec.control = spec.workloads.front();
  // The control is best one that works with memory.
  for (const std::string& name : spec.workloads) {
    if (name == "insert_fresh/cache") spec.control = name;
  }
  while (sampling.processes < processes && !OutOfBudget()) {
    Say(absl::StrFormat("%s: process %d of %d, %.0f s", what, sampling.processes + 1, processes,
                        Since(start_)));
    if (absl::Status s = AddProcess(spec, forced, random_, sampling); !s.ok()) return s;
  }
  return absl::OkStatus();
}

std::map<std::string, TimeDecision> Comparer::Record(const std::string& what,
                                                     const Sampling& sampling, double alpha) {
  std::map<std::string, TimeDecision> decisions = DecideByTime(sampling.cpu, alpha);
  Attempt attempt = {.what = what,
                     .processes = sampling.processes,
                     .alpha = alpha,
                     .noise = WhyTooNoisy(sampling.control),
                     .samples = sampling.cpu,
                     .control = sampling.control};
  for (const auto& [name, decision] : decisions) {
    if (decision.slower) attempt.slower.push_back(name);
    if (decision.unclear) attempt.unclear.push_back(name);
  }
  result_.attempts.push_back(std::move(attempt));
  return decisions;
}

absl::Status Comparer::TimeBoth() {
  Sampling& sampling = evidence_.sampling;
  const MeasureSpec spec = Spec(names_);
  if (absl::Status s = Sample(spec, forced_, options_.first_processes, "timing", sampling);
      !s.ok()) {
    return s;
  }
  evidence_.decisions = Record("first", sampling, kAlpha);
  result_.noise = result_.attempts.back().noise;
  if (sampling.processes < options_.first_processes) {
    result_.noise = absl::StrCat(BudgetEnded(), " after ", sampling.processes, " of ",
                                 options_.first_processes, " processes");
    return absl::OkStatus();
  }
  if (result_.attempts.back().unclear.empty() && result_.noise.empty()) return absl::OkStatus();
  if (absl::Status s = Sample(spec, forced_, options_.extended_processes, "extension", sampling);
      !s.ok()) {
    return s;
  }
  evidence_.decisions = Record("extension", sampling, kAlpha / 2);
  result_.noise = result_.attempts.back().noise;
  return absl::OkStatus();
}

std::vector<std::string> Comparer::SlowerByTimeAlone() const {
  std::vector<std::string> alone;
  for (const auto& [row, decision] : evidence_.decisions) {
    const auto it = evidence_.instructions.find(row);
    const auto more = it == evidence_.instructions.end() ? std::nullopt : std::optional(it->second);
    if (TimeAlone(decision, more)) alone.push_back(row);
  }
  return alone;
}

absl::Status Comparer::ConfirmByLinkOrders() {
  constexpr int kOrders = 5;
  const std::vector<std::string> alone = SlowerByTimeAlone();
  if (alone.empty() || !options_.relink) return absl::OkStatus();
  // Only those rows, and what they are rows of.
  std::set<std::string> names;
  std::vector<std::string> forced;
  for (const std::string& row : alone) {
    const std::string name = row.substr(0, row.find('@'));
    names.insert(name);
    if (row != name) forced.push_back(name);
  }
  MeasureSpec spec = Spec({names.begin(), names.end()});
  Sampling shuffled;
  for (int order = 1; order <= kOrders; ++order) {
    absl::StatusOr<std::pair<std::string, std::string>> libraries = options_.relink(order);
    if (!libraries.ok()) return libraries.status();
    std::tie(spec.base, spec.head) = *libraries;
    if (absl::Status s = Sample(spec, forced, options_.first_processes * order / kOrders,
                                absl::StrCat("link order ", order), shuffled);
        !s.ok()) {
      return s;
    }
  }
  if (shuffled.processes < options_.first_processes) {
    result_.noise = BudgetEnded() + " before five link orders were timed";
    return absl::OkStatus();
  }
  const std::map<std::string, TimeDecision> decisions =
      Record("five link orders", shuffled, kAlpha);
  for (const std::string& row : alone) evidence_.confirmed[row] = decisions.at(row).slower;
  return absl::OkStatus();
}

absl::StatusOr<Comparison> Comparer::Run() {
  if (options_.skip_identical) {
    absl::StatusOr<bool> identical = IdenticalWhenLoaded(base_, head_);
    if (!identical.ok()) return identical.status();
    if (*identical) {
      result_.identical = true;
      result_.verdict = "SAME: what is loaded of both libraries is equal, byte for byte";
      return result_;
    }
  }
  if (absl::Status s = CompareAnswers(); !s.ok()) return s;
  if (!result_.different_answers.empty()) {
    result_.exit_code = kExitBrokenPromise;
    result_.verdict = absl::StrCat("DIFFERENT ANSWERS, nothing was timed: ",
                                   absl::StrJoin(result_.different_answers, ", "));
    return result_;
  }
  if (names_.empty()) return absl::UnavailableError("no workload that both libraries support");
  if (absl::Status s = TimeBoth(); !s.ok()) return s;
  if (options_.instructions && !OutOfBudget()) {
    Say("counting instructions");
    InstructionCounts counts = CountInstructions(Spec(names_), forced_, options_.scratch);
    evidence_.instructions = std::move(counts.more);
    result_.no_instructions = std::move(counts.why_none);
  }
  if (absl::Status s = ConfirmByLinkOrders(); !s.ok()) return s;
  result_.rows = MakeRows(evidence_, options_.accepted);
  Conclude(result_);
  result_.seconds = Since(start_);
  return result_;
}

}  // namespace

absl::StatusOr<Comparison> Compare(const std::string& base, const std::string& head,
                                   const ComparisonOptions& options) {
  return Comparer(base, head, options).Run();
}

}  // namespace lockstep::gate
