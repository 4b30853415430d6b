// Whether two libraries are the same once loaded.

#ifndef LOCKSTEP_BENCH_GATE_IDENTICAL_H_
#define LOCKSTEP_BENCH_GATE_IDENTICAL_H_

#include <string>

#include "absl/status/statusor.h"

namespace lockstep::gate {

// True when every section that is loaded (code, data, dynamic symbols, relocations and so on) has
// the same name, place, size and content in both; the build-id is no part of it, nor is what only a
// debugger reads.
//
// Errors: Unavailable when a file cannot be read or is no 64-bit ELF file.
absl::StatusOr<bool> IdenticalWhenLoaded(const std::string& a, const std::string& b);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_IDENTICAL_H_
