// The arrays of one call: what a library may read and write, and how to see that it did more.

#ifndef LOCKSTEP_PROPS_HARNESS_CALL_BUFFERS_H_
#define LOCKSTEP_PROPS_HARNESS_CALL_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lockstep/types.h"
#include "props/harness/guarded_area.h"

namespace lockstep {

// Where an array lies between its guards. Only one end of it can touch an inaccessible page, so
// callers take turns.
enum class Edge : uint8_t { kEndsAtGuard, kStartsAtGuard };

// A read-only array: a document, a history or a scope key.
class InputArray {
 public:
  explicit InputArray(bool guarded) : guarded_(guarded) {}

  // Returns where the library is to read `count` elements equal to `original`.
  const Token* Place(const Token* original, size_t count, Edge edge);
  const ScopeKey& Place(const ScopeKey& original);

  // Whether what was placed last has been written to.
  bool changed() const;

  const GuardedArea& area() const { return area_; }

 private:
  const char* PlaceBytes(const char* original, size_t bytes, Edge edge);

  bool guarded_;
  GuardedArea area_;
  std::vector<char> copy_;  // without guards: what the caller's own array held
  const char* placed_ = nullptr;
  const char* expected_ = nullptr;
  size_t bytes_ = 0;
};

// The array that a proposal writes to, with canaries wherever no inaccessible page is.
class OutputArray {
 public:
  explicit OutputArray(bool guarded) : guarded_(guarded) {}

  // Returns room for `room` tokens, filled with `pattern` as the canaries are.
  Token* Place(size_t room, Token pattern, Edge edge);

  // Of what was placed last: its tokens; whether one at or past `written` was changed; whether a
  // token outside was.
  absl::Span<const Token> tokens() const { return {out_, room_}; }
  bool touched_past(size_t written) const;
  bool touched_outside() const;

  const GuardedArea& area() const { return area_; }

 private:
  bool guarded_;
  GuardedArea area_;
  std::vector<Token> plain_;  // without guards
  Token* out_ = nullptr;
  size_t room_ = 0;
  absl::Span<Token> before_;  // canaries
  absl::Span<Token> after_;
  Token pattern_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CALL_BUFFERS_H_
