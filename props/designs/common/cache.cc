#include "common/cache.h"

#include <bit>

namespace designs {

std::string WhatIsWrong(const lockstep_config& config) {
  if (config.max_scopes == 0) return "max_scopes is 0; give at least 1";
  if (config.key_len == 0) return "key_len is 0; give at least 1";
  const uint64_t per_scope = config.budget_bytes / config.max_scopes;
  // 256 slots of 8 bytes and 1,024 tokens of 4 in the contract's own layout; nothing above that
  // fails its two other conditions.
  if (per_scope < 6144) {
    return "each scope would get " + std::to_string(per_scope) +
           " bytes and needs 6144; raise budget_bytes or lower max_scopes";
  }
  return "";
}

uint64_t ContractRingTokens(const lockstep_config& config) {
  const uint64_t per_scope = config.budget_bytes / config.max_scopes;
  return (per_scope - 8 * std::bit_floor(per_scope / 16)) / 4;
}

}  // namespace designs
