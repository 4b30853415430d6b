// A process that the night shift starts: it dies with us, and its output goes to a file.

#ifndef LOCKSTEP_FUZZ_CHILD_H_
#define LOCKSTEP_FUZZ_CHILD_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lockstep::fuzz {

class Child {
 public:
  // `log` is emptied first. Errors: Internal when no process can be made.
  static absl::StatusOr<Child> Start(const std::vector<std::string>& argv, const std::string& log);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();  // kills it

  // Its exit code, or 128 + the signal that ended it; nullopt while it runs.
  std::optional<int> Poll();
  // Waits; after `limit`, or when `stop` says so, it is killed and counts as ended by SIGKILL.
  int Wait(absl::Duration limit, bool (*stop)());
  void Kill();
  // Of an ended one: its processor time, and that of what it waited for.
  absl::Duration processor_time() const { return processor_time_; }

 private:
  explicit Child(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // 0: moved from
  std::optional<int> ended_;
  absl::Duration processor_time_ = {};
};

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_CHILD_H_
