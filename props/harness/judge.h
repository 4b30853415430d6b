// A judge watches the operations and the answers of one cache and says when a promise is broken.

#ifndef LOCKSTEP_PROPS_HARNESS_JUDGE_H_
#define LOCKSTEP_PROPS_HARNESS_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "props/harness/operation.h"

namespace lockstep {

// A broken promise. `check` is "I1".."I7", or "model" where an answer differs from the exact model
// and no invariant is named, or "contained" where the implementation did not come back.
struct Finding {
  std::string check;
  std::string what;       // one line: expected, got
  uint64_t op_index = 0;  // of the operation that showed it
  // Equal for findings that are one fault: check and kind of difference, no values.
  std::string signature;
};

class Judge {
 public:
  virtual ~Judge() = default;

  // Judges the answer to the next operation. After a finding the judge is of no more use.
  virtual std::optional<Finding> Check(const Operation& op, const Answer& answer) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_JUDGE_H_
