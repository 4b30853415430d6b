// I5: nothing is written past the count or outside `out`, for any max_len.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I5Bounds, HoldsBetweenGuardPages, ()) {
  const Sequence sequence = *TinySequences();
  RequireHolds(CheckOutBounds(OwnCoreAt(Level::kExact), sequence));
}

RC_GTEST_PROP(I5Bounds, HoldsInChildrenAtBothLevels, ()) {
  const Sequence sequence = *ConfiguredSequences();
  for (const Level level : {Level::kExact, Level::kSound}) {
    RequireHolds(CheckOutBounds(OwnCoreAt(level), sequence));
  }
}

}  // namespace
}  // namespace lockstep
