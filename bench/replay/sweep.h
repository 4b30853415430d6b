// Several settings over one trace, two at a time.

#ifndef LOCKSTEP_BENCH_REPLAY_SWEEP_H_
#define LOCKSTEP_BENCH_REPLAY_SWEEP_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/replay/replay.h"

namespace lockstep {

inline constexpr size_t kMostSettings = 1000;

// Whether `item` begins with the name of an axis and "=": budget, scopes, key-len, max-draft,
// policy.
bool IsSweepAxis(absl::string_view item);

// All combinations of axes such as "budget=1M,4M" and "key-len=4,8", the last axis varying fastest;
// what no axis names is as in `base`.
//
// Errors: InvalidArgument, naming the axis or the value that is wrong.
absl::StatusOr<std::vector<ReplaySettings>> ParseSweep(const std::vector<std::string>& axes,
                                                       const ReplaySettings& base);

// What is told while a sweep runs.
struct SweepProgress {
  size_t settings_done = 0;
  size_t settings = 0;
  uint64_t tokens = 0;  // replayed so far, over all settings
  uint64_t bytes = 0;   // of the files, likewise
  double tokens_per_second = 0;
};

// Replays the trace once per setting, each in a thread of its own, at most `jobs` at a time.
//
// Returns: one replay per setting, in their order.
// Errors:  the first setting's that failed, after which no other is begun.
// Effects: calls `progress` now and then in this thread.
absl::StatusOr<std::vector<ReplayReport>> ReplayAll(
    const CInterface& implementation, const std::vector<ReplaySettings>& settings,
    const std::vector<std::string>& paths, size_t jobs,
    const std::function<void(const SweepProgress&)>& progress);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_SWEEP_H_
