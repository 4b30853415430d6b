#include "bench/scope_floor.h"

#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "bench/floor.h"
#include "bench/workload.h"

namespace lockstep {

void ScopeProbe::Free::operator()(void* p) const { std::free(p); }

ScopeProbe::ScopeProbe(const ScopeGeometry& geometry, size_t scopes)
    : scopes_(scopes),
      slot_shift_(64 - std::countr_zero(geometry.slots)),
      entries_(static_cast<Entry*>(AllocateHuge(scopes * sizeof(Entry)))),
      memory_(static_cast<uint64_t*>(AllocateHuge(scopes * geometry.scope_bytes))),
      buckets_(2 * scopes) {
  Random random(11);
  for (size_t i = 0; i < scopes; ++i) {
    uint64_t* const slots = memory_.get() + i * geometry.scope_bytes / sizeof(uint64_t);
    auto* const ring = reinterpret_cast<Token*>(slots + geometry.slots);
    for (uint64_t s = 0; s < geometry.slots; ++s) {
      slots[s] = random.Below(static_cast<uint32_t>(geometry.ring_tokens));
    }
    for (uint64_t t = 0; t < geometry.ring_tokens; ++t) {
      ring[t] = static_cast<Token>(random.Next());
    }
    new (&entries_[i]) Entry{.key = BenchScope(i), .used = 0, .slots = slots, .ring = ring};
  }
  // In random order, as a hash puts them.
  for (size_t i = 0; i < scopes; ++i) buckets_[2 * i] = {i, &entries_[i]};
  for (size_t i = scopes; i > 1; --i) {
    std::swap(buckets_[2 * (i - 1)], buckets_[2 * random.Below(static_cast<uint32_t>(i))]);
  }
}

uint64_t ScopeProbe::ProbeChained(absl::Span<const uint64_t> random) {
  uint64_t zero = 0;
  asm volatile("" : "+r"(zero));
  uint64_t sum = 0;
  for (size_t i = 0; i < random.size(); ++i) {
    const uint64_t r = random[i + sum * zero];
    const size_t bucket = 2 * (((r & 0xffffffff) * scopes_) >> 32);
    Entry& entry = *buckets_[bucket].entry;
    entry.used = ++uses_;
    sum += entry.ring[entry.slots[r >> slot_shift_]] + (entry.key.tenant & zero);
  }
  return sum;
}

}  // namespace lockstep
