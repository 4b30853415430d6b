#include "lockstep/ngram_key.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "lockstep/hash_paths.h"

namespace lockstep {
namespace internal {

void HashNgramsPlain(const Token* tokens, size_t count, size_t key_len, SlotLayout layout,
                     uint64_t* slots, uint64_t* tags) {
  // Four chains side by side keep the multiplier busy, which takes a new pair every cycle.
  constexpr size_t kChains = 4;
  const auto set = [&](size_t i, uint64_t key) {
    const uint64_t slot_hash = SlotHash(key);
    slots[i] = layout.SlotOf(slot_hash);
    tags[i] = layout.TagOf(slot_hash);
  };
  size_t i = 0;
  for (; i + kChains <= count; i += kChains) {
    uint64_t key[kChains] = {kNgramKeyStart, kNgramKeyStart, kNgramKeyStart, kNgramKeyStart};
    for (size_t t = i; t < i + key_len; ++t) {
#pragma GCC unroll 4
      for (size_t c = 0; c < kChains; ++c) {
        key[c] = std::rotl((key[c] ^ tokens[t + c]) * kNgramKeyMultiplier, kNgramKeyRotate);
      }
    }
    for (size_t c = 0; c < kChains; ++c) set(i + c, key[c]);
  }
  for (; i < count; ++i) set(i, NgramKey(absl::Span<const Token>(tokens + i, key_len)));
}

}  // namespace internal

namespace {

using HashNgramsFunction = decltype(&internal::HashNgramsPlain);

HashNgramsFunction FunctionOf(HashPath path) {
#if LOCKSTEP_X86_PATHS
  switch (path) {
    case HashPath::kAvx512:
      return internal::HashNgramsAvx512;
    case HashPath::kAvx2:
      return internal::HashNgramsAvx2;
    case HashPath::kPlain:
      break;
  }
#else
  static_cast<void>(path);
#endif
  return internal::HashNgramsPlain;
}

// The one that LOCKSTEP_HASH_PATH names, where there is that one here; else the fastest.
HashPath FirstPath() {
  const char* const wanted = std::getenv("LOCKSTEP_HASH_PATH");
  for (const HashPath path : kHashPaths) {
    if (wanted != nullptr && std::strcmp(wanted, HashPathName(path)) == 0 &&
        HashPathSupported(path)) {
      return path;
    }
  }
  if (HashPathSupported(HashPath::kAvx512)) return HashPath::kAvx512;
  if (HashPathSupported(HashPath::kAvx2)) return HashPath::kAvx2;
  return HashPath::kPlain;
}

struct Choice {
  std::atomic<HashPath> path = FirstPath();
  std::atomic<HashNgramsFunction> function = FunctionOf(path);
};

// Made at the first use and not before main, so that static caches of a user's find it ready.
Choice& TheChoice() {
  static Choice choice;
  return choice;
}

}  // namespace

void HashNgrams(const Token* tokens, size_t count, size_t key_len, SlotLayout layout,
                uint64_t* slots, uint64_t* tags) {
  TheChoice().function.load(std::memory_order_relaxed)(tokens, count, key_len, layout, slots, tags);
}

const char* HashPathName(HashPath path) {
  switch (path) {
    case HashPath::kAvx512:
      return "avx512";
    case HashPath::kAvx2:
      return "avx2";
    case HashPath::kPlain:
      break;
  }
  return "plain";
}

bool HashPathSupported(HashPath path) {
#if LOCKSTEP_X86_PATHS
  switch (path) {
    case HashPath::kAvx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
    case HashPath::kAvx2:
      return __builtin_cpu_supports("avx2") != 0;
    case HashPath::kPlain:
      break;
  }
#endif
  return path == HashPath::kPlain;
}

HashPath CurrentHashPath() { return TheChoice().path.load(std::memory_order_relaxed); }

void SetHashPathForTesting(HashPath path) {
  TheChoice().path.store(path, std::memory_order_relaxed);
  TheChoice().function.store(FunctionOf(path), std::memory_order_relaxed);
}

}  // namespace lockstep
