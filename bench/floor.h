// What memory alone costs: probes that touch the same cache lines as the cache must, and do nothing
// else. A result is shown as a multiple of its floor, measured in the same run.

#ifndef LOCKSTEP_BENCH_FLOOR_H_
#define LOCKSTEP_BENCH_FLOOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "lockstep/geometry.h"
#include "lockstep/types.h"

namespace lockstep {

// Where a prefetch brings a line. The first level has room for few misses at a time; what is
// brought to the second costs a few cycles more when it is used.
enum class CacheLevel { kFirst, kSecond };

// At least `bytes`, on huge pages where the kernel has them; given back with std::free.
void* AllocateHuge(size_t bytes);

struct FreeMemory {
  void operator()(uint64_t* p) const;
};

// Puts everything else out of the processor's caches. Tables that are used by several measurements
// would otherwise be in a cache that others' are not in: the third level may hold some of 64 MiB.
class CacheSweep {
 public:
  CacheSweep();

  // Writes as many bytes as the third level holds, from 32 MiB to 512 MiB: 4 to 60 ms.
  void Run();

 private:
  size_t bytes_;
  std::unique_ptr<uint64_t[], FreeMemory> memory_;
};

// The slot table and the ring of one scope, filled, on huge pages where they are large.
class ProbeTable {
 public:
  explicit ProbeTable(const ScopeGeometry& geometry);

  // Per entry of `random`: a read-modify-write of a random slot, a read of a random ring cell, both
  // prefetched `distance` entries ahead, and a write of the next ring cell. Returns a sum of what
  // was read.
  //
  // Requires: random holds `distance` entries more than are worked off.
  uint64_t Insert(absl::Span<const uint64_t> random, size_t distance, CacheLevel level);

  // Reads a random slot, and the ring cell that it holds: two misses, one after the other.
  Token Propose(uint64_t random) const { return ring_[slots_[random >> slot_shift_]]; }

 private:
  template <CacheLevel level>
  uint64_t InsertPrefetching(absl::Span<const uint64_t> random, size_t distance);

  uint64_t ring_tokens_;
  int slot_shift_;
  std::unique_ptr<uint64_t[], FreeMemory> memory_;
  uint64_t* slots_;
  Token* ring_;
  uint64_t head_index_ = 0;
};

// Each of `random` asked of one of the tables in turn, only when the answer before it is there, as
// AskChained asks a cache. Returns the sum of the answers.
uint64_t ProbeChained(absl::Span<const ProbeTable> tables, absl::Span<const uint64_t> random);

// The same without waiting: as AskSingly.
uint64_t ProbeSingly(absl::Span<const ProbeTable> tables, absl::Span<const uint64_t> random);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_FLOOR_H_
