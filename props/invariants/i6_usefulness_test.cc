// I6: a key in its slot, with live tokens before its position, is found.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I6Usefulness, HoldsAfterTheRingWraps, ()) {
  const Sequence sequence = *TinySequences();
  RequireHolds(CheckUsefulness(OwnCoreAt(Level::kExact), sequence));
}

RC_GTEST_PROP(I6Usefulness, HoldsInChildren, ()) {
  const Sequence sequence = *ConfiguredSequences();
  RequireHolds(CheckUsefulness(OwnCoreAt(Level::kExact), sequence));
}

}  // namespace
}  // namespace lockstep
