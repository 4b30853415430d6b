// What a design in a sibling folder implements; c_interface.cc exports it.

#ifndef PROPS_DESIGNS_COMMON_CACHE_H_
#define PROPS_DESIGNS_COMMON_CACHE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lockstep/c_api.h"

namespace designs {

// Never a token id.
constexpr uint32_t kReserved = 0xFFFFFFFF;

struct ScopeKey {
  uint64_t model, tokenizer, adapter, tenant;
  friend auto operator<=>(const ScopeKey&, const ScopeKey&) = default;
};

class Cache {
 public:
  virtual ~Cache() = default;

  // Returns false, with nothing changed, when the design refuses the document. Throws
  // std::bad_alloc, with nothing changed.
  virtual bool Insert(const ScopeKey& scope, std::span<const uint32_t> doc) = 0;

  // Returns the tokens written to `out`, at most `max_len`.
  virtual size_t Propose(const ScopeKey& scope, std::span<const uint32_t> history, uint32_t* out,
                         size_t max_len) = 0;

  // 0 when the scope does not exist; otherwise whatever the design counts.
  virtual uint64_t stored_tokens(const ScopeKey& scope) const = 0;

  virtual size_t scope_count() const = 0;
};

// Defined by each design. `name` lives as long as the library. Making a cache returns nullptr and
// says why in `*why` when the configuration is bad.
extern const char* const kName;
std::unique_ptr<Cache> MakeCache(const lockstep_config& config, std::string* why);

// The configurations that the contract refuses. Returns "" for a good one, otherwise what is wrong
// and what to change. A design may also refuse `key_len` too long for its memory.
std::string WhatIsWrong(const lockstep_config& config);

// What the contract's own ring would hold: a `key_len` from here minus one on may be refused.
uint64_t ContractRingTokens(const lockstep_config& config);

}  // namespace designs

#endif  // PROPS_DESIGNS_COMMON_CACHE_H_
