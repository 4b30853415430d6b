// Loads a shared library a second time as if it were another one.

#ifndef LOCKSTEP_PROPS_HARNESS_PRIVATE_COPY_H_
#define LOCKSTEP_PROPS_HARNESS_PRIVATE_COPY_H_

#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// Copies the file aside and loads the copy, which stays loaded: the loader takes two paths to one
// file for one library, and what two versions of a library share they must not share here.
//
// Returns: dlopen's handle; null when the copy cannot be loaded, with the reason in dlerror().
// Errors:  FailedPrecondition when the file cannot be copied.
absl::StatusOr<void*> OpenPrivateCopy(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_PRIVATE_COPY_H_
