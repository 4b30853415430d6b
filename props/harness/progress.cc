#include "props/harness/progress.h"

#include <unistd.h>

#include <cstdio>

#include "absl/time/clock.h"

namespace lockstep {
namespace {

constexpr int kColumns = 96;

}  // namespace

ProgressLine::ProgressLine(absl::Duration quiet)
    : terminal_(isatty(STDERR_FILENO) != 0), next_(absl::Now() + quiet) {}

ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(const std::string& what) {
  const absl::Time now = absl::Now();
  if (now < next_) return;
  next_ = now + (terminal_ ? absl::Milliseconds(200) : absl::Seconds(10));
  shown_ = true;
  std::fprintf(stderr, terminal_ ? "\r%.*s\033[K" : "%.*s\n", kColumns, what.c_str());
  std::fflush(stderr);
}

void ProgressLine::Clear() {
  if (shown_ && terminal_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace lockstep
