// The project's own traffic: the edits of its git history, as requests, in a file that measuring
// processes read at once.

#ifndef LOCKSTEP_BENCH_GATE_OWN_TRACE_H_
#define LOCKSTEP_BENCH_GATE_OWN_TRACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/c_workloads.h"

namespace lockstep::gate {

// Errors: those of ReadGitEdits; Unavailable when the file cannot be written.
absl::Status WriteOwnTrace(const std::string& repository, const std::string& path);

// Errors: Unavailable when it is not such a file.
absl::StatusOr<ReplayTrace> ReadOwnTrace(const std::string& path);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_OWN_TRACE_H_
