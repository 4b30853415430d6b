// What a token and a proposal cost along each axis: flat where it should be flat.

#ifndef LOCKSTEP_BENCH_GROWTH_H_
#define LOCKSTEP_BENCH_GROWTH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/full_cache.h"
#include "bench/rounds.h"
#include "nlohmann/json.hpp"

namespace lockstep {

struct GrowthRow {
  std::string impl;
  std::string axis;  // "doc_tokens", "budget_kib", "key_len" or "scopes"
  uint64_t value = 0;
  Estimate insert_ns;   // of a fresh token
  Estimate propose_ns;  // of a hit
};

// Errors: what an implementation says that cannot be measured.
absl::StatusOr<std::vector<GrowthRow>> MeasureGrowth(const std::vector<MeasuredImpl>& impls,
                                                     size_t rounds, uint64_t seed);

std::string RenderGrowth(const std::vector<GrowthRow>& rows);
std::string GrowthCsv(const std::vector<GrowthRow>& rows);
nlohmann::ordered_json GrowthToJson(const std::vector<GrowthRow>& rows);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_GROWTH_H_
