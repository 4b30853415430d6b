#include "lockstep/geometry.h"

#include <bit>

#include "lockstep/explained_status.h"

namespace lockstep {

absl::StatusOr<ScopeGeometry> ComputeGeometry(const CacheConfig& config) {
  if (config.max_scopes == 0) {
    return ExplainedStatus(absl::StatusCode::kInvalidArgument,
                           "max_scopes is 0: give room for at least one scope");
  }
  if (config.key_len == 0) {
    return ExplainedStatus(absl::StatusCode::kInvalidArgument,
                           "key_len is 0: a key needs at least one token");
  }
  const uint64_t share_bytes = config.budget_bytes / config.max_scopes;
  // Half of the share goes to slots, rounded down to a power of two; the ring takes the rest.
  const uint64_t slots = std::bit_floor(share_bytes / 2 / sizeof(uint64_t));
  const uint64_t ring_tokens = (share_bytes - sizeof(uint64_t) * slots) / sizeof(Token);
  if (ring_tokens < kMinRingTokens) {  // so are shares too small for a slot
    return ExplainedStatus(
        absl::StatusCode::kInvalidArgument, "budget_bytes ", config.budget_bytes,
        " over max_scopes ", config.max_scopes, " gives ", share_bytes,
        " bytes a scope, which hold ", ring_tokens, " ring tokens; at least ", kMinRingTokens,
        " are needed (6144 bytes a scope): raise budget_bytes or lower max_scopes");
  }
  return ScopeGeometry{.slots = slots,
                       .ring_tokens = ring_tokens,
                       .scope_bytes = sizeof(uint64_t) * slots + sizeof(Token) * ring_tokens};
}

}  // namespace lockstep
