// I1: a draft is a slice of one document of its scope, after the history's key.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I1InsertedSlice, HoldsAfterTheRingWraps, ()) {
  const Sequence sequence = *TinySequences();
  RequireHolds(CheckInsertedSlice(OwnCoreAt(Level::kExact), sequence));
}

RC_GTEST_PROP(I1InsertedSlice, HoldsInChildrenAtBothLevels, ()) {
  const Sequence sequence = *ConfiguredSequences();
  for (const Level level : {Level::kExact, Level::kSound}) {
    RequireHolds(CheckInsertedSlice(OwnCoreAt(level), sequence));
  }
}

}  // namespace
}  // namespace lockstep
