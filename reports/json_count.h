// Reads a count out of JSON.

#ifndef LOCKSTEP_REPORTS_JSON_COUNT_H_
#define LOCKSTEP_REPORTS_JSON_COUNT_H_

#include <cstdint>
#include <optional>

#include "nlohmann/json.hpp"

namespace lockstep {

// The value as an integer in [0, 2^64), or nothing. A small number is signed or not depending on
// whether it was parsed or put there by a program, so asking for its type is not enough.
inline std::optional<uint64_t> CountOf(const nlohmann::ordered_json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer() && value.get<int64_t>() >= 0) return value.get<uint64_t>();
  return std::nullopt;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_JSON_COUNT_H_
