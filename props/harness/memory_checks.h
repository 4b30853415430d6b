// The parts of the memory check (I3). Each adds what it finds to the report and stops early when
// the context is out of time.
//
// What is compared is live bytes, never the number of allocations: a core that recycles a dropped
// scope's memory is right, and so is one that allocates everything with the cache, or grows into
// its share as tokens come.

#ifndef LOCKSTEP_PROPS_HARNESS_MEMORY_CHECKS_H_
#define LOCKSTEP_PROPS_HARNESS_MEMORY_CHECKS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "props/harness/check.h"
#include "props/harness/contained.h"

namespace lockstep {

// Bookkeeping that a cache may hold beside its budget: tables and lists, what an allocator rounds
// up, and what is set up once in a process.
inline constexpr int64_t kBookkeepingBytes = int64_t{64} << 10;
inline constexpr int64_t kBookkeepingBytesPerScope = int64_t{8} << 10;
// Where the contract's slots and rings are not prescribed, containers may hold this part of the
// budget again, as room to grow.
inline constexpr double kSoundSlack = 1.0 / 32;

// The most live bytes that a cache with this configuration may hold.
int64_t MostLiveBytes(const CacheConfig& config, Level level);

// Live bytes stay within the budget while scopes are made, filled and dropped.
absl::Status CheckBudget(const CheckContext& context, CheckReport& report);

// Nothing grows over 200,000 calls, over 20,000 scope turnovers, or over create and destroy.
absl::Status CheckGrowthOverCalls(const CheckContext& context, CheckReport& report);
absl::Status CheckGrowthOverTurnovers(const CheckContext& context, CheckReport& report);
absl::Status CheckDestroy(const CheckContext& context, CheckReport& report);

// The n-th allocation fails, for every n: an error, nothing changed, no scope dropped.
absl::Status CheckAllocationFailures(const CheckContext& context, CheckReport& report);

// Says what is found in a sequence; the errors are StartContained's.
using Reproduce = std::function<absl::StatusOr<std::optional<Finding>>(const Sequence&)>;

// What one sequence shows: weighed as it runs; repeated very often, as it is or each time under
// scopes that never were before; and left behind by caches that were made, used and destroyed.
absl::StatusOr<std::optional<Finding>> AboveBudget(const CheckContext& context,
                                                   const Sequence& sequence);
absl::StatusOr<std::optional<Finding>> GrowsWhenRepeated(const CheckContext& context,
                                                         const Sequence& sequence);
absl::StatusOr<std::optional<Finding>> GrowsWithNewScopes(const CheckContext& context,
                                                          const Sequence& sequence);
absl::StatusOr<std::optional<Finding>> LeftByDestroy(const CheckContext& context,
                                                     const Sequence& sequence);

// Reports a failure with the piece of the work that it was seen in. It can be made smaller where
// `reproduce` shows it in that piece.
void AddMemoryFailure(const Finding& finding, Sequence sequence, const Reproduce& reproduce,
                      CheckReport& report);

// Adds words on what was seen.
template <typename... Parts>
void AddEvidence(CheckReport& report, const Parts&... parts) {
  absl::StrAppend(&report.evidence, report.evidence.empty() ? "" : ", ", parts...);
}

// Children whose memory is measured: no guard pages, which cost time and find nothing here.
ContainedOptions MeasuringOptions();

// Samples over a long run, at moments that are alike.
class GrowthWatch {
 public:
  void Add(const MemorySample& sample) { samples_.push_back(sample); }

  // What grew, in words, when the last fifth of the samples lies wholly above all of an early
  // stretch: bounded ups and downs, and what is set up late but once, do not.
  std::optional<std::string> Judge() const;

 private:
  std::vector<MemorySample> samples_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_MEMORY_CHECKS_H_
