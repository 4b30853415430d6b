// A trace out of a git history: each edit of a text file is a request, whose prompt is the file
// before and the commit's message, and whose output is the file after.

#ifndef LOCKSTEP_BENCH_REPLAY_GIT_TRACE_H_
#define LOCKSTEP_BENCH_REPLAY_GIT_TRACE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "bench/replay/git_history.h"
#include "bench/replay/trace_writer.h"

namespace lockstep {

enum class TenantBy : uint8_t {
  kRepository,  // one scope: tenant 1
  kFolder,  // one scope per folder at the top: tenant is the FNV-1a hash of its name, "" for none
};

struct GitTraceOptions {
  GitOptions git = {};
  TenantBy tenant_by = TenantBy::kRepository;
  uint64_t max_tokens = 10'000'000;  // of all requests; ends with the request that passes it
};

struct GitTraceCounts {
  GitCounts git;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  bool cut_at_max_tokens = false;
};

// Errors: those of ReadGitEdits and of the writer.
absl::StatusOr<GitTraceCounts> WriteGitTrace(const GitTraceOptions& options, TraceWriter& writer);

// The request that an edit stands for. Its id is the first 12 digits of the commit, ":" and the
// path.
Request RequestOf(const FileEdit& edit, TenantBy tenant_by);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_GIT_TRACE_H_
