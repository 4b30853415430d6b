#include "measuring/measure_api.h"

#include "absl/strings/string_view.h"
#include "lockstep/ngram_key.h"

void lockstep_hash_keys(const uint32_t* tokens, size_t count, size_t key_len, uint32_t slot_bits,
                        uint64_t* slots, uint64_t* tags) {
  constexpr int kTagShift = 47;  // as in a scope
  const lockstep::SlotLayout layout = {.slot_bits = static_cast<int>(slot_bits),
                                       .tag_shift = kTagShift};
  lockstep::HashNgrams(tokens, count, key_len, layout, slots, tags);
}

int lockstep_use_hash_path(const char* name) {
  for (const lockstep::HashPath path : lockstep::kHashPaths) {
    if (absl::string_view(name) != lockstep::HashPathName(path)) continue;
    if (!lockstep::HashPathSupported(path)) return 0;
    lockstep::SetHashPathForTesting(path);
    return 1;
  }
  return 0;
}
