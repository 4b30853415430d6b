// What one scope remembers: a ring of tokens and a table from n-grams to ring positions.

#ifndef PROPS_DESIGNS_PLAIN_EXACT_SCOPE_H_
#define PROPS_DESIGNS_PLAIN_EXACT_SCOPE_H_

#include <cstdint>

#include "geometry.h"
#include "ring.h"
#include "zeroed_array.h"

namespace plain_exact {

class Scope {
 public:
  // Takes all the memory the scope will ever have. Throws std::bad_alloc.
  explicit Scope(const Geometry& geometry);

  // Stores what is new in a document that holds no kRunEnd.
  // Cost: per token one slot read, and at most one slot and one ring write; no allocation.
  void Insert(const uint32_t* doc, uint64_t len);

  // Copies into `out` what followed the latest stored occurrence of the history's last key_len
  // tokens; returns the tokens written, at most `max_len`. `out` past them is untouched.
  uint64_t Propose(const uint32_t* history, uint64_t len, uint32_t* out, uint64_t max_len) const;

  uint64_t stored_tokens() const { return ring_.head() - 1; }

  // As if made anew, in the same memory.
  void Clear();

 private:
  // The live position that followed the key at `key` (key_len_ tokens); 0 when there is none.
  uint64_t Find(const uint32_t* key) const;

  // Writes `token` and lets the slot of the key before it point there.
  void WriteKeyed(const uint32_t* key, uint32_t token);

  uint64_t key_len_;
  Ring ring_;
  ZeroedArray<uint64_t> slots_;
};

}  // namespace plain_exact

#endif  // PROPS_DESIGNS_PLAIN_EXACT_SCOPE_H_
