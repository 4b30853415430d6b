#include "props/harness/guarded_area.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

namespace lockstep {
namespace {

// Wide enough that a stride past the end by a whole scope key or cache line still falls in it.
constexpr size_t kGuardBytes = size_t{1} << 16;

bool Within(const void* address, const char* begin, size_t bytes) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto from = reinterpret_cast<uintptr_t>(begin);
  return at >= from && at - from < bytes;
}

}  // namespace

GuardedArea::~GuardedArea() {
  if (begin_ != nullptr) munmap(begin_ - kGuardBytes, bytes_ + 2 * kGuardBytes);
}

void GuardedArea::Reserve(size_t bytes) {
  if (begin_ != nullptr && bytes <= bytes_) return;
  const size_t wanted = std::bit_ceil(std::max(bytes, kGuardBytes));
  void* all = mmap(nullptr, wanted + 2 * kGuardBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  char* const inner = static_cast<char*>(all) + kGuardBytes;
  if (mprotect(inner, wanted, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, wanted + 2 * kGuardBytes);
    throw std::bad_alloc();
  }
  if (begin_ != nullptr) munmap(begin_ - kGuardBytes, bytes_ + 2 * kGuardBytes);
  begin_ = inner;
  bytes_ = wanted;
}

bool GuardedArea::GuardsBefore(const void* address) const {
  return begin_ != nullptr && Within(address, begin_ - kGuardBytes, kGuardBytes);
}

bool GuardedArea::GuardsAfter(const void* address) const {
  return begin_ != nullptr && Within(address, end(), kGuardBytes);
}

}  // namespace lockstep
