#include "fuzz/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace lockstep::fuzz {

absl::StatusOr<Child> Child::Start(const std::vector<std::string>& argv, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) {
    return absl::InternalError(
        absl::StrCat(log, ": cannot be written: ", std::generic_category().message(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);  // Ctrl-C is ours to pass on.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  const int error = errno;
  close(out);
  if (pid < 0) {
    return absl::InternalError(
        absl::StrCat("no process can be made: ", std::generic_category().message(error)));
  }
  return Child(pid);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      ended_(std::exchange(other.ended_, std::nullopt)),
      processor_time_(other.processor_time_) {}

Child& Child::operator=(Child&& other) noexcept {
  Kill();
  pid_ = std::exchange(other.pid_, 0);
  ended_ = std::exchange(other.ended_, std::nullopt);
  processor_time_ = other.processor_time_;
  return *this;
}

Child::~Child() { Kill(); }

std::optional<int> Child::Poll() {
  if (pid_ == 0 || ended_) return ended_;
  int status = 0;
  rusage usage = {};
  if (wait4(pid_, &status, WNOHANG, &usage) != pid_) return std::nullopt;
  processor_time_ =
      absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
  ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended_;
}

int Child::Wait(absl::Duration limit, bool (*stop)()) {
  const absl::Time end = absl::Now() + limit;
  while (!Poll()) {
    if (absl::Now() >= end || stop()) {
      Kill();
      break;
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
  return *ended_;
}

void Child::Kill() {
  if (pid_ == 0 || Poll()) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  ended_ = 128 + SIGKILL;
}

}  // namespace lockstep::fuzz
