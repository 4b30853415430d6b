#include "bench/floor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "bench/workload.h"

namespace lockstep {
namespace {

// The ring cell that 32 of the random bits stand for.
inline uint64_t CellOf(uint64_t random, uint64_t ring_tokens) {
  return ((random & 0xffffffff) * ring_tokens) >> 32;
}

}  // namespace

void* AllocateHuge(size_t bytes) {
  constexpr size_t kHugePageBytes = size_t{2} << 20;
  const size_t rounded = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  void* const memory = std::aligned_alloc(kHugePageBytes, rounded);
  if (memory == nullptr) std::abort();
  madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void FreeMemory::operator()(uint64_t* p) const { std::free(p); }

CacheSweep::CacheSweep()
    : bytes_(std::clamp<size_t>(std::max<long>(sysconf(_SC_LEVEL3_CACHE_SIZE), 0), size_t{32} << 20,
                                size_t{512} << 20)),
      memory_(static_cast<uint64_t*>(AllocateHuge(bytes_))) {
  std::fill_n(memory_.get(), bytes_ / sizeof(uint64_t), 0);
}

void CacheSweep::Run() {
  constexpr size_t kLineWords = 8;
  for (size_t i = 0; i < bytes_ / sizeof(uint64_t); i += kLineWords) memory_[i] += 1;
  asm volatile("" ::: "memory");
}

ProbeTable::ProbeTable(const ScopeGeometry& geometry)
    : ring_tokens_(geometry.ring_tokens),
      slot_shift_(64 - std::countr_zero(geometry.slots)),
      memory_(static_cast<uint64_t*>(AllocateHuge(geometry.scope_bytes))),
      slots_(memory_.get()),
      ring_(reinterpret_cast<Token*>(slots_ + geometry.slots)) {
  Random random(7);
  for (uint64_t i = 0; i < geometry.slots; ++i) slots_[i] = CellOf(random.Next(), ring_tokens_);
  for (uint64_t i = 0; i < ring_tokens_; ++i) ring_[i] = static_cast<Token>(random.Next());
}

uint64_t ProbeTable::Insert(absl::Span<const uint64_t> random, size_t distance, CacheLevel level) {
  return level == CacheLevel::kFirst ? InsertPrefetching<CacheLevel::kFirst>(random, distance)
                                     : InsertPrefetching<CacheLevel::kSecond>(random, distance);
}

template <CacheLevel level>
uint64_t ProbeTable::InsertPrefetching(absl::Span<const uint64_t> random, size_t distance) {
  constexpr int kLocality = level == CacheLevel::kFirst ? 3 : 2;
  constexpr int kForWriting = level == CacheLevel::kFirst ? 1 : 0;
  uint64_t* const slots = slots_;
  Token* const ring = ring_;
  const uint64_t ring_tokens = ring_tokens_;
  const int slot_shift = slot_shift_;
  uint64_t index = head_index_;
  uint64_t sum = 0;
  for (size_t i = 0; i + distance < random.size(); ++i) {
    const uint64_t ahead = random[i + distance];
    __builtin_prefetch(slots + (ahead >> slot_shift), kForWriting, kLocality);
    __builtin_prefetch(ring + CellOf(ahead, ring_tokens), 0, kLocality);
    uint64_t& slot = slots[random[i] >> slot_shift];
    sum += slot + ring[CellOf(random[i], ring_tokens)];
    slot = index;
    ring[index] = static_cast<Token>(random[i]);
    if (++index == ring_tokens) index = 0;
  }
  head_index_ = index;
  return sum;
}

uint64_t ProbeChained(absl::Span<const ProbeTable> tables, absl::Span<const uint64_t> random) {
  uint64_t zero = 0;
  asm volatile("" : "+r"(zero));
  uint64_t sum = 0;
  size_t table = 0;
  for (size_t i = 0; i < random.size(); ++i) {
    sum += tables[table].Propose(random[i + sum * zero]);
    if (++table == tables.size()) table = 0;
  }
  return sum;
}

uint64_t ProbeSingly(absl::Span<const ProbeTable> tables, absl::Span<const uint64_t> random) {
  uint64_t sum = 0;
  size_t table = 0;
  for (const uint64_t r : random) {
    sum += tables[table].Propose(r);
    if (++table == tables.size()) table = 0;
  }
  return sum;
}

}  // namespace lockstep
