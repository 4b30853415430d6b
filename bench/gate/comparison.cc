#include "bench/gate/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/gate/identical.h"
#include "bench/gate/instructions.h"
#include "bench/workload.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Keeps the C library on the path that valgrind takes.
const char* const kForcedTunables =
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,"
    "-AVX512VL_Usable,-AVX512BW_Usable";

// The samples of an attempt, process by process.
struct Sampling {
  LogRatios cpu;
  LogRatios wall;
  LogRatios base_ns;
  std::vector<double> control;
  int processes = 0;
};

class Comparer {
 public:
  Comparer(std::string base, std::string head, const ComparisonOptions& options)
      : base_(std::move(base)), head_(std::move(head)), options_(options), random_(options.seed) {}

  absl::StatusOr<Comparison> Run();

 private:
  MeasureSpec Spec() const {
    return {.base = base_,
            .head = head_,
            .workloads = names_,
            .trace = options_.trace,
            .pairs = options_.pairs,
            .batch_us = options_.batch_us};
  }
  absl::Status CompareAnswers();
  absl::Status Sample(const std::string& base, const std::string& head, int processes,
                      const std::string& what, Sampling& sampling);
  absl::Status AddProcess(const MeasureSpec& spec, bool forced, Sampling& sampling);
  void Record(const std::string& what, const Sampling& sampling, double alpha);
  absl::Status TimeBoth();
  absl::Status ConfirmByLinkOrders();
  void MakeRows();
  void Conclude();
  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }
  bool OutOfBudget() const {
    return options_.budget_seconds > 0 && Since(start_) > options_.budget_seconds;
  }

  std::string base_;
  std::string head_;
  const ComparisonOptions& options_;
  Random random_;
  Clock::time_point start_ = Clock::now();
  Comparison result_;
  std::vector<std::string> names_;  // that both support
  std::vector<std::string> new_;
  std::vector<std::string> gone_;
  Sampling sampling_;
  std::map<std::string, TimeDecision> decisions_;
  std::map<std::string, double> instructions_;
  std::map<std::string, bool> confirmed_;
};

absl::Status Comparer::CompareAnswers() {
  Say("comparing answers");
  MeasureSpec spec = Spec();
  spec.mode = MeasureMode::kDigest;
  spec.workloads = options_.workloads;
  absl::StatusOr<Readings> readings = MeasureInProcess(spec);
  if (!readings.ok()) return readings.status();
  for (const auto& [name, digests] : readings->digests) {
    names_.push_back(name);
    if (digests.first != digests.second) result_.different_answers.push_back(name);
  }
  new_ = readings->unsupported_by_base;
  gone_ = readings->unsupported_by_head;
  return absl::OkStatus();
}

absl::Status Comparer::AddProcess(const MeasureSpec& spec, bool forced, Sampling& sampling) {
  std::vector<std::string> environment;
  if (forced) environment.emplace_back(kForcedTunables);
  absl::StatusOr<Readings> readings = MeasureInProcess(spec, {}, environment);
  if (!readings.ok()) return readings.status();
  for (const auto& [name, reading] : readings->workloads) {
    const std::string row = forced ? name + kForcedSuffix : name;
    sampling.cpu[row].push_back(reading.log_ratio);
    sampling.wall[row].push_back(reading.wall_log_ratio);
    sampling.base_ns[row].push_back(reading.base_ns);
  }
  for (const auto& [name, reading] : readings->control) {
    sampling.control.push_back(reading.log_ratio);
  }
  return absl::OkStatus();
}

absl::Status Comparer::Sample(const std::string& base, const std::string& head, int processes,
                              const std::string& what, Sampling& sampling) {
  std::vector<std::string> forced;
  for (const std::string& name : options_.forced) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) forced.push_back(name);
  }
  for (; sampling.processes < processes && !OutOfBudget(); ++sampling.processes) {
    Say(absl::StrFormat("%s: process %d of %d, %.0f s", what, sampling.processes + 1, processes,
                        Since(start_)));
    MeasureSpec spec = Spec();
    spec.base = base;
    spec.head = head;
    spec.control = names_.front();
    // The control is best one that works with memory.
    for (const std::string& name : names_) {
      if (name == "insert_fresh/cache") spec.control = name;
    }
    spec.seed = random_.Next();
    if (absl::Status s = AddProcess(spec, false, sampling); !s.ok()) return s;
    if (forced.empty()) continue;
    spec.seed = random_.Next();
    spec.control.clear();
    spec.workloads = forced;
    spec.hash_path = kForcedPath;
    if (absl::Status s = AddProcess(spec, true, sampling); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void Comparer::Record(const std::string& what, const Sampling& sampling, double alpha) {
  decisions_ = DecideByTime(sampling.cpu, alpha);
  Attempt attempt = {.what = what,
                     .processes = sampling.processes,
                     .alpha = alpha,
                     .noise = WhyTooNoisy(sampling.control),
                     .samples = sampling.cpu,
                     .control = sampling.control};
  for (const auto& [name, decision] : decisions_) {
    if (decision.slower) attempt.slower.push_back(name);
    if (decision.unclear) attempt.unclear.push_back(name);
  }
  result_.noise = attempt.noise;
  result_.attempts.push_back(std::move(attempt));
}

absl::Status Comparer::TimeBoth() {
  if (absl::Status s = Sample(base_, head_, options_.first_processes, "timing", sampling_);
      !s.ok()) {
    return s;
  }
  Record("first", sampling_, kAlpha);
  const Attempt& first = result_.attempts.back();
  if (sampling_.processes < options_.first_processes) {
    result_.noise =
        absl::StrFormat("the budget of %.0f s ended after %d of %d processes",
                        options_.budget_seconds, sampling_.processes, options_.first_processes);
    return absl::OkStatus();
  }
  if (first.unclear.empty() && first.noise.empty()) return absl::OkStatus();
  if (absl::Status s = Sample(base_, head_, options_.extended_processes, "extension", sampling_);
      !s.ok()) {
    return s;
  }
  Record("extension", sampling_, kAlpha / 2);
  return absl::OkStatus();
}

absl::Status Comparer::ConfirmByLinkOrders() {
  constexpr int kOrders = 5;
  std::vector<std::string> alone;
  for (const auto& [name, decision] : decisions_) {
    const auto it = instructions_.find(name);
    const auto more = it == instructions_.end() ? std::nullopt : std::optional(it->second);
    if (TimeAlone(decision, more)) alone.push_back(name);
  }
  if (alone.empty() || !options_.relink) return absl::OkStatus();
  Sampling shuffled;
  for (int order = 1; order <= kOrders; ++order) {
    absl::StatusOr<std::pair<std::string, std::string>> libraries = options_.relink(order);
    if (!libraries.ok()) return libraries.status();
    const int until = options_.first_processes * order / kOrders;
    if (absl::Status s = Sample(libraries->first, libraries->second, until,
                                absl::StrCat("link order ", order), shuffled);
        !s.ok()) {
      return s;
    }
  }
  const std::map<std::string, TimeDecision> before = decisions_;
  const std::string noise = result_.noise;
  Record("five link orders", shuffled, kAlpha);
  for (const std::string& name : alone) confirmed_[name] = decisions_.at(name).slower;
  decisions_ = before;
  result_.noise = noise;
  return absl::OkStatus();
}

void Comparer::MakeRows() {
  for (const auto& [name, decision] : decisions_) {
    Row row = {.name = name, .time = decision};
    row.wall_ratio = std::expm1(Median(sampling_.wall.at(name)));
    row.base_ns = Median(sampling_.base_ns.at(name));
    if (const auto it = instructions_.find(name); it != instructions_.end()) {
      row.instructions = it->second;
    }
    std::optional<bool> confirmed;
    if (const auto it = confirmed_.find(name); it != confirmed_.end()) {
      confirmed = it->second;
      row.note = *confirmed ? "confirmed over five link orders" : "only in one link order";
    }
    row.verdict = Combine(decision, row.instructions, confirmed);
    if (row.verdict == Verdict::kSlower && !decision.slower) row.note = "instructions alone";
    const std::string plain = name.substr(0, name.find('@'));
    for (const std::string& key : {name, plain, plain.substr(0, plain.find('/'))}) {
      const auto it = options_.accepted.find(key);
      if (it == options_.accepted.end() || row.verdict != Verdict::kSlower) continue;
      row.verdict = Verdict::kAccepted;
      row.note = it->second;
    }
    result_.rows.push_back(std::move(row));
  }
  for (const std::string& name : new_) {
    result_.rows.push_back({.name = name, .verdict = Verdict::kNew});
  }
  for (const std::string& name : gone_) {
    if (std::find(new_.begin(), new_.end(), name) != new_.end()) continue;
    result_.rows.push_back({.name = name, .verdict = Verdict::kGone});
  }
}

std::string Named(const std::vector<Row>& rows, Verdict verdict) {
  std::vector<std::string> parts;
  for (const Row& row : rows) {
    if (row.verdict != verdict) continue;
    parts.push_back(absl::StrFormat("%s %+.1f %%", row.name, 100 * row.time.ratio));
  }
  return absl::StrJoin(parts, ", ");
}

void Comparer::Conclude() {
  const std::string slower = Named(result_.rows, Verdict::kSlower);
  const std::string unclear = Named(result_.rows, Verdict::kUnclear);
  const std::string faster = Named(result_.rows, Verdict::kFaster);
  const std::string accepted = Named(result_.rows, Verdict::kAccepted);
  // Times from a machine whose control is off are no evidence; instructions are.
  const bool exact = std::any_of(result_.rows.begin(), result_.rows.end(), [](const Row& row) {
    return row.verdict == Verdict::kSlower && row.instructions.value_or(0) >= kInstructionsConfirm;
  });
  const bool noisy = !result_.noise.empty();
  if (!slower.empty() && (!noisy || exact)) {
    result_.exit_code = kExitSlower;
    result_.verdict = absl::StrCat("SLOWER: ", slower);
  } else if (noisy || !unclear.empty()) {
    result_.exit_code = kExitInconclusive;
    result_.verdict = absl::StrCat("CANNOT TELL HERE: ", noisy ? result_.noise : unclear);
  } else if (!faster.empty()) {
    result_.verdict = absl::StrCat("FASTER: ", faster);
  } else {
    result_.verdict = absl::StrCat("SAME: none of ", result_.rows.size(), " workloads is slower");
  }
  if (!accepted.empty()) absl::StrAppend(&result_.verdict, "; accepted: ", accepted);
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
  if (options_.instructions) {
    Say("counting instructions");
    MeasureSpec spec = Spec();
    absl::StatusOr<std::map<std::string, double>> more = CountInstructions(spec, options_.forced);
    if (!more.ok()) return more.status();
    instructions_ = *std::move(more);
  }
  if (absl::Status s = ConfirmByLinkOrders(); !s.ok()) return s;
  MakeRows();
  Conclude();
  result_.seconds = Since(start_);
  return result_;
}

}  // namespace

absl::StatusOr<Comparison> Compare(const std::string& base, const std::string& head,
                                   const ComparisonOptions& options) {
  return Comparer(base, head, options).Run();
}

}  // namespace lockstep::gate
