#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/memory_checks.h"
#include "props/harness/memory_traffic.h"

namespace lockstep {
namespace {

constexpr uint64_t kCycles = 50;
// A leak of one byte a cycle already takes a whole block each time.
constexpr int64_t kLeastBytesPerCycle = 4;
constexpr int64_t kLeastPrivateBytes = int64_t{1} << 20;

}  // namespace

absl::StatusOr<std::optional<Finding>> LeftByDestroy(const CheckContext& context,
                                                     const Sequence& sequence) {
  auto cache = StartContained(context.impl, sequence.config, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  std::vector<MemorySample> left;
  for (uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    if (cycle > 0 && (*cache)->Recreate(sequence.config) != LOCKSTEP_OK) return std::nullopt;
    if (!sequence.ops.empty() && !(*cache)->Repeat(sequence.ops, 1)) return std::nullopt;
    // What is refused must leave nothing either.
    if ((*cache)->Recreate({}) == LOCKSTEP_OK || !(*cache)->Destroy()) return std::nullopt;
    left.push_back((*cache)->Memory());
  }
  // The first may set up what stays for good; both halves of the others have to grow.
  const auto grows = [&](int64_t MemorySample::* value, int64_t least_per_half) {
    const int64_t first = left[1].*value, middle = left[kCycles / 2].*value;
    return middle - first >= least_per_half && left.back().*value - middle >= least_per_half;
  };
  const int64_t half = static_cast<int64_t>(kCycles / 2 - 1);
  const bool heap = grows(&MemorySample::live_bytes, kLeastBytesPerCycle * half);
  if (!heap && !grows(&MemorySample::private_bytes, kLeastPrivateBytes)) return std::nullopt;
  const auto value = heap ? &MemorySample::live_bytes : &MemorySample::private_bytes;
  return Finding{.check = "I3",
                 .what = absl::StrCat("after ", kCycles, " caches were made and destroyed ",
                                      left.back().*value - left[1].*value,
                                      " more bytes are held than after 2"),
                 .op_index = sequence.ops.empty() ? 0 : sequence.ops.size() - 1,
                 .signature = "I3: left by destroy"};
}

absl::Status CheckDestroy(const CheckContext& context, CheckReport& report) {
  const CacheConfig config = {.budget_bytes = 4 * 65536, .max_scopes = 4, .key_len = 3};
  MemoryTraffic traffic(context.seed, config);
  Sequence sequence = {"memory over create and destroy", config, traffic.Calls(60)};
  for (Operation& op : traffic.Turnovers(6)) sequence.ops.push_back(std::move(op));
  const auto finding = LeftByDestroy(context, sequence);
  if (!finding.ok()) return finding.status();
  ++report.sequences;
  report.operations += kCycles * sequence.ops.size();
  AddEvidence(report, finding->has_value() ? "something" : "nothing", " left by ", kCycles,
              " caches");
  if (!finding->has_value()) return absl::OkStatus();
  AddMemoryFailure(
      **finding, sequence, [context](const Sequence& s) { return LeftByDestroy(context, s); },
      report);
  return absl::OkStatus();
}

}  // namespace lockstep
