// Reads the files that users name.

#ifndef LOCKSTEP_PROPS_HARNESS_INPUT_FILE_H_
#define LOCKSTEP_PROPS_HARNESS_INPUT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Far more than any transcript or plan holds; an endless device ends here.
inline constexpr uint64_t kMaxInputFileBytes = uint64_t{1} << 30;

// The bytes of a file.
//
// Errors: NotFound "PATH: why it cannot be read; what to do", for a directory too; InvalidArgument
//         for a file above kMaxInputFileBytes.
absl::StatusOr<std::string> ReadInputFile(const std::string& path);

// The error that says why `path` cannot be read, for an `error` as errno has it.
absl::Status CannotRead(const std::string& path, int error);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_INPUT_FILE_H_
