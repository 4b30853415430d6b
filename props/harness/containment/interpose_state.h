// What the interposed allocator and clocks of this process count, and what they are told to do.
//
// Interposition is linked into programs of its own accord (target lockstep_interpose); without it,
// as under sanitizers, `present` is false and nothing here changes.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_INTERPOSE_STATE_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_INTERPOSE_STATE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "props/harness/surroundings.h"

namespace lockstep::interpose {

// One per process; constant-initialised, because the allocator runs before any constructor.
struct State {
  bool present = false;  // the allocator of this program is intercepted

  // Set while the implementation runs on the harness's thread. Threads of its own always count.
  std::atomic<bool> inside = false;
  std::atomic<bool> watching = false;  // off: nothing is counted or changed

  std::atomic<int64_t> heap_bytes = 0;           // malloc and its kin: usable sizes
  std::atomic<int64_t> mapped_bytes = 0;         // mmap: whole pages, as asked for
  std::atomic<int64_t> peak_bytes = 0;           // the most of both together
  int64_t (*resident_mapped_bytes)() = nullptr;  // of mapped pages, those in memory; null: unknown
  std::atomic<uint64_t> allocations = 0;         // tried while watching
  std::atomic<uint64_t> fail_at = 0;             // the allocation with this number fails; 0: none
  std::atomic<int64_t> limit_bytes = 0;          // more than this is refused; 0: no limit
  // Where to put the first request that was refused for the limit; null: nowhere.
  std::atomic<uint64_t>* refused_bytes = nullptr;

  std::atomic<MemoryFill> fill = MemoryFill::kAsItComes;
  std::atomic<uint64_t> fill_seed = 0;

  // Added to every clock, the second once more at each reading.
  std::atomic<int64_t> clock_offset_seconds = 0;
  std::atomic<int64_t> clock_step_seconds = 0;
  std::atomic<uint64_t> clock_readings = 0;  // while watching
};
extern State state;

// Marks the calling thread as the harness's: its allocations count only while `inside` is set.
void AdoptThread();

// Whether what the calling thread asks for now counts as the implementation's.
bool Counted();

// While one of these exists, the harness's thread works for the implementation.
class Inside {
 public:
  Inside() { state.inside.store(true, std::memory_order_relaxed); }
  ~Inside() { state.inside.store(false, std::memory_order_relaxed); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// Private pages of this process that are in memory, and all its address space, by /proc/self/statm.
struct Statm {
  int64_t private_bytes = 0;
  int64_t virtual_bytes = 0;
};
Statm ReadStatm();

}  // namespace lockstep::interpose

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_INTERPOSE_STATE_H_
