#include "bench/replay/git_trace.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "bench/replay/simple_tokenizer.h"

namespace lockstep {
namespace {

uint64_t FolderTenant(std::string_view path) {
  const size_t slash = path.find('/');
  uint64_t hash = 0xcbf29ce484222325;
  if (slash == std::string_view::npos) return hash;
  for (const char c : path.substr(0, slash)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

Request RequestOf(const FileEdit& edit, TenantBy tenant_by) {
  Request request;
  request.id = absl::StrCat(edit.commit.substr(0, 12), ":", edit.path);
  request.scope = {.model = 1,
                   .tokenizer = 1,
                   .adapter = 0,
                   .tenant = tenant_by == TenantBy::kFolder ? FolderTenant(edit.path) : 1};
  SimpleTokenize(edit.before, request.prompt);
  SimpleTokenize(edit.message, request.prompt);
  SimpleTokenize(edit.after, request.output);
  return request;
}

absl::StatusOr<GitTraceCounts> WriteGitTrace(const GitTraceOptions& options, TraceWriter& writer) {
  GitTraceCounts counts;
  absl::Status written;
  const absl::StatusOr<GitCounts> git = ReadGitEdits(options.git, [&](const FileEdit& edit) {
    const Request request = RequestOf(edit, options.tenant_by);
    written = writer.Write(request);
    counts.prompt_tokens += request.prompt.size();
    counts.output_tokens += request.output.size();
    counts.cut_at_max_tokens = counts.prompt_tokens + counts.output_tokens >= options.max_tokens;
    return written.ok() && !counts.cut_at_max_tokens;
  });
  if (!written.ok()) return written;
  if (!git.ok()) return git.status();
  counts.git = *git;
  return counts;
}

}  // namespace lockstep
