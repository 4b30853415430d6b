// The handle through which every implementation is seen: our core, a shared library, or a core
// scope with tiny rings.

#ifndef LOCKSTEP_PROPS_HARNESS_IMPLEMENTATION_H_
#define LOCKSTEP_PROPS_HARNESS_IMPLEMENTATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lockstep/c_api.h"
#include "lockstep/types.h"
#include "props/harness/exact_model.h"
#include "props/harness/operation.h"

namespace lockstep {

// The functions of the C interface. `propose_batch` is null in a library without it.
struct CInterface {
  decltype(&lockstep_abi_version) abi_version = nullptr;
  decltype(&lockstep_impl_name) impl_name = nullptr;
  decltype(&lockstep_last_error) last_error = nullptr;
  decltype(&lockstep_cache_create) create = nullptr;
  decltype(&lockstep_cache_destroy) destroy = nullptr;
  decltype(&lockstep_cache_insert) insert = nullptr;
  decltype(&lockstep_cache_propose) propose = nullptr;
  decltype(&lockstep_cache_stored_tokens) stored_tokens = nullptr;
  decltype(&lockstep_cache_scope_count) scope_count = nullptr;
  decltype(&lockstep_cache_propose_batch) propose_batch = nullptr;
};

// The core that is linked into this program.
const CInterface& OwnCore();

// Loads a shared library; it stays loaded. Two loads of one path are two libraries when
// `private_copy` is set: the file is copied aside first.
//
// Errors: FailedPrecondition, naming the path and what is missing: unloadable, a symbol absent, or
//         an interface version other than 1.
absl::StatusOr<CInterface> LoadLibrary(const std::string& path, bool private_copy = false);

// One cache of some implementation.
class CacheHandle {
 public:
  virtual ~CacheHandle() = default;
  virtual lockstep_status Insert(const ScopeKey& scope, const Token* doc, size_t count) = 0;
  virtual size_t Propose(const ScopeKey& scope, const Token* history, size_t count, Token* out,
                         size_t max_len) = 0;
  virtual bool has_batch() const = 0;
  // Requires: has_batch().
  virtual void ProposeBatch(lockstep_proposal* proposals, size_t count) = 0;
  virtual uint64_t StoredTokens(const ScopeKey& scope) const = 0;
  virtual uint64_t ScopeCount() const = 0;
  virtual std::string LastError() const = 0;
};

struct CreateResult {
  lockstep_status status = LOCKSTEP_OK;
  std::string error;
  bool left_pointer = false;           // a failed create did not set *out to NULL
  bool changed_config = false;         // the configuration was written to
  std::unique_ptr<CacheHandle> cache;  // null unless OK
};
CreateResult CreateCache(const CInterface& functions, const CacheConfig& config);

// The core's own scope with any ring, slot table, duplicate limit and first position, under a plain
// table of scopes. Never installed.
std::unique_ptr<CacheHandle> MakeTinyCache(const ModelOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_IMPLEMENTATION_H_
