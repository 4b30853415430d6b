// Cache operations against the exact model.

#include "fuzz/target.h"
#include "props/harness/run_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const CodecScopes scopes = fuzz::TargetIsOwnCore() ? CodecScopes::kAny : CodecScopes::kConfigured;
  fuzz::Report(RunExact(Decode({data, size}, scopes), fuzz::TargetImplementation()));
  return 0;
}
