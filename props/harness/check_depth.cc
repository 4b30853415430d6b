// Faults that show only late: positions that need more than 16, 20, 24 and 32 bits.

#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/random.h"
#include "props/harness/scenarios.h"
#include "props/harness/tiny_operations.h"

namespace lockstep {
namespace {

// What an implementation as fast as ours needs twice over; at the sound level the judge would keep
// all that was written.
absl::Duration TimeFor(int bits) {
  if (bits <= 24) return absl::ZeroDuration();
  return bits == 28 ? absl::Seconds(10) : absl::Seconds(150);
}

class DepthCheck : public Check {
 public:
  std::string name() const override { return "depth"; }
  std::vector<std::string> serves() const override { return {"model", "I1", "I6"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return 0.2; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    if (context.own_core() && context.level == Level::kExact) FarOut(context, report);
    uint64_t reached = 0;
    for (const int bits : {16, 20, 24, 28, 32}) {
      if (!report.failures.empty()) break;
      if (bits > 24 && context.level == Level::kSound) break;
      if (context.out_of_time()) {
        report.finished = false;
        break;
      }
      if (context.deadline - absl::Now() < TimeFor(bits)) continue;
      const auto source =
          DeepSource(context.seed + static_cast<uint64_t>(bits), uint64_t{1} << bits);
      context.progress(source->name());
      absl::StatusOr<CheckReport> one = RunJudged(context, *source);
      if (!one.ok()) return one.status();
      if (one->finished) reached = static_cast<uint64_t>(bits);
      report.Add(*std::move(one));
    }
    report.evidence = absl::StrCat("positions past 2^", reached,
                                   context.own_core() ? ", and around 2^32 and 2^63 at once" : "");
    return report;
  }

 private:
  // Our own core's scope, with its head started just before a power of two.
  void FarOut(const CheckContext& context, CheckReport& report) {
    Random random(context.seed);
    for (const int bits : {16, 20, 24, 31, 32, 33, 48, 62, 63}) {
      for (int i = 0; i < 6 && report.failures.empty(); ++i) {
        ModelOptions options;
        options.key_len = random.Between(1, 4);
        options.ring_tokens = options.key_len + random.Between(2, i < 4 ? 40 : 600);
        options.slots = uint64_t{1} << random.Between(0, 7);
        options.max_scopes = random.Between(1, 3);
        options.duplicate_limit = static_cast<uint32_t>(random.Between(2, 32));
        options.first_position = (uint64_t{1} << bits) - random.Below(options.ring_tokens * 3 / 2);
        const uint64_t seed = random.Next();
        report.Add(RunTiny(options, absl::StrCat("positions around 2^", bits, ", seed ", seed),
                           TinyOperations(options, seed, 4)));
      }
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeDepthCheck() { return std::make_unique<DepthCheck>(); }

}  // namespace lockstep
