// The C interface around whatever MakeCache makes. LOCKSTEP_DESIGN_WITHOUT_BATCH leaves out the
// function that a library may lack.

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "common/cache.h"
#include "lockstep/c_api.h"

struct lockstep_cache {
  std::unique_ptr<designs::Cache> cache;
};

namespace {

// A fixed buffer: reporting that there is no memory must not need any.
thread_local char last_error[256] = "";

lockstep_status Fail(lockstep_status status, const char* why) {
  std::snprintf(last_error, sizeof(last_error), "%s", why);
  return status;
}

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

designs::ScopeKey KeyOf(const lockstep_scope_key& key) {
  return {key.model, key.tokenizer, key.adapter, key.tenant};
}

}  // namespace

uint32_t lockstep_abi_version(void) { return 1; }

const char* lockstep_impl_name(void) { return designs::kName; }

const char* lockstep_last_error(void) { return last_error; }

lockstep_status lockstep_cache_create(const lockstep_config* config, lockstep_cache** out) {
  *out = nullptr;
  return Guarded([&] {
    std::string why;
    std::unique_ptr<designs::Cache> cache = designs::MakeCache(*config, &why);
    if (cache == nullptr) return Fail(LOCKSTEP_INVALID_ARGUMENT, why.c_str());
    *out = new lockstep_cache{std::move(cache)};
    return LOCKSTEP_OK;
  });
}

void lockstep_cache_destroy(lockstep_cache* cache) { delete cache; }

lockstep_status lockstep_cache_insert(lockstep_cache* cache, const lockstep_scope_key* scope,
                                      const uint32_t* tokens, size_t count) {
  return Guarded([&] {
    if (cache->cache->Insert(KeyOf(*scope), {tokens, count})) return LOCKSTEP_OK;
    return Fail(LOCKSTEP_INVALID_ARGUMENT,
                "the document holds the reserved token 0xFFFFFFFF; leave it out");
  });
}

size_t lockstep_cache_propose(lockstep_cache* cache, const lockstep_scope_key* scope,
                              const uint32_t* history, size_t count, uint32_t* out,
                              size_t max_len) {
  return cache->cache->Propose(KeyOf(*scope), {history, count}, out, max_len);
}

uint64_t lockstep_cache_stored_tokens(const lockstep_cache* cache,
                                      const lockstep_scope_key* scope) {
  return cache->cache->stored_tokens(KeyOf(*scope));
}

size_t lockstep_cache_scope_count(const lockstep_cache* cache) {
  return cache->cache->scope_count();
}

#ifndef LOCKSTEP_DESIGN_WITHOUT_BATCH
void lockstep_cache_propose_batch(lockstep_cache* cache, lockstep_proposal* proposals,
                                  size_t count) {
  for (lockstep_proposal* one = proposals; one != proposals + count; ++one) {
    one->written = lockstep_cache_propose(cache, &one->scope, one->history, one->count, one->out,
                                          one->max_len);
  }
}
#endif
