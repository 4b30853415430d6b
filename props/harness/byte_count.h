// Numbers of bytes as users write them.

#ifndef LOCKSTEP_PROPS_HARNESS_BYTE_COUNT_H_
#define LOCKSTEP_PROPS_HARNESS_BYTE_COUNT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// A whole number and, without a space or with one, a unit in any case: none or B, K, M, G, T, P or
// E, which may end in B or iB. Units are powers of 1024: "64M" is 67,108,864.
//
// Errors: InvalidArgument for anything else, and for what does not fit 64 bits.
absl::StatusOr<uint64_t> ParseByteCount(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_BYTE_COUNT_H_
