// Reads the edits of a git repository: which file became what, under which message.

#ifndef LOCKSTEP_BENCH_REPLAY_GIT_HISTORY_H_
#define LOCKSTEP_BENCH_REPLAY_GIT_HISTORY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

struct GitOptions {
  std::string repository = ".";
  std::string revision = "HEAD";
  uint64_t max_commits = 1000;        // the newest ones
  uint64_t max_files = 50;            // of one commit; the others are skipped
  uint64_t max_file_bytes = 1 << 18;  // before and after
};

struct FileEdit {
  std::string commit;       // its full id
  std::string path;         // after the edit; any bytes but NUL
  std::string message;      // the commit's
  std::string before = {};  // empty for a new file
  std::string after = {};
};

// What was read, and what was left out and why.
struct GitCounts {
  uint64_t commits = 0;
  uint64_t edits = 0;
  uint64_t deleted = 0;
  uint64_t unchanged = 0;    // only moved, or only its permissions changed
  uint64_t not_regular = 0;  // a symbolic link or a submodule
  uint64_t binary = 0;       // a NUL byte before or after
  uint64_t empty = 0;        // after the edit
  uint64_t too_large = 0;
  uint64_t past_max_files = 0;
};

// Calls `edit` for every edit of a text file, oldest commit first, in git's order of paths within a
// commit, until it returns false. Merges are left out. A moved file's text before is that of its
// old path. Equal histories give equal edits, whatever the user's git configuration.
//
// Errors: InvalidArgument for what is no repository or revision, as git says it; Unavailable when
//         git cannot be run.
// Cost:   memory for one commit's edits of at most max_file_bytes, whatever the history holds.
absl::StatusOr<GitCounts> ReadGitEdits(const GitOptions& options,
                                       const std::function<bool(const FileEdit&)>& edit);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_GIT_HISTORY_H_
