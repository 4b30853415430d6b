#include "lockstep/scope.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "lockstep/explained_status.h"

namespace lockstep {
namespace {

// True when the reserved token is among the first `count` of `tokens`. No early exit, so that the
// compiler compares a vector at a time.
bool HoldsReserved(const Token* tokens, size_t count) {
  uint32_t any = 0;
  for (size_t i = 0; i < count; ++i) any |= tokens[i] == kReservedToken ? 1 : 0;
  return any != 0;
}

// Copies up to the reserved token, which is not copied; returns the tokens copied.
size_t CopyRun(const Token* from, size_t count, Token* out) {
  constexpr size_t kStep = 16;
  size_t copied = 0;
  while (count - copied >= kStep && !HoldsReserved(from + copied, kStep)) {
    std::memcpy(out + copied, from + copied, kStep * sizeof(Token));
    copied += kStep;
  }
  for (; copied < count && from[copied] != kReservedToken; ++copied) out[copied] = from[copied];
  return copied;
}

}  // namespace

absl::StatusOr<Scope> Scope::Make(const ScopeOptions& options) {
  assert(std::has_single_bit(options.slots) && options.ring_tokens >= 2);
  assert(options.key_len >= 1 && options.first_position >= 1);
  ScopeMemory memory;
  // Live positions must differ in their low bits. (No machine has memory for more at 47 bits.)
  if (options.ring_tokens < uint64_t{1} << options.position_bits) {
    memory = ScopeMemory::Allocate(options.slots * sizeof(uint64_t) +
                                   options.ring_tokens * sizeof(Token));
  }
  if (memory.data() == nullptr) {
    return ExplainedStatus(absl::StatusCode::kResourceExhausted, "no memory for a scope of ",
                           options.slots, " slots and ", options.ring_tokens,
                           " ring tokens: lower budget_bytes");
  }
  return Scope(options, std::move(memory));
}

Scope::Scope(const ScopeOptions& options, ScopeMemory memory)
    : slots_(static_cast<uint64_t*>(memory.data())),
      ring_(reinterpret_cast<Token*>(slots_ + options.slots)),
      head_(options.first_position),
      head_index_(options.first_position % options.ring_tokens),
      floor_(options.first_position),
      ring_tokens_(options.ring_tokens),
      key_len_(options.key_len),
      layout_{.slot_bits = std::countr_zero(options.slots), .tag_shift = options.position_bits},
      duplicate_limit_(options.duplicate_limit),
      memory_(std::move(memory)) {}

void Scope::Reset(bool scrub) {
  if (scrub) std::memset(slots_, 0, memory_.size_bytes());
  floor_ = head_;
}

bool Scope::KeyPrecedes(uint64_t index, const Token* key) const {
  const uint64_t begin = IndexBefore(index, key_len_);
  const uint64_t before_end = std::min(key_len_, ring_tokens_ - begin);
  return std::equal(key, key + before_end, ring_ + begin) &&
         std::equal(key + before_end, key + key_len_, ring_);
}

uint64_t Scope::DistanceFound(const Lookup& lookup) const {
  const uint64_t position = slots_[lookup.slot] ^ lookup.tag;
  if (position > PositionMask()) return 0;
  const uint64_t distance = (head_ - position) & PositionMask();
  return Believable(distance, head_) ? distance : 0;
}

Scope::Lookup Scope::Look(absl::Span<const Token> history) const {
  const absl::Span<const Token> key = history.last(key_len_);
  const uint64_t slot_hash = SlotHash(NgramKey(key));
  return {.key = key.data(), .slot = layout_.SlotOf(slot_hash), .tag = layout_.TagOf(slot_hash)};
}

void Scope::PrefetchSlot(const Lookup& lookup) const { __builtin_prefetch(slots_ + lookup.slot); }

void Scope::PrefetchDraft(const Lookup& lookup) const {
  const uint64_t distance = DistanceFound(lookup);
  if (distance == 0) return;
  // The line of the key's last tokens, and the next: a short key and a short draft are in there.
  const Token* const found = ring_ + IndexBefore(head_index_, distance);
  constexpr std::ptrdiff_t kHalfLineTokens = 8;
  __builtin_prefetch(found - kHalfLineTokens);
  __builtin_prefetch(found + kHalfLineTokens - 1);
}

size_t Scope::CopyDraft(const Lookup& lookup, Token* out, size_t max_len) const {
  const uint64_t distance = DistanceFound(lookup);
  if (distance == 0) return 0;
  const uint64_t index = IndexBefore(head_index_, distance);
  if (!KeyPrecedes(index, lookup.key)) return 0;
  const uint64_t wanted = std::min<uint64_t>(distance, max_len);
  const uint64_t before_end = std::min(wanted, ring_tokens_ - index);
  const size_t written = CopyRun(ring_ + index, before_end, out);
  if (written < before_end) return written;
  return written + CopyRun(ring_, wanted - before_end, out + written);
}

size_t Scope::Propose(absl::Span<const Token> history, Token* out, size_t max_len) const {
  if (max_len == 0 || history.size() < key_len_) return 0;
  return CopyDraft(Look(history), out, max_len);
}

}  // namespace lockstep
