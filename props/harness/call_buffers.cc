#include "props/harness/call_buffers.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

constexpr size_t kCanaryTokens = 64;

bool AllEqual(absl::Span<const Token> tokens, Token value) {
  // Or-ing differences instead of leaving at the first lets the compiler take many at once.
  Token differences = 0;
  for (const Token token : tokens) differences |= token ^ value;
  return differences == 0;
}

}  // namespace

const char* InputArray::PlaceBytes(const char* original, size_t bytes, Edge edge) {
  bytes_ = bytes;
  if (!guarded_) {
    // The caller's own array, so that a sanitizer sees its true end.
    copy_.assign(original, original + bytes);
    placed_ = original;
    expected_ = copy_.data();
    return original;
  }
  area_.Reserve(bytes);
  char* const at = edge == Edge::kEndsAtGuard ? area_.end() - bytes : area_.begin();
  if (bytes > 0) std::memcpy(at, original, bytes);
  placed_ = at;
  expected_ = original;
  return at;
}

const Token* InputArray::Place(const Token* original, size_t count, Edge edge) {
  return reinterpret_cast<const Token*>(
      PlaceBytes(reinterpret_cast<const char*>(original), count * sizeof(Token), edge));
}

const ScopeKey& InputArray::Place(const ScopeKey& original) {
  return *reinterpret_cast<const ScopeKey*>(
      PlaceBytes(reinterpret_cast<const char*>(&original), sizeof(original), Edge::kEndsAtGuard));
}

bool InputArray::changed() const {
  return bytes_ > 0 && std::memcmp(placed_, expected_, bytes_) != 0;
}

Token* OutputArray::Place(size_t room, Token pattern, Edge edge) {
  const size_t all = room + 2 * kCanaryTokens;
  Token* begin;
  Token* end;
  if (guarded_) {
    area_.Reserve(all * sizeof(Token));
    begin = reinterpret_cast<Token*>(area_.begin());
    end = reinterpret_cast<Token*>(area_.end());
  } else {
    if (plain_.size() < all) plain_.resize(all);
    begin = plain_.data();
    end = begin + all;
  }
  if (!guarded_) {
    out_ = begin + kCanaryTokens;
  } else {
    out_ = edge == Edge::kEndsAtGuard ? end - room : begin;
  }
  room_ = room;
  pattern_ = pattern;
  before_ = absl::MakeSpan(std::max(begin, out_ - std::min<ptrdiff_t>(out_ - begin, kCanaryTokens)),
                           out_);
  after_ = absl::MakeSpan(
      out_ + room, static_cast<size_t>(std::min<ptrdiff_t>(end - (out_ + room), kCanaryTokens)));
  std::fill(before_.begin(), after_.end(), pattern);
  return out_;
}

bool OutputArray::touched_past(size_t written) const {
  return written < room_ && !AllEqual(tokens().subspan(written), pattern_);
}

bool OutputArray::touched_outside() const {
  return !AllEqual(before_, pattern_) || !AllEqual(after_, pattern_);
}

}  // namespace lockstep
