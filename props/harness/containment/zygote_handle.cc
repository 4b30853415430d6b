// The harness's side of a zygote.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "props/harness/containment/zygote.h"
#include "props/harness/containment/zygote_message.h"

extern char** environ;

namespace lockstep {
namespace {

// The descriptor that a zygote finds its socket at.
constexpr int kSocketInZygote = 3;
constexpr int kLoadTimeoutMs = 30'000;
constexpr size_t kKeptZygotes = 4;

std::atomic<bool> contained_main_was_called = false;
std::atomic<uint64_t> next_child = 1;

absl::Status NoProcess(const char* what, int error) {
  return absl::InternalError(
      absl::StrCat("cannot start a child process: ", what, ": ", std::strerror(error)));
}

// What sanitizers are told that suits a child which is judged by how it ends: no report on leaks,
// no end where malloc could say that there is no memory, and signals left alone.
constexpr char kSanitizerOptions[] =
    "detect_leaks=0:allocator_may_return_null=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:"
    "handle_sigill=0";

std::vector<std::string> Environment(const Surroundings& surroundings) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const char* const equals = std::strchr(*entry, '=');
    if (equals != nullptr)
      variables[std::string(*entry, static_cast<size_t>(equals - *entry))] = equals + 1;
  }
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
    std::string& options = variables[name];
    absl::StrAppend(&options, options.empty() ? "" : ":", kSanitizerOptions);
  }
  if (surroundings.other_environment) {
    variables["TZ"] = "Pacific/Auckland";
    variables["LANG"] = variables["LC_ALL"] = "tr_TR.UTF-8";
    variables["HOME"] = "/nonexistent";
    variables["USER"] = variables["LOGNAME"] = "somebody-else";
    variables["HOSTNAME"] = "elsewhere";
    variables["TMPDIR"] = "/var/tmp";
    // Moves the stack as well.
    for (int i = 0; i < 40; ++i) variables[absl::StrCat("LOCKSTEP_OTHER_", i)] = "x";
  }
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(absl::StrCat(name, "=", value));
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Executes this program anew as a zygote in its own process group, out of reach of the terminal's
// signals; it ends by itself when its socket closes.
int Execute(int socket, const Surroundings& surroundings, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocketInZygote);
  if (surroundings.other_environment) posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = {"lockstep-contained", kZygoteFlag,
                                        std::to_string(kSocketInZygote)};
  std::vector<std::string> environment = Environment(surroundings);
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes,
                                Pointers(arguments).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// What a library is known by: a file that was built anew is another one.
using FileKey = std::tuple<std::string, uint64_t, uint64_t, int64_t, int64_t, int64_t>;

FileKey KeyOf(const std::string& library) {
  struct stat info = {};
  if (!library.empty()) stat(library.c_str(), &info);
  return {library,      info.st_dev,         info.st_ino,
          info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

// Zygotes kept for the next caller, the latest used first.
struct Kept {
  std::mutex mutex;
  std::list<std::pair<FileKey, std::shared_ptr<ZygoteHandle>>> zygotes;
};
Kept& KeptZygotes() {
  static Kept kept;
  return kept;
}

std::string DescribeWaitStatus(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("SIG", sigabbrev_np(WTERMSIG(status)));
  return absl::StrCat("it exited with code ", WEXITSTATUS(status));
}

}  // namespace

void NoteContainedMain() { contained_main_was_called = true; }

absl::StatusOr<std::shared_ptr<ZygoteHandle>> ZygoteHandle::Get(const std::string& library,
                                                                const Surroundings& surroundings) {
  if (surroundings.fresh_process) return Spawn(library, surroundings, /*load_in_child=*/false);
  const FileKey key = KeyOf(library);
  Kept& kept = KeptZygotes();
  const std::lock_guard<std::mutex> guard(kept.mutex);
  for (auto it = kept.zygotes.begin(); it != kept.zygotes.end(); ++it) {
    if (it->first != key) continue;
    if (!it->second->IsAlive()) {
      kept.zygotes.erase(it);
      break;
    }
    kept.zygotes.splice(kept.zygotes.begin(), kept.zygotes, it);
    return kept.zygotes.front().second;
  }
  auto zygote = Spawn(library, Surroundings{}, /*load_in_child=*/false);
  if (!zygote.ok()) return zygote.status();
  kept.zygotes.emplace_front(key, *zygote);
  if (kept.zygotes.size() > kKeptZygotes) kept.zygotes.pop_back();
  return zygote;
}

absl::StatusOr<std::shared_ptr<ZygoteHandle>> ZygoteHandle::Spawn(const std::string& library,
                                                                  const Surroundings& surroundings,
                                                                  bool load_in_child) {
  if (!contained_main_was_called) {
    return absl::InternalError("cannot start a child process: main does not call ContainedMain");
  }
  ZygoteRequest request = {};
  request.kind = ZygoteRequest::Kind::kLoad;
  request.load_in_child = load_in_child;
  request.surroundings = surroundings;
  if (!library.empty()) {
    // The zygote may live in another folder.
    const std::unique_ptr<char, decltype(&std::free)> path(realpath(library.c_str(), nullptr),
                                                           &std::free);
    const char* const full = path == nullptr ? library.c_str() : path.get();
    if (std::strlen(full) >= sizeof(request.library)) {
      return absl::FailedPreconditionError(absl::StrCat(library, ": the path is too long"));
    }
    std::strcpy(request.library, full);
  }
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    return NoProcess("socketpair", errno);
  }
  pid_t pid = 0;
  const int error = Execute(sockets[1], surroundings, pid);
  close(sockets[1]);
  if (error != 0) {
    close(sockets[0]);
    return NoProcess("posix_spawn", error);
  }
  const std::shared_ptr<ZygoteHandle> zygote(new ZygoteHandle(pid, sockets[0]));
  if (send(sockets[0], &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request)) {
    return NoProcess("send", errno);
  }
  bool has_threads = false;
  if (absl::Status status = zygote->AwaitReady(library, has_threads); !status.ok()) return status;
  if (has_threads) return Spawn(library, surroundings, /*load_in_child=*/true);
  return zygote;
}

absl::Status ZygoteHandle::AwaitReady(const std::string& library, bool& has_threads) {
  pollfd waiting = {socket_, POLLIN, 0};
  const int events = poll(&waiting, 1, kLoadTimeoutMs);
  if (events == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(library, ": does not come back from being loaded"));
  }
  ZygoteReady ready;
  if (events < 0 || recv(socket_, &ready, sizeof(ready), 0) != sizeof(ready)) {
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    const std::string end = DescribeWaitStatus(status);
    if (library.empty()) return absl::InternalError("a child process ended at once: " + end);
    return absl::FailedPreconditionError(
        absl::StrCat(library, ": ends the process that loads it: ", end));
  }
  has_threads = ready.kind == ZygoteReady::Kind::kHasThreads;
  if (ready.kind != ZygoteReady::Kind::kUnusable) return absl::OkStatus();
  return absl::FailedPreconditionError(ready.text);
}

ZygoteHandle::ZygoteHandle(pid_t pid, int socket) : owner_(getpid()), pid_(pid), socket_(socket) {}

ZygoteHandle::~ZygoteHandle() {
  close(socket_);
  if (pid_ == 0 || owner_ != getpid()) return;
  // Its children end with it.
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ZygoteHandle::IsAlive() const {
  pollfd waiting = {socket_, POLLIN, 0};
  return poll(&waiting, 1, 0) == 0;  // it never speaks unasked: an event is its end
}

absl::StatusOr<uint64_t> ZygoteHandle::StartChild(const Arena& arena) {
  ZygoteRequest request = {};
  request.kind = ZygoteRequest::Kind::kStart;
  request.child = next_child.fetch_add(1);
  iovec data = {.iov_base = &request, .iov_len = sizeof(request)};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof(ancillary);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = arena.fd();
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  if (sendmsg(socket_, &message, MSG_NOSIGNAL) != sizeof(request)) {
    return NoProcess("the process that starts them is gone", errno);
  }
  return request.child;
}

void ZygoteHandle::EndChild(uint64_t child) {
  ZygoteRequest request = {};
  request.kind = ZygoteRequest::Kind::kEnd;
  request.child = child;
  send(socket_, &request, sizeof(request), MSG_NOSIGNAL);
}

}  // namespace lockstep
