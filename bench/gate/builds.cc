#include "bench/gate/builds.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/workload.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

absl::StatusOr<std::string> Git(const std::string& root, std::vector<std::string> args) {
  args.insert(args.begin(), {"git", "-C", root});
  absl::StatusOr<std::string> said = RunCommand(args);
  if (!said.ok()) return said.status();
  return Trimmed(*said);
}

absl::StatusOr<std::string> CommitOf(const std::string& root, const std::string& name) {
  absl::StatusOr<std::string> id = Git(root, {"rev-parse", "--verify", "-q", name + "^{commit}"});
  if (id.ok()) return id;
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ": git knows no such commit; fetch it (a shallow clone lacks it) or name "
                   "another"));
}

}  // namespace

absl::StatusOr<std::string> RunCommand(const std::vector<std::string>& argv) {
  std::vector<std::string> quoted;
  for (const std::string& arg : argv) quoted.push_back(Quoted(arg));
  std::FILE* pipe = popen((absl::StrJoin(quoted, " ") + " 2>&1 </dev/null").c_str(), "re");
  if (pipe == nullptr) return absl::UnavailableError("cannot start a shell");
  std::string said;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) said.append(buffer, n);
  const int status = pclose(pipe);
  if (status == 0) return said;
  const size_t from = said.size() > 1500 ? said.size() - 1500 : 0;
  return absl::InvalidArgumentError(absl::StrCat(argv[0], " failed: ", Trimmed(said.substr(from))));
}

absl::StatusOr<std::string> BuildLibrary(const std::string& source, const std::string& build) {
  // Paths in the code would differ between base and head, and keep ccache from finding anything.
  const std::string flags =
      absl::StrCat("-falign-functions=64 -falign-loops=32 -ffile-prefix-map=", source, "=.");
  absl::StatusOr<std::string> said = RunCommand(
      {"env", "CCACHE_BASEDIR=" + source, "CCACHE_NOHASHDIR=1", "cmake", "-S", source, "-B", build,
       "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=gcc-12",
       "-DCMAKE_CXX_COMPILER=g++-12", "-DLOCKSTEP_HARNESS=OFF", "-DLOCKSTEP_MEASURABLE=ON",
       "-DCMAKE_CXX_FLAGS=" + flags});
  if (!said.ok()) return said.status();
  said = RunCommand({"env", "CCACHE_BASEDIR=" + source, "CCACHE_NOHASHDIR=1", "cmake", "--build",
                     build, "--target", "lockstep"});
  if (!said.ok()) return said.status();
  return fs::canonical(build + "/lib/liblockstep.so").string();
}

absl::StatusOr<std::string> Relink(const std::string& build, int seed) {
  absl::StatusOr<std::string> commands =
      RunCommand({"ninja", "-C", build, "-t", "commands", "lockstep"});
  if (!commands.ok()) return commands.status();
  std::string link;
  for (const std::string& line : Lines(*commands)) {
    if (line.find(" -shared ") != std::string::npos) link = line;
  }
  std::vector<std::string> words;
  std::istringstream stream(link);
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<size_t> objects;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].ends_with(".o")) objects.push_back(i);
  }
  if (objects.empty()) return absl::UnavailableError(build + ": ninja shows no link command");
  Random random(static_cast<uint64_t>(seed));
  for (size_t i = objects.size(); i > 1; --i) {
    std::swap(words[objects[i - 1]], words[objects[random.Below(static_cast<uint32_t>(i))]]);
  }
  const std::string out = absl::StrCat(fs::absolute(build).string(), "/order", seed, ".so");
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "-o") words[i + 1] = out;
  }
  // The command is ": && g++ ... && :", for a shell.
  absl::StatusOr<std::string> said = RunCommand(
      {"sh", "-c", absl::StrCat("cd ", Quoted(build), " && ", absl::StrJoin(words, " "))});
  if (!said.ok()) return said.status();
  return out;
}

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
  for (const std::string& line : Lines(messages)) {
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
  std::vector<std::string> diff = {"diff", "--name-only", r.base};
  if (head.empty()) {
    absl::StatusOr<std::string> status = Git(root, {"status", "--porcelain"});
    if (!status.ok()) return status.status();
    r.dirty = !status->empty();
  } else {
    r.head = *head_id;
    diff.push_back(*head_id);
  }
  absl::StatusOr<std::string> changed = Git(root, diff);
  if (!changed.ok()) return changed.status();
  std::string names = *changed;
  if (head.empty()) {
    absl::StatusOr<std::string> untracked =
        Git(root, {"ls-files", "--others", "--exclude-standard"});
    if (!untracked.ok()) return untracked.status();
    absl::StrAppend(&names, "\n", *untracked);
  }
  for (const std::string& path : Lines(names)) {
    if (IsBuildInput(path)) r.changed_inputs.push_back(path);
  }
  absl::StatusOr<std::string> messages =
      Git(root, {"log", "--format=%B", absl::StrCat(r.base, "..", *head_id)});
  if (!messages.ok()) return messages.status();
  r.accepted = ParseAcceptances(*messages);
  return r;
}

absl::Status CheckOut(const std::string& root, const std::string& commit, const std::string& dir) {
  if (fs::exists(dir + "/CMakeLists.txt")) {
    return Git(dir, {"checkout", "-q", "--detach", "-f", commit}).status();
  }
  // A folder that was removed by hand is still known to git.
  if (absl::Status s = Git(root, {"worktree", "prune"}).status(); !s.ok()) return s;
  fs::create_directories(fs::path(dir).parent_path());
  return Git(root, {"worktree", "add", "-q", "--detach", "-f", dir, commit}).status();
}

}  // namespace lockstep::gate
