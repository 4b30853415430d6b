#include "props/mutation/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "absl/time/clock.h"

extern char** environ;

namespace lockstep::mutation {
namespace {

volatile std::sig_atomic_t stopped = 0;

void OnSignal(int) { stopped = 1; }

// In the child, between fork and exec: nothing that allocates.
[[noreturn]] void Become(char* const* argv, char* const* env, const char* dir, int log) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (chdir(dir) == 0 && dup2(nothing, 0) >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0) {
    execvpe(argv[0], argv, env);
  }
  _exit(127);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void StopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Stopped() { return stopped != 0; }

Ended RunProgram(const std::vector<std::string>& argv, const std::string& dir,
                 const std::string& log, const std::vector<std::string>& environment,
                 absl::Duration limit) {
  std::vector<std::string> variables = environment;
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  const std::vector<char*> arguments = Pointers(argv), env = Pointers(variables);
  const absl::Time start = absl::Now();
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out < 0) return {.exit_code = 127};
  const pid_t pid = fork();
  if (pid == 0) Become(arguments.data(), env.data(), dir.c_str(), out);
  close(out);
  if (pid < 0) return {.exit_code = 127};
  Ended ended;
  int status = 0;
  absl::Duration pause = absl::Milliseconds(1);
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (Stopped() || absl::Now() - start > limit) {
      ended.timed_out = !Stopped();
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    absl::SleepFor(pause);
    pause = std::min(pause * 2, absl::Milliseconds(20));
  }
  kill(-pid, SIGKILL);  // whatever it left behind
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  return ended;
}

}  // namespace lockstep::mutation
