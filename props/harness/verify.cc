#include "props/harness/verify.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "props/harness/shrink.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

// After the first finding the search goes on this long at most, to see what else is broken.
constexpr absl::Duration kSearchAfterFinding = absl::Seconds(4);
// All failures together are made smaller for this long at most.
constexpr absl::Duration kShrinkTime = absl::Seconds(9);
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

struct Ran {
  std::string name;
  std::vector<std::string> serves;
  CheckReport report;
};

class Verification {
 public:
  Verification(const VerifyOptions& options, Result result)
      : options_(options),
        context_(options.context),
        result_(std::move(result)),
        start_(absl::Now()),
        end_(start_ + options.time) {}

  absl::StatusOr<Result> Run(const std::vector<std::unique_ptr<Check>>& checks) {
    std::vector<Check*> applying;
    for (const auto& check : checks) {
      if (Applies(*check)) applying.push_back(check.get());
    }
    for (size_t i = 0; i < applying.size(); ++i) {
      if (absl::Status status = RunOne(applying, i); !status.ok()) return status;
    }
    CheckUsefulness();
    if (absl::Status status = ShrinkAll(); !status.ok()) return status;
    WriteSections();
    result_.seconds = absl::ToDoubleSeconds(absl::Now() - start_);
    return std::move(result_);
  }

 private:
  bool Applies(const Check& check) const {
    if (!check.applies(context_.level, context_.own_core())) return false;
    const auto serves = check.serves();
    return std::any_of(serves.begin(), serves.end(),
                       [&](const std::string& id) { return context_.enabled(id); });
  }

  absl::Status RunOne(const std::vector<Check*>& checks, size_t index) {
    if (options_.first_only && !failures_.empty()) return absl::OkStatus();
    Check& check = *checks[index];
    absl::Time last = end_ - (failures_.empty() ? absl::ZeroDuration() : ShrinkReserve());
    if (!failures_.empty()) last = std::min(last, first_failure_ + kSearchAfterFinding);
    absl::Time deadline = last;
    if (check.share() > 0) {
      double shares = 0;
      for (size_t i = index; i < checks.size(); ++i) shares += checks[i]->share();
      deadline = std::min(last, absl::Now() + (last - absl::Now()) * (check.share() / shares));
    }
    if (options_.context.interrupted() || absl::Now() >= deadline) {
      skipped_ = true;
      return absl::OkStatus();
    }
    context_.deadline = deadline;
    context_.progress = [this, name = check.name()](const std::string& what) {
      const double part = (absl::Now() - start_) / options_.time;
      const double percent = std::min(100.0, 100.0 * part);
      options_.context.progress(
          absl::StrCat(std::llround(percent), "% ", name, what.empty() ? "" : ": ", what));
    };
    context_.progress("");
    absl::StatusOr<CheckReport> report = check.Run(context_);
    if (!report.ok()) return report.status();
    for (Failure& failure : report->failures) AddFailure(std::move(failure));
    report->failures.clear();
    totals_.Add(*report);
    ran_.push_back({check.name(), check.serves(), *std::move(report)});
    return absl::OkStatus();
  }

  absl::Duration ShrinkReserve() const { return std::min(kShrinkTime, options_.time * 0.4); }

  void AddFailure(Failure failure) {
    if (failures_.empty()) first_failure_ = absl::Now();
    const bool known = std::any_of(failures_.begin(), failures_.end(), [&](const Failure& f) {
      return f.finding.signature == failure.finding.signature;
    });
    if (!known) failures_.push_back(std::move(failure));
  }

  void CheckUsefulness() {
    if (!options_.floors || context_.level != Level::kSound || !context_.enabled("I6")) return;
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
    const absl::Time end = absl::Now() + ShrinkReserve();
    auto& findings = result_.sections["findings"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < failures_.size(); ++i) {
      if (i >= kMostFailures) break;
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
      if (!failure.sequence.ops.empty()) {
        const std::string path = absl::StrCat(options_.out_dir, "/finding-", i + 1, ".jsonl");
        if (absl::Status status = WriteFileAtomically(path, WriteTranscript(failure.sequence));
            !status.ok()) {
          return status;
        }
        finding["transcript"] = path;
      }
      findings.push_back(std::move(finding));
    }
    return absl::OkStatus();
  }

  std::string Evidence(const std::string& id) const {
    std::vector<std::string> parts;
    for (const Ran& ran : ran_) {
      if (std::find(ran.serves.begin(), ran.serves.end(), id) == ran.serves.end()) continue;
      parts.push_back(absl::StrCat(ran.name, " (", ran.report.evidence,
                                   ran.report.finished ? "" : ", cut short", ")"));
    }
    if (id == "I6" && context_.level == Level::kSound && totals_.expected_drafts > 0) {
      parts.push_back(absl::StrCat("gave ",
                                   std::llround(100.0 * static_cast<double>(totals_.given_drafts) /
                                                static_cast<double>(totals_.expected_drafts)),
                                   " % of the ", totals_.expected_drafts,
                                   " drafts that the exact model gives"));
    }
    return absl::StrJoin(parts, "; ");
  }

  void WriteSections() {
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
      } else if (!context_.enabled(id) || evidence.empty() ||
                 (context_.level == Level::kSound && exact_only)) {
        verdict = "not checked";
        if (context_.level == Level::kSound && exact_only) evidence = "not part of the sound level";
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
  CheckContext context_;
  Result result_;
  absl::Time start_, end_, first_failure_;
  CheckReport totals_;
  std::vector<Ran> ran_;
  std::vector<Failure> failures_;
  bool skipped_ = false;  // a check had no time to start
};

}  // namespace

absl::StatusOr<Result> RunVerify(const VerifyOptions& options,
                                 const std::vector<std::unique_ptr<Check>>& checks, Result result) {
  return Verification(options, std::move(result)).Run(checks);
}

}  // namespace lockstep
