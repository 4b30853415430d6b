// What memory alone costs of a proposal among many scopes.
//
// The contract makes four reads necessary that each wait for the one before: a bucket, to know
// where the scope is; its entry, to compare all 256 bits of its key and know where its slots are;
// the slot; the ring cell that the slot holds. And one write: that the scope was used now.

#ifndef LOCKSTEP_BENCH_SCOPE_FLOOR_H_
#define LOCKSTEP_BENCH_SCOPE_FLOOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "lockstep/geometry.h"
#include "lockstep/types.h"

namespace lockstep {

// As many entries, slot tables and rings as a cache of `scopes` scopes has, each scope's memory
// asked for by itself and in turn, as a cache does that makes scopes when they come.
class ScopeProbe {
 public:
  ScopeProbe(const ScopeGeometry& geometry, size_t scopes);

  // Each of `random` is a proposal, which begins when the one before is answered.
  uint64_t ProbeChained(absl::Span<const uint64_t> random);

 private:
  struct alignas(64) Entry {
    ScopeKey key;
    uint64_t used = 0;
    const uint64_t* slots = nullptr;
    const Token* ring = nullptr;
  };
  struct Bucket {
    uint64_t hash = 0;
    Entry* entry = nullptr;
  };
  struct Free {
    void operator()(void* p) const;
  };

  size_t scopes_;
  int slot_shift_;
  std::unique_ptr<Entry[], Free> entries_;
  std::unique_ptr<uint64_t[], Free> memory_;
  std::vector<Bucket> buckets_;  // twice as many as scopes, of which every other is used
  uint64_t uses_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_SCOPE_FLOOR_H_
