// What a corpus of inputs shows: which situations, and how many wrap a ring.

#ifndef LOCKSTEP_FUZZ_CORPUS_FIGURES_H_
#define LOCKSTEP_FUZZ_CORPUS_FIGURES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "props/harness/exact_model.h"

namespace lockstep::fuzz {

struct CorpusFigures {
  uint64_t inputs = 0;
  uint64_t wrapping = 0;  // of them: some ring cell is written a second time
  uint64_t tiny = 0;      // of them: over a tiny cache, not through the C interface
  SituationCounts situations;
  double wrapping_share() const {
    return inputs == 0 ? 0 : static_cast<double>(wrapping) / static_cast<double>(inputs);
  }
  // The names of the situations that no input shows.
  std::vector<std::string> NotReached() const;
};

// Of all files in the folders whose bytes the codec decodes.
CorpusFigures FiguresOf(const std::vector<std::string>& folders);

// The files of a folder, sorted; none when it cannot be read.
std::vector<std::string> FilesIn(const std::string& folder);

// True when the input is over a tiny cache.
bool IsTiny(std::string_view bytes);

// What an input shows, as a file name: where an input of the codec starts, unless at position 1,
// and the rarest situations that it reaches; of other inputs what they begin with. Ends in a hash
// of the bytes, so that names differ.
std::string NameOf(bool codec, std::string_view bytes);

// Gives every file of the folder that libFuzzer named by its hash the name of what it shows.
void NameInputs(const std::string& folder, bool codec);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_CORPUS_FIGURES_H_
