// The hash of an n-gram, and the slot it falls into.
//
// Within one key the hash is a serial chain, one multiplication a token. The keys that end at
// neighbouring tokens of a document do not depend on each other, so whole blocks of them are hashed
// side by side, with whatever vectors the processor has.

#ifndef LOCKSTEP_NGRAM_KEY_H_
#define LOCKSTEP_NGRAM_KEY_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "lockstep/types.h"

namespace lockstep {

inline constexpr uint64_t kNgramKeyStart = 0xcbf29ce484222325;       // FNV-1a's offset basis
inline constexpr uint64_t kNgramKeyMultiplier = 0x00000100000001b3;  // FNV-1a's prime
inline constexpr uint64_t kSlotMultiplier = 0x9e3779b97f4a7c15;      // 2^64 / golden ratio
inline constexpr int kNgramKeyRotate = 29;

// The 64-bit key of `tokens`, oldest first. Cost: about 5 cycles a token, a serial chain.
inline uint64_t NgramKey(absl::Span<const Token> tokens) {
  uint64_t key = kNgramKeyStart;
  for (const Token token : tokens) {
    key = std::rotl((key ^ token) * kNgramKeyMultiplier, kNgramKeyRotate);
  }
  return key;
}

// The keys of four n-grams at once: four chains side by side take hardly longer than one.
inline void NgramKeysOfFour(const Token* const* ngrams, size_t key_len, uint64_t* keys) {
  uint64_t a = kNgramKeyStart, b = kNgramKeyStart, c = kNgramKeyStart, d = kNgramKeyStart;
  for (size_t t = 0; t < key_len; ++t) {
    a = std::rotl((a ^ ngrams[0][t]) * kNgramKeyMultiplier, kNgramKeyRotate);
    b = std::rotl((b ^ ngrams[1][t]) * kNgramKeyMultiplier, kNgramKeyRotate);
    c = std::rotl((c ^ ngrams[2][t]) * kNgramKeyMultiplier, kNgramKeyRotate);
    d = std::rotl((d ^ ngrams[3][t]) * kNgramKeyMultiplier, kNgramKeyRotate);
  }
  keys[0] = a;
  keys[1] = b;
  keys[2] = c;
  keys[3] = d;
}

// A key spread over all 64 bits, so that its top bits number a slot.
inline uint64_t SlotHash(uint64_t ngram_key) { return ngram_key * kSlotMultiplier; }

// What a key's SlotHash is cut into: the slot of the key, and a tag that tells it from other keys
// of that slot. Shifts are made in two steps, because one by 64 is undefined.
struct SlotLayout {
  int slot_bits = 0;  // in [0, 63]: the table has 2^slot_bits slots
  int tag_shift = 0;  // in [0, 63]: below this bit a tag is 0

  // The top slot_bits bits.
  uint64_t SlotOf(uint64_t slot_hash) const { return slot_hash >> 1 >> (63 - slot_bits); }
  // A set bit, and above it the lowest bits of the hash.
  uint64_t TagOf(uint64_t slot_hash) const { return (slot_hash << 1 | 1) << tag_shift; }
};

// The slot of a key in a table of 2^slot_bits slots.
inline uint64_t SlotIndex(uint64_t ngram_key, int slot_bits) {
  return SlotLayout{.slot_bits = slot_bits}.SlotOf(SlotHash(ngram_key));
}

// Hashes the keys tokens[i, i + key_len) for each i below `count`, and sets slots[i] and tags[i].
//
// Requires: count + key_len - 1 tokens at `tokens`; key_len >= 1.
// Cost:     per key and token of it, one multiplication shared by as many keys as a vector has
//           lanes.
void HashNgrams(const Token* tokens, size_t count, size_t key_len, SlotLayout layout,
                uint64_t* slots, uint64_t* tags);

// The ways to compute HashNgrams. All give equal hashes; the fastest one that the processor has is
// taken. For tests, the environment variable LOCKSTEP_HASH_PATH may name another: plain, avx2 or
// avx512. It is read at the first hash of the process; what the processor lacks is not taken.
enum class HashPath { kPlain, kAvx2, kAvx512 };
inline constexpr HashPath kHashPaths[] = {HashPath::kPlain, HashPath::kAvx2, HashPath::kAvx512};

const char* HashPathName(HashPath path);
bool HashPathSupported(HashPath path);
HashPath CurrentHashPath();

// Makes the whole process take `path` from now on: for tests and benchmarks, which run every path
// that the machine at hand has. Requires: HashPathSupported(path).
void SetHashPathForTesting(HashPath path);

}  // namespace lockstep

#endif  // LOCKSTEP_NGRAM_KEY_H_
