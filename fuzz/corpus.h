// The corpus of a target: seeds in the tree, grown inputs outside it.

#ifndef LOCKSTEP_FUZZ_CORPUS_H_
#define LOCKSTEP_FUZZ_CORPUS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fuzz/night.h"

namespace lockstep::fuzz {

std::string SeedCorpus(const NightOptions& options, const Target& target);
std::string GrownCorpus(const NightOptions& options, const Target& target);

// 0 also for a folder that cannot be read.
uint64_t CountFiles(const std::string& folder);

// Errors: Internal when less than 64 MiB are left for findings or for the corpus.
absl::Status CheckDisk(const NightOptions& options);

// Makes the grown corpus if there is none, and mends one whose merge was interrupted.
//
// Errors: FailedPrecondition for seeds that are missing or cannot be read; Internal when the grown
//         corpus cannot be made.
absl::Status OpenCorpus(const NightOptions& options, const Target& target);

// Replaces the grown corpus by the fewest inputs that reach what it and the seeds reach: a folder
// aside, then renamed, so that there is a whole corpus at any moment.
//
// Returns: "", or why the corpus stayed as it was: merged before, it would have lost more than a
//          fifth of its inputs, and nobody said --accept.
std::string MergeCorpus(const NightOptions& options, const Target& target, absl::Duration limit);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_CORPUS_H_
