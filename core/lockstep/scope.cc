#include "lockstep/scope.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "lockstep/explained_status.h"

namespace lockstep {
namespace {

// Four tokens at once; the compilers know how on any processor.
using FourTokens = Token __attribute__((vector_size(4 * sizeof(Token))));

FourTokens Load(const Token* tokens) {
  FourTokens four;
  std::memcpy(&four, tokens, sizeof(four));
  return four;
}

bool AnyBit(FourTokens four) {
  uint64_t halves[2];
  std::memcpy(halves, &four, sizeof(four));
  return (halves[0] | halves[1]) != 0;
}

// A key is short: a call of memcmp would take longer than the comparison.
bool Equal(const Token* a, const Token* b, size_t count) {
  FourTokens differences = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) differences |= Load(a + i) ^ Load(b + i);
  Token difference = 0;
  for (; i < count; ++i) difference |= a[i] ^ b[i];
  return difference == 0 && !AnyBit(differences);
}

// True when the reserved token is among eight.
bool EightHoldReserved(const Token* tokens) {
  const FourTokens reserved = {kReservedToken, kReservedToken, kReservedToken, kReservedToken};
  const auto found = (Load(tokens) == reserved) | (Load(tokens + 4) == reserved);
  FourTokens bits;
  std::memcpy(&bits, &found, sizeof(bits));
  return AnyBit(bits);
}

// Copies up to the reserved token, which is not copied; returns the tokens copied.
size_t CopyRun(const Token* from, size_t count, Token* out) {
  constexpr size_t kStep = 8;
  size_t copied = 0;
  while (count - copied >= kStep && !EightHoldReserved(from + copied)) {
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
  return Equal(key, ring_ + begin, before_end) &&
         (before_end == key_len_ || Equal(key + before_end, ring_, key_len_ - before_end));
}

size_t Scope::CopyDraft(const Token* key, uint64_t distance, Token* out, size_t max_len) const {
  if (distance == 0) return 0;
  const uint64_t index = IndexBefore(head_index_, distance);
  if (!KeyPrecedes(index, key)) return 0;
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
