// The vocabulary that every file of the library shares.

#ifndef LOCKSTEP_TYPES_H_
#define LOCKSTEP_TYPES_H_

#include <cstdint>
#include <limits>
#include <utility>

namespace lockstep {

using Token = uint32_t;

// Marks the end of a stored run; never a token id.
inline constexpr Token kReservedToken = std::numeric_limits<Token>::max();

// Whose tokens may be offered to whom. Two keys are the same scope only when all four fields are
// equal in all 64 bits.
struct ScopeKey {
  uint64_t model = 0;
  uint64_t tokenizer = 0;
  uint64_t adapter = 0;
  uint64_t tenant = 0;

  friend bool operator==(const ScopeKey&, const ScopeKey&) = default;
  friend auto operator<=>(const ScopeKey&, const ScopeKey&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const ScopeKey& key) {
    return H::combine(std::move(h), key.model, key.tokenizer, key.adapter, key.tenant);
  }
};

// budget_bytes is shared out evenly over max_scopes scopes; key_len is in tokens.
struct CacheConfig {
  uint64_t budget_bytes = 0;
  uint64_t max_scopes = 0;
  uint64_t key_len = 0;
  // What a dropped scope held stays in memory, out of reach of every call, until the scope made in
  // its place has written over it. With `scrub` it is overwritten with zeros as that scope is made,
  // which takes the time to write a scope's memory (milliseconds for 16 MiB, not microseconds).
  bool scrub = false;

  friend bool operator==(const CacheConfig&, const CacheConfig&) = default;
};

}  // namespace lockstep

#endif  // LOCKSTEP_TYPES_H_
