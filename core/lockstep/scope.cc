#include "lockstep/scope.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "lockstep/explained_status.h"
#include "lockstep/ngram_key.h"

namespace lockstep {

absl::StatusOr<Scope> Scope::Make(const ScopeOptions& options) {
  // calloc hands out zero pages that cost nothing until they are touched.
  Buffer<uint64_t> slots(static_cast<uint64_t*>(std::calloc(options.slots, sizeof(uint64_t))));
  Buffer<Token> ring(static_cast<Token*>(std::calloc(options.ring_tokens, sizeof(Token))));
  if (slots == nullptr || ring == nullptr) {
    return ExplainedStatus(absl::StatusCode::kResourceExhausted, "no memory for a scope of ",
                           options.slots, " slots and ", options.ring_tokens,
                           " ring tokens: lower budget_bytes");
  }
  return Scope(options, std::move(slots), std::move(ring));
}

Scope::Scope(const ScopeOptions& options, Buffer<uint64_t> slots, Buffer<Token> ring)
    : options_(options),
      slot_bits_(std::countr_zero(options.slots)),
      head_(options.first_position),
      slots_(std::move(slots)),
      ring_(std::move(ring)) {}

void Scope::Reset() {
  std::fill_n(slots_.get(), options_.slots, 0);
  head_ = options_.first_position;
}

uint64_t Scope::oldest() const {
  const uint64_t span = head_ - options_.first_position;
  return span > options_.ring_tokens ? head_ - options_.ring_tokens : options_.first_position;
}

uint64_t Scope::SlotOf(absl::Span<const Token> key) const {
  return SlotIndex(NgramKey(key), slot_bits_);
}

uint64_t Scope::Find(absl::Span<const Token> key, uint64_t slot) const {
  const uint64_t position = slots_[slot];
  if (position == 0 || position >= head_ || position < oldest() + key.size()) return 0;
  for (size_t i = 0; i < key.size(); ++i) {
    if (TokenAt(position - key.size() + i) != key[i]) return 0;
  }
  return position;
}

void Scope::Append(Token token) {
  ring_[head_ % options_.ring_tokens] = token;
  ++head_;
}

void Scope::Insert(absl::Span<const Token> doc) {
  const size_t key_len = options_.key_len;
  doc = doc.last(std::min<size_t>(doc.size(), options_.ring_tokens - 1));
  bool writing = false;
  uint32_t duplicates = 0;
  for (size_t end = key_len; end < doc.size(); ++end) {
    const absl::Span<const Token> key = doc.subspan(end - key_len, key_len);
    const uint64_t slot = SlotOf(key);
    const uint64_t found = Find(key, slot);
    const bool duplicate = found != 0 && TokenAt(found) == doc[end];
    duplicates = duplicate ? duplicates + 1 : 0;
    if (writing && duplicates == options_.duplicate_limit) {
      Append(kReservedToken);
      writing = false;
    }
    if (!writing && duplicate) continue;
    if (!writing) {
      for (const Token token : key) Append(token);
      writing = true;
    }
    slots_[slot] = head_;
    Append(doc[end]);
  }
  if (writing) Append(kReservedToken);
}

size_t Scope::Propose(absl::Span<const Token> history, Token* out, size_t max_len) const {
  const size_t key_len = options_.key_len;
  if (max_len == 0 || history.size() < key_len) return 0;
  const absl::Span<const Token> key = history.last(key_len);
  const uint64_t found = Find(key, SlotOf(key));
  if (found == 0) return 0;
  size_t written = 0;
  for (uint64_t p = found; p < head_ && written < max_len; ++p, ++written) {
    const Token token = TokenAt(p);
    if (token == kReservedToken) break;
    out[written] = token;
  }
  return written;
}

}  // namespace lockstep
