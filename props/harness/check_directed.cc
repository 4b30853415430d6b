// The sequences made on purpose, cheapest first: each situation of the exact model is reached.

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/scenario_list.h"

namespace lockstep {
namespace {

// After the first finding others may be of another kind; this many more sequences are tried.
constexpr int kSequencesAfterFinding = 40;

// Of a budget that no child may use up nobody is accused who takes all of it at once.
void ForgiveMemory(CheckReport& report) {
  std::erase_if(report.failures, [](const Failure& f) { return f.finding.check == "I3"; });
}

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
      absl::StatusOr<CheckReport> one = RunJudged(context, sequence, options);
      if (!one.ok()) return one.status();
      if (sequence.config.budget_bytes >= options.live_bytes_limit) ForgiveMemory(*one);
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
