// I4: equal sequences of calls give equal answers, whatever surrounds them.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/deterministic.h"
#include "props/harness/rich_sequence.h"

namespace lockstep {
namespace {

constexpr uint64_t kMostRounds = 200;

class DeterminismCheck : public Check {
 public:
  std::string name() const override { return "determinism"; }
  std::vector<std::string> serves() const override { return {"I4"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.15; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    const std::vector<NamedSurroundings> all = AllSurroundings(context.seed);
    uint64_t surroundings = 0;
    for (uint64_t round = 0; round < kMostRounds && report.failures.empty(); ++round) {
      const auto plain = RunPlainly(context, RichSequence(context.seed + round, round));
      if (!plain.ok()) return plain.status();
      const uint64_t ops = plain->sequence.ops.size();
      report.operations += ops;
      for (const NamedSurroundings& one : all) {
        if (context.out_of_time()) {
          report.finished = round > 0;
          round = kMostRounds;
          break;
        }
        auto finding = DiffersIn(context, *plain, one);
        if (!finding.ok()) return finding.status();
        ++report.sequences;
        report.operations += ops;
        ++surroundings;
        if (!finding->has_value()) continue;
        report.failures.push_back(MakeFailure(context, **finding, plain->sequence, one));
        break;
      }
    }
    report.evidence = absl::StrCat("equal answers in ", surroundings, " comparisons, ",
                                   std::min<uint64_t>(surroundings, all.size()), " surroundings");
    return report;
  }

 private:
  static Failure MakeFailure(const CheckContext& context, const Finding& finding,
                             const Sequence& sequence, const NamedSurroundings& surroundings) {
    Failure failure{.finding = finding,
                    .found_by = absl::StrCat(sequence.name, ", ", surroundings.name),
                    .sequence = sequence};
    size_t shown = std::min<size_t>(finding.op_index + 1, sequence.ops.size());
    while (shown < sequence.ops.size() && sequence.ops[shown].batched) ++shown;
    failure.sequence.ops.resize(shown);
    failure.reproduce = [context,
                         surroundings](const Sequence& candidate) -> std::optional<Finding> {
      const auto plain = RunPlainly(context, candidate);
      if (!plain.ok()) return std::nullopt;
      for (const auto& one : TellingSurroundings(surroundings, candidate.ops.size())) {
        auto again = DiffersIn(context, *plain, one);
        if (again.ok() && again->has_value()) return *again;
      }
      return std::nullopt;
    };
    return failure;
  }
};

}  // namespace

std::unique_ptr<Check> MakeDeterminismCheck() { return std::make_unique<DeterminismCheck>(); }

}  // namespace lockstep
