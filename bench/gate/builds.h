// Builds of the shared library as the gate wants them.

#ifndef LOCKSTEP_BENCH_GATE_BUILDS_H_
#define LOCKSTEP_BENCH_GATE_BUILDS_H_

#include <string>

#include "absl/status/statusor.h"

namespace lockstep::gate {

// Builds `source` (a root folder) in `build`; the library's path. Functions and loops are aligned,
// so that code which did not change does not move within its cache lines.
//
// Errors: what the compiler, or CMake, said.
absl::StatusOr<std::string> BuildLibrary(const std::string& source, const std::string& build);

// Links the library of a build once more, its objects in the order that `seed` stands for.
absl::StatusOr<std::string> Relink(const std::string& build, int seed);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_BUILDS_H_
