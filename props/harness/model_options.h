// What the scopes of a cache are made of.

#ifndef LOCKSTEP_PROPS_HARNESS_MODEL_OPTIONS_H_
#define LOCKSTEP_PROPS_HARNESS_MODEL_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lockstep/types.h"

namespace lockstep {

// What a scope is made of. FromConfig gives the spec's values; the tiny ones of the exhaustive
// search and of most fuzz inputs come from elsewhere.
struct ModelOptions {
  uint64_t slots = 0;  // a power of two
  uint64_t ring_tokens = 0;
  uint64_t key_len = 0;
  uint64_t max_scopes = 0;
  uint32_t duplicate_limit = 32;
  uint64_t first_position = 1;

  // Errors: what making a cache refuses. An implementation may accept key_len >= ring_tokens - 1,
  // with which no document is ever stored; with `any_key_len` so does this.
  static absl::StatusOr<ModelOptions> FromConfig(const CacheConfig& config,
                                                 bool any_key_len = false);

  friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_MODEL_OPTIONS_H_
