// Holds what create answered to the specification.

#ifndef LOCKSTEP_PROPS_HARNESS_CREATE_JUDGE_H_
#define LOCKSTEP_PROPS_HARNESS_CREATE_JUDGE_H_

#include <optional>

#include "props/harness/check.h"
#include "props/harness/contained.h"

namespace lockstep {

// Judges the last create of `cache`, made with `config`; nothing when it answered rightly. A budget
// that nobody needs to have may be answered with RESOURCE_EXHAUSTED.
std::optional<Finding> CheckCreate(Level level, const CacheConfig& config,
                                   const ContainedCache& cache);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CREATE_JUDGE_H_
