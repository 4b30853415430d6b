// Would the fuzzer find it? Every planted fault that one input can show, from the seeds alone.

#ifndef LOCKSTEP_FUZZ_PLANTED_H_
#define LOCKSTEP_FUZZ_PLANTED_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fuzz/night.h"

namespace lockstep::fuzz {

// Builds each fault of props/faults that says `One-input: yes`, and whose patch's path contains one
// of `names` if there are any, with coverage and sanitizers, and lets options.jobs processes at a
// time look for it, from the seeds alone and for options.time at most. Writes OUT/planted.md and
// the section `planted`:
//
// {faults, found, share, least, median_seconds, worst_seconds, minutes_each, jobs,
//  rows: [{fault, found, seconds, target, signature}]}
//
// Exit code 5 when fewer than 95 of 100 are found. Errors: Internal when one cannot be built.
absl::Status FindPlanted(const NightOptions& options, const std::string& root,
                         const std::vector<std::string>& names, Result& result);
std::string PlantedText(const Result& result);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_PLANTED_H_
