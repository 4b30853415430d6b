// What git knows about base and head.

#ifndef LOCKSTEP_BENCH_GATE_REVISIONS_H_
#define LOCKSTEP_BENCH_GATE_REVISIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep::gate {

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

// Writes the files of a commit into the folder `dir`, in place of what was there. Git keeps no
// record of it, as it would of a worktree, so nothing is left to clear up however the gate ends.
absl::Status CheckOut(const std::string& root, const std::string& commit, const std::string& dir);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_REVISIONS_H_
