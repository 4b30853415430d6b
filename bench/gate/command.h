// Commands that build things, or ask git.

#ifndef LOCKSTEP_BENCH_GATE_COMMAND_H_
#define LOCKSTEP_BENCH_GATE_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep::gate {

// Runs a command, found on PATH, with nothing to read; what it said.
//
// Errors: InvalidArgument with the end of what it said; Unavailable when it cannot be started.
absl::StatusOr<std::string> RunCommand(const std::vector<std::string>& argv);

// `text` as one word of a shell's.
std::string ShellQuoted(const std::string& text);

std::vector<std::string> LinesOf(const std::string& text);  // those that are not empty

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_COMMAND_H_
