// The memory that the harness and a contained child share: a page that says what goes on, and two
// long stretches for operations and answers.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ARENA_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ARENA_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "lockstep/c_api.h"
#include "lockstep/types.h"
#include "props/harness/contained.h"

namespace lockstep {

// What the child is asked to do next.
enum class Command : uint32_t {
  kCreate,
  kRun,
  kRepeat,
  kSample,
  kDestroy,
  kFailAllocation,
  kFinish
};

// Where the child is, so that its end can be told in words.
enum class Phase : uint32_t { kStarting, kCreating, kIdle, kRunning, kDestroying, kExiting, kDone };

// At the start of the arena. The harness writes a command and raises `asked`; the child does it and
// raises `answered`. Both then ring `bell`, a futex, as does the zygote when the child has ended.
struct Control {
  static constexpr size_t kTextBytes = 2048;

  std::atomic<uint32_t> asked;
  std::atomic<uint32_t> answered;
  std::atomic<uint32_t> bell;
  std::atomic<uint32_t> phase;
  std::atomic<int32_t> pid;

  // Set before the command.
  Command command;
  uint64_t argument;   // of kFailAllocation; of kRepeat: how often to run the operations
  CacheConfig config;  // of kCreate
  size_t first_op;     // of kRun: where in the operations to go on, in bytes
  size_t ops_bytes;    // ... and where they end
  InterpreterOptions interpreter;
  Surroundings surroundings;
  uint64_t live_bytes_limit;

  // Of kRun and kRepeat, written as they go: each operation is recorded before it runs.
  std::atomic<uint64_t> started;    // operations of this command that were started
  std::atomic<uint64_t> completed;  // ... whose answers are there
  std::atomic<size_t> answers_bytes;
  std::atomic<size_t> next_op;  // where the child stopped, because answers filled up

  // Answers to the other commands.
  lockstep_status status;
  bool left_pointer;
  bool changed_config;
  bool has_batch;
  MemorySample sample;
  char text[kTextBytes];  // the error of create
  char name[256];         // of the implementation

  // What a signal handler in the child saw.
  bool fault_is_write;
  char fault_where[96];
  std::atomic<uint64_t> refused_bytes;  // the allocation that was beyond the limit; 0: none

  // Written by the zygote once the child has ended.
  std::atomic<uint32_t> ended;
  int32_t wait_status;
  char printed[kTextBytes];  // the end of what it wrote to its outputs
};

class Arena {
 public:
  // Most bytes of the operations of one command, and of their answers. Only what is touched takes
  // memory.
  static constexpr size_t kControlBytes = size_t{1} << 16;
  static constexpr size_t kOpsBytes = size_t{1} << 30;
  static constexpr size_t kAnswersBytes = size_t{1} << 30;
  static constexpr size_t kBytes = kControlBytes + kOpsBytes + kAnswersBytes;

  // Errors: Internal when there is no memory or no descriptor left.
  static absl::StatusOr<std::unique_ptr<Arena>> Make();
  // Maps what another process made. With `control_only` the stretches are left out.
  static absl::StatusOr<std::unique_ptr<Arena>> Map(int fd, bool control_only);

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  int fd() const { return fd_; }
  Control& control() { return *reinterpret_cast<Control*>(base_); }
  char* ops() { return base_ + kControlBytes; }
  char* answers() { return base_ + kControlBytes + kOpsBytes; }

  // Gives the memory of both stretches back when they have grown large.
  void Trim(size_t ops_bytes, size_t answers_bytes);

 private:
  Arena(int fd, char* base, size_t bytes) : fd_(fd), base_(base), bytes_(bytes) {}

  int fd_;
  char* base_;
  size_t bytes_;
};

// Rings, or waits until the bell no longer shows `seen`, at most `microseconds`.
void Ring(std::atomic<uint32_t>& bell);
void AwaitRing(std::atomic<uint32_t>& bell, uint32_t seen, int64_t microseconds);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_ARENA_H_
