#include "props/harness/codec_format.h"

namespace lockstep::codec {

std::array<ScopeKey, kScopes> ScopeTable() {
  constexpr uint64_t kHigh = uint64_t{1} << 63;
  std::array<ScopeKey, kScopes> table = {{{1, 1, 0, 1},
                                          {1, 1, 0, 2},  // another tenant
                                          {1, 1, 1, 1},  // another adapter
                                          {2, 1, 0, 1},  // another model
                                          {1, 2, 0, 1},  // another tokenizer
                                          {1, 0, 1, 1},  // fields swapped, equal sums and xors
                                          {0, 1, 1, 1},
                                          {2, 2, 0, 3},  // equal xors, in pairs too
                                          {1, 1, 0, kHigh | 1},
                                          {kHigh | 1, 1, 0, 1},
                                          {1, kHigh | 1, kHigh, 1},
                                          {1, 1, 0, (uint64_t{1} << 32) | 1},
                                          {(uint64_t{1} << 32) | 1, 1, 0, 1},
                                          {0, 0, 0, 0},
                                          {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
                                          {0, 0, 0, 3}}};
  for (size_t i = kAlikeScopes; i < kScopes; ++i) table[i] = {1, 1, 0, i};
  return table;
}

}  // namespace lockstep::codec
