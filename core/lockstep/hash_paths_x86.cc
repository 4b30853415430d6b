// Each lane of a vector hashes the key that starts one token later than its neighbour's. At every
// step a vector of neighbouring tokens is loaded, widened to 64 bits and mixed in.
//
// The functions carry their instruction set as an attribute, so that the rest of the library runs
// on any processor. (Measured dead end: the compilers' own vectors multiply and rotate in twice the
// time.)

#include "lockstep/hash_paths.h"

#if LOCKSTEP_X86_PATHS

#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined operand inside its own intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "lockstep/ngram_key.h"

#define LOCKSTEP_AVX2 __attribute__((target("avx2")))
#define LOCKSTEP_AVX512 __attribute__((target("avx512f,avx512dq")))

namespace lockstep::internal {
namespace {

// Several vectors at once, because a step of one waits for the product of the step before.
constexpr int kVectors = 4;

// The multiplier is 2^40 + 0x1b3: a shift, and a product with a number of 9 bits.
constexpr int64_t kMultiplierLow = kNgramKeyMultiplier & 0xffffffff;
constexpr int kMultiplierShift = 40;
static_assert(kNgramKeyMultiplier == (uint64_t{1} << kMultiplierShift) + kMultiplierLow);

constexpr auto kStart = static_cast<int64_t>(kNgramKeyStart);
constexpr auto kSlot = static_cast<int64_t>(kSlotMultiplier);

// AVX2 has products of 32 bits by 32 bits only.
LOCKSTEP_AVX2 inline __m256i MultiplyByPrime(__m256i x) {
  const __m256i low = _mm256_set1_epi64x(kMultiplierLow);
  const __m256i low_product = _mm256_mul_epu32(x, low);
  const __m256i high_product = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low);
  return _mm256_add_epi64(low_product, _mm256_add_epi64(_mm256_slli_epi64(high_product, 32),
                                                        _mm256_slli_epi64(x, kMultiplierShift)));
}

LOCKSTEP_AVX2 inline __m256i MultiplyForSlot(__m256i x) {
  const __m256i low = _mm256_set1_epi64x(kSlotMultiplier & 0xffffffff);
  const __m256i high = _mm256_set1_epi64x(kSlotMultiplier >> 32);
  const __m256i cross =
      _mm256_add_epi64(_mm256_mul_epu32(x, high), _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low));
  return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

LOCKSTEP_AVX2 inline __m256i RotateLeft(__m256i x) {
  return _mm256_or_si256(_mm256_slli_epi64(x, kNgramKeyRotate),
                         _mm256_srli_epi64(x, 64 - kNgramKeyRotate));
}

// Hashes 4 keys for each of `vectors`.
template <int vectors>
LOCKSTEP_AVX2 inline void HashAvx2(const Token* tokens, size_t key_len, SlotLayout layout,
                                   uint64_t* slots, uint64_t* tags) {
  __m256i key[vectors];
#pragma GCC unroll 4
  for (__m256i& k : key) k = _mm256_set1_epi64x(kStart);
  for (size_t t = 0; t < key_len; ++t) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const __m256i token = _mm256_cvtepu32_epi64(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(tokens + t + 4 * v)));
      key[v] = RotateLeft(MultiplyByPrime(_mm256_xor_si256(key[v], token)));
    }
  }
  const __m128i slot_shift = _mm_cvtsi32_si128(64 - layout.slot_bits);
  const __m128i tag_shift = _mm_cvtsi32_si128(layout.tag_shift);
  const __m256i one = _mm256_set1_epi64x(1);
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const __m256i hash = MultiplyForSlot(key[v]);
    const __m256i odd = _mm256_or_si256(_mm256_slli_epi64(hash, 1), one);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(slots + 4 * v),
                        _mm256_srl_epi64(hash, slot_shift));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tags + 4 * v), _mm256_sll_epi64(odd, tag_shift));
  }
}

// Hashes 8 keys for each of `vectors`.
template <int vectors>
LOCKSTEP_AVX512 inline void HashAvx512(const Token* tokens, size_t key_len, SlotLayout layout,
                                       uint64_t* slots, uint64_t* tags) {
  const __m512i prime = _mm512_set1_epi64(kNgramKeyMultiplier);
  __m512i key[vectors];
#pragma GCC unroll 4
  for (__m512i& k : key) k = _mm512_set1_epi64(kStart);
  for (size_t t = 0; t < key_len; ++t) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const __m512i token = _mm512_cvtepu32_epi64(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tokens + t + 8 * v)));
      key[v] = _mm512_rol_epi64(_mm512_mullo_epi64(_mm512_xor_si512(key[v], token), prime),
                                kNgramKeyRotate);
    }
  }
  const __m128i slot_shift = _mm_cvtsi32_si128(64 - layout.slot_bits);
  const __m128i tag_shift = _mm_cvtsi32_si128(layout.tag_shift);
  const __m512i one = _mm512_set1_epi64(1);
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const __m512i hash = _mm512_mullo_epi64(key[v], _mm512_set1_epi64(kSlot));
    const __m512i odd = _mm512_or_si512(_mm512_slli_epi64(hash, 1), one);
    _mm512_storeu_si512(slots + 8 * v, _mm512_srl_epi64(hash, slot_shift));
    _mm512_storeu_si512(tags + 8 * v, _mm512_sll_epi64(odd, tag_shift));
  }
}

}  // namespace

// A vector shift by 64 gives 0, as it must with no slot bits.

LOCKSTEP_AVX2 void HashNgramsAvx2(const Token* tokens, size_t count, size_t key_len,
                                  SlotLayout layout, uint64_t* slots, uint64_t* tags) {
  size_t i = 0;
  for (; i + 4 * kVectors <= count; i += 4 * kVectors) {
    HashAvx2<kVectors>(tokens + i, key_len, layout, slots + i, tags + i);
  }
  for (; i + 4 <= count; i += 4) HashAvx2<1>(tokens + i, key_len, layout, slots + i, tags + i);
  if (i < count) HashNgramsPlain(tokens + i, count - i, key_len, layout, slots + i, tags + i);
}

LOCKSTEP_AVX512 void HashNgramsAvx512(const Token* tokens, size_t count, size_t key_len,
                                      SlotLayout layout, uint64_t* slots, uint64_t* tags) {
  size_t i = 0;
  for (; i + 8 * kVectors <= count; i += 8 * kVectors) {
    HashAvx512<kVectors>(tokens + i, key_len, layout, slots + i, tags + i);
  }
  for (; i + 8 <= count; i += 8) HashAvx512<1>(tokens + i, key_len, layout, slots + i, tags + i);
  if (i < count) HashNgramsPlain(tokens + i, count - i, key_len, layout, slots + i, tags + i);
}

}  // namespace lockstep::internal

#endif  // LOCKSTEP_X86_PATHS
