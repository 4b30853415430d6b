// Loads a library as often as asked, each time as one of its own: the same file twice gives two
// copies of its code and data.

#ifndef LOCKSTEP_BENCH_GATE_LOADED_LIBRARY_H_
#define LOCKSTEP_BENCH_GATE_LOADED_LIBRARY_H_

#include <string>

#include "absl/status/statusor.h"
#include "bench/c_workloads.h"

namespace lockstep::gate {

// Stays loaded until the process ends.
//
// Errors: Unavailable "PATH: what is wrong" when it does not load, lacks a function that is not
//         optional, or has another version of the interface.
absl::StatusOr<CLibrary> LoadCopy(const std::string& path);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_LOADED_LIBRARY_H_
