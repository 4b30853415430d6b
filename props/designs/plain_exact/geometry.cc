#include "geometry.h"

#include <cinttypes>
#include <cstdio>

namespace plain_exact {
namespace {

constexpr uint64_t kSlotBytes = 8;
constexpr uint64_t kTokenBytes = 4;
constexpr uint64_t kMinRingTokens = 1024;
constexpr uint64_t kMinScopeBytes = 6144;

uint64_t LargestPowerOfTwoNotAbove(uint64_t value) {
  if (value == 0) return 0;
  uint64_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

}  // namespace

bool ComputeGeometry(const lockstep_config& config, Geometry* geometry, char* error,
                     size_t error_size) {
  if (config.max_scopes == 0) {
    std::snprintf(error, error_size, "max_scopes is 0; give at least 1");
    return false;
  }
  if (config.key_len == 0) {
    std::snprintf(error, error_size, "key_len is 0; give at least 1");
    return false;
  }
  const uint64_t per_scope = config.budget_bytes / config.max_scopes;
  const uint64_t slots = LargestPowerOfTwoNotAbove(per_scope / 2 / kSlotBytes);
  const uint64_t ring_tokens = (per_scope - kSlotBytes * slots) / kTokenBytes;
  if (slots == 0 || ring_tokens < kMinRingTokens) {
    std::snprintf(error, error_size,
                  "each scope would get %" PRIu64 " bytes and needs %" PRIu64
                  "; raise budget_bytes or lower max_scopes",
                  per_scope, kMinScopeBytes);
    return false;
  }
  if (config.key_len >= ring_tokens - 1) {
    std::snprintf(error, error_size,
                  "key_len is %" PRIu64 " but a scope keeps %" PRIu64
                  " tokens, so no document could be stored; lower key_len or raise budget_bytes",
                  config.key_len, ring_tokens);
    return false;
  }
  geometry->slots = slots;
  geometry->ring_tokens = ring_tokens;
  geometry->key_len = config.key_len;
  geometry->max_scopes = config.max_scopes;
  return true;
}

}  // namespace plain_exact
