// At the exact level max_len decides where a draft ends, and nothing else (I5).

#ifndef LOCKSTEP_PROPS_HARNESS_LEN_ONLY_CUTS_H_
#define LOCKSTEP_PROPS_HARNESS_LEN_ONLY_CUTS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "props/harness/check.h"

namespace lockstep {

// Runs the sequence; what it proposes twice in a row, with another max_len, must be one draft cut
// in two places.
absl::StatusOr<std::optional<Finding>> LenOnlyCuts(const CheckContext& context,
                                                   const Sequence& sequence);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_LEN_ONLY_CUTS_H_
