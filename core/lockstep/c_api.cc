#include "lockstep/c_api.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lockstep/token_cache.h"

struct lockstep_cache {
  lockstep::SharedTokenCache cache;
};

namespace {

using lockstep::ScopeKey;
using lockstep::SharedTokenCache;
using lockstep::Token;

// Fixed storage: reporting that there is no memory must not ask for any.
constexpr size_t kErrorBytes = 512;
constexpr absl::string_view kOutOfMemory = "out of memory";
thread_local char last_error[kErrorBytes] = "";

lockstep_status Fail(lockstep_status status, absl::string_view message) {
  const size_t len = message.copy(last_error, kErrorBytes - 1);
  last_error[len] = '\0';
  return status;
}

lockstep_status FromStatus(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return LOCKSTEP_OK;
    case absl::StatusCode::kInvalidArgument:
      return Fail(LOCKSTEP_INVALID_ARGUMENT, status.message());
    case absl::StatusCode::kResourceExhausted:
      // An error without words: there was no memory for them.
      return Fail(LOCKSTEP_RESOURCE_EXHAUSTED,
                  status.message().empty() ? kOutOfMemory : status.message());
    default:
      return Fail(LOCKSTEP_INTERNAL, status.message());
  }
}

// Runs `body`, which returns a lockstep_status; turns what it throws into one.
template <typename Body>
lockstep_status Contain(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Fail(LOCKSTEP_RESOURCE_EXHAUSTED, kOutOfMemory);
  } catch (const std::exception& e) {
    return Fail(LOCKSTEP_INTERNAL, e.what());
  } catch (...) {
    return Fail(LOCKSTEP_INTERNAL, "an exception of unknown type");
  }
}

ScopeKey FromC(const lockstep_scope_key& key) {
  return {key.model, key.tokenizer, key.adapter, key.tenant};
}

}  // namespace

uint32_t lockstep_abi_version(void) { return 1; }

const char* lockstep_impl_name(void) { return "lockstep core"; }

const char* lockstep_last_error(void) { return last_error; }

lockstep_status lockstep_cache_create(const lockstep_config* config, lockstep_cache** out) {
  *out = nullptr;
  return Contain([&] {
    absl::StatusOr<SharedTokenCache> cache =
        SharedTokenCache::Make({config->budget_bytes, config->max_scopes, config->key_len});
    if (!cache.ok()) return FromStatus(cache.status());
    *out = new lockstep_cache{*std::move(cache)};
    return LOCKSTEP_OK;
  });
}

void lockstep_cache_destroy(lockstep_cache* cache) { delete cache; }

lockstep_status lockstep_cache_insert(lockstep_cache* cache, const lockstep_scope_key* scope,
                                      const uint32_t* tokens, size_t count) {
  return Contain([&] {
    return FromStatus(cache->cache.Insert(FromC(*scope), absl::Span<const Token>(tokens, count)));
  });
}

size_t lockstep_cache_propose(lockstep_cache* cache, const lockstep_scope_key* scope,
                              const uint32_t* history, size_t count, uint32_t* out,
                              size_t max_len) {
  return cache->cache.Propose(FromC(*scope), absl::Span<const Token>(history, count), out, max_len);
}

uint64_t lockstep_cache_stored_tokens(const lockstep_cache* cache,
                                      const lockstep_scope_key* scope) {
  return cache->cache.stored_tokens(FromC(*scope));
}

size_t lockstep_cache_scope_count(const lockstep_cache* cache) {
  return cache->cache.scope_count();
}

void lockstep_cache_propose_batch(lockstep_cache* cache, lockstep_proposal* proposals,
                                  size_t count) {
  // On the stack: no allocation. Raw, because writing every member twice takes longer than a
  // lookup.
  constexpr size_t kChunk = 32;
  alignas(lockstep::Proposal) std::byte storage[kChunk * sizeof(lockstep::Proposal)];
  auto* const chunk = reinterpret_cast<lockstep::Proposal*>(storage);
  for (absl::Span<lockstep_proposal> rest(proposals, count); !rest.empty();) {
    const size_t n = std::min(rest.size(), kChunk);
    for (size_t i = 0; i < n; ++i) {
      const lockstep_proposal& p = rest[i];
      new (chunk + i) lockstep::Proposal{.scope = FromC(p.scope),
                                         .history = absl::Span<const Token>(p.history, p.count),
                                         .out = p.out,
                                         .max_len = p.max_len};
    }
    cache->cache.ProposeBatch(absl::MakeSpan(chunk, n));
    for (size_t i = 0; i < n; ++i) rest[i].written = chunk[i].written;
    rest.remove_prefix(n);
  }
}
