#include "bench/replay/git_history.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/replay/subprocess.h"

namespace lockstep {
namespace {

// One changed file as `git diff-tree --raw -z` tells it.
struct Change {
  std::string old_mode;
  std::string new_mode;
  std::string old_blob;
  std::string new_blob;
  std::string path;
};

constexpr uint64_t kMostMessageBytes = 1 << 20;

bool IsRegular(const std::string& mode) { return mode == "100644" || mode == "100755"; }
bool IsAbsent(const std::string& mode) { return mode == "000000"; }

class GitReader {
 public:
  GitReader(const GitOptions& options, const std::function<bool(const FileEdit&)>& edit)
      : options_(options), edit_(edit) {}

  absl::StatusOr<GitCounts> Read() {
    absl::StatusOr<std::string> commits = ListCommits();
    if (!commits.ok()) return commits.status();
    auto diff = StartGit({"diff-tree", "--stdin", "-r", "-z", "--root", "--raw", "--no-abbrev",
                          "-M", "-l1000", "--no-ext-diff"},
                         *commits);
    if (!diff.ok()) return diff.status();
    auto objects = StartGit({"cat-file", "--batch"}, std::nullopt);
    if (!objects.ok()) return objects.status();
    diff_ = *std::move(diff);
    objects_ = *std::move(objects);

    const absl::Status read = ReadCommits();
    if (!read.ok()) return read;
    if (stopped_) return counts_;
    if (absl::Status finished = diff_->Finish(); !finished.ok()) return finished;
    if (absl::Status finished = objects_->Finish(); !finished.ok()) return finished;
    return counts_;
  }

 private:
  absl::StatusOr<std::unique_ptr<Subprocess>> StartGit(std::vector<std::string> arguments,
                                                       const std::optional<std::string>& input) {
    std::vector<std::string> argv = {"git", "-C", options_.repository, "--no-replace-objects",
                                     "--no-pager"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    // A hook or an alias that started this program has set these for its own repository.
    return Subprocess::Start(argv, input,
                             {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                              "GIT_NAMESPACE", "GIT_PREFIX", "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF"});
  }

  // One id a line, the oldest first.
  absl::StatusOr<std::string> ListCommits() {
    if (absl::StartsWith(options_.revision, "-")) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", options_.revision, "\" is no revision: it begins with \"-\""));
    }
    auto list =
        StartGit({"rev-list", "--no-merges", "--reverse",
                  absl::StrCat("--max-count=", options_.max_commits), options_.revision, "--"},
                 "");
    if (!list.ok()) return list.status();
    absl::StatusOr<std::string> commits = (*list)->ReadAll();
    if (!commits.ok()) return commits;
    if (absl::Status finished = (*list)->Finish(); !finished.ok()) return finished;
    return commits;
  }

  // The output is a commit's id, then its changes, then the next commit's id: all NUL-terminated.
  absl::Status ReadCommits() {
    std::string field;
    std::string commit;
    std::string message;
    uint64_t files = 0;
    while (!stopped_) {
      const absl::StatusOr<bool> more = diff_->ReadUntil('\0', field);
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
      if (!absl::StartsWith(field, ":")) {
        commit = field;
        files = 0;
        ++counts_.commits;
        const absl::StatusOr<bool> found = ReadObject(commit, kMostMessageBytes, message);
        if (!found.ok()) return found.status();
        if (!*found) message.clear();
        // Its headers end at the first empty line.
        const size_t headers = message.find("\n\n");
        message.erase(0, headers == std::string::npos ? message.size() : headers + 2);
        continue;
      }
      absl::StatusOr<Change> change = ReadChange(field);
      if (!change.ok()) return change.status();
      if (++files > options_.max_files) {
        ++counts_.past_max_files;
        continue;
      }
      const absl::Status taken = TakeChange(*change, commit, message);
      if (!taken.ok()) return taken;
    }
    return absl::OkStatus();
  }

  // `field` is ":oldmode newmode oldblob newblob status"; the paths follow, two for a moved file.
  absl::StatusOr<Change> ReadChange(const std::string& field) {
    const std::vector<std::string> parts = absl::StrSplit(field.substr(1), ' ');
    if (parts.size() != 5 || parts[4].empty()) {
      return absl::InternalError(absl::StrCat("git diff-tree: not understood: ", field));
    }
    Change change{.old_mode = parts[0],
                  .new_mode = parts[1],
                  .old_blob = parts[2],
                  .new_blob = parts[3],
                  .path = {}};
    const int paths = parts[4][0] == 'R' || parts[4][0] == 'C' ? 2 : 1;
    for (int i = 0; i < paths; ++i) {
      const absl::StatusOr<bool> more = diff_->ReadUntil('\0', change.path);
      if (!more.ok()) return more.status();
      if (!*more) return absl::InternalError("git diff-tree: its output ended too soon");
    }
    return change;
  }

  absl::Status TakeChange(const Change& change, const std::string& commit,
                          const std::string& message) {
    if (IsAbsent(change.new_mode)) return Skip(counts_.deleted);
    const bool new_regular = IsRegular(change.new_mode);
    const bool old_regular = IsRegular(change.old_mode);
    if (!new_regular || !(old_regular || IsAbsent(change.old_mode))) {
      return Skip(counts_.not_regular);
    }
    if (change.old_blob == change.new_blob) return Skip(counts_.unchanged);
    FileEdit edit{.commit = commit, .path = change.path, .message = message};
    for (const auto& [blob, text] :
         {std::pair(&change.old_blob, &edit.before), std::pair(&change.new_blob, &edit.after)}) {
      if (text == &edit.before && !old_regular) continue;
      const absl::StatusOr<bool> read = ReadObject(*blob, options_.max_file_bytes, *text);
      if (!read.ok()) return read.status();
      if (!*read) return Skip(counts_.too_large);
      if (text->find('\0') != std::string::npos) return Skip(counts_.binary);
    }
    if (edit.after.empty()) return Skip(counts_.empty);
    ++counts_.edits;
    stopped_ = !edit_(edit);
    return absl::OkStatus();
  }

  static absl::Status Skip(uint64_t& count) {
    ++count;
    return absl::OkStatus();
  }

  // False when the object is larger than `most` bytes: it is then read over.
  absl::StatusOr<bool> ReadObject(const std::string& id, uint64_t most, std::string& text) {
    if (absl::Status asked = objects_->Write(id + "\n"); !asked.ok()) return asked;
    std::string header;
    const absl::StatusOr<bool> more = objects_->ReadUntil('\n', header);
    if (!more.ok()) return more.status();
    const std::vector<std::string> parts = absl::StrSplit(header, ' ');  // id, type, size
    uint64_t size = 0;
    if (!*more || parts.size() != 3 || !absl::SimpleAtoi(parts[2], &size)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "object ", id, " cannot be read from the repository; is it complete? (git fsck)"));
    }
    const bool wanted = size <= most;
    if (absl::Status read = objects_->Read(size, wanted ? &text : nullptr); !read.ok()) return read;
    if (absl::Status end = objects_->Read(1, nullptr); !end.ok()) return end;
    return wanted;
  }

  const GitOptions& options_;
  const std::function<bool(const FileEdit&)>& edit_;
  std::unique_ptr<Subprocess> diff_;
  std::unique_ptr<Subprocess> objects_;
  GitCounts counts_;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<GitCounts> ReadGitEdits(const GitOptions& options,
                                       const std::function<bool(const FileEdit&)>& edit) {
  return GitReader(options, edit).Read();
}

}  // namespace lockstep
