// Builds of the shared library as the gate wants them, and what git knows.

#ifndef LOCKSTEP_BENCH_GATE_BUILDS_H_
#define LOCKSTEP_BENCH_GATE_BUILDS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep::gate {

// Runs a command; its standard output. Errors: InvalidArgument with the end of what it said.
absl::StatusOr<std::string> RunCommand(const std::vector<std::string>& argv);

// Builds `source` (a root folder) in `build`; the library's path. Functions and loops are aligned,
// so that code which did not change does not move within its cache lines.
absl::StatusOr<std::string> BuildLibrary(const std::string& source, const std::string& build);

// Links the library of a build once more, its objects in the order that `seed` stands for.
absl::StatusOr<std::string> Relink(const std::string& build, int seed);

struct Revisions {
  std::string base;                         // the merge-base's full id
  std::string head;                         // a full id, or "" for the working tree
  std::string head_commit;                  // the commit that the working tree stands on, or head
  bool dirty = false;                       // the working tree differs from it
  std::vector<std::string> changed_inputs;  // of the build, between the two
  std::map<std::string, std::string> accepted;  // Perf-Accept lines: workload to reason
};

// Errors: InvalidArgument for what git does not know.
absl::StatusOr<Revisions> ReadRevisions(const std::string& root, const std::string& base,
                                        const std::string& head);

// True for a file that the shared library is built from, or might be.
bool IsBuildInput(const std::string& path);

// "Perf-Accept: <workload> <reason>" lines of commit messages.
std::map<std::string, std::string> ParseAcceptances(const std::string& messages);

// Checks a commit out into `dir`, a git worktree; one that is there is used again.
absl::Status CheckOut(const std::string& root, const std::string& commit, const std::string& dir);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_BUILDS_H_
