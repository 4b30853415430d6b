// The bodies behind HashNgrams, one for each instruction set.

#ifndef LOCKSTEP_HASH_PATHS_H_
#define LOCKSTEP_HASH_PATHS_H_

#include <cstddef>
#include <cstdint>

#include "lockstep/ngram_key.h"
#include "lockstep/types.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define LOCKSTEP_X86_PATHS 1
#else
#define LOCKSTEP_X86_PATHS 0
#endif

namespace lockstep::internal {

// As HashNgrams.
void HashNgramsPlain(const Token* tokens, size_t count, size_t key_len, SlotLayout layout,
                     uint64_t* slots, uint64_t* tags);
#if LOCKSTEP_X86_PATHS
void HashNgramsAvx2(const Token* tokens, size_t count, size_t key_len, SlotLayout layout,
                    uint64_t* slots, uint64_t* tags);
void HashNgramsAvx512(const Token* tokens, size_t count, size_t key_len, SlotLayout layout,
                      uint64_t* slots, uint64_t* tags);
#endif

}  // namespace lockstep::internal

#endif  // LOCKSTEP_HASH_PATHS_H_
