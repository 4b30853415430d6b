#include "fuzz/situation_features.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace {

constexpr size_t kSituations = static_cast<size_t>(lockstep::Situation::kCount);

// libFuzzer sets them to 0 before each input, and reads them after it.
__attribute__((section("__libfuzzer_extra_counters"),
               used)) uint8_t counters[(2 + kSituations) * kSituations];

}  // namespace

namespace lockstep::fuzz {

void CountAsFeatures(const SituationCounts& met) {
  const bool wrapped = met.of[static_cast<size_t>(Situation::kRingWrapped)] > 0;
  uint8_t* const row = counters + (wrapped ? kSituations : 0);
  for (size_t i = 0; i < kSituations; ++i) {
    row[i] = static_cast<uint8_t>(std::min<uint64_t>(met.of[i], UINT8_MAX));
  }
  if (!wrapped) return;
  uint8_t* const pairs = counters + 2 * kSituations;
  for (size_t i = 0; i < kSituations; ++i) {
    if (met.of[i] == 0) continue;
    for (size_t j = 0; j < i; ++j)
      pairs[i * kSituations + j] = std::min<uint8_t>(row[j], 2);  // once, or again
  }
}

}  // namespace lockstep::fuzz
