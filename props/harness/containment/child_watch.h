// Waits for a contained child without ever waiting for good, and says how it ended.

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_CHILD_WATCH_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_CHILD_WATCH_H_

#include <cstdint>
#include <functional>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "props/harness/contained.h"
#include "props/harness/containment/arena.h"

namespace lockstep {

class ChildWatch {
 public:
  ChildWatch(Control& control, const ContainedOptions& options,
             std::function<bool()> zygote_is_alive);

  // Waits until the last command is answered, while the child runs `ops` if it runs any; false when
  // the child came to its end instead. One that takes too long is ended with `end_it`.
  bool Await(absl::Span<const Operation> ops, const std::function<void()>& end_it);

  // How it ended, once Await has returned false.
  ChildEnd Describe(absl::Span<const Operation> ops) const;

  // How many operations of the last command were completed before the one it ended in.
  uint64_t ops_into() const;

 private:
  enum class Overdue : uint8_t { kNo, kBusy, kIdle, kLost };

  Overdue CheckTime(absl::Span<const Operation> ops);
  absl::Duration Limit(absl::Span<const Operation> ops) const;
  std::string Activity(absl::Span<const Operation> ops) const;

  Control& control_;
  absl::Duration limit_;
  uint64_t live_bytes_limit_;
  std::function<bool()> zygote_is_alive_;
  // Since when the child has been at what it is doing.
  uint64_t doing_ = 0;
  absl::Time since_;
  absl::Duration processor_time_before_;
  Overdue overdue_ = Overdue::kNo;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_CHILD_WATCH_H_
