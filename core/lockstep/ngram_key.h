// The hash of an n-gram and the slot it falls into.

#ifndef LOCKSTEP_NGRAM_KEY_H_
#define LOCKSTEP_NGRAM_KEY_H_

#include <bit>
#include <cstdint>

#include "absl/types/span.h"
#include "lockstep/types.h"

namespace lockstep {

inline constexpr uint64_t kNgramKeyStart = 0xcbf29ce484222325;       // FNV-1a's offset basis
inline constexpr uint64_t kNgramKeyMultiplier = 0x00000100000001b3;  // FNV-1a's prime
inline constexpr uint64_t kSlotMultiplier = 0x9e3779b97f4a7c15;      // 2^64 / golden ratio
inline constexpr int kNgramKeyRotate = 29;

// The 64-bit key of `tokens`, oldest first. Cost: one multiplication a token, a serial chain.
inline uint64_t NgramKey(absl::Span<const Token> tokens) {
  uint64_t key = kNgramKeyStart;
  for (const Token token : tokens) {
    key = std::rotl((key ^ token) * kNgramKeyMultiplier, kNgramKeyRotate);
  }
  return key;
}

// The slot of a key in a table of 2^slot_bits slots: the top bits of a multiplicative hash.
inline uint64_t SlotIndex(uint64_t ngram_key, int slot_bits) {
  if (slot_bits == 0) return 0;  // A shift by 64 is undefined.
  return (ngram_key * kSlotMultiplier) >> (64 - slot_bits);
}

}  // namespace lockstep

#endif  // LOCKSTEP_NGRAM_KEY_H_
