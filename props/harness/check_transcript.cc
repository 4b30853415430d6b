// Golden transcripts, regressions, and whatever transcript a user names: what was called and what
// must come back.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/exact_judge.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

// A transcript's expectations are the engine's own words, so at the exact level they are compared
// as well as the model; at the sound level only the calls are taken.
absl::StatusOr<std::optional<Finding>> CompareExpectations(const CheckContext& context,
                                                           const Transcript& transcript) {
  ContainedOptions options;
  for (const Operation& op : transcript.sequence.ops) {
    options.interpreter.out_tokens =
        std::max(options.interpreter.out_tokens, op.tokens.size() + 64);
  }
  auto cache = StartContained(context.impl, transcript.sequence.config, options);
  if (!cache.ok()) return cache.status();
  const std::vector<Answer> answers = (*cache)->Run(transcript.sequence.ops);
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto what =
        Disagreement(transcript.expectations[i], transcript.sequence.ops[i], answers[i]);
    if (!what) continue;
    return Finding{.check = "model",
                   .what = absl::StrCat(transcript.sequence.name, ":", transcript.lines[i],
                                        ": the transcript expects otherwise: ", *what),
                   .op_index = i,
                   .signature = "model: transcript"};
  }
  return std::nullopt;
}

std::optional<Finding> FindInTiny(const Sequence& sequence) {
  const std::unique_ptr<CacheHandle> cache = MakeTinyCache(*sequence.tiny);
  ExactJudge judge(*sequence.tiny);
  return RunBeside(*cache, judge, sequence.ops);
}

// A tiny cache is our own core's, in this process.
CheckReport RunTiny(const Sequence& sequence) {
  CheckReport report;
  report.sequences = 1;
  report.operations = sequence.ops.size();
  const std::optional<Finding> finding = FindInTiny(sequence);
  if (!finding) return report;
  Sequence shown = sequence;
  shown.ops.resize(finding->op_index + 1);
  report.failures.push_back({.finding = *finding,
                             .found_by = sequence.name,
                             .sequence = std::move(shown),
                             .reproduce = FindInTiny});
  return report;
}

class TranscriptCheck : public Check {
 public:
  explicit TranscriptCheck(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  std::string name() const override { return "transcripts"; }
  std::vector<std::string> serves() const override { return {"model", "I1", "I5", "I6", "I7"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    for (const std::string& path : paths_) {
      context.progress(path);
      absl::StatusOr<Transcript> transcript = ReadTranscript(path);
      if (!transcript.ok()) return transcript.status();
      if (transcript->sequence.tiny) {
        if (context.own_core()) report.Add(RunTiny(transcript->sequence));
        continue;
      }
      absl::StatusOr<CheckReport> one = RunJudged(context, transcript->sequence);
      if (!one.ok()) return one.status();
      const bool clean = one->failures.empty();
      report.Add(*std::move(one));
      if (!clean || context.level == Level::kSound || !context.enabled("model")) continue;
      auto finding = CompareExpectations(context, *transcript);
      if (!finding.ok()) return finding.status();
      if (!finding->has_value()) continue;
      CheckReport disagrees;
      Sequence shown = transcript->sequence;
      shown.ops.resize((*finding)->op_index + 1);
      disagrees.failures.push_back(
          {.finding = **finding, .found_by = path, .sequence = std::move(shown)});
      report.Add(std::move(disagrees));
    }
    report.evidence = absl::StrCat(report.sequences, " transcripts, ", report.operations, " calls");
    return report;
  }

 private:
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Check> MakeTranscriptCheck(std::vector<std::string> paths) {
  return std::make_unique<TranscriptCheck>(std::move(paths));
}

}  // namespace lockstep
