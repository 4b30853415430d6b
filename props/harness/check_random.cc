// Random sequences until the time is up, short ones first.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/scenarios.h"

namespace lockstep {
namespace {

class RandomCheck : public Check {
 public:
  std::string name() const override { return "random operations"; }
  std::vector<std::string> serves() const override {
    return {"model", "I1", "I2", "I5", "I6", "I7"};
  }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.35; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    for (uint64_t round = 0; !context.out_of_time() && report.failures.empty(); ++round) {
      // Without an end to the time there is one to the calls.
      if (report.operations >= kMostOperations) break;
      const uint64_t seed = context.seed * 1'000'003 + round;
      if (round % 16 == 0) {
        context.progress(absl::StrCat(report.operations, " calls, seed ", seed));
      }
      // Most faults show early in a cache's life; every eighth cache lives long.
      const uint64_t usual = std::min<uint64_t>(100 + 20 * round, 1500);
      const uint64_t op_count = round % 8 == 7 ? 4 * usual : usual;
      absl::StatusOr<CheckReport> one = RunJudged(context, RandomSequence(seed, op_count));
      if (!one.ok()) return one.status();
      report.Add(*std::move(one));
    }
    report.evidence = absl::StrCat(report.sequences, " caches, ", report.operations, " calls");
    return report;
  }

 private:
  static constexpr uint64_t kMostOperations = 10'000'000;
};

}  // namespace

std::unique_ptr<Check> MakeRandomCheck() { return std::make_unique<RandomCheck>(); }

}  // namespace lockstep
