// Reads one JSON object of a known shape: what a line of a transcript or of a trace is.

#ifndef LOCKSTEP_PROPS_HARNESS_JSON_LINE_H_
#define LOCKSTEP_PROPS_HARNESS_JSON_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/types.h"

namespace lockstep {

// Where a member's value goes, and so what it may be. Numbers are whole and use all 64 bits.
struct TokenArray {
  std::vector<Token>* tokens;  // cleared first; its memory is reused
  Token largest;
};
struct ScopeArray {  // [model, tokenizer, adapter, tenant]
  ScopeKey* scope;
};
struct ScopeObject {  // {"model":N,"tokenizer":N,"adapter":N,"tenant":N}, all four, in any order
  ScopeKey* scope;
};
using JsonTarget =
    std::variant<uint64_t*, bool*, std::string*, TokenArray, ScopeArray, ScopeObject>;

// A reader of lines that are made of the same members. Not thread-safe.
class JsonLine {
 public:
  struct Member {
    std::string_view name;  // outlives the reader
    JsonTarget target;
  };

  explicit JsonLine(std::vector<Member> members);

  // Parses a line and stores every member it has; those it lacks are left alone.
  //
  // Returns: nullopt, or "what is wrong; what to do" for the first fault: no JSON, not an object, a
  //          member that is unknown, given twice or of another type, a number out of range. Targets
  //          are then unspecified.
  // Cost:    linear, about 90 MB/s; no allocation once the targets have grown.
  std::optional<std::string> Parse(std::string_view line);

  // Whether the line parsed last had the member.
  bool has(std::string_view name) const;
  // "a member is missing" for the first of `names` that it lacked.
  std::optional<std::string> Missing(const std::vector<std::string_view>& names) const;

 private:
  class Handler;
  std::vector<Member> members_;
  std::vector<bool> seen_;
};

// "FILE:LINE: what".
std::string AtLine(const std::string& name, uint64_t line, std::string_view what);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_JSON_LINE_H_
