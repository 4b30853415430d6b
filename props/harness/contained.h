// Runs an implementation in a child process, so that whatever it does to itself is an answer and
// never the end of the harness.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINED_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINED_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "props/harness/interpreter.h"
#include "props/harness/operation.h"

namespace lockstep {

// What to run: the core linked into this program, or a shared library.
struct ImplementationSpec {
  std::string library;  // empty: our own core
};

// The surroundings of a child, varied to show that they do not matter (I4).
struct Surroundings {
  bool fresh_process = false;    // exec anew: other addresses, other per-process random seeds
  uint64_t heap_noise_seed = 0;  // 0: none; else allocations of random sizes before and between
  int64_t clock_offset_seconds = 0;
  int64_t clock_step_seconds = 0;  // each reading of a clock is this much later than the last
  uint64_t fail_allocation = 0;    // the n-th allocation from now fails; 0: none
  bool unrelated_work = false;     // another cache of the library is used between the calls
};

struct ContainedOptions {
  InterpreterOptions interpreter{.out_tokens = 4096, .observe = true, .guard_pages = true};
  Surroundings surroundings;
  absl::Duration time_limit_per_op = absl::Seconds(10);
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

// Bytes in use by the implementation: as the allocator and mmap were asked, and resident.
struct MemorySample {
  uint64_t live_bytes = 0;      // allocated and not freed since just before create
  uint64_t peak_bytes = 0;      // the most at any moment so far
  uint64_t resident_bytes = 0;  // /proc/self/statm
};

// One cache in one child. Operations are recorded in shared memory before they run.
class ContainedCache {
 public:
  virtual ~ContainedCache() = default;

  // What create answered.
  virtual lockstep_status create_status() const = 0;
  virtual const std::string& create_error() const = 0;

  // Runs the operations; fewer answers than operations mean that the child came to its end.
  virtual std::vector<Answer> Run(absl::Span<const Operation> ops) = 0;
  virtual MemorySample Memory() = 0;

  // Destroys the cache in the child (keeping the child) and makes another with `config`.
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

// To be called first thing in main of every program that starts children; returns an exit code when
// this process is a freshly executed child that has done its work.
std::optional<int> ContainedMain(int argc, char** argv);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINED_H_
