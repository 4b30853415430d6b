// The sequences made on purpose, cheapest first: each situation of the exact model is reached.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/scenario_list.h"

namespace lockstep {
namespace {

// After the first finding others may be of another kind; this many more sequences are tried.
constexpr int kSequencesAfterFinding = 40;

class DirectedCheck : public Check {
 public:
  std::string name() const override { return "directed sequences"; }
  std::vector<std::string> serves() const override { return {"model", "I1", "I5", "I6", "I7"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.6; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    int left_after_finding = kSequencesAfterFinding;
    for (const Scenario& scenario : DirectedScenarios()) {
      if (context.out_of_time()) {
        report.finished = false;
        break;
      }
      if (!report.failures.empty() && left_after_finding-- == 0) break;
      context.progress(scenario.name);
      const Sequence sequence = scenario.make(scenario.name, context.seed);
      ContainedOptions options;
      // Who allocates a large budget at once keeps within it all the same.
      options.live_bytes_limit =
          std::max(options.live_bytes_limit, 2 * sequence.config.budget_bytes);
      absl::StatusOr<CheckReport> one = RunJudged(context, sequence, options);
      if (!one.ok()) return one.status();
      report.Add(*std::move(one));
      if (!scenario.also_unobserved) continue;
      options.interpreter.observe = false;
      one = RunJudged(context, sequence, options);
      if (!one.ok()) return one.status();
      report.Add(*std::move(one));
    }
    report.evidence = absl::StrCat(report.sequences, " sequences, ", report.operations, " calls");
    return report;
  }
};

}  // namespace

std::unique_ptr<Check> MakeDirectedCheck() { return std::make_unique<DirectedCheck>(); }

}  // namespace lockstep
