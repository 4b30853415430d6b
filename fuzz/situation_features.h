// What an input meets is a reason to keep it, as the code that it reaches is.

#ifndef LOCKSTEP_FUZZ_SITUATION_FEATURES_H_
#define LOCKSTEP_FUZZ_SITUATION_FEATURES_H_

#include "props/harness/exact_model.h"

namespace lockstep::fuzz {

// Tells libFuzzer how often each situation occurred, apart for inputs that wrap a ring, and of
// those which two occurred together: the same code runs before and after a ring has wrapped, and
// what goes wrong then is another fault. Other engines take no notice.
void CountAsFeatures(const SituationCounts& met);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_SITUATION_FEATURES_H_
