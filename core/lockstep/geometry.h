// How a byte budget is cut into the slot table and the ring of each scope.

#ifndef LOCKSTEP_GEOMETRY_H_
#define LOCKSTEP_GEOMETRY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lockstep/types.h"

namespace lockstep {

// Fewer ring tokens than this are refused.
inline constexpr uint64_t kMinRingTokens = 1024;

// The least share of the budget that a scope can have: 256 slots and 1,024 tokens.
inline constexpr uint64_t kMinScopeBytes = 6144;

struct ScopeGeometry {
  uint64_t slots = 0;        // a power of two, 8 bytes each
  uint64_t ring_tokens = 0;  // 4 bytes each
  uint64_t scope_bytes = 0;  // 8 * slots + 4 * ring_tokens, never above budget / max_scopes

  friend bool operator==(const ScopeGeometry&, const ScopeGeometry&) = default;
};

// Cuts config.budget_bytes into max_scopes equal shares, and a share into slots and ring.
//
// Errors: InvalidArgument when max_scopes or key_len is 0, or when a share is below the 6,144
//         bytes that hold 256 slots and 1,024 tokens; the message says what to change.
// Cost:   a few divisions.
absl::StatusOr<ScopeGeometry> ComputeGeometry(const CacheConfig& config);

}  // namespace lockstep

#endif  // LOCKSTEP_GEOMETRY_H_
