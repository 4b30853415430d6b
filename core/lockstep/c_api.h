// The C interface of a token cache. Any shared library that exports these functions can be
// verified, fuzzed, measured and replayed by the harness; liblockstep.so is one such library.
//
// Threads:  one thread at a time per cache; different caches may be used at once.
// Pointers: a cache, key or configuration is never NULL, nor is `out` where max_len > 0. An array
//           whose count is 0 may be NULL. `history` and `out` do not overlap.
// Errors:   leave the cache as it was. No exception and no abort crosses this interface.

#ifndef LOCKSTEP_C_API_H_
#define LOCKSTEP_C_API_H_

#include <stddef.h>
#include <stdint.h>

// Defined as hidden where the library is linked into a program that loads others like it: theirs
// must not be bound to ours.
#if defined(LOCKSTEP_STATIC)
#define LOCKSTEP_API
#else
#define LOCKSTEP_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lockstep_cache lockstep_cache;

// Two keys are the same scope only when all four fields are equal in all 64 bits.
typedef struct lockstep_scope_key {
  uint64_t model, tokenizer, adapter, tenant;
} lockstep_scope_key;

// budget_bytes is shared out evenly over max_scopes scopes; key_len is in tokens.
typedef struct lockstep_config {
  uint64_t budget_bytes, max_scopes, key_len;
} lockstep_config;

typedef enum lockstep_status {
  LOCKSTEP_OK = 0,
  LOCKSTEP_INVALID_ARGUMENT = 1,    // bad configuration, or a document with the reserved token
  LOCKSTEP_RESOURCE_EXHAUSTED = 2,  // no memory
  LOCKSTEP_INTERNAL = 3             // anything else that went wrong inside
} lockstep_status;

// The version of this interface: 1.
LOCKSTEP_API uint32_t lockstep_abi_version(void);

// A name for reports; lives as long as the library.
LOCKSTEP_API const char* lockstep_impl_name(void);

// This thread's last error, "" before any; valid until this thread's next call.
LOCKSTEP_API const char* lockstep_last_error(void);

// Makes an empty cache. A failed create sets *out to NULL.
LOCKSTEP_API lockstep_status lockstep_cache_create(const lockstep_config* config,
                                                   lockstep_cache** out);

// NULL is fine.
LOCKSTEP_API void lockstep_cache_destroy(lockstep_cache* cache);

// Learns one finished request: its prompt tokens, then its output tokens.
LOCKSTEP_API lockstep_status lockstep_cache_insert(lockstep_cache* cache,
                                                   const lockstep_scope_key* scope,
                                                   const uint32_t* tokens, size_t count);

// Copies into `out` what followed the history's last key_len tokens; returns the tokens written,
// at most max_len. `out` past the returned count is untouched.
LOCKSTEP_API size_t lockstep_cache_propose(lockstep_cache* cache, const lockstep_scope_key* scope,
                                           const uint32_t* history, size_t count, uint32_t* out,
                                           size_t max_len);

// Every ring cell written since the scope was made; 0 when it does not exist. Not a use.
LOCKSTEP_API uint64_t lockstep_cache_stored_tokens(const lockstep_cache* cache,
                                                   const lockstep_scope_key* scope);

// Scopes that exist. Not a use.
LOCKSTEP_API size_t lockstep_cache_scope_count(const lockstep_cache* cache);

// One proposal of a batch; `written` is set by the call.
typedef struct lockstep_proposal {
  lockstep_scope_key scope;
  const uint32_t* history;
  size_t count;
  uint32_t* out;
  size_t max_len;
  size_t written;
} lockstep_proposal;

// Optional in other libraries: equal to single calls of propose in the order given.
LOCKSTEP_API void lockstep_cache_propose_batch(lockstep_cache* cache, lockstep_proposal* proposals,
                                               size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LOCKSTEP_C_API_H_
