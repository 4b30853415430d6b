// I7: a document of which every key predicts its next token is not written again.

#include "gtest/gtest.h"
#include "props/harness/invariant_checkers.h"
#include "props/invariants/generated.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

RC_GTEST_PROP(I7CheapRepeats, HoldsForResentDocuments, ()) {
  const Sequence sequence = *TinySequences();
  RequireHolds(CheckCheapRepeats(OwnCoreAt(Level::kExact), sequence));
}

RC_GTEST_PROP(I7CheapRepeats, HoldsInChildren, ()) {
  const Sequence sequence = *ConfiguredSequences();
  RequireHolds(CheckCheapRepeats(OwnCoreAt(Level::kExact), sequence));
}

}  // namespace
}  // namespace lockstep
