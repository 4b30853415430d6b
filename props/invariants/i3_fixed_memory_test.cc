// I3: live bytes stay within the budget and a stated allowance, whatever the calls.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I3FixedMemory, HoldsForAnyCallsTwiceOver, ()) {
  const Sequence sequence = *ConfiguredSequences();
  RequireHolds(CheckFixedMemory(OwnCoreAt(Level::kExact), sequence));
}

}  // namespace
}  // namespace lockstep
