// Makes a failure small enough to understand.

#ifndef LOCKSTEP_PROPS_HARNESS_SHRINK_H_
#define LOCKSTEP_PROPS_HARNESS_SHRINK_H_

#include <cstdint>

#include "absl/time/time.h"
#include "props/harness/check.h"

namespace lockstep {

struct ShrinkOutcome {
  uint64_t attempts = 0;
  bool reproduced = false;  // false: the failure did not show again, so it is flaky
  bool finished = false;    // nothing is left to take away; false: the deadline came first
};

// Takes operations and tokens away from failure.sequence, and makes what is left simpler, while the
// same check still finds something. The sequence and the finding are replaced by the smallest seen.
// A failure without `reproduce` is left as it is.
//
// Cost: one run of the sequence per attempt, until `deadline`.
ShrinkOutcome Shrink(Failure& failure, absl::Time deadline);

// Tokens of all documents and histories.
uint64_t TokenCount(const Sequence& sequence);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SHRINK_H_
