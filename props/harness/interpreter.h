// The one interpreter: it makes the calls an operation stands for, with guarded buffers, and hands
// each answer to a judge.

#ifndef LOCKSTEP_PROPS_HARNESS_INTERPRETER_H_
#define LOCKSTEP_PROPS_HARNESS_INTERPRETER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "props/harness/implementation.h"
#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

struct InterpreterOptions {
  // `out` has room for min(max_len, out_tokens) tokens, and for any document inserted before.
  size_t out_tokens = 4096;
  bool observe = true;  // ask stored_tokens and scope_count after every call
  // Place arrays against inaccessible pages, so that one token read or written too far is a fault.
  // Costs a mapping at the start; without it canaries around `out` are compared.
  bool guard_pages = false;
};

// Makes the calls, one cache at a time. Not thread-safe.
class Interpreter {
 public:
  explicit Interpreter(const InterpreterOptions& options);
  ~Interpreter();

  // Runs ops[0] and the batched proposals that follow it directly; returns their answers in order
  // (one unless there is a batch).
  std::vector<Answer> Step(CacheHandle& cache, absl::Span<const Operation> ops);
  // The same into a vector that is emptied first, for callers whose time allocations would be.
  void Step(CacheHandle& cache, absl::Span<const Operation> ops, std::vector<Answer>& answers);

  // How many of `ops` the next Step runs; 0 only when there are none.
  static size_t StepLength(absl::Span<const Operation> ops);

  // What a fault at `address` did wrong, such as "past the end of `out`"; null when it is no guard
  // page of this interpreter's. Safe in a signal handler.
  const char* ExplainFault(const void* address) const;

 private:
  struct Buffers;

  Answer StepInsert(CacheHandle& cache, const Operation& op);
  Answer StepPropose(CacheHandle& cache, const Operation& op);
  // False when the implementation has no batches.
  bool StepBatch(CacheHandle& cache, absl::Span<const Operation> ops, std::vector<Answer>& answers);
  lockstep_proposal PlaceProposal(const Operation& op, size_t index);
  Answer ReadProposal(const Operation& op, size_t index, size_t written);
  void Observe(const CacheHandle& cache, const ScopeKey& key, Answer& answer);

  InterpreterOptions options_;
  std::unique_ptr<Buffers> buffers_;
};

// Runs all of `ops` in this process, beside the judge; stops at the first finding.
std::optional<Finding> RunBeside(CacheHandle& cache, Judge& judge, absl::Span<const Operation> ops,
                                 const InterpreterOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_INTERPRETER_H_
