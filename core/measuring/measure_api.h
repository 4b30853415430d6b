/* Hooks for measurements. Not part of the library that is installed: it exports them when it is
   built with -DLOCKSTEP_MEASURABLE=ON, as the gate does. */

#ifndef LOCKSTEP_MEASURING_MEASURE_API_H_
#define LOCKSTEP_MEASURING_MEASURE_API_H_

#include "lockstep/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Hashes the keys tokens[i, i + key_len) for each i below `count`, by the
// code that insert uses. slots[i] is the key's place in a table of 2^slot_bits slots, tags[i] what
// is left of the hash. Reads count + key_len - 1 tokens; key_len >= 1, slot_bits at most 46.
LOCKSTEP_API void lockstep_hash_keys(const uint32_t* tokens, size_t count, size_t key_len,
                                     uint32_t slot_bits, uint64_t* slots, uint64_t* tags);

// The whole process hashes with this instruction set from now on:
// "plain", "avx2" or "avx512". Returns 0, changing nothing, when the name is not known or the
// processor lacks it, else 1. Answers stay the same.
LOCKSTEP_API int lockstep_use_hash_path(const char* name);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // LOCKSTEP_MEASURING_MEASURE_API_H_
