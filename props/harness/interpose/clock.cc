// The clocks, as another day or a hurried machine would show them.

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "props/harness/containment/interpose_state.h"

namespace lockstep::interpose {
namespace {

using ClockGettime = int (*)(clockid_t, timespec*);

// The C library's own, which costs no system call; null until somebody asked.
ClockGettime LibraryClock() {
  static const auto found = reinterpret_cast<ClockGettime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return found;
}

int TrueClock(clockid_t clock, timespec* out) {
  const ClockGettime library = LibraryClock();
  if (library != nullptr) return library(clock, out);
  return static_cast<int>(syscall(SYS_clock_gettime, clock, out));
}

// How much later it is to seem to whoever reads a clock now. Clocks that count from the start of
// something only go forward.
int64_t SecondsLater(clockid_t clock) {
  if (!Counted()) return 0;
  const auto readings =
      static_cast<int64_t>(state.clock_readings.fetch_add(1, std::memory_order_relaxed));
  const int64_t offset = state.clock_offset_seconds.load(std::memory_order_relaxed);
  const bool of_the_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return (of_the_day ? offset : std::max<int64_t>(offset, 0)) +
         readings * state.clock_step_seconds.load(std::memory_order_relaxed);
}

int ShiftedClock(clockid_t clock, timespec* out) {
  const int result = TrueClock(clock, out);
  if (result == 0 && out != nullptr) out->tv_sec += SecondsLater(clock);
  return result;
}

}  // namespace
}  // namespace lockstep::interpose

using namespace lockstep::interpose;  // NOLINT: the functions below are C's own

#define LOCKSTEP_EXPORTED extern "C" __attribute__((visibility("default")))

LOCKSTEP_EXPORTED int clock_gettime(clockid_t clock, timespec* out) noexcept {
  return ShiftedClock(clock, out);
}

LOCKSTEP_EXPORTED int gettimeofday(timeval* out, void* zone) noexcept {
  timespec now;
  if (ShiftedClock(CLOCK_REALTIME, &now) != 0) return -1;
  *out = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  return 0;
}

LOCKSTEP_EXPORTED time_t time(time_t* out) noexcept {
  timespec now;
  if (ShiftedClock(CLOCK_REALTIME, &now) != 0) return -1;
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

LOCKSTEP_EXPORTED int timespec_get(timespec* out, int base) noexcept {
  if (base != TIME_UTC || ShiftedClock(CLOCK_REALTIME, out) != 0) return 0;
  return base;
}

LOCKSTEP_EXPORTED clock_t clock(void) noexcept {
  timespec now;
  if (ShiftedClock(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return -1;
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec * CLOCKS_PER_SEC / 1'000'000'000;
}
