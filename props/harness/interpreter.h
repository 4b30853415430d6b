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
  // `out` has room for min(max_len, out_tokens) tokens; the longest document must fit.
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

 private:
  struct Buffers;
  InterpreterOptions options_;
  std::unique_ptr<Buffers> buffers_;
};

// Runs all of `ops` in this process, beside the judge; stops at the first finding.
std::optional<Finding> RunBeside(CacheHandle& cache, Judge& judge, absl::Span<const Operation> ops,
                                 const InterpreterOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_INTERPRETER_H_
