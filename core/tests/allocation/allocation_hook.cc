#include "core/tests/allocation/allocation_hook.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>

namespace lockstep {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

// Plain integers: they need no construction, which might ask for memory.
thread_local uint64_t count = 0;
thread_local uint64_t fail_from = kNever;  // the values of `count` that fail: [fail_from, fail_to]
thread_local uint64_t fail_to = 0;
thread_local bool failed = false;
thread_local Thrown thrown = Thrown::kBadAlloc;

class Exception : public std::exception {
 public:
  const char* what() const noexcept override { return kThrownWords; }
};

}  // namespace

uint64_t AllocationCount() { return count; }

// True when the request may go on.
bool CountRequest() {
  ++count;
  if (count < fail_from || count > fail_to) return true;
  failed = true;
  errno = ENOMEM;
  return false;
}

FailingAllocations::FailingAllocations(uint64_t n, FailureKind kind) {
  failed = false;
  fail_from = count + n;
  fail_to = kind == FailureKind::kOnce ? fail_from : kNever;
}

FailingAllocations::~FailingAllocations() { fail_from = kNever; }

bool FailingAllocations::hit() const { return failed; }

ThrownByNew::ThrownByNew(Thrown what) { thrown = what; }
ThrownByNew::~ThrownByNew() { thrown = Thrown::kBadAlloc; }

}  // namespace lockstep

// The C library's own, under the names that it keeps for whoever puts others in front.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

#define LOCKSTEP_IN_FRONT __attribute__((visibility("default")))

LOCKSTEP_IN_FRONT void* malloc(size_t size) {
  return lockstep::CountRequest() ? __libc_malloc(size) : nullptr;
}

LOCKSTEP_IN_FRONT void* calloc(size_t count, size_t size) {
  return lockstep::CountRequest() ? __libc_calloc(count, size) : nullptr;
}

LOCKSTEP_IN_FRONT void* realloc(void* old, size_t size) {
  return lockstep::CountRequest() ? __libc_realloc(old, size) : nullptr;
}

LOCKSTEP_IN_FRONT void* memalign(size_t alignment, size_t size) {
  return lockstep::CountRequest() ? __libc_memalign(alignment, size) : nullptr;
}

LOCKSTEP_IN_FRONT void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

LOCKSTEP_IN_FRONT int posix_memalign(void** out, size_t alignment, size_t size) {
  void* memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}

LOCKSTEP_IN_FRONT void* mmap(void* address, size_t size, int protection, int flags, int fd,
                             off_t offset) {
  if (!lockstep::CountRequest()) return MAP_FAILED;
  // The C library returns -1 itself, as this call does.
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, fd, offset));
}

LOCKSTEP_IN_FRONT void* mmap64(void* address, size_t size, int protection, int flags, int fd,
                               off_t offset) {
  return mmap(address, size, protection, flags, fd, offset);
}
}  // extern "C"

void* operator new(size_t size) {
  void* const memory = malloc(size);
  if (memory != nullptr) return memory;
  switch (lockstep::thrown) {
    case lockstep::Thrown::kBadAlloc:
      break;
    case lockstep::Thrown::kException:
      throw lockstep::Exception();
    case lockstep::Thrown::kNumber:
      throw 1;
  }
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }
