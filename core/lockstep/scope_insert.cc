// Insert: one pass over the document, a few blocks of keys in flight.
//
//   block b + 2   the keys are hashed, and the cache lines of their slots asked for;
//   block b + 1   the slots have come; where one has the key's tag, its ring line is asked for;
//   block b       the keys are looked up and learned, one after the other.
//
// Looking ahead only ever asks for cache lines. What a key finds is read when its turn comes, so a
// slot set or a cell written a moment ago counts.

#include <algorithm>
#include <cstring>

#include "lockstep/ngram_key.h"
#include "lockstep/scope.h"

namespace lockstep {
namespace {

// Two blocks of slots in flight are more than the misses a processor keeps open at a time.
constexpr size_t kBlockKeys = 64;
constexpr size_t kBlocksInFlight = 4;  // a power of two, and at least the three above

// Must be inlined: g++ 12 takes a function that only prefetches for one without effects, and drops
// the calls.
#define LOCKSTEP_PREFETCHES __attribute__((always_inline))

// No position: what follows no duplicate.
constexpr uint64_t kNowhere = ~uint64_t{0};

}  // namespace

// The state of an insert. A copy of it lives in registers, where writes to the ring cannot alias.
struct Scope::Run {
  uint64_t head;
  uint64_t head_index;
  uint64_t after_duplicate = kNowhere;  // the position after the one that held the last token
  uint32_t duplicates = 0;              // in a row
  bool writing = false;
};

void Scope::Append(Token token, Run& run) const {
  ring_[run.head_index] = token;
  ++run.head;
  if (++run.head_index == ring_tokens_) run.head_index = 0;
}

void Scope::StartRun(const Token* key, Run& run) {
  const uint64_t before_end = std::min(key_len_, ring_tokens_ - run.head_index);
  std::memcpy(ring_ + run.head_index, key, before_end * sizeof(Token));
  std::memcpy(ring_, key + before_end, (key_len_ - before_end) * sizeof(Token));
  run.head += key_len_;
  run.head_index += key_len_;
  if (run.head_index >= ring_tokens_) run.head_index -= ring_tokens_;
  run.writing = true;
}

// True when `position` is believable, follows the key before `token`, and holds `*token`.
bool Scope::IsDuplicate(const Token* token, uint64_t position, Run& run) const {
  const uint64_t distance = DistanceTo(position, run.head);
  if (!Believable(distance, run.head)) return false;
  const uint64_t index = IndexBefore(run.head_index, distance);
  // After a duplicate one position earlier the key is known to be equal: it is that key and that
  // token, less the oldest, and a live cell does not change.
  if (position != run.after_duplicate && !KeyPrecedes(index, token - key_len_)) return false;
  if (ring_[index] != *token) return false;
  run.after_duplicate = (position + 1) & PositionMask();
  return true;
}

void Scope::Learn(const Token* tokens, absl::Span<const uint64_t> slot_hashes, Run& shared_run) {
  Run run = shared_run;
  for (size_t i = 0; i < slot_hashes.size(); ++i) {
    uint64_t* const slot = SlotOf(slot_hashes[i]);
    const uint64_t tag = TagOf(slot_hashes[i]);
    const uint64_t position = *slot ^ tag;
    if (position <= PositionMask() && IsDuplicate(tokens + i, position, run)) {
      ++run.duplicates;
      if (run.writing && run.duplicates == duplicate_limit_) {
        Append(kReservedToken, run);
        run.writing = false;
      }
      if (!run.writing) continue;
    } else {
      run.duplicates = 0;
      run.after_duplicate = kNowhere;
      if (!run.writing) StartRun(tokens + i - key_len_, run);
    }
    *slot = tag | (run.head & PositionMask());
    Append(tokens[i], run);
  }
  shared_run = run;
}

LOCKSTEP_PREFETCHES inline void Scope::PrefetchSlots(absl::Span<const uint64_t> slot_hashes) const {
  for (const uint64_t slot_hash : slot_hashes) __builtin_prefetch(SlotOf(slot_hash), /*rw=*/1);
}

LOCKSTEP_PREFETCHES inline void Scope::PrefetchRing(absl::Span<const uint64_t> slot_hashes,
                                                    const Run& run) const {
  for (const uint64_t slot_hash : slot_hashes) {
    const uint64_t position = *SlotOf(slot_hash) ^ TagOf(slot_hash);
    if (position > PositionMask()) continue;
    const uint64_t distance = DistanceTo(position, run.head);
    if (!Believable(distance, run.head)) continue;
    __builtin_prefetch(ring_ + IndexBefore(run.head_index, distance));
  }
}

void Scope::Insert(absl::Span<const Token> doc) {
  doc = doc.last(std::min<size_t>(doc.size(), ring_tokens_ - 1));
  if (doc.size() <= key_len_) return;
  const Token* const tokens = doc.data() + key_len_;  // tokens[i] is what the i-th key predicts
  const size_t keys = doc.size() - key_len_;
  const size_t blocks = (keys + kBlockKeys - 1) / kBlockKeys;
  uint64_t slot_hashes[kBlocksInFlight][kBlockKeys];
  const auto block = [&](size_t b) {
    return absl::MakeSpan(slot_hashes[b % kBlocksInFlight],
                          std::min(kBlockKeys, keys - b * kBlockKeys));
  };
  Run run{.head = head_, .head_index = head_index_};
  for (size_t b = 0; b < blocks + 2; ++b) {
    if (b < blocks) {
      HashNgrams(doc.data() + b * kBlockKeys, block(b).size(), key_len_, block(b).data());
      PrefetchSlots(block(b));
    }
    if (b >= 1 && b - 1 < blocks) PrefetchRing(block(b - 1), run);
    if (b >= 2) Learn(tokens + (b - 2) * kBlockKeys, block(b - 2), run);
  }
  if (run.writing) Append(kReservedToken, run);
  head_ = run.head;
  head_index_ = run.head_index;
}

}  // namespace lockstep
