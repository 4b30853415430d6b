#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/memory_checks.h"
#include "props/harness/memory_traffic.h"

namespace lockstep {
namespace {

constexpr CacheConfig kConfig = {.budget_bytes = 4 * 6144, .max_scopes = 4, .key_len = 3};
constexpr size_t kSamples = 200;
constexpr size_t kCalls = 200'000;
constexpr size_t kTurnovers = 20'000;
// Calls with which a candidate for a smaller failure is tried.
constexpr size_t kTrialSamples = 64;
constexpr size_t kTrialCallsPerSample = 1024;
constexpr size_t kTrialCallsWithNewScopes = 20'000;
constexpr size_t kMostTrialRounds = 20'000;

Finding Grows(const std::string& over, const std::string& what) {
  return {.check = "I3",
          .what = absl::StrCat("over ", over, ", ", what),
          .signature = absl::StrCat("I3: growth")};
}

}  // namespace

absl::StatusOr<std::optional<Finding>> GrowsWhenRepeated(const CheckContext& context,
                                                         const Sequence& sequence) {
  if (sequence.ops.empty()) return std::nullopt;
  auto cache = StartContained(context.impl, sequence.config, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  const uint64_t times = std::max<uint64_t>(1, kTrialCallsPerSample / sequence.ops.size());
  GrowthWatch watch;
  for (size_t i = 0; i < kTrialSamples; ++i) {
    if (!(*cache)->Repeat(sequence.ops, times)) return std::nullopt;
    watch.Add((*cache)->Memory());
  }
  const auto grew = watch.Judge();
  if (!grew) return std::nullopt;
  Finding finding =
      Grows(absl::StrCat(kTrialSamples * times, " repetitions of these calls"), *grew);
  finding.op_index = sequence.ops.size() - 1;
  return finding;
}

absl::StatusOr<std::optional<Finding>> GrowsWithNewScopes(const CheckContext& context,
                                                          const Sequence& sequence) {
  if (sequence.ops.empty()) return std::nullopt;
  auto cache = StartContained(context.impl, sequence.config, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  const size_t rounds =
      std::clamp(kTrialCallsWithNewScopes / sequence.ops.size(), kTrialSamples, kMostTrialRounds);
  std::vector<Operation> ops;
  GrowthWatch watch;
  for (size_t round = 0; round < rounds; ++round) {
    for (const Operation& op : sequence.ops) {
      ops.push_back(op);
      ops.back().scope.adapter = round;
    }
    if ((round + 1) % (rounds / kTrialSamples) != 0) continue;
    if (!(*cache)->Repeat(ops, 1)) return std::nullopt;
    watch.Add((*cache)->Memory());
    ops.clear();
  }
  const auto grew = watch.Judge();
  if (!grew) return std::nullopt;
  Finding finding =
      Grows(absl::StrCat(rounds, " repetitions of these calls, each with another adapter"), *grew);
  finding.op_index = sequence.ops.size() - 1;
  return finding;
}

namespace {

// Feeds `next` into one cache, sampling after each piece. Returns the finding, if any.
absl::StatusOr<std::optional<Finding>> Feed(const CheckContext& context, const std::string& over,
                                            const std::function<std::vector<Operation>()>& next,
                                            std::vector<Operation>& last, CheckReport& report) {
  auto cache = StartContained(context.impl, kConfig, MeasuringOptions());
  if (!cache.ok()) return cache.status();
  ++report.sequences;
  GrowthWatch watch;
  for (size_t i = 0; i < kSamples; ++i) {
    if (context.out_of_time()) {
      report.finished = false;
      break;
    }
    last = next();
    if (!(*cache)->Repeat(last, 1)) return std::nullopt;
    report.operations += last.size();
    watch.Add((*cache)->Memory());
  }
  const auto grew = watch.Judge();
  return grew ? std::optional<Finding>(Grows(over, *grew)) : std::nullopt;
}

}  // namespace

absl::Status CheckGrowthOverCalls(const CheckContext& context, CheckReport& report) {
  MemoryTraffic traffic(context.seed, kConfig);
  std::vector<Operation> last;
  const uint64_t before = report.operations;
  const auto finding = Feed(
      context, "200,000 calls", [&] { return traffic.Calls(kCalls / kSamples); }, last, report);
  if (!finding.ok()) return finding.status();
  AddEvidence(report, "steady over ", report.operations - before, " calls");
  if (!finding->has_value()) return absl::OkStatus();
  AddMemoryFailure(
      **finding, {"memory over many calls", kConfig, last},
      [context](const Sequence& s) { return GrowsWhenRepeated(context, s); }, report);
  return absl::OkStatus();
}

absl::Status CheckGrowthOverTurnovers(const CheckContext& context, CheckReport& report) {
  MemoryTraffic traffic(context.seed, kConfig);
  std::vector<Operation> last;
  uint64_t turnovers = 0;
  const auto next = [&] {
    turnovers += kTurnovers / kSamples;
    return traffic.Turnovers(kTurnovers / kSamples);
  };
  const auto finding = Feed(context, "20,000 scope turnovers", next, last, report);
  if (!finding.ok()) return finding.status();
  AddEvidence(report, "steady over ", turnovers, " scope turnovers");
  if (!finding->has_value()) return absl::OkStatus();
  AddMemoryFailure(
      **finding, {"memory over scope turnovers", kConfig, last},
      [context](const Sequence& s) { return GrowsWithNewScopes(context, s); }, report);
  return absl::OkStatus();
}

}  // namespace lockstep
