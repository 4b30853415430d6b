// How fast the targets are, on inputs worth running.

#ifndef LOCKSTEP_FUZZ_MEASURE_H_
#define LOCKSTEP_FUZZ_MEASURE_H_

#include <string>

#include "absl/status/status.h"
#include "fuzz/night.h"

namespace lockstep::fuzz {

// Merges the corpus of cache_exact, replays it over and over under the sanitizers, the inputs over
// tiny caches and those through the C interface apart, and then lets libFuzzer mutate it; each for
// options.time, one process on one core, counted in seconds of processor time so that what else the
// machine does counts little. The section `fuzz_speed`:
//
// {inputs, wrapping_share, rows: [{what, executions_per_second, least, held}]}
//
// Errors: FailedPrecondition, Internal: a program or the corpus is missing.
absl::Status MeasureSpeed(const NightOptions& options, Result& result);
std::string SpeedText(const Result& result);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_MEASURE_H_
