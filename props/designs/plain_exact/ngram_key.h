// The hash of an n-gram, and the slot that the hash goes to.

#ifndef PROPS_DESIGNS_PLAIN_EXACT_NGRAM_KEY_H_
#define PROPS_DESIGNS_PLAIN_EXACT_NGRAM_KEY_H_

#include <cstdint>

namespace plain_exact {

// Hashes the `len` tokens at `tokens`, oldest first.
inline uint64_t NgramKey(const uint32_t* tokens, uint64_t len) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t i = 0; i < len; ++i) {
    hash = (hash ^ tokens[i]) * 0x00000100000001b3;
    hash = (hash << 29) | (hash >> 35);
  }
  return hash;
}

// The slot of `key` in a table of `slots` slots, a power of two.
inline uint64_t SlotIndex(uint64_t key, uint64_t slots) {
  if (slots == 1) return 0;
  unsigned shift = 64;
  for (uint64_t rest = slots; rest > 1; rest /= 2) --shift;
  return (key * 0x9e3779b97f4a7c15) >> shift;
}

}  // namespace plain_exact

#endif  // PROPS_DESIGNS_PLAIN_EXACT_NGRAM_KEY_H_
