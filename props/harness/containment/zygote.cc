// The zygote's side: loads the implementation, forks children, and tells their ends.

#include "props/harness/containment/zygote.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "props/harness/contained.h"
#include "props/harness/containment/arena.h"
#include "props/harness/containment/child.h"
#include "props/harness/containment/interpose_state.h"
#include "props/harness/containment/zygote_message.h"

namespace lockstep {
namespace {

// Beyond what the interposed allocator allows: for what does not go through it.
constexpr uint64_t kDataSlackBytes = uint64_t{512} << 20;
// Address space taken before a library is loaded, where addresses are not random anyway.
constexpr int kMostShiftedPages = 4096;
constexpr int kMostReads = 32;

size_t CountThreads() {
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 1;
  size_t count = 0;
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

// Loads in the surroundings asked for: what a library does at its start is its own as well.
absl::StatusOr<CInterface> Load(const ZygoteRequest& request) {
  if (request.library[0] == '\0') return OwnCore();
  interpose::State& state = interpose::state;
  const Surroundings& surroundings = request.surroundings;
  if (surroundings.heap_noise_seed != 0) {
    const size_t pages = 1 + surroundings.heap_noise_seed * 0x9e3779b97f4a7c15 % kMostShiftedPages;
    mmap(nullptr, pages * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  interpose::AdoptThread();
  state.clock_offset_seconds = surroundings.clock_offset_seconds;
  state.clock_step_seconds = surroundings.clock_step_seconds;
  state.watching = state.present;
  absl::StatusOr<CInterface> functions = [&] {
    const interpose::Inside inside;
    return LoadLibrary(request.library);
  }();
  state.watching = false;
  return functions;
}

void LimitResources(const Control& control) {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  if (const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    [[maybe_unused]] const ssize_t written = write(fd, "1000", 4);
    close(fd);
  }
  // Sanitizers map terabytes; they are present where the interposition is not.
  if (!interpose::state.present || control.live_bytes_limit > (uint64_t{1} << 60)) return;
  const uint64_t most = control.live_bytes_limit + kDataSlackBytes;
  const rlimit data = {.rlim_cur = most, .rlim_max = most};
  setrlimit(RLIMIT_DATA, &data);
}

class Zygote {
 public:
  explicit Zygote(int socket) : socket_(socket) {
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, nullptr);
    signals_ = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);
  }

  // Until the harness closes its end, by going away if need be.
  int Serve() {
    while (true) {
      std::vector<pollfd> waiting = {{socket_, POLLIN, 0}, {signals_, POLLIN, 0}};
      for (const auto& [number, child] : children_) {
        waiting.push_back({child.output, POLLIN, 0});
      }
      if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return 1;
      for (auto& [number, child] : children_) ReadOutput(child);
      if (waiting[1].revents != 0) Reap();
      if (waiting[0].revents != 0 && !Answer()) break;
    }
    for (const auto& [number, child] : children_) Kill(child);
    return 0;
  }

 private:
  struct Child {
    pid_t pid = 0;
    int output = -1;      // read end of a pipe
    std::string printed;  // the end of what came out of it
    std::unique_ptr<Arena> arena;
  };

  static void Kill(const Child& child) {
    kill(-child.pid, SIGKILL);
    kill(child.pid, SIGKILL);
  }

  // Does what the harness asks; false when it is gone.
  bool Answer() {
    ZygoteRequest request;
    iovec data = {.iov_base = &request, .iov_len = sizeof(request)};
    alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(int))];
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = ancillary;
    message.msg_controllen = sizeof(ancillary);
    const ssize_t count = recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) return true;
    if (count != static_cast<ssize_t>(sizeof(request))) return false;
    switch (request.kind) {
      case ZygoteRequest::Kind::kLoad:
        return LoadAndReport(request);
      case ZygoteRequest::Kind::kStart: {
        const cmsghdr* const header = CMSG_FIRSTHDR(&message);
        if (header == nullptr) return false;
        int fd;
        std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
        Start(request.child, fd);
        return true;
      }
      case ZygoteRequest::Kind::kEnd:
        if (const auto it = children_.find(request.child); it != children_.end()) Kill(it->second);
        return true;
    }
    return false;
  }

  bool LoadAndReport(const ZygoteRequest& request) {
    load_ = request;
    ZygoteReady ready = {.kind = ZygoteReady::Kind::kLoaded, .text = ""};
    if (!request.load_in_child) {
      functions_ = Load(request);
      if (!functions_.ok()) {
        ready.kind = ZygoteReady::Kind::kUnusable;
        functions_.status().message().copy(ready.text, sizeof(ready.text) - 1);
      } else if (CountThreads() > 1) {
        ready.kind = ZygoteReady::Kind::kHasThreads;
      }
    }
    return send(socket_, &ready, sizeof(ready), MSG_NOSIGNAL) == sizeof(ready);
  }

  void Start(uint64_t number, int arena_fd) {
    absl::StatusOr<std::unique_ptr<Arena>> arena = Arena::Map(arena_fd, /*control_only=*/true);
    if (!arena.ok()) return;  // the harness sees that nothing starts
    int output[2];
    if (pipe2(output, O_CLOEXEC) != 0) return ReportEnd(**arena, 0);
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) BecomeChild(**arena, output[1], self);
    close(output[1]);
    if (pid < 0) {
      close(output[0]);
      return ReportEnd(**arena, 0);
    }
    setpgid(pid, pid);
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    children_[number] = {
        .pid = pid, .output = output[0], .printed = "", .arena = *std::move(arena)};
  }

  [[noreturn]] void BecomeChild(Arena& control_only, int output, pid_t zygote) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Pages in memory are a witness (I3); huge ones come and go by themselves.
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if (getppid() != zygote) _exit(1);
    control_only.control().pid.store(getpid());
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    // What the harness and the zygote use to see each other's ends must not stay open here. What
    // the library itself opened stays.
    close(socket_);
    close(signals_);
    for (const auto& [number, child] : children_) close(child.output);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    LimitResources(control_only.control());
    absl::StatusOr<std::unique_ptr<Arena>> arena =
        Arena::Map(dup(control_only.fd()), /*control_only=*/false);
    if (!arena.ok()) _exit(1);
    if (load_.load_in_child) functions_ = Load(load_);
    if (!functions_.ok()) _exit(1);
    RunChild(**arena, *functions_);
  }

  // Takes what the child has printed, but no more than a little: it may never stop.
  static void ReadOutput(Child& child) {
    char buffer[4096];
    for (int turn = 0; turn < kMostReads && child.output >= 0; ++turn) {
      const ssize_t count = read(child.output, buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return;
      if (count == 0) {
        close(child.output);
        child.output = -1;
        return;
      }
      child.printed.append(buffer, static_cast<size_t>(count));
      if (child.printed.size() >= Control::kTextBytes) {
        child.printed.erase(0, child.printed.size() - (Control::kTextBytes - 1));
      }
    }
  }

  void Reap() {
    signalfd_siginfo ignored;
    while (read(signals_, &ignored, sizeof(ignored)) > 0) {
    }
    int status;
    while (true) {
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid <= 0) return;
      for (auto it = children_.begin(); it != children_.end(); ++it) {
        if (it->second.pid != pid) continue;
        Child& child = it->second;
        kill(-pid, SIGKILL);  // processes that it started
        ReadOutput(child);
        if (child.output >= 0) close(child.output);
        child.printed.copy(child.arena->control().printed, Control::kTextBytes - 1);
        ReportEnd(*child.arena, status);
        children_.erase(it);
        break;
      }
    }
  }

  static void ReportEnd(Arena& arena, int status) {
    Control& control = arena.control();
    control.wait_status = status;
    control.ended.store(1, std::memory_order_release);
    Ring(control.bell);
  }

  int socket_;
  int signals_ = -1;
  ZygoteRequest load_ = {};
  absl::StatusOr<CInterface> functions_ = CInterface();
  std::map<uint64_t, Child> children_;
};

void SilenceStandardStreams() {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
}

}  // namespace

std::optional<int> ContainedMain(int argc, char** argv) {
  NoteContainedMain();
  if (argc != 3 || std::strcmp(argv[1], kZygoteFlag) != 0) return std::nullopt;
  const int socket = std::atoi(argv[2]);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  SilenceStandardStreams();
  return Zygote(socket).Serve();
}

}  // namespace lockstep
