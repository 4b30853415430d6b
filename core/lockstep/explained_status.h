// An error with its explanation, or without one when there is no memory for it.

#ifndef LOCKSTEP_EXPLAINED_STATUS_H_
#define LOCKSTEP_EXPLAINED_STATUS_H_

#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lockstep {

// The status with `parts`, joined, as its message. A status allocates its message, and no exception
// leaves the library: when that fails the message is empty, which allocates nothing.
template <typename... Parts>
absl::Status ExplainedStatus(absl::StatusCode code, const Parts&... parts) noexcept {
  try {
    return absl::Status(code, absl::StrCat(parts...));
  } catch (const std::bad_alloc&) {
    return absl::Status(code, "");
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_EXPLAINED_STATUS_H_
