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
// Of all targets of the codec; slow to run.
std::string DeepSeedCorpus(const NightOptions& options);
std::string GrownCorpus(const NightOptions& options, const Target& target);

// 0 also for a folder that cannot be read.
uint64_t CountFiles(const std::string& folder);

// Errors: Internal when less than 64 MiB are left for findings or for the corpus.
absl::Status CheckDisk(const NightOptions& options);

// Makes the grown corpus if there is none, and mends one whose merge was interrupted.
//
// Errors: FailedPrecondition for seeds that are missing or cannot be read, and for a grown corpus
//         that had inputs and has none; Internal when the grown corpus cannot be made.
absl::Status OpenCorpus(const NightOptions& options, const Target& target);

// libFuzzer's count of covered edges when it has read the seeds and `folder`; 0 when it did not get
// that far by the deadline.
uint64_t CoverageOf(const NightOptions& options, const Target& target, const std::string& folder,
                    absl::Time deadline);

// Replaces the grown corpus by inputs that reach what it and the seeds reach, the shortest first
// (fewest inputs would be long ones, which are slow), named after what they show: a folder aside,
// then renamed, so that there is a whole corpus at any moment. By the deadline it is done, or the
// corpus stays as it was.
struct MergeOutcome {
  std::string why_not;   // "": merged
  bool refused = false;  // not for want of time: coverage would be lost, or, merged before, more
                         // than a fifth of the inputs, and nobody said --accept
};
MergeOutcome MergeCorpus(const NightOptions& options, const Target& target, absl::Time deadline);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_CORPUS_H_
