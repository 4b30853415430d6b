// What the first token of an insert or a proposal makes the library of misbehaving.cc do. The same
// as key_len of a configuration, it happens in create, and with kAtDestroy added, in destroy.

#ifndef LOCKSTEP_PROPS_TESTS_MISBEHAVING_H_
#define LOCKSTEP_PROPS_TESTS_MISBEHAVING_H_

#include <cstdint>

enum Deed : uint32_t {
  kBehave = 1,
  kCrash = 1000,
  kAbort,
  kThrow,
  kExit,
  kQuickExit,
  kKill,
  kRaiseFault,
  kLoop,
  kSleep,
  kOverflowStack,
  kRunAway,
  kRunAwayRaw,
  kPrint,
  kPrintForever,
  kPrintAndAbort,
  kLeak,
  kMap,
  kFork,
  kReadPastInput,
  kWritePastOut,
  kTellTheTime,
  kTellFreshMemory,
  kTellCalls,
  kFill,
  kAllocate,
};
inline constexpr uint32_t kAtDestroy = 1'000'000;

#endif  // LOCKSTEP_PROPS_TESTS_MISBEHAVING_H_
