// I4: equal sequences of calls give equal answers.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I4Determinism, HoldsForASecondCache, ()) {
  const Sequence sequence = *TinySequences();
  RequireHolds(CheckDeterminism(OwnCoreAt(Level::kExact), sequence));
}

RC_GTEST_PROP(I4Determinism, HoldsForALaterCacheOfTheProcess, ()) {
  const Sequence sequence = *ConfiguredSequences();
  RequireHolds(CheckDeterminism(OwnCoreAt(Level::kExact), sequence));
}

}  // namespace
}  // namespace lockstep
