#include "bench/gate/revisions.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "bench/gate/command.h"
#include "bench/replay/subprocess.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

// What git says; `index` is a file to use for the clone's own index.
absl::StatusOr<std::string> Git(const std::string& root, std::vector<std::string> args,
                                const std::string& index = "") {
  args.insert(args.begin(), {"git", "-C", root, "-c", "core.quotePath=false"});
  if (!index.empty()) args.insert(args.begin(), {"env", "GIT_INDEX_FILE=" + index});
  // A hook that started this program has set these for its own work.
  absl::StatusOr<std::unique_ptr<Subprocess>> git =
      Subprocess::Start(args, "",
                        {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                         "GIT_NAMESPACE", "GIT_PREFIX", "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF"});
  if (!git.ok()) return git.status();
  const absl::StatusOr<std::string> said = (*git)->ReadAll();
  if (!said.ok()) return said.status();
  if (absl::Status s = (*git)->Finish(); !s.ok()) return s;
  return std::string(absl::StripTrailingAsciiWhitespace(*said));
}

absl::StatusOr<std::string> CommitOf(const std::string& root, const std::string& name) {
  absl::StatusOr<std::string> id =
      Git(root, {"rev-parse", "--verify", "-q", "--end-of-options", name + "^{commit}"});
  if (id.ok()) return id;
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": git knows no such commit; fetch it (a shallow clone lacks it) or name another"));
}

// Of the build, between a commit and another or, with "", the working tree.
absl::StatusOr<std::vector<std::string>> ChangedInputs(const std::string& root,
                                                       const std::string& base,
                                                       const std::string& head) {
  // A file that was moved away must be seen where it was.
  std::vector<std::string> diff = {"diff", "--name-only", "--no-renames", base};
  if (!head.empty()) diff.push_back(head);
  absl::StatusOr<std::string> changed = Git(root, diff);
  if (!changed.ok()) return changed.status();
  std::string names = *changed;
  if (head.empty()) {
    absl::StatusOr<std::string> untracked =
        Git(root, {"ls-files", "--others", "--exclude-standard"});
    if (!untracked.ok()) return untracked.status();
    absl::StrAppend(&names, "\n", *untracked);
  }
  std::vector<std::string> inputs;
  for (const std::string& path : LinesOf(names)) {
    if (IsBuildInput(path)) inputs.push_back(path);
  }
  return inputs;
}

}  // namespace

bool IsBuildInput(const std::string& path) {
  static constexpr const char* kFolders[] = {"props/",   "fuzz/",       "bench/",   "corpus/",
                                             "reports/", "core/tests/", ".github/", ".ci/"};
  static constexpr const char* kFiles[] = {"LICENSE",       "lockstep",    ".gitignore",
                                           ".clang-format", ".clang-tidy", "CMakePresets.json"};
  if (path.ends_with(".md")) return false;
  return std::none_of(std::begin(kFolders), std::end(kFolders),
                      [&](const char* folder) { return path.starts_with(folder); }) &&
         std::none_of(std::begin(kFiles), std::end(kFiles),
                      [&](const char* file) { return path == file; });
}

std::map<std::string, std::string> ParseAcceptances(const std::string& messages) {
  const std::string key = "Perf-Accept:";
  std::map<std::string, std::string> accepted;
  for (const std::string& line : LinesOf(messages)) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::string workload;
    std::string reason;
    rest >> workload >> std::ws;
    std::getline(rest, reason);
    // Without a reason it is not accepted: a reviewer must see why.
    if (!workload.empty() && !reason.empty()) accepted[workload] = reason;
  }
  return accepted;
}

absl::StatusOr<Revisions> ReadRevisions(const std::string& root, const std::string& base,
                                        const std::string& head) {
  Revisions r;
  // Git's own words: whether this is no clone, or one that it does not trust.
  if (absl::Status s = Git(root, {"rev-parse", "--git-dir"}).status(); !s.ok()) return s;
  absl::StatusOr<std::string> base_id = CommitOf(root, base);
  if (!base_id.ok()) return base_id.status();
  absl::StatusOr<std::string> head_id = CommitOf(root, head.empty() ? "HEAD" : head);
  if (!head_id.ok()) return head_id.status();
  absl::StatusOr<std::string> fork = Git(root, {"merge-base", *base_id, *head_id});
  if (!fork.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(base, ": has no common history with head; fetch all of it"));
  }
  r.base = *fork;
  r.head_commit = *head_id;
  if (head.empty()) {
    absl::StatusOr<std::string> status = Git(root, {"status", "--porcelain"});
    if (!status.ok()) return status.status();
    r.dirty = !status->empty();
  } else {
    r.head = *head_id;
  }
  absl::StatusOr<std::vector<std::string>> inputs = ChangedInputs(root, r.base, r.head);
  if (!inputs.ok()) return inputs.status();
  r.changed_inputs = *std::move(inputs);
  absl::StatusOr<std::string> messages =
      Git(root, {"log", "--format=%B", absl::StrCat(r.base, "..", *head_id)});
  if (!messages.ok()) return messages.status();
  r.accepted = ParseAcceptances(*messages);
  return r;
}

absl::Status CheckOut(const std::string& root, const std::string& commit, const std::string& dir) {
  const std::string index = dir + ".index";
  std::error_code error;
  for (const std::string& old : {dir, index, index + ".lock"}) fs::remove_all(old, error);
  if (!error) fs::create_directories(dir, error);
  if (error) return absl::UnavailableError(absl::StrCat(dir, ": ", error.message()));
  return Git(root,
             {"--work-tree=" + fs::absolute(dir).string(), "read-tree", "--reset", "-u", commit},
             fs::absolute(index).string())
      .status();
}

}  // namespace lockstep::gate
