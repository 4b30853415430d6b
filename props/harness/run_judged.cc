// The workhorse of verify: a sequence in a child, every answer held to the judges.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/contained.h"
#include "props/harness/create_judge.h"
#include "props/harness/describe.h"
#include "props/harness/exact_judge.h"
#include "props/harness/sound_judge.h"

namespace lockstep {
namespace {

// Of a sequence held in memory this many operations are run before their answers are judged.
constexpr size_t kOpsPerRun = 512;
// Of processor time, for one operation while a failure is made small.
constexpr absl::Duration kBriskTimeLimit = absl::Milliseconds(500);

Finding EndFinding(const ChildEnd& end) {
  const bool memory = end.kind == ChildEnd::Kind::kOutOfMemory;
  static constexpr const char* kKinds[] = {"completed", "crash", "exit", "no answer", "memory"};
  Finding finding;
  finding.check = memory ? "I3" : "I5";
  finding.what = end.what;
  finding.op_index = end.op_index;
  finding.signature = absl::StrCat(finding.check, ": ", kKinds[static_cast<size_t>(end.kind)]);
  return finding;
}

// The judges of one run. At the exact level the sound judge only gives I1 its name: what it would
// find, the model finds as well.
class Judges {
 public:
  Judges(const CheckContext& context, const CacheConfig& config, bool keep_documents) {
    std::set<std::string> only = context.only;
    if (context.level == Level::kExact) {
      // The model knows exactly which scopes exist; the sound judge is left I1.
      if (only.empty()) only = {"I1", "I5", "I6", "I7", "model"};
      if (keep_documents && only.contains("I1")) {
        sound_.emplace(config, std::set<std::string>{"I1"}, /*may_accept_reserved=*/false);
      }
    } else if (only.empty() || only.contains("I1") || only.contains("I2") || only.contains("I5")) {
      sound_.emplace(config, only);
    }
    // At the sound level the exact model counts situations and drafts and finds nothing.
    if (context.level == Level::kSound) only = {"nothing"};
    auto options = ModelOptions::FromConfig(config, /*any_key_len=*/true);
    if (options.ok()) exact_.emplace(*options, only);
  }

  std::optional<Finding> Check(const Operation& op, const Answer& answer) {
    std::optional<Finding> exact, sound;
    if (exact_) exact = exact_->Check(op, answer);
    if (sound_) sound = sound_->Check(op, answer);
    if (sound && (!exact || exact->check == "model")) return sound;
    return exact;
  }

  void AddTo(CheckReport& report) const {
    if (!exact_) return;
    report.situations.Add(exact_->model().situations());
    report.expected_drafts += exact_->expected_drafts();
    report.given_drafts += exact_->given_drafts();
  }

 private:
  std::optional<ExactJudge> exact_;
  std::optional<SoundJudge> sound_;
};

// Feeds pieces of the operations to the child and the judges until one of them ends it.
class Run {
 public:
  Run(const CheckContext& context, const CacheConfig& config, bool keep_documents)
      : judges_(context, config, keep_documents) {}

  // False when the run is over.
  bool Piece(ContainedCache& cache, absl::Span<const Operation> ops) {
    const std::vector<Answer> answers = cache.Run(ops);
    for (size_t i = 0; i < answers.size(); ++i) {
      finding_ = judges_.Check(ops[i], answers[i]);
      ++report_.operations;
      report_.tokens += ops[i].tokens.size();
      if (finding_) return false;
    }
    if (answers.size() < ops.size()) {
      finding_ = EndFinding(cache.end());
      finding_->op_index = report_.operations;
      return false;
    }
    return true;
  }

  void Finish(ContainedCache& cache) {
    if (finding_) return;
    const ChildEnd& end = cache.Finish();
    if (end.kind == ChildEnd::Kind::kCompleted) return;
    finding_ = EndFinding(end);
    finding_->op_index = report_.operations == 0 ? 0 : report_.operations - 1;
  }

  std::optional<Finding> finding_;
  CheckReport report_;
  Judges judges_;
};

struct Started {
  std::unique_ptr<ContainedCache> cache;  // null when there is nothing to run
  std::optional<Finding> finding;
};

absl::StatusOr<Started> Start(const CheckContext& context, const CacheConfig& config,
                              const ContainedOptions& options) {
  auto cache = StartContained(context.impl, config, options);
  if (!cache.ok()) return cache.status();
  Started started;
  if ((*cache)->end().kind != ChildEnd::Kind::kCompleted) {
    started.finding = EndFinding((*cache)->end());
    return started;
  }
  started.finding = CheckCreate(context.level, config, **cache);
  if (!started.finding && (*cache)->create_status() == LOCKSTEP_OK) {
    started.cache = *std::move(cache);
  }
  return started;
}

// The room that `out` needs so that a huge max_len is survived by whoever keeps the contract.
size_t RoomFor(absl::Span<const Operation> ops) {
  size_t longest = 0;
  for (const Operation& op : ops) longest = std::max(longest, op.tokens.size());
  return longest;
}

}  // namespace

void CheckReport::Add(CheckReport other) {
  for (Failure& failure : other.failures) {
    const bool known = std::any_of(failures.begin(), failures.end(), [&](const Failure& f) {
      return f.finding.signature == failure.finding.signature;
    });
    if (!known) failures.push_back(std::move(failure));
  }
  sequences += other.sequences;
  operations += other.operations;
  tokens += other.tokens;
  situations.Add(other.situations);
  expected_drafts += other.expected_drafts;
  given_drafts += other.given_drafts;
  finished = finished && other.finished;
}

absl::StatusOr<CheckReport> RunJudged(const CheckContext& context, const Sequence& sequence,
                                      const ContainedOptions& options) {
  ContainedOptions fitted = options;
  fitted.interpreter.out_tokens =
      std::max(options.interpreter.out_tokens, RoomFor(sequence.ops) + 64);
  absl::StatusOr<Started> started = Start(context, sequence.config, fitted);
  if (!started.ok()) return started.status();
  Run run(context, sequence.config, /*keep_documents=*/true);
  run.finding_ = started->finding;
  run.report_.sequences = 1;
  if (started->cache != nullptr) {
    absl::Span<const Operation> left = sequence.ops;
    while (!left.empty()) {
      size_t count = std::min(kOpsPerRun, left.size());
      while (count < left.size() && left[count].batched) ++count;
      if (!run.Piece(*started->cache, left.first(count))) break;
      left.remove_prefix(count);
    }
    run.Finish(*started->cache);
  }
  run.judges_.AddTo(run.report_);
  if (run.finding_) {
    Failure failure{.finding = *run.finding_, .found_by = sequence.name, .sequence = sequence};
    // A batch is one call: all of it was needed to show what one of it did.
    size_t shown = std::min<size_t>(run.finding_->op_index + 1, sequence.ops.size());
    while (shown < sequence.ops.size() && sequence.ops[shown].batched) ++shown;
    failure.sequence.ops.resize(shown);
    // Waiting anew for each candidate would leave time for few.
    ContainedOptions brisk = options;
    brisk.time_limit_per_op = std::min(options.time_limit_per_op, kBriskTimeLimit);
    failure.reproduce = [context, brisk](const Sequence& candidate) -> std::optional<Finding> {
      absl::StatusOr<CheckReport> again = RunJudged(context, candidate, brisk);
      if (!again.ok() || again->failures.empty()) return std::nullopt;
      return again->failures.front().finding;
    };
    run.report_.failures.push_back(std::move(failure));
  }
  return std::move(run.report_);
}

absl::StatusOr<CheckReport> RunJudged(const CheckContext& context, OperationSource& source,
                                      const ContainedOptions& options) {
  absl::StatusOr<Started> started = Start(context, source.config(), options);
  if (!started.ok()) return started.status();
  Run run(context, source.config(), /*keep_documents=*/context.level == Level::kSound);
  run.finding_ = started->finding;
  run.report_.sequences = 1;
  std::vector<Operation> ops;
  if (started->cache != nullptr) {
    while (source.Next(ops)) {
      if (!run.Piece(*started->cache, ops)) break;
      ops.clear();
      if (context.out_of_time()) {
        run.report_.finished = false;
        break;
      }
    }
    run.Finish(*started->cache);
  }
  run.judges_.AddTo(run.report_);
  if (run.finding_) {
    // All that is left of the operations is the last piece: the source's name says how to make the
    // others again.
    run.report_.failures.push_back(
        {.finding = *run.finding_,
         .found_by = source.name(),
         .sequence = {.name = source.name(), .config = source.config(), .ops = std::move(ops)}});
  }
  return std::move(run.report_);
}

}  // namespace lockstep
