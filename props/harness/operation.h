// The one list of operations: what fuzzing, properties, exhaustive search, golden transcripts and
// traces all come down to.

#ifndef LOCKSTEP_PROPS_HARNESS_OPERATION_H_
#define LOCKSTEP_PROPS_HARNESS_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/c_api.h"
#include "lockstep/types.h"
#include "props/harness/model_options.h"

namespace lockstep {

struct Operation {
  enum class Kind : uint8_t { kInsert, kPropose };

  Kind kind = Kind::kInsert;
  ScopeKey scope;
  std::vector<Token> tokens;  // the document, or the history; oldest first
  uint64_t max_len = 0;       // of a proposal
  // A proposal that shares one call of propose_batch with the operation before it, which is a
  // proposal too. A library without that function answers it by a call of its own.
  bool batched = false;

  friend bool operator==(const Operation&, const Operation&) = default;
};

// What an implementation answered to one operation, and what it then says of its state.
struct Answer {
  lockstep_status status = LOCKSTEP_OK;  // of an insert
  uint64_t written = 0;                  // what a proposal returned
  std::vector<Token> draft = {};         // the first min(written, max_len, room) tokens of `out`
  bool touched_past_written = false;     // `out` changed between `written` and max_len
  bool touched_past_max_len = false;     // `out` changed at or past max_len, or before its start
  bool changed_input = false;            // tokens, scope key or configuration were written to
  bool observed = true;                  // stored_tokens and scope_count were asked for
  uint64_t stored_tokens = 0;            // of the operation's scope, after it
  uint64_t scope_count = 0;              // after the operation
  std::string error = {};                // lockstep_last_error() after a status other than OK

  friend bool operator==(const Answer&, const Answer&) = default;
};

// A whole test: a configuration and the operations on one cache made with it.
struct Sequence {
  std::string name;  // what it shows, or the file it came from
  CacheConfig config;
  std::vector<Operation> ops;
  // When it has a value the cache is a tiny one of our own core (MakeTinyCache), which no
  // configuration gives, and `config` is not used.
  std::optional<ModelOptions> tiny = std::nullopt;
};

Operation Insert(const ScopeKey& scope, std::vector<Token> doc);
Operation Propose(const ScopeKey& scope, std::vector<Token> history, uint64_t max_len);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_OPERATION_H_
