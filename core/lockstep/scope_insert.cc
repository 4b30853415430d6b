// Insert: one pass over the document, three blocks of keys in flight.
//
//   block b + 2   the keys are hashed, and the cache lines of their slots asked for;
//   block b + 1   the slots have come; the ring lines that some of them point at are asked for;
//   block b       the keys are looked up and learned, one after the other.
//
// Looking ahead only ever asks for cache lines. What a key finds is read when its turn comes, so a
// slot set or a cell written a moment ago counts.
//
// Most tokens belong to a stretch of one of three kinds, and each kind has a loop that does no more
// than it needs: fresh text, being written; text that repeats what the ring holds, being written
// all the same; and such text being skipped. The token that ends a stretch takes the long way,
// Step, which handles any.
//
// A repeat is followed along the ring: once a key was found, and the token after it is the one
// found there, the next key is known to stand there too. It then takes a look at its slot to know
// whether the key is found, and none at the ring.
//
// Where the nanoseconds of a token go, roughly: shares of a profile over documents of 131,072
// tokens in 4 scopes of 16 MiB, keys of 8 tokens, huge pages, on an x86-64 processor with AVX-512.
//
//                                            fresh   re-sent
//   looking for the reserved token            0.8      0.8    the first touch of the document, too
//   hashing (avx2: 2.8, plain: 5.1)           1.2      1.2    HashNgrams
//   asking for slots and ring lines           1.5      1.5    Prefetch...: waits for room
//   slots read and written                    1.6      2.2    WriteFresh; WriteEchoed
//   comparing with the ring                   0        0.5    CommonPrefix
//   copying into the ring                     0.2      0.2    Append
//   one key in a few hundred, the long way    0.1      0.6    Step
//   all                                       5        7      memory alone: 4.4 (bench/floor.h)

#include <algorithm>
#include <cstring>

#include "lockstep/ngram_key.h"
#include "lockstep/scope.h"

namespace lockstep {
namespace {

// Two blocks in flight cover the latency of memory; four times as many are more than the second
// level of cache keeps.
constexpr size_t kBlockKeys = 64;
constexpr size_t kBlocksInFlight = 4;  // a power of two, and at least the three above

// Of so many keys one has its ring line asked for. Most that find anything find it along a repeat,
// of which one line holds 16 tokens; a look at every slot would cost more than it saves.
constexpr size_t kRingPrefetchStep = 8;

// Must be inlined: g++ 12 takes a function that only prefetches for one without effects, and drops
// the calls.
#define LOCKSTEP_PREFETCHES __attribute__((always_inline)) inline

// Into the second level of cache. The first one has room for so few misses at a time that memory
// would answer at two thirds of its speed.
LOCKSTEP_PREFETCHES void Prefetch(const void* line) {
  __builtin_prefetch(line, /*rw=*/0, /*locality=*/2);
}

// The length of the longest common prefix of two arrays of `count` tokens, most often all of them.
size_t CommonPrefix(const Token* a, const Token* b, size_t count) {
  if (std::memcmp(a, b, count * sizeof(Token)) == 0) return count;
  return static_cast<size_t>(std::mismatch(a, a + count, b).first - a);
}

}  // namespace

// Keys of the document and the tokens that follow them: tokens[i] is what key i predicts.
struct Scope::Keys {
  const Token* tokens;
  const uint64_t* slots;
  const uint64_t* tags;
  size_t count;

  void RemovePrefix(size_t n) {
    tokens += n;
    slots += n;
    tags += n;
    count -= n;
  }
};

// The state of an insert.
struct Scope::Run {
  uint64_t head;
  uint64_t head_index;
  // How far behind the head the next key is known to stand in the ring: the key_len tokens before
  // position head - echo equal it. 0 when no such place is known.
  uint64_t echo = 0;
  uint32_t duplicates = 0;  // in a row
  bool writing = false;
};

void Scope::Append(const Token* tokens, size_t count, Run& run) const {
  const uint64_t before_end = std::min<uint64_t>(count, ring_tokens_ - run.head_index);
  std::memcpy(ring_ + run.head_index, tokens, before_end * sizeof(Token));
  std::memcpy(ring_, tokens + before_end, (count - before_end) * sizeof(Token));
  run.head += count;
  run.head_index += count;
  if (run.head_index >= ring_tokens_) run.head_index -= ring_tokens_;
}

// How many of `count` tokens the ring repeats from the echo on, in one piece of it.
size_t Scope::EchoedTokens(const Token* tokens, size_t count, const Run& run) const {
  if (!Believable(run.echo, run.head)) return 0;
  const uint64_t index = IndexBefore(run.head_index, run.echo);
  const uint64_t in_one_piece = std::min(run.echo, ring_tokens_ - index);
  return CommonPrefix(ring_ + index, tokens, std::min<uint64_t>(count, in_one_piece));
}

// How many positions from `position` on have low bits that grow by one each.
size_t Scope::BeforeWrap(uint64_t position, size_t count) const {
  const uint64_t mask = PositionMask();
  return std::min<uint64_t>(count - 1, mask - (position & mask)) + 1;
}

// Writes tokens as long as the slots hold nothing of their keys; returns how many.
size_t Scope::WriteFresh(const Keys& keys, Run& run) {
  const uint64_t mask = PositionMask();
  const uint64_t head = run.head & mask;
  const size_t count = BeforeWrap(run.head, keys.count);
  size_t i = 0;
  for (; i < count; ++i) {
    uint64_t& slot = slots_[keys.slots[i]];
    if ((slot ^ keys.tags[i]) <= mask) break;
    slot = keys.tags[i] + head + i;
  }
  Append(keys.tokens, i, run);
  return i;
}

// Writes tokens that repeat the echo, as long as the slots point there or hold nothing of their
// keys, and the run need not be cut; returns how many.
size_t Scope::WriteEchoed(const Keys& keys, Run& run) {
  const uint64_t mask = PositionMask();
  const uint64_t position = (run.head - run.echo) & mask;
  const uint64_t advance = (run.head & mask) - position;
  const size_t count = std::min(EchoedTokens(keys.tokens, BeforeWrap(run.head, keys.count), run),
                                BeforeWrap(position, keys.count));
  // Where the run is to be cut: so many duplicates after the last token that was none.
  size_t cut = duplicate_limit_ - 1 - run.duplicates;
  size_t i = 0;
  for (; i < count; ++i) {
    uint64_t& slot = slots_[keys.slots[i]];
    const uint64_t echo = keys.tags[i] + position + i;
    // 0 when the slot points at the echo; up to the mask when it points elsewhere.
    const uint64_t difference = slot ^ echo;
    // Which slots were lost to other keys cannot be predicted: no branch may depend on it.
    if (difference - 1 < mask) break;
    cut = difference == 0 ? cut : i + duplicate_limit_;
    if (i == cut) break;
    slot = echo + advance;
  }
  run.duplicates = duplicate_limit_ - 1 - static_cast<uint32_t>(cut - i);
  Append(keys.tokens, i, run);
  return i;
}

// Skips tokens that repeat the echo, as long as the slots point there; returns how many.
size_t Scope::SkipEchoed(const Keys& keys, Run& run) const {
  const uint64_t mask = PositionMask();
  const uint64_t position = run.head - run.echo;
  const size_t count = EchoedTokens(keys.tokens, keys.count, run);
  size_t i = 0;
  for (; i < count; ++i) {
    if ((slots_[keys.slots[i]] ^ keys.tags[i]) != ((position + i) & mask)) break;
  }
  run.duplicates += static_cast<uint32_t>(i);
  run.echo -= i;
  return i;
}

// True when the token is what its key predicts. The echo then leads to the next key, and is lost
// when the token is not the one found there.
bool Scope::IsDuplicate(const Token* token, uint64_t position, Run& run) const {
  if (position <= PositionMask()) {
    const uint64_t distance = (run.head - position) & PositionMask();
    if (Believable(distance, run.head)) {
      const uint64_t index = IndexBefore(run.head_index, distance);
      if (ring_[index] == *token &&
          (distance == run.echo || KeyPrecedes(index, token - key_len_))) {
        run.echo = distance;
        return true;
      }
    }
  }
  if (EchoedTokens(token, 1, run) == 0) run.echo = 0;
  return false;
}

// Learns the first of `keys`, whatever it takes.
void Scope::Step(const Keys& keys, Run& run) {
  const Token* const token = keys.tokens;
  uint64_t& slot = slots_[keys.slots[0]];
  const uint64_t tag = keys.tags[0];
  const bool duplicate = IsDuplicate(token, slot ^ tag, run);
  run.duplicates = duplicate ? run.duplicates + 1 : 0;
  if (run.writing && run.duplicates == duplicate_limit_) {
    Append(&kReservedToken, 1, run);
    run.writing = false;  // The echo moved on by one token, as the head did.
    return;
  }
  if (!run.writing && duplicate) {
    --run.echo;
    return;
  }
  if (!run.writing) {
    Append(token - key_len_, key_len_, run);
    if (run.echo != 0) run.echo += key_len_;
    run.writing = true;
  }
  slot = tag | (run.head & PositionMask());
  Append(token, 1, run);
}

void Scope::Learn(Keys keys, Run& run) {
  while (keys.count > 0) {
    if (run.echo != 0) {
      keys.RemovePrefix(run.writing ? WriteEchoed(keys, run) : SkipEchoed(keys, run));
    } else if (run.writing) {
      keys.RemovePrefix(WriteFresh(keys, run));
    }
    if (keys.count == 0) return;
    Step(keys, run);
    keys.RemovePrefix(1);
  }
}

LOCKSTEP_PREFETCHES void Scope::PrefetchSlots(const Keys& keys) const {
  for (size_t i = 0; i < keys.count; ++i) Prefetch(slots_ + keys.slots[i]);
}

LOCKSTEP_PREFETCHES void Scope::PrefetchRing(const Keys& keys, const Run& run) const {
  for (size_t i = 0; i < keys.count; i += kRingPrefetchStep) {
    const uint64_t position = slots_[keys.slots[i]] ^ keys.tags[i];
    if (position > PositionMask()) continue;
    const uint64_t distance = (run.head - position) & PositionMask();
    if (Believable(distance, run.head)) Prefetch(ring_ + IndexBefore(run.head_index, distance));
  }
}

void Scope::Insert(absl::Span<const Token> doc) {
  doc = doc.last(std::min<size_t>(doc.size(), ring_tokens_ - 1));
  if (doc.size() <= key_len_) return;
  const size_t key_count = doc.size() - key_len_;
  const size_t blocks = (key_count + kBlockKeys - 1) / kBlockKeys;
  uint64_t slots[kBlocksInFlight][kBlockKeys];
  uint64_t tags[kBlocksInFlight][kBlockKeys];
  const auto block = [&](size_t b) {
    const size_t begin = b * kBlockKeys;
    return Keys{.tokens = doc.data() + begin + key_len_,
                .slots = slots[b % kBlocksInFlight],
                .tags = tags[b % kBlocksInFlight],
                .count = std::min(kBlockKeys, key_count - begin)};
  };
  Run run{.head = head_, .head_index = head_index_};
  for (size_t b = 0; b < blocks + 2; ++b) {
    if (b < blocks) {
      const Keys ahead = block(b);
      HashNgrams(ahead.tokens - key_len_, ahead.count, key_len_, layout_,
                 slots[b % kBlocksInFlight], tags[b % kBlocksInFlight]);
      PrefetchSlots(ahead);
    }
    if (b >= 1 && b - 1 < blocks) PrefetchRing(block(b - 1), run);
    if (b >= 2) Learn(block(b - 2), run);
  }
  if (run.writing) Append(&kReservedToken, 1, run);
  head_ = run.head;
  head_index_ = run.head_index;
}

}  // namespace lockstep
