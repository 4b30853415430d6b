// Transcripts that a user names, looked at as the checks for I3, I4 and I5 would look at a sequence
// of their own: what they found shows again here.

#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/deterministic.h"
#include "props/harness/len_only_cuts.h"
#include "props/harness/memory_checks.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

// Longer ones are not repeated thousands of times.
constexpr size_t kMostRepeatedOps = 2'000;

using Trial = absl::StatusOr<std::optional<Finding>> (*)(const CheckContext&, const Sequence&);

absl::StatusOr<std::optional<Finding>> DiffersAnywhere(const CheckContext& context,
                                                       const Sequence& sequence) {
  const auto plain = RunPlainly(context, sequence);
  if (!plain.ok()) return plain.status();
  std::vector<NamedSurroundings> all = AllSurroundings(context.seed);
  for (auto& one : TellingSurroundings({"in another process", {}}, sequence.ops.size())) {
    all.push_back(std::move(one));
  }
  for (const NamedSurroundings& one : all) {
    auto finding = DiffersIn(context, *plain, one);
    if (!finding.ok() || finding->has_value()) return finding;
  }
  return std::nullopt;
}

class ReplayCheck : public Check {
 public:
  explicit ReplayCheck(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  std::string name() const override { return "repeated and elsewhere"; }
  std::vector<std::string> serves() const override { return {"I3", "I4", "I5"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    for (const std::string& path : paths_) {
      context.progress(path);
      absl::StatusOr<Transcript> transcript = ReadTranscript(path);
      if (!transcript.ok()) return transcript.status();
      ++report.sequences;
      report.operations += transcript->sequence.ops.size();
      auto finding = FirstFinding(context, transcript->sequence);
      if (!finding.ok()) return finding.status();
      if (!finding->has_value()) continue;
      report.failures.push_back(
          {.finding = **finding, .found_by = path, .sequence = transcript->sequence});
      break;
    }
    report.evidence =
        absl::StrCat(report.sequences, " transcripts, weighed, repeated, in other surroundings");
    return report;
  }

 private:
  static absl::StatusOr<std::optional<Finding>> FirstFinding(const CheckContext& context,
                                                             const Sequence& sequence) {
    std::vector<std::pair<const char*, Trial>> trials = {{"I3", AboveBudget}};
    if (sequence.ops.size() <= kMostRepeatedOps) {
      trials.insert(trials.end(), {{"I3", GrowsWhenRepeated},
                                   {"I3", GrowsWithNewScopes},
                                   {"I3", LeftByDestroy},
                                   {"I4", DiffersAnywhere}});
    }
    if (context.level == Level::kExact) trials.push_back({"I5", LenOnlyCuts});
    for (const auto& [id, trial] : trials) {
      if (!context.enabled(id) || context.interrupted()) continue;
      auto finding = trial(context, sequence);
      if (!finding.ok() || finding->has_value()) return finding;
    }
    return std::nullopt;
  }

  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Check> MakeReplayCheck(std::vector<std::string> paths) {
  return std::make_unique<ReplayCheck>(std::move(paths));
}

}  // namespace lockstep
