// Cache operations against the exact model.

#include "fuzz/situation_features.h"
#include "fuzz/target.h"
#include "props/harness/run_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const CodecScopes scopes = fuzz::TargetIsOwnCore() ? CodecScopes::kAny : CodecScopes::kConfigured;
  SituationCounts met;
  fuzz::Report(RunExact(Decode({data, size}, scopes), fuzz::TargetImplementation(), &met));
  fuzz::CountAsFeatures(met);
  return 0;
}
