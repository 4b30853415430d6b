// How many slots and ring tokens one scope gets out of the budget.

#ifndef PROPS_DESIGNS_PLAIN_EXACT_GEOMETRY_H_
#define PROPS_DESIGNS_PLAIN_EXACT_GEOMETRY_H_

#include <cstddef>
#include <cstdint>

#include "lockstep/c_api.h"

namespace plain_exact {

struct Geometry {
  uint64_t slots = 0;  // a power of two
  uint64_t ring_tokens = 0;
  uint64_t key_len = 0;
  uint64_t max_scopes = 0;

  uint64_t scope_bytes() const { return 8 * slots + 4 * ring_tokens; }
};

// Divides config.budget_bytes over config.max_scopes scopes.
//
// Returns: false when no cache can be made of `config`; `error` then says why, in at most
//          `error_size` bytes with the closing zero.
// Cost:    constant; no allocation.
bool ComputeGeometry(const lockstep_config& config, Geometry* geometry, char* error,
                     size_t error_size);

}  // namespace plain_exact

#endif  // PROPS_DESIGNS_PLAIN_EXACT_GEOMETRY_H_
