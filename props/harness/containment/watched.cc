#include "props/harness/containment/watched.h"

#include <alloca.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "props/harness/containment/interpose_state.h"

namespace lockstep {
namespace {

using interpose::state;

// So much of the stack below a call gets other contents first.
constexpr size_t kDirtiedStackBytes = size_t{16} << 10;

CInterface real;
bool dirty_stack = false;

[[gnu::noinline]] void DirtyStack() {
  volatile unsigned char* const below =
      static_cast<volatile unsigned char*>(alloca(kDirtiedStackBytes));
  const MemoryFill fill = state.fill.load(std::memory_order_relaxed);
  uint32_t x = static_cast<uint32_t>(state.fill_seed.fetch_add(1, std::memory_order_relaxed));
  for (size_t i = 0; i < kDirtiedStackBytes; ++i) {
    x = x * 1664525 + 1013904223;
    below[i] = fill == MemoryFill::kZero   ? 0
               : fill == MemoryFill::kOnes ? 0xff
                                           : static_cast<unsigned char>(x >> 24);
  }
}

// Runs one call of the implementation.
template <typename Call>
auto During(Call call) noexcept {
  if (dirty_stack) DirtyStack();
  const interpose::Inside inside;
  return call();
}

}  // namespace

CInterface Watch(const CInterface& functions, const Surroundings& surroundings,
                 uint64_t live_bytes_limit) {
  real = functions;
  interpose::AdoptThread();
  state.clock_offset_seconds = surroundings.clock_offset_seconds;
  state.clock_step_seconds = surroundings.clock_step_seconds;
  state.fill = surroundings.fill;
  state.fill_seed = surroundings.heap_noise_seed;
  state.limit_bytes = static_cast<int64_t>(
      std::min<uint64_t>(live_bytes_limit, std::numeric_limits<int64_t>::max()));
  dirty_stack = state.present && surroundings.fill != MemoryFill::kAsItComes;
  state.watching = state.present;
  CInterface watched = {
      .abi_version = real.abi_version,
      .impl_name = []() { return During([] { return real.impl_name(); }); },
      .last_error = []() { return During([] { return real.last_error(); }); },
      .create =
          [](const lockstep_config* config, lockstep_cache** out) {
            return During([=] { return real.create(config, out); });
          },
      .destroy = [](lockstep_cache* cache) { During([=] { real.destroy(cache); }); },
      .insert =
          [](lockstep_cache* cache, const lockstep_scope_key* scope, const uint32_t* tokens,
             size_t count) {
            return During([=] { return real.insert(cache, scope, tokens, count); });
          },
      .propose =
          [](lockstep_cache* cache, const lockstep_scope_key* scope, const uint32_t* history,
             size_t count, uint32_t* out, size_t max_len) {
            return During([=] { return real.propose(cache, scope, history, count, out, max_len); });
          },
      .stored_tokens =
          [](const lockstep_cache* cache, const lockstep_scope_key* scope) {
            return During([=] { return real.stored_tokens(cache, scope); });
          },
      .scope_count =
          [](const lockstep_cache* cache) {
            return During([=] { return real.scope_count(cache); });
          },
  };
  if (real.propose_batch != nullptr) {
    watched.propose_batch = [](lockstep_cache* cache, lockstep_proposal* proposals, size_t count) {
      During([=] { real.propose_batch(cache, proposals, count); });
    };
  }
  return watched;
}

}  // namespace lockstep
