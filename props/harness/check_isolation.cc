// I2: scopes made on purpose to be confused, then scopes at random, each sequence run whole and
// scope by scope.

#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/isolation.h"
#include "props/harness/scenarios.h"

namespace lockstep {
namespace {

class IsolationCheck : public Check {
 public:
  std::string name() const override { return "isolation"; }
  std::vector<std::string> serves() const override { return {"I2"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.15; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    for (Sequence& sequence : IsolationSequences(context.seed)) {
      if (context.out_of_time()) {
        report.finished = false;
        break;
      }
      if (absl::Status status = RunOne(context, std::move(sequence), report); !status.ok()) {
        return status;
      }
    }
    for (uint64_t round = 0; !context.out_of_time() && report.failures.empty(); ++round) {
      if (round >= kMostRounds) break;
      const uint64_t calls = 200 + 100 * (round % 20);
      if (absl::Status status = RunOne(
              context, RandomIsolationSequence(context.seed * 1'000'003 + round, calls), report);
          !status.ok()) {
        return status;
      }
    }
    report.evidence = absl::StrCat(whole_, " sequences, ", report.sequences - 2 * whole_,
                                   " scopes alone, all equal");
    return report;
  }

 private:
  // Without an end to the time there is one to the rounds.
  static constexpr uint64_t kMostRounds = 20'000;

  absl::Status RunOne(const CheckContext& context, Sequence sequence, CheckReport& report) {
    context.progress(sequence.name);
    ++whole_;
    absl::StatusOr<CheckReport> isolated = RunIsolated(context, sequence);
    if (!isolated.ok()) return isolated.status();
    report.Add(*std::move(isolated));
    // What one call shows is left to the judges; and the situations are counted.
    absl::StatusOr<CheckReport> judged = RunJudged(context, sequence);
    if (!judged.ok()) return judged.status();
    report.Add(*std::move(judged));
    return absl::OkStatus();
  }

  uint64_t whole_ = 0;
};

}  // namespace

std::unique_ptr<Check> MakeIsolationCheck() { return std::make_unique<IsolationCheck>(); }

}  // namespace lockstep
