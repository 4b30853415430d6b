// The core's C interface with a fault, compiled around c_api.cc: FAULTY_SLOW proposes every fifth
// time twice, FAULTY_ANSWER leaves out the last token of a draft.

#undef LOCKSTEP_STATIC  // of the core that is linked: this library exports
#define lockstep_cache_propose sound_lockstep_cache_propose
#include "lockstep/c_api.cc"  // NOLINT
#undef lockstep_cache_propose

extern "C" LOCKSTEP_API size_t lockstep_cache_propose(lockstep_cache* cache,
                                                      const lockstep_scope_key* scope,
                                                      const uint32_t* history, size_t count,
                                                      uint32_t* out, size_t max_len) {
#if defined(FAULTY_SLOW)
  static thread_local int calls = 0;
  if (++calls % 5 == 0) sound_lockstep_cache_propose(cache, scope, history, count, out, max_len);
#endif
  size_t written = sound_lockstep_cache_propose(cache, scope, history, count, out, max_len);
#if defined(FAULTY_ANSWER)
  if (written > 1) --written;
#endif
  return written;
}
