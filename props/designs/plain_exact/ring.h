// The tokens of one scope, addressed by positions that only grow.

#ifndef PROPS_DESIGNS_PLAIN_EXACT_RING_H_
#define PROPS_DESIGNS_PLAIN_EXACT_RING_H_

#include <cstdint>

#include "zeroed_array.h"

namespace plain_exact {

// Marks the end of a stored run; never a token id.
constexpr uint32_t kRunEnd = 0xFFFFFFFF;

class Ring {
 public:
  explicit Ring(uint64_t capacity) : cells_(capacity) {}

  // Appends one token and returns the position it was written at.
  uint64_t Write(uint32_t token) {
    cells_[head_ % cells_.size()] = token;
    return head_++;
  }

  // The token at a live position.
  uint32_t At(uint64_t position) const { return cells_[position % cells_.size()]; }

  // The next position to be written.
  uint64_t head() const { return head_; }

  // The first live position. Position 0 never exists: a slot that holds 0 is empty.
  uint64_t oldest() const {
    const uint64_t capacity = cells_.size();
    return head_ > capacity + 1 ? head_ - capacity : 1;
  }

  uint64_t capacity() const { return cells_.size(); }

  // Forgets every position. The cells keep their old tokens, which no live position reaches.
  void Clear() { head_ = 1; }

 private:
  ZeroedArray<uint32_t> cells_;
  uint64_t head_ = 1;
};

}  // namespace plain_exact

#endif  // PROPS_DESIGNS_PLAIN_EXACT_RING_H_
