// Programs that the mutation tool starts: with a time limit, in a group of their own.

#ifndef LOCKSTEP_PROPS_MUTATION_PROCESS_H_
#define LOCKSTEP_PROPS_MUTATION_PROCESS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace lockstep::mutation {

struct Ended {
  int exit_code = 0;       // 128 + the signal that ended it
  bool timed_out = false;  // it was killed at the limit
  double seconds = 0;
};

// Runs a program in `dir`; its output goes to the file `log`. `environment` are additions,
// "NAME=value". A program that cannot be started ends with 127. All that it started dies with it.
Ended RunProgram(const std::vector<std::string>& argv, const std::string& dir,
                 const std::string& log, const std::vector<std::string>& environment,
                 absl::Duration limit);

// After SIGINT or SIGTERM: RunProgram kills what it runs, and nothing more should be started.
void StopOnSignals();
bool Stopped();

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_PROCESS_H_
