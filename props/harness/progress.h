// One line of progress on standard error: moving on a terminal, now and then in a log.

#ifndef LOCKSTEP_PROPS_HARNESS_PROGRESS_H_
#define LOCKSTEP_PROPS_HARNESS_PROGRESS_H_

#include <string>

#include "absl/time/time.h"

namespace lockstep {

class ProgressLine {
 public:
  // Shows nothing before `quiet` has passed: short work needs no progress.
  explicit ProgressLine(absl::Duration quiet = absl::Seconds(2));
  ~ProgressLine();  // clears the line on a terminal

  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Cheap: writes at most five times a second on a terminal, every ten seconds elsewhere.
  void Show(const std::string& what);
  void Clear();

 private:
  bool terminal_;
  bool shown_ = false;
  absl::Time next_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_PROGRESS_H_
