#include "props/harness/containment/child_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lockstep {
namespace {

constexpr absl::Duration kLookEvery = absl::Milliseconds(20);
// One that uses no processor is not at work; only a machine without a free one excuses it.
constexpr int kIdlePatience = 2;
constexpr int kBusyPatience = 20;
// Beyond the limit, for each token of a long document or history: sound designs may sort.
constexpr absl::Duration kPerToken = absl::Microseconds(50);
constexpr absl::Duration kEndingPatience = absl::Seconds(20);
constexpr size_t kMostQuotedBytes = 200;

absl::Duration ProcessorTime(pid_t pid) {
  clockid_t clock;
  timespec used;
  if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) {
    return absl::ZeroDuration();
  }
  return absl::DurationFromTimespec(used);
}

// Whether the process waits for something other than a processor.
bool IsAsleep(pid_t pid) {
  char text[512] = "";
  const int fd = open(absl::StrCat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t count = read(fd, text, sizeof(text) - 1);
  close(fd);
  // The state follows the name, which is in parentheses and may hold anything.
  const char* const name_end = count > 0 ? std::strrchr(text, ')') : nullptr;
  return name_end != nullptr && name_end[1] == ' ' && name_end[2] == 'S';
}

// The last line that says something, fit for one line of a report.
std::string LastLine(const char* printed) {
  std::string last;
  for (absl::string_view line : absl::StrSplit(printed, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty()) last = std::string(line.substr(0, kMostQuotedBytes));
  }
  return absl::CHexEscape(last);
}

std::string SignalName(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? absl::StrCat("signal ", signal) : absl::StrCat("SIG", name);
}

}  // namespace

ChildWatch::ChildWatch(Control& control, const ContainedOptions& options,
                       std::function<bool()> zygote_is_alive)
    : control_(control),
      limit_(options.time_limit_per_op),
      live_bytes_limit_(options.live_bytes_limit),
      zygote_is_alive_(std::move(zygote_is_alive)) {}

bool ChildWatch::Await(absl::Span<const Operation> ops, const std::function<void()>& end_it) {
  since_ = absl::Now();
  processor_time_before_ = ProcessorTime(control_.pid.load());
  doing_ = 0;
  overdue_ = Overdue::kNo;
  while (true) {
    const uint32_t seen = control_.bell.load(std::memory_order_acquire);
    if (control_.answered.load(std::memory_order_acquire) == control_.asked.load()) return true;
    if (control_.ended.load(std::memory_order_acquire) != 0) return false;
    AwaitRing(control_.bell, seen, absl::ToInt64Microseconds(kLookEvery));
    const Overdue now = CheckTime(ops);
    if (now == Overdue::kNo) continue;
    if (overdue_ == Overdue::kNo) {
      overdue_ = now;
      end_it();
      since_ = absl::Now();
    } else if (absl::Now() - since_ > kEndingPatience) {
      return false;  // not even killing it helps
    }
    if (now == Overdue::kLost) return false;
  }
}

absl::Duration ChildWatch::Limit(absl::Span<const Operation> ops) const {
  const size_t tokens = ops.empty() ? 0 : ops[ops_into() % ops.size()].tokens.size();
  return limit_ + kPerToken * static_cast<int64_t>(tokens);
}

ChildWatch::Overdue ChildWatch::CheckTime(absl::Span<const Operation> ops) {
  if (overdue_ != Overdue::kNo) return overdue_;
  const absl::Time now = absl::Now();
  const pid_t pid = control_.pid.load();
  const uint64_t doing = (uint64_t{control_.phase.load()} << 56) + control_.started.load() + 1;
  if (doing != doing_) {
    doing_ = doing;
    since_ = now;
    processor_time_before_ = ProcessorTime(pid);
    return Overdue::kNo;
  }
  const absl::Duration limit = Limit(ops);
  const absl::Duration waited = now - since_;
  if (waited < limit) return Overdue::kNo;
  if (!zygote_is_alive_()) return Overdue::kLost;
  const absl::Duration used = ProcessorTime(pid) - processor_time_before_;
  if (used >= limit || waited > kBusyPatience * limit) return Overdue::kBusy;
  if (waited > kIdlePatience * limit && used < limit / 100 && IsAsleep(pid)) return Overdue::kIdle;
  return Overdue::kNo;
}

uint64_t ChildWatch::ops_into() const {
  const auto phase = static_cast<Phase>(control_.phase.load());
  if (phase != Phase::kRunning) return 0;
  return std::max<uint64_t>(control_.started.load(), 1) - 1;
}

std::string ChildWatch::Activity(absl::Span<const Operation> ops) const {
  switch (static_cast<Phase>(control_.phase.load())) {
    case Phase::kStarting:
      return "at its start";
    case Phase::kCreating:
      return "in create";
    case Phase::kRunning: {
      if (ops.empty()) return "in a call";
      const Operation& op = ops[ops_into() % ops.size()];
      return op.kind == Operation::Kind::kInsert ? "in insert" : "in propose";
    }
    case Phase::kDestroying:
      return "in destroy";
    case Phase::kExiting:
      return "while the process exits";
    case Phase::kIdle:
    case Phase::kDone:
      return "between calls";
  }
  return "";
}

ChildEnd ChildWatch::Describe(absl::Span<const Operation> ops) const {
  ChildEnd end;
  const std::string activity = Activity(ops);
  const uint64_t refused = control_.refused_bytes.load();
  if (overdue_ == Overdue::kBusy || overdue_ == Overdue::kIdle) {
    end.kind = ChildEnd::Kind::kTimedOut;
    end.what = absl::StrCat("no answer ", activity, " within ", absl::FormatDuration(Limit(ops)),
                            overdue_ == Overdue::kBusy ? " of processor time" : ": it waits");
    return end;
  }
  if (control_.ended.load() == 0) {
    end.kind = ChildEnd::Kind::kCrashed;
    end.what = absl::StrCat("the process was lost ", activity);
    return end;
  }
  const int status = control_.wait_status;
  if (WIFEXITED(status)) {
    const bool in_order =
        WEXITSTATUS(status) == 0 && control_.phase.load() == static_cast<uint32_t>(Phase::kExiting);
    end.kind = in_order ? ChildEnd::Kind::kCompleted : ChildEnd::Kind::kExited;
    if (!in_order) end.what = absl::StrCat("exit(", WEXITSTATUS(status), ") ", activity);
  } else {
    end.kind = ChildEnd::Kind::kCrashed;
    end.signal = WTERMSIG(status);
    end.what = absl::StrCat(SignalName(end.signal), " ", activity);
    if (control_.fault_where[0] != '\0') {
      const bool place = std::strncmp(control_.fault_where, "the ", 4) != 0;
      absl::StrAppend(&end.what, ": ",
                      !place                    ? ""
                      : control_.fault_is_write ? "wrote "
                                                : "read ",
                      control_.fault_where);
    }
  }
  if (end.kind == ChildEnd::Kind::kCompleted) return end;
  if (refused > 0) {
    end.kind = ChildEnd::Kind::kOutOfMemory;
    absl::StrAppend(&end.what, " after ", refused, " more bytes were refused at the limit of ",
                    live_bytes_limit_);
  }
  if (const std::string line = LastLine(control_.printed); !line.empty()) {
    absl::StrAppend(&end.what, "; it printed \"", line, "\"");
  }
  return end;
}

}  // namespace lockstep
