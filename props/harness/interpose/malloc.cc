// malloc and its kin, counted. They forward to the C library's own under its reserved names, so
// that there is no moment at start-up in which they cannot answer.

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "props/harness/containment/interpose_state.h"
#include "props/harness/interpose/memory.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace lockstep::interpose {
namespace {

// No more of an allocation than this is filled, lest lazily used memory costs what it need not.
constexpr size_t kMostFilledBytes = size_t{64} << 20;

[[gnu::constructor(101)]] void AnnouncePresence() {
  state.present = true;
  state.resident_mapped_bytes = &ResidentMappedBytes;
}

int64_t SizeOf(void* p) { return static_cast<int64_t>(malloc_usable_size(p)); }

void FillFresh(void* p, size_t from) {
  const MemoryFill fill = state.fill.load(std::memory_order_relaxed);
  if (fill == MemoryFill::kAsItComes) return;
  const size_t to = std::min(static_cast<size_t>(SizeOf(p)), kMostFilledBytes);
  if (from < to) FillBytes(static_cast<char*>(p) + from, to - from);
}

// Counts and fills what the allocator gave; `from` is where its fresh bytes begin.
void* Given(void* p, size_t from) {
  if (p == nullptr) return nullptr;
  AddHeap(SizeOf(p));
  FillFresh(p, from);
  return p;
}

void* Allocate(size_t alignment, size_t bytes) {
  if (!Counted()) return __libc_memalign(alignment, bytes);
  if (!Admit(bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return Given(__libc_memalign(alignment, bytes), 0);
}

}  // namespace

void FillBytes(char* at, size_t count) {
  switch (state.fill.load(std::memory_order_relaxed)) {
    case MemoryFill::kAsItComes:
      return;
    case MemoryFill::kZero:
      std::memset(at, 0, count);
      return;
    case MemoryFill::kOnes:
      std::memset(at, 0xff, count);
      return;
    case MemoryFill::kNoise:
      uint64_t x = state.fill_seed.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed);
      while (count > 0) {
        x = x * 6364136223846793005 + 1442695040888963407;
        const uint64_t word = x ^ (x >> 31);
        const size_t bytes = std::min(count, sizeof(word));
        std::memcpy(at, &word, bytes);
        at += bytes;
        count -= bytes;
      }
  }
}

bool Admit(size_t bytes) {
  const uint64_t number = state.allocations.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number == state.fail_at.load(std::memory_order_relaxed)) return false;
  const int64_t limit = state.limit_bytes.load(std::memory_order_relaxed);
  if (limit == 0) return true;
  const int64_t held = state.heap_bytes.load(std::memory_order_relaxed) +
                       state.mapped_bytes.load(std::memory_order_relaxed);
  if (bytes <= static_cast<size_t>(limit) && held + static_cast<int64_t>(bytes) <= limit) {
    return true;
  }
  uint64_t none = 0;
  if (state.refused_bytes != nullptr) {
    state.refused_bytes->compare_exchange_strong(none, std::max<uint64_t>(bytes, 1));
  }
  return false;
}

void NotePeak() {
  const int64_t held = state.heap_bytes.load(std::memory_order_relaxed) +
                       state.mapped_bytes.load(std::memory_order_relaxed);
  int64_t peak = state.peak_bytes.load(std::memory_order_relaxed);
  while (held > peak && !state.peak_bytes.compare_exchange_weak(peak, held)) {
  }
}

void AddHeap(int64_t bytes) {
  state.heap_bytes.fetch_add(bytes, std::memory_order_relaxed);
  NotePeak();
}

}  // namespace lockstep::interpose

using namespace lockstep::interpose;  // NOLINT: the functions below are C's own

#define LOCKSTEP_EXPORTED extern "C" __attribute__((visibility("default")))

LOCKSTEP_EXPORTED void* malloc(size_t bytes) noexcept {
  if (!Counted()) [[likely]]
    return __libc_malloc(bytes);
  if (!Admit(bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return Given(__libc_malloc(bytes), 0);
}

LOCKSTEP_EXPORTED void* calloc(size_t count, size_t bytes) noexcept {
  if (!Counted()) [[likely]]
    return __libc_calloc(count, bytes);
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;
  if (!Admit(all)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const p = __libc_calloc(count, bytes);
  if (p != nullptr) AddHeap(SizeOf(p));
  return p;
}

LOCKSTEP_EXPORTED void* realloc(void* old, size_t bytes) noexcept {
  if (!Counted()) [[likely]]
    return __libc_realloc(old, bytes);
  const int64_t before = old == nullptr ? 0 : SizeOf(old);
  const size_t more = bytes > static_cast<size_t>(before) ? bytes - static_cast<size_t>(before) : 0;
  if (bytes > 0 && !Admit(more)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const p = __libc_realloc(old, bytes);
  if (p == nullptr) {
    if (bytes == 0) AddHeap(-before);
    return nullptr;
  }
  AddHeap(-before);
  return Given(p, static_cast<size_t>(before));
}

LOCKSTEP_EXPORTED void* reallocarray(void* old, size_t count, size_t bytes) noexcept {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(old, all);
}

LOCKSTEP_EXPORTED void free(void* p) noexcept {
  if (p != nullptr && Counted()) [[unlikely]] {
    const int64_t bytes = SizeOf(p);
    AddHeap(-bytes);
    // What is read after it was freed must not look the same everywhere.
    FillBytes(static_cast<char*>(p), std::min(static_cast<size_t>(bytes), kMostFilledBytes));
  }
  __libc_free(p);
}

LOCKSTEP_EXPORTED void* memalign(size_t alignment, size_t bytes) noexcept {
  return Allocate(alignment, bytes);
}

LOCKSTEP_EXPORTED void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return Allocate(alignment, bytes);
}

LOCKSTEP_EXPORTED int posix_memalign(void** out, size_t alignment, size_t bytes) noexcept {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int saved = errno;
  void* const p = Allocate(alignment, bytes);
  errno = saved;
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}

LOCKSTEP_EXPORTED void* valloc(size_t bytes) noexcept { return Allocate(4096, bytes); }

LOCKSTEP_EXPORTED void* pvalloc(size_t bytes) noexcept {
  size_t rounded;
  if (__builtin_add_overflow(bytes, size_t{4095}, &rounded)) {
    errno = ENOMEM;
    return nullptr;
  }
  return Allocate(4096, rounded & ~size_t{4095});
}
