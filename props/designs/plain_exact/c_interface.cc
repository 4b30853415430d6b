// The C interface around a ScopeTable.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "lockstep/c_api.h"
#include "scope_table.h"

struct lockstep_cache {
  plain_exact::ScopeTable scopes;
};

namespace {

// A fixed buffer: reporting that there is no memory must not need any.
thread_local char last_error[256] = "";

lockstep_status Fail(lockstep_status status, const char* why) {
  std::snprintf(last_error, sizeof(last_error), "%s", why);
  return status;
}

// Runs `body`, which returns a status, and turns what it throws into one.
template <typename Body>
lockstep_status Guarded(const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Fail(LOCKSTEP_RESOURCE_EXHAUSTED, "out of memory; lower budget_bytes");
  } catch (const std::exception& error) {
    return Fail(LOCKSTEP_INTERNAL, error.what());
  } catch (...) {
    return Fail(LOCKSTEP_INTERNAL, "an unknown exception");
  }
}

}  // namespace

uint32_t lockstep_abi_version(void) { return 1; }

const char* lockstep_impl_name(void) { return "plain_exact"; }

const char* lockstep_last_error(void) { return last_error; }

lockstep_status lockstep_cache_create(const lockstep_config* config, lockstep_cache** out) {
  *out = nullptr;
  return Guarded([&] {
    plain_exact::Geometry geometry;
    char why[sizeof(last_error)];
    if (!plain_exact::ComputeGeometry(*config, &geometry, why, sizeof(why))) {
      return Fail(LOCKSTEP_INVALID_ARGUMENT, why);
    }
    *out = new lockstep_cache{plain_exact::ScopeTable(geometry)};
    return LOCKSTEP_OK;
  });
}

void lockstep_cache_destroy(lockstep_cache* cache) { delete cache; }

lockstep_status lockstep_cache_insert(lockstep_cache* cache, const lockstep_scope_key* scope,
                                      const uint32_t* tokens, size_t count) {
  return Guarded([&] {
    if (std::find(tokens, tokens + count, plain_exact::kRunEnd) != tokens + count) {
      return Fail(LOCKSTEP_INVALID_ARGUMENT,
                  "the document holds the reserved token 0xFFFFFFFF; leave it out");
    }
    if (count <= cache->scopes.geometry().key_len) return LOCKSTEP_OK;
    cache->scopes.UseOrMake(*scope).Insert(tokens, count);
    return LOCKSTEP_OK;
  });
}

size_t lockstep_cache_propose(lockstep_cache* cache, const lockstep_scope_key* scope,
                              const uint32_t* history, size_t count, uint32_t* out,
                              size_t max_len) {
  const plain_exact::Scope* found = cache->scopes.Use(*scope);
  if (found == nullptr) return 0;
  return found->Propose(history, count, out, max_len);
}

uint64_t lockstep_cache_stored_tokens(const lockstep_cache* cache,
                                      const lockstep_scope_key* scope) {
  const plain_exact::Scope* found = cache->scopes.Peek(*scope);
  return found == nullptr ? 0 : found->stored_tokens();
}

size_t lockstep_cache_scope_count(const lockstep_cache* cache) { return cache->scopes.size(); }

void lockstep_cache_propose_batch(lockstep_cache* cache, lockstep_proposal* proposals,
                                  size_t count) {
  for (size_t i = 0; i < count; ++i) {
    lockstep_proposal& one = proposals[i];
    one.written =
        lockstep_cache_propose(cache, &one.scope, one.history, one.count, one.out, one.max_len);
  }
}
