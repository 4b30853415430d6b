#include "lockstep/own_history.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace lockstep {
namespace {

// The hash of a key t1 .. tn is t1 * b^(n-1) + ... + tn, modulo 2^64. An odd b has an inverse, so
// the hash can be rolled in both directions. Collisions cost a comparison, never an answer.
constexpr uint64_t kBase = 0x9e3779b97f4a7c15;

consteval uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;  // right in the lowest 3 bits; each step doubles them
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}
constexpr uint64_t kInverseBase = Inverse(kBase);
static_assert(kBase * kInverseBase == 1);

constexpr size_t kMinSlots = 16;

// The polynomial's low bits know only its last tokens; after this every bit knows all.
uint64_t Mix(uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

uint32_t TagOf(uint64_t mixed) { return static_cast<uint32_t>(mixed >> 32); }

}  // namespace

OwnHistory::OwnHistory(size_t key_len) : key_len_(key_len) {
  assert(key_len >= 1);
  for (size_t i = 1; i < key_len; ++i) oldest_weight_ *= kBase;
}

bool OwnHistory::SameKey(uint32_t a, uint32_t b) const {
  return std::memcmp(&tokens_[a - key_len_], &tokens_[b - key_len_], key_len_ * sizeof(Token)) == 0;
}

// The slot of the key that ends at `end`, or the empty one where it belongs.
const OwnHistory::Slot& OwnHistory::Find(uint64_t hash, uint32_t end) const {
  const uint64_t mixed = Mix(hash);
  for (size_t i = mixed & slot_mask_;; i = (i + 1) & slot_mask_) {
    const Slot& slot = slots_[i];
    if (slot.end == 0 || (slot.tag == TagOf(mixed) && SameKey(slot.end, end))) return slot;
  }
}

OwnHistory::Slot& OwnHistory::Find(uint64_t hash, uint32_t end) {
  return const_cast<Slot&>(std::as_const(*this).Find(hash, end));
}

// Enters the key that ends at `end`, now that a token follows it, and rolls the hash over the
// token.
void OwnHistory::Enter(size_t end) {
  if (end >= key_len_) {
    Slot& slot = Find(hash_, static_cast<uint32_t>(end));
    previous_[end] = slot.end;
    slot = {.end = static_cast<uint32_t>(end), .tag = TagOf(Mix(hash_))};
    hash_ -= tokens_[end - key_len_] * oldest_weight_;
  }
  hash_ = hash_ * kBase + tokens_[end];
}

// The reverse of Enter. Keys are taken back in the reverse of the order in which they came, so
// the last to have taken an empty slot is the first to leave it, and probing past it stays right.
void OwnHistory::PopToken() {
  hash_ = (hash_ - tokens_.back()) * kInverseBase;
  const uint32_t previous = previous_.back();
  tokens_.pop_back();
  previous_.pop_back();
  if (tokens_.size() < key_len_) return;
  hash_ += tokens_[tokens_.size() - key_len_] * oldest_weight_;
  Find(hash_, static_cast<uint32_t>(tokens_.size())).end = previous;
}

// Makes room for `tokens` at a load of at most one half, entering all keys anew in their order.
void OwnHistory::Reserve(size_t tokens) {
  if (2 * tokens <= slot_mask_) return;
  const size_t slots = std::max(std::bit_ceil(2 * tokens + 1), kMinSlots);
  if (slots_.size() < slots) slots_.resize(slots);
  std::fill_n(slots_.begin(), slots, Slot());
  slot_mask_ = slots - 1;
  hash_ = 0;
  for (size_t end = 0; end < size(); ++end) Enter(end);
}

void OwnHistory::Append(absl::Span<const Token> tokens) {
  assert(tokens.size() <= kMaxTokens - size());
  const size_t first = size();
  Reserve(first + tokens.size());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  previous_.resize(size());
  for (size_t end = first; end < size(); ++end) Enter(end);
}

void OwnHistory::Rewind(size_t size) {
  assert(size <= this->size());
  while (tokens_.size() > size) PopToken();
}

// The next history starts with a small table, so that a long one does not slow all that follow;
// making it also begins the hash anew.
void OwnHistory::Clear() {
  tokens_.clear();
  previous_.clear();
  slot_mask_ = 0;
}

absl::Span<const Token> OwnHistory::Draft(size_t max_len) const {
  if (size() < key_len_) return {};
  const size_t end = Find(hash_, static_cast<uint32_t>(size())).end;
  if (end == 0) return {};
  return absl::MakeConstSpan(tokens_).subspan(end, max_len);
}

CopyWindow::CopyWindow(uint64_t min, uint64_t max, uint64_t start)
    : min_(min), max_(max), size_(std::clamp(start, min, max)) {
  assert(1 <= min && min <= max);
}

void CopyWindow::Report(uint64_t drafted, uint64_t accepted) {
  if (accepted >= drafted) {
    size_ = size_ > max_ / 2 ? max_ : size_ * 2;
  } else {
    size_ = std::max(size_ / 2, min_);
  }
}

bool MissBackoff::Ask() {
  if (skip_ == 0) return true;
  --skip_;
  return false;
}

void MissBackoff::Report(uint64_t accepted) {
  if (accepted > 0) {
    next_ = 1;
    skip_ = 0;
    return;
  }
  skip_ = std::min(next_, max_steps_);
  next_ = std::min(next_ * 2, max_steps_);
}

}  // namespace lockstep
