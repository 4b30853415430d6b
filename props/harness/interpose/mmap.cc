// mmap and its kin, counted. A table remembers which pages the implementation mapped, so that one
// can ask which of them are really in memory: reserving address space is nobody's fault.

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include "props/harness/containment/interpose_state.h"
#include "props/harness/interpose/memory.h"

namespace lockstep::interpose {
namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr size_t kMostRanges = 4096;

struct Range {
  uintptr_t begin, end;
  bool counted;  // in mapped_bytes: writable when it was made
};

Range ranges[kMostRanges];
size_t range_count = 0;
std::atomic_flag lock = ATOMIC_FLAG_INIT;

class Locked {
 public:
  Locked() {
    while (lock.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Locked() { lock.clear(std::memory_order_release); }
};

uintptr_t RoundUp(uintptr_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

void Count(const Range& range, int sign) {
  if (!range.counted) return;
  state.mapped_bytes.fetch_add(sign * static_cast<int64_t>(range.end - range.begin),
                               std::memory_order_relaxed);
}

void Remember(const Range& range) {
  if (range.begin >= range.end) return;
  Count(range, +1);
  // What does not fit stays counted for good: by then there is a leak to be shown.
  if (range_count < kMostRanges) ranges[range_count++] = range;
}

void Forget(uintptr_t begin, uintptr_t end) {
  for (size_t i = 0; i < range_count;) {
    const Range old = ranges[i];
    if (old.end <= begin || end <= old.begin) {
      ++i;
      continue;
    }
    Count(old, -1);
    ranges[i] = ranges[--range_count];
    Remember({old.begin, std::max(old.begin, begin), old.counted});
    Remember({std::min(old.end, end), old.end, old.counted});
    i = 0;
  }
}

void* Map(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  const bool counted = Counted();
  const bool writable = (protection & PROT_WRITE) != 0;
  if (counted && writable && !Admit(bytes)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  // syscall() sets errno and returns -1, which is MAP_FAILED.
  void* const p =
      reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, fd, offset));
  if (counted && p != MAP_FAILED) {
    const auto begin = reinterpret_cast<uintptr_t>(p);
    const Locked locked;
    Forget(begin, begin + RoundUp(bytes));
    Remember({begin, begin + RoundUp(bytes), writable});
    NotePeak();
  }
  return p;
}

}  // namespace

int64_t ResidentMappedBytes() {
  const Locked locked;
  int64_t pages = 0;
  unsigned char in_memory[1024];
  for (size_t r = 0; r < range_count; ++r) {
    const Range& range = ranges[r];
    for (uintptr_t at = range.begin; at < range.end; at += sizeof(in_memory) * kPageBytes) {
      const uintptr_t bytes = std::min(range.end - at, sizeof(in_memory) * kPageBytes);
      if (mincore(reinterpret_cast<void*>(at), bytes, in_memory) != 0) continue;
      for (size_t i = 0; i < RoundUp(bytes) / kPageBytes; ++i) pages += in_memory[i] & 1;
    }
  }
  return pages * static_cast<int64_t>(kPageBytes);
}

}  // namespace lockstep::interpose

using namespace lockstep::interpose;  // NOLINT: the functions below are C's own

#define LOCKSTEP_EXPORTED extern "C" __attribute__((visibility("default")))

LOCKSTEP_EXPORTED void* mmap(void* at, size_t bytes, int protection, int flags, int fd,
                             off_t offset) noexcept {
  return Map(at, bytes, protection, flags, fd, offset);
}

LOCKSTEP_EXPORTED void* mmap64(void* at, size_t bytes, int protection, int flags, int fd,
                               off_t offset) noexcept {
  return Map(at, bytes, protection, flags, fd, offset);
}

LOCKSTEP_EXPORTED int munmap(void* at, size_t bytes) noexcept {
  const int result = static_cast<int>(syscall(SYS_munmap, at, bytes));
  if (result == 0 && Counted()) {
    const auto begin = reinterpret_cast<uintptr_t>(at);
    const Locked locked;
    Forget(begin, begin + RoundUp(bytes));
  }
  return result;
}

LOCKSTEP_EXPORTED void* mremap(void* old, size_t old_bytes, size_t bytes, int flags, ...) noexcept {
  void* wanted = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    wanted = va_arg(arguments, void*);
    va_end(arguments);
  }
  const bool counted = Counted();
  if (counted && bytes > old_bytes && !Admit(bytes - old_bytes)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const p =
      reinterpret_cast<void*>(syscall(SYS_mremap, old, old_bytes, bytes, flags, wanted));
  if (counted && p != MAP_FAILED) {
    const auto before = reinterpret_cast<uintptr_t>(old);
    const auto begin = reinterpret_cast<uintptr_t>(p);
    const Locked locked;
    if ((flags & MREMAP_DONTUNMAP) == 0) Forget(before, before + RoundUp(old_bytes));
    Forget(begin, begin + RoundUp(bytes));
    Remember({begin, begin + RoundUp(bytes), true});
    NotePeak();
  }
  return p;
}
