// LOCKSTEP_HASH_PATH, which makes the core hash as another processor would: for tests.

#ifndef LOCKSTEP_PROPS_HARNESS_HASH_PATH_VARIABLE_H_
#define LOCKSTEP_PROPS_HARNESS_HASH_PATH_VARIABLE_H_

#include "absl/status/status.h"

namespace lockstep {

// Errors: InvalidArgument when the variable is set and the core does not hash as it says: nobody
//         must take a run for one of a path that was never taken.
absl::Status CheckHashPathVariable();

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_HASH_PATH_VARIABLE_H_
