// I2 as non-interference: what a scope's calls are answered does not depend on the calls under
// other scopes. Right for any deterministic design, so it serves both levels.

#ifndef LOCKSTEP_PROPS_HARNESS_ISOLATION_H_
#define LOCKSTEP_PROPS_HARNESS_ISOLATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "props/harness/check.h"
#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

// The calls under one scope from the one that made it up to its drop, by their indices. What was
// refused or ignored in between belongs to it too.
struct ScopeLife {
  ScopeKey scope;
  std::vector<size_t> ops;
};

struct ScopeLives {
  std::vector<ScopeLife> lives;          // in the order in which they began
  std::vector<size_t> absent_proposals;  // proposals under scopes that did not exist
};

// Follows the order of use of spec section 5. Which inserts were refused is taken from the answers,
// as at the sound level a document with the reserved token may be accepted.
ScopeLives LivesOf(const CacheConfig& config, absl::Span<const Operation> ops,
                   absl::Span<const Answer> answers);

// Runs operations on a new cache. Fewer answers than operations: it came to its end, or was
// refused.
using SequenceRunner = std::function<absl::StatusOr<std::vector<Answer>>(
    const CacheConfig& config, absl::Span<const Operation> ops)>;

struct IsolationOptions {
  bool compare_stored_tokens = true;  // part of the exact level only
  size_t most_lives = 64;             // of more, the first and a choice of the others are run
  uint64_t seed = 1;                  // of that choice
};

struct IsolationOutcome {
  std::optional<Finding> finding;  // I2; op_index is into the whole sequence
  // The operations of a life, when they brought a cache to its end that survived the whole
  // sequence.
  std::optional<Sequence> ended_alone;
  uint64_t lives = 0;       // run alone
  uint64_t operations = 0;  // in all runs
};

// Runs the whole sequence, then the lives of its scopes each alone, and compares call by call.
// Finds nothing in a sequence that did not run to its end.
absl::StatusOr<IsolationOutcome> CheckNonInterference(const Sequence& sequence,
                                                      const SequenceRunner& run,
                                                      const IsolationOptions& options);

// The same with a child for the whole sequence and another for the lives.
absl::StatusOr<CheckReport> RunIsolated(const CheckContext& context, const Sequence& sequence,
                                        size_t most_lives = 64);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_ISOLATION_H_
