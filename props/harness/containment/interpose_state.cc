#include "props/harness/containment/interpose_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace lockstep::interpose {
namespace {

// In a thread that the implementation started this is false.
thread_local bool is_harness_thread = false;

}  // namespace

constinit State state;

void AdoptThread() { is_harness_thread = true; }

bool Counted() {
  if (!state.watching.load(std::memory_order_relaxed)) return false;
  return state.inside.load(std::memory_order_relaxed) || !is_harness_thread;
}

Statm ReadStatm() {
  // No stream: this must not allocate.
  char text[128] = "";
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t count = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (count <= 0) return {};
  char* at = text;
  const int64_t total = std::strtoll(at, &at, 10);
  const int64_t resident = std::strtoll(at, &at, 10);
  const int64_t shared = std::strtoll(at, &at, 10);
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  return {.private_bytes = (resident - shared) * page_bytes, .virtual_bytes = total * page_bytes};
}

}  // namespace lockstep::interpose
