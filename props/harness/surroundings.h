// What may differ around an implementation without its answers differing (I4).

#ifndef LOCKSTEP_PROPS_HARNESS_SURROUNDINGS_H_
#define LOCKSTEP_PROPS_HARNESS_SURROUNDINGS_H_

#include <cstdint>

namespace lockstep {

// What fresh memory and the unused stack hold before a call.
enum class MemoryFill : uint8_t { kAsItComes, kZero, kOnes, kNoise };

// The surroundings of a child, varied to show that they do not matter (I4). Where the allocator of
// this program is not interposed (see interpose_state.h), clocks and fresh memory are as they come.
struct Surroundings {
  bool fresh_process = false;      // exec anew: other addresses, other per-process random seeds
  bool other_environment = false;  // of a fresh process: variables, time zone, working directory
  uint64_t heap_noise_seed = 0;    // 0: none; else allocations of random sizes before and between
  int64_t clock_offset_seconds = 0;
  int64_t clock_step_seconds = 0;  // each reading of a clock is this much later than the last
  MemoryFill fill = MemoryFill::kAsItComes;
  bool unrelated_work = false;  // another cache of the library is used between the calls
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SURROUNDINGS_H_
