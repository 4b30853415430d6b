// I2: what a scope answers does not depend on the calls under others.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I2ScopeIsolation, HoldsWhileScopesComeAndGo, ()) {
  const Sequence sequence = *TinySequences();
  RequireHolds(CheckScopeIsolation(OwnCoreAt(Level::kExact), sequence));
}

RC_GTEST_PROP(I2ScopeIsolation, HoldsInChildrenAtBothLevels, ()) {
  const Sequence sequence = *ConfiguredSequences();
  for (const Level level : {Level::kExact, Level::kSound}) {
    RequireHolds(CheckScopeIsolation(OwnCoreAt(level), sequence));
  }
}

}  // namespace
}  // namespace lockstep
