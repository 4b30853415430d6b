// What a night comes to: the sections `fuzz` and `findings` of its result, its floors, and the exit
// code.

#ifndef LOCKSTEP_FUZZ_NIGHT_SECTIONS_H_
#define LOCKSTEP_FUZZ_NIGHT_SECTIONS_H_

#include <string>
#include <vector>

#include "fuzz/night.h"

namespace lockstep::fuzz {

struct Canary {
  std::string signature;  // "": its planted fault was not found
  double seconds = 0;
};

// fuzz      {canary: {found, signature, seconds},
//            targets: [{target, executions, executions_per_second, coverage, features, corpus,
//                       seconds, unmerged}],
//            feedback: of --impl, whether coverage of the library counts,
//            corpus: {inputs, wrapping_share} of cache_exact, with its seeds,
//            floors: [{floor, least, got, held}]}
// findings  [{check, what, found_by, signature, transcript, flaky, times, folder}]
void WriteNightSections(const NightOptions& options, const std::vector<Shift>& shifts,
                        const Canary& canary, const std::vector<FoundFault>& faults,
                        Result& result);

// For a terminal, and for summary.md.
std::string NightText(const Result& result);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_NIGHT_SECTIONS_H_
