// Which file was judged: its name says little, its hash all. A library of its own, so that programs
// that never name a file need no OpenSSL.

#ifndef LOCKSTEP_REPORTS_FILE_HASH_H_
#define LOCKSTEP_REPORTS_FILE_HASH_H_

#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

// The SHA-256 of a file's bytes, in 64 lower-case hexadecimal digits.
//
// Errors: NotFound when the file cannot be read, naming it.
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_FILE_HASH_H_
