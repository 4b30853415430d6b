#include "props/harness/verify.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "props/harness/narrate.h"
#include "props/harness/shrink.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

// After the first finding the search goes on this long at most, to see what else is broken.
constexpr absl::Duration kSearchAfterFinding = absl::Seconds(4);
// All failures together are made smaller for this long at most. This part of the time is kept for
// it, should a failure be found at the very end.
constexpr absl::Duration kShrinkTime = absl::Seconds(9);
constexpr double kShrinkPart = 0.15;
// More failures than this are counted and not shown.
constexpr size_t kMostFailures = 5;
// Fewer expected drafts than this say nothing about usefulness.
constexpr uint64_t kLeastExpectedDrafts = 20;

struct NamedInvariant {
  const char* id;
  const char* name;
};
constexpr NamedInvariant kInvariants[] = {
    {"I1", "inserted slice"}, {"I2", "scope isolation"},
    {"I3", "fixed memory"},   {"I4", "determinism"},
    {"I5", "bounds"},         {"I6", "usefulness"},
    {"I7", "cheap repeats"},  {"model", "equals the exact model"},
};

// More checks than this at a time would only wait for each other's processors.
constexpr unsigned kMostWorkers = 4;

struct Ran {
  CheckReport report;
  absl::Duration time;
};

class Verification {
 public:
  Verification(const VerifyOptions& options, Result result)
      : options_(options),
        result_(std::move(result)),
        start_(absl::Now()),
        end_(start_ + options.time),
        search_end_(end_ - std::min(kShrinkTime, options.time * kShrinkPart)) {}

  absl::StatusOr<Result> Run(const std::vector<std::unique_ptr<Check>>& checks) {
    for (const auto& check : checks) {
      if (Applies(*check)) checks_.push_back(check.get());
    }
    ran_.resize(checks_.size());
    workers_ = std::clamp(std::thread::hardware_concurrency(), 1U, kMostWorkers);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers_; ++i) threads.emplace_back([this] { Work(); });
    for (std::thread& thread : threads) thread.join();
    if (!status_.ok()) return status_;
    CheckUsefulness();
    if (absl::Status status = ShrinkAll(); !status.ok()) return status;
    WriteSections();
    result_.seconds = absl::ToDoubleSeconds(absl::Now() - start_);
    return std::move(result_);
  }

 private:
  const CheckContext& context() const { return options_.context; }

  bool Applies(const Check& check) const {
    if (!check.applies(context().level, context().own_core())) return false;
    const auto serves = check.serves();
    return std::any_of(serves.begin(), serves.end(),
                       [&](const std::string& id) { return context().enabled(id); });
  }

  // What one thread does: the next check, until there is none.
  void Work() {
    for (;;) {
      size_t index = 0;
      CheckContext own = context();
      {
        const std::lock_guard lock(mutex_);
        if (next_ == checks_.size() || !status_.ok()) return;
        index = next_++;
        own.deadline = Deadline(index);
        if (Over() || absl::Now() >= own.deadline) {
          skipped_ = true;
          continue;
        }
      }
      own.interrupted = [this] { return Over(); };
      own.progress = [this, name = checks_[index]->name()](const std::string& what) {
        ShowProgress(name, what);
      };
      own.progress("");
      const absl::Time start = absl::Now();
      absl::StatusOr<CheckReport> report = checks_[index]->Run(own);
      const std::lock_guard lock(mutex_);
      if (!report.ok()) {
        status_.Update(report.status());
        return;
      }
      for (Failure& failure : report->failures) AddFailure(std::move(failure));
      report->failures.clear();
      totals_.Add(*report);
      ran_[index] = Ran{*std::move(report), absl::Now() - start};
    }
  }

  // The time of all workers that is left is divided by the shares of the checks that are left.
  absl::Time Deadline(size_t index) const {
    const double share = checks_[index]->share();
    if (share == 0) return search_end_;
    double shares = 0;
    for (size_t i = index; i < checks_.size(); ++i) shares += checks_[i]->share();
    const absl::Duration left = (search_end_ - absl::Now()) * static_cast<double>(workers_);
    return std::min(search_end_, absl::Now() + left * (share / shares));
  }

  // After a finding the search goes on for a little, to see what else is broken.
  bool Over() const {
    const int64_t failure = first_failure_ns_;
    return context().interrupted() ||
           (failure != 0 && (options_.first_only ||
                             absl::Now() >= absl::FromUnixNanos(failure) + kSearchAfterFinding));
  }

  void ShowProgress(const std::string& name, const std::string& what) {
    const double part = std::min(1.0, absl::FDivDuration(absl::Now() - start_, options_.time));
    const std::lock_guard lock(progress_mutex_);
    context().progress(
        absl::StrCat(std::llround(100 * part), "% ", name, what.empty() ? "" : ": ", what));
  }

  void AddFailure(Failure failure) {
    if (failures_.empty()) first_failure_ns_ = absl::ToUnixNanos(absl::Now());
    const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const Failure& f) {
      return f.finding.signature == failure.finding.signature;
    });
    if (!known) failures_.push_back(std::move(failure));
  }

  void CheckUsefulness() {
    if (!options_.floors || context().level != Level::kSound || !context().enabled("I6")) return;
    if (totals_.expected_drafts < kLeastExpectedDrafts || totals_.given_drafts > 0) return;
    AddFailure({.finding = {.check = "I6",
                            .what = absl::StrCat("of ", totals_.expected_drafts,
                                                 " drafts that the exact model gives, none was "
                                                 "given"),
                            .signature = "I6: no draft at all"},
                .found_by = "all checks",
                .sequence = {}});
  }

  absl::Status ShrinkAll() {
    // What is judged call by call shrinks best and explains most, so it comes first.
    std::stable_sort(failures_.begin(), failures_.end(), [](const Failure& a, const Failure& b) {
      return (a.reproduce != nullptr) > (b.reproduce != nullptr);
    });
    const absl::Time end = std::min(end_, absl::Now() + kShrinkTime);
    auto& findings = result_.sections["findings"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < std::min(kMostFailures, failures_.size()); ++i) {
      Failure& failure = failures_[i];
      if (options_.first_only || options_.context.interrupted()) failure.reproduce = nullptr;
      const size_t left = std::min(kMostFailures, failures_.size()) - i;
      options_.context.progress(absl::StrCat("making finding ", i + 1, " small"));
      const ShrinkOutcome outcome =
          Shrink(failure, absl::Now() + (end - absl::Now()) / static_cast<double>(left));
      nlohmann::ordered_json finding = {{"check", failure.finding.check},
                                        {"what", failure.finding.what},
                                        {"found_by", failure.found_by},
                                        {"signature", failure.finding.signature},
                                        {"ops", failure.sequence.ops.size()},
                                        {"tokens", TokenCount(failure.sequence)},
                                        {"flaky", failure.reproduce && !outcome.reproduced}};
      // Of a configuration that is not survived there is no call to be told.
      if (!failure.sequence.name.empty() || !failure.sequence.ops.empty()) {
        const std::string path = absl::StrCat(options_.out_dir, "/finding-", i + 1, ".jsonl");
        if (absl::Status status = WriteFileAtomically(path, WriteTranscript(failure.sequence));
            !status.ok()) {
          return status;
        }
        finding["transcript"] = path;
        finding["story"] = ShortStory(path, context().impl, context().level);
      }
      findings.push_back(std::move(finding));
    }
    return absl::OkStatus();
  }

  // The checks that looked at an invariant; what each did is in the section `checks`.
  std::string Evidence(const std::string& id) const {
    std::vector<std::string> parts;
    for (size_t i = 0; i < checks_.size(); ++i) {
      const auto serves = checks_[i]->serves();
      if (!ran_[i] || std::find(serves.begin(), serves.end(), id) == serves.end()) continue;
      parts.push_back(checks_[i]->name());
    }
    std::string evidence = absl::StrJoin(parts, ", ");
    if (id == "I6" && context().level == Level::kSound && totals_.expected_drafts > 0) {
      const double given = static_cast<double>(totals_.given_drafts);
      evidence = absl::StrCat(
          "gave ", std::llround(100.0 * given / static_cast<double>(totals_.expected_drafts)),
          " % of the ", totals_.expected_drafts, " drafts that the exact model gives");
    }
    return evidence;
  }

  void WriteChecks() {
    auto& section = result_.sections["checks"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < checks_.size(); ++i) {
      nlohmann::ordered_json check = {{"name", checks_[i]->name()},
                                      {"serves", checks_[i]->serves()}};
      if (ran_[i]) {
        check["evidence"] = ran_[i]->report.evidence;
        check["sequences"] = ran_[i]->report.sequences;
        check["operations"] = ran_[i]->report.operations;
        check["seconds"] = absl::ToDoubleSeconds(ran_[i]->time);
        check["finished"] = ran_[i]->report.finished;
      } else {
        check["evidence"] = "had no time to start";
        check["finished"] = false;
      }
      section.push_back(std::move(check));
    }
  }

  void WriteSections() {
    WriteChecks();
    auto& invariants = result_.sections["invariants"] = nlohmann::ordered_json::array();
    for (const NamedInvariant& invariant : kInvariants) {
      const std::string id = invariant.id;
      const bool exact_only = id == "I7" || id == "model";
      std::string evidence = Evidence(id);
      const auto broken = std::find_if(failures_.begin(), failures_.end(),
                                       [&](const Failure& f) { return f.finding.check == id; });
      std::string verdict = "holds";
      if (broken != failures_.end()) {
        verdict = "broken";
        evidence = broken->finding.what;
      } else if (!context().enabled(id) || evidence.empty() ||
                 (context().level == Level::kSound && exact_only)) {
        verdict = "not checked";
        if (context().level == Level::kSound && exact_only)
          evidence = "not part of the sound level";
      }
      invariants.push_back(
          {{"id", id}, {"name", invariant.name}, {"verdict", verdict}, {"evidence", evidence}});
    }
    auto& classes = result_.sections["classes"] = nlohmann::ordered_json::object();
    bool all_reached = true;
    for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
      classes[SituationName(static_cast<Situation>(i))] = totals_.situations.of[i];
      all_reached &= totals_.situations.of[i] > 0;
    }
    if (!failures_.empty()) {
      result_.exit_code = WorseExitCode(result_.exit_code, kExitBrokenPromise);
    } else if (options_.context.interrupted()) {
      result_.exit_code = WorseExitCode(result_.exit_code, kExitInconclusive);
    } else if (options_.floors && (!all_reached || skipped_)) {
      result_.exit_code = WorseExitCode(result_.exit_code, kExitFloorMissed);
    }
  }

  const VerifyOptions& options_;
  Result result_;
  absl::Time start_, end_, search_end_;
  unsigned workers_ = 1;
  std::vector<Check*> checks_;
  std::atomic<int64_t> first_failure_ns_ = 0;  // 0: none yet
  std::mutex progress_mutex_;

  std::mutex mutex_;  // guards what follows while checks run
  size_t next_ = 0;
  std::vector<std::optional<Ran>> ran_;  // one per check
  CheckReport totals_;
  std::vector<Failure> failures_;
  bool skipped_ = false;  // a check had no time to start
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Result> RunVerify(const VerifyOptions& options,
                                 const std::vector<std::unique_ptr<Check>>& checks, Result result) {
  return Verification(options, std::move(result)).Run(checks);
}

}  // namespace lockstep
