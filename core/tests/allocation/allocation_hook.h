// Counts this thread's requests for memory, and lets them fail on demand: the program that links
// this has its own malloc and mmap in front of the C library's. Not for programs under a sanitizer,
// which bring their own.

#ifndef LOCKSTEP_CORE_TESTS_ALLOCATION_ALLOCATION_HOOK_H_
#define LOCKSTEP_CORE_TESTS_ALLOCATION_ALLOCATION_HOOK_H_

#include <cstdint>

namespace lockstep {

// Requests made by this thread so far: malloc and its kin, operator new (which calls malloc), mmap.
uint64_t AllocationCount();

enum class FailureKind : uint8_t { kOnce, kFromThenOn };

// From construction to destruction, the n-th request of this thread (counted from 1) fails; with
// kFromThenOn every later one too.
class FailingAllocations {
 public:
  FailingAllocations(uint64_t n, FailureKind kind);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  // Whether any request failed.
  bool hit() const;
};

// What operator new throws, while this lives, where a request fails.
enum class Thrown { kBadAlloc, kException, kNumber };

class ThrownByNew {
 public:
  explicit ThrownByNew(Thrown what);
  ~ThrownByNew();
  ThrownByNew(const ThrownByNew&) = delete;
  ThrownByNew& operator=(const ThrownByNew&) = delete;
};

// What the exception of Thrown::kException says.
inline constexpr char kThrownWords[] = "thrown by operator new";

}  // namespace lockstep

#endif  // LOCKSTEP_CORE_TESTS_ALLOCATION_ALLOCATION_HOOK_H_
