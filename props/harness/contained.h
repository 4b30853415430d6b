// Runs an implementation in a child process, so that whatever it does to itself is an answer and
// never the end of the harness.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINED_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "props/harness/interpreter.h"
#include "props/harness/operation.h"
#include "props/harness/surroundings.h"

namespace lockstep {

// What to run: the core linked into this program, or a shared library.
struct ImplementationSpec {
  std::string library;  // empty: our own core
};

struct ContainedOptions {
  InterpreterOptions interpreter{.out_tokens = 4096, .observe = true, .guard_pages = true};
  Surroundings surroundings;
  // Of processor time, so that a busy machine accuses nobody; long operations get more. One that
  // waits without using any, or far longer, is stopped as well.
  absl::Duration time_limit_per_op = absl::Seconds(3);
  uint64_t live_bytes_limit = uint64_t{2} << 30;  // beyond what was there before the cache
};

// How the child came to its end.
struct ChildEnd {
  enum class Kind : uint8_t { kCompleted, kCrashed, kExited, kTimedOut, kOutOfMemory };
  Kind kind = Kind::kCompleted;
  int signal = 0;         // of a crash
  std::string what;       // one line: "SIGSEGV", "no answer within 10 s", ...
  uint64_t op_index = 0;  // the operation it was in; ops.size(): in destroy or exit
};

// What the implementation holds, since just before create. All but the last two are zero where the
// allocator of this program is not interposed: `counted` says.
struct MemorySample {
  bool counted = false;
  int64_t live_bytes = 0;     // from the allocator, and pages of its own mappings in memory
  int64_t peak_bytes = 0;     // the most from the allocator and in its own mappings, at any moment
  int64_t mapped_bytes = 0;   // writable mappings of its own, in memory or not
  uint64_t allocations = 0;   // made or tried, at any time
  int64_t private_bytes = 0;  // the whole child: private pages in memory (/proc/self/statm)
  int64_t virtual_bytes = 0;  // ... and its address space
};

// One cache in one child. Operations are recorded in shared memory before they run.
class ContainedCache {
 public:
  virtual ~ContainedCache() = default;

  // What create answered.
  virtual lockstep_status create_status() const = 0;
  virtual const std::string& create_error() const = 0;
  virtual bool create_left_pointer() const = 0;    // it failed and did not set *out to NULL
  virtual bool create_changed_config() const = 0;  // it wrote to the configuration

  // Runs the operations; fewer answers than operations mean that the child came to its end.
  virtual std::vector<Answer> Run(absl::Span<const Operation> ops) = 0;
  // Runs the operations `times` times over and keeps no answers: for work in bulk. False when the
  // child came to its end.
  virtual bool Repeat(absl::Span<const Operation> ops, uint64_t times) = 0;

  virtual MemorySample Memory() = 0;

  // From now on the n-th allocation that the implementation asks for fails, once; 0: none does.
  virtual void FailAllocation(uint64_t n) = 0;

  // Destroys the cache in the child, keeping the child; false when that was its end.
  virtual bool Destroy() = 0;
  // Destroys the cache if there is one, and makes another with `config`.
  virtual lockstep_status Recreate(const CacheConfig& config) = 0;

  // Destroys the cache and waits for the child; a crash in destroy or at exit shows in end().
  virtual const ChildEnd& Finish() = 0;

  // How the child ended; kCompleted while it lives.
  virtual const ChildEnd& end() const = 0;
  virtual bool has_batch() const = 0;
  virtual const std::string& impl_name() const = 0;
};

// Starts a child and creates a cache in it.
//
// Errors: FailedPrecondition when the library cannot be used (see LoadLibrary), Internal when the
//         surroundings fail (no process, no memory). A refused configuration is no error:
//         see create_status().
absl::StatusOr<std::unique_ptr<ContainedCache>> StartContained(const ImplementationSpec& spec,
                                                               const CacheConfig& config,
                                                               const ContainedOptions& options);

// What the implementation calls itself. Errors: as above.
absl::StatusOr<std::string> ImplementationName(const ImplementationSpec& spec);

// To be called first thing in main of every program that starts children; returns an exit code when
// this process is a freshly executed child that has done its work.
std::optional<int> ContainedMain(int argc, char** argv);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINED_H_
