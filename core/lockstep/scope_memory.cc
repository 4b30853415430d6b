#include "lockstep/scope_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>

namespace lockstep {
namespace {

// Maps `bytes` at a multiple of kHugePageBytes; null when there is no memory.
void* MapAligned(size_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() - kHugePageBytes) return nullptr;
  void* const mapped = mmap(nullptr, bytes + kHugePageBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  const size_t before = -reinterpret_cast<uintptr_t>(begin) % kHugePageBytes;
  char* const data = begin + before;
  // What alignment did not need goes back. It was never touched, and that the calls succeed is a
  // matter of address space only.
  if (before != 0) munmap(begin, before);
  munmap(data + bytes, kHugePageBytes - before);
#ifdef MADV_HUGEPAGE
  // Advice: where the kernel has no huge pages, small ones do.
  static_cast<void>(madvise(data, bytes, MADV_HUGEPAGE));
#endif
  return data;
}

size_t RoundUpToPage(size_t bytes) {
  constexpr size_t kPageBytes = 4096;
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

ScopeMemory ScopeMemory::Allocate(size_t bytes) {
  if (bytes < kHugePageBytes) return ScopeMemory(std::calloc(1, bytes), bytes);
  const size_t mapped_bytes = RoundUpToPage(bytes);
  if (mapped_bytes < bytes) return {};
  return ScopeMemory(MapAligned(mapped_bytes), mapped_bytes);
}

ScopeMemory::~ScopeMemory() {
  if (data_ == nullptr) return;
  if (bytes_ < kHugePageBytes) {
    std::free(data_);
  } else {
    munmap(data_, bytes_);
  }
}

}  // namespace lockstep
