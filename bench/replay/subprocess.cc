#include "bench/replay/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace lockstep {
namespace {

std::string ErrnoText(int error) { return std::generic_category().message(error); }

std::vector<std::string> Environment(const std::vector<std::string>& unset) {
  std::vector<std::string> kept = {"LC_ALL=C"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (name != "LC_ALL" && std::find(unset.begin(), unset.end(), name) == unset.end()) {
      kept.emplace_back(text);
    }
  }
  return kept;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// A file in memory that holds `contents`, to be read from its beginning.
int MemoryFile(std::string_view contents) {
  const int fd = memfd_create("lockstep", MFD_CLOEXEC);
  while (fd >= 0 && !contents.empty()) {
    const ssize_t written = write(fd, contents.data(), contents.size());
    if (written < 0) {
      close(fd);
      return -1;
    }
    contents.remove_prefix(static_cast<size_t>(written));
  }
  if (fd >= 0) lseek(fd, 0, SEEK_SET);
  return fd;
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) return absl::StrCat("died of signal ", WTERMSIG(status));
  return absl::StrCat("ended with code ", WEXITSTATUS(status));
}

void CloseAll(std::vector<int> fds) {
  for (const int fd : fds) {
    if (fd >= 0) close(fd);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Subprocess>> Subprocess::Start(
    const std::vector<std::string>& argv, const std::optional<std::string>& input,
    const std::vector<std::string>& unset) {
  std::unique_ptr<Subprocess> process(new Subprocess(argv[0]));
  int in[2] = {-1, -1};
  int out[2] = {-1, -1};
  if (input.has_value()) {
    in[0] = MemoryFile(*input);
  } else if (pipe2(in, O_CLOEXEC) != 0) {
    in[0] = -1;
  }
  process->input_ = in[1];
  process->errors_ = MemoryFile("");
  const bool piped = pipe2(out, O_CLOEXEC) == 0;
  process->output_ = out[0];
  const absl::Cleanup close_theirs = [&] { CloseAll({in[0], out[1]}); };
  if (in[0] < 0 || process->errors_ < 0 || !piped) {
    return absl::UnavailableError(absl::StrCat(argv[0], ": no pipe to it: ", ErrnoText(errno)));
  }

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, process->errors_, STDERR_FILENO);
  const std::vector<std::string> environment = Environment(unset);
  const int error = posix_spawnp(&process->pid_, argv[0].c_str(), &actions, nullptr,
                                 Pointers(argv).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return process;
  process->pid_ = -1;
  return absl::UnavailableError(
      absl::StrCat(argv[0], ": cannot be run (", ErrnoText(error), "); install it"));
}

Subprocess::~Subprocess() {
  CloseAll({input_, output_, errors_});
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

absl::Status Subprocess::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(input_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return absl::InternalError(absl::StrCat(name_, ": cannot be written to: ", ErrnoText(errno)));
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Subprocess::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  constexpr size_t kChunkBytes = 1 << 16;
  const size_t size = buffer_.size();
  buffer_.resize(size + kChunkBytes);
  ssize_t got = 0;
  do {
    got = read(output_, buffer_.data() + size, kChunkBytes);
  } while (got < 0 && errno == EINTR);
  const int error = errno;
  buffer_.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got >= 0) return got > 0;
  return absl::InternalError(absl::StrCat(name_, ": cannot be read from: ", ErrnoText(error)));
}

absl::StatusOr<bool> Subprocess::ReadUntil(char delimiter, std::string& text) {
  for (;;) {
    const size_t end = buffer_.find(delimiter, begin_);
    if (end != std::string::npos) {
      text.assign(buffer_, begin_, end - begin_);
      begin_ = end + 1;
      return true;
    }
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok() || !*more) return more;
  }
}

absl::Status Subprocess::Read(uint64_t size, std::string* text) {
  if (text != nullptr) text->clear();
  while (size > 0) {
    const size_t part = std::min<uint64_t>(size, buffer_.size() - begin_);
    if (text != nullptr) text->append(buffer_, begin_, part);
    begin_ += part;
    size -= part;
    if (size == 0) break;
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    if (!*more) return absl::InternalError(absl::StrCat(name_, ": its output ended too soon"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Subprocess::ReadAll() {
  for (;;) {
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok()) return more.status();
    if (!*more) return std::exchange(buffer_, {});
  }
}

absl::Status Subprocess::Finish() {
  CloseAll({std::exchange(input_, -1)});
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  char text[512] = {};
  const ssize_t size = pread(errors_, text, sizeof text - 1, 0);
  std::string_view line(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  line = line.substr(0, line.find('\n'));
  return absl::InvalidArgumentError(
      absl::StrCat(name_, ": ", line.empty() ? HowItEnded(status) : std::string(line)));
}

}  // namespace lockstep
