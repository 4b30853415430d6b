// How a budget becomes slots and ring tokens, seen from outside: which keys share a slot shows the
// number of slots, and which position is the oldest shows the ring.

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/scenario_builder.h"
#include "props/harness/scenario_list.h"

namespace lockstep {
namespace {

using Key = std::vector<Token>;

// Two keys whose slots agree in exactly `bits` leading bits, the next one differs.
std::pair<Key, Key> KeysThatAgree(ScenarioBuilder& b, int bits) {
  std::unordered_map<uint64_t, Key> seen;
  while (true) {
    Key key = b.FreshDoc(b.key_len());
    const uint64_t slot = ScenarioSlot(key, bits);
    const auto [it, is_new] = seen.emplace(slot, key);
    if (!is_new && ScenarioSlot(key, bits + 1) != ScenarioSlot(it->second, bits + 1)) {
      return {it->second, key};
    }
  }
}

Key Followed(const Key& key, Token by) {
  Key doc = key;
  doc.push_back(by);
  return doc;
}

// Keys that share a slot in a table of this size but not in one twice as large, and keys that do
// not share one here but would in half the table.
void ProbeSlotCount(ScenarioBuilder& b, const ScopeKey& scope) {
  for (const int bits : {b.slot_bits(), b.slot_bits() - 1, b.slot_bits() + 1}) {
    for (int i = 0; i < 2; ++i) {
      const auto [one, two] = KeysThatAgree(b, bits);
      b.Insert(scope, Followed(one, b.FreshToken()));
      b.Propose(scope, one, 4);
      b.Insert(scope, Followed(two, b.FreshToken()));
      b.Propose(scope, one, 4);
      b.Propose(scope, two, 4);
    }
  }
}

// One document that fills the ring to its last cell, then steps past its first keys.
void ProbeRingSize(ScenarioBuilder& b, const ScopeKey& scope) {
  const uint64_t k = b.key_len();
  const Key begin = b.FreshDoc(k + 24);
  const Key doc = b.SparseDoc(begin, b.ring_tokens() - 1);
  b.Insert(scope, doc);
  b.ProbeEdges(scope);
  for (int i = 0; i < 4; ++i) {
    b.Fill(scope, k + 3 + static_cast<uint64_t>(i) % 2);
    b.ProbeEdges(scope);
  }
  // One token more than counts: the first is cut off.
  Key longer = b.FreshDoc(k + 24);
  const Key head(longer.begin(), longer.begin() + static_cast<ptrdiff_t>(k));
  longer = b.SparseDoc(longer, b.ring_tokens());
  b.Insert(scope, longer);
  b.Propose(scope, head, 3);
  b.ProbeEdges(scope);
}

Sequence WholeGeometry(const std::string& name, uint64_t seed, const CacheConfig& config) {
  ScenarioBuilder b(name, config, seed);
  ProbeSlotCount(b, ScopeNumber(0));
  ProbeRingSize(b, ScopeNumber(1));
  return b.Take();
}

// Where a ring is too long to be filled for this.
Sequence SlotCountOnly(const std::string& name, uint64_t seed, const CacheConfig& config) {
  ScenarioBuilder b(name, config, seed);
  ProbeSlotCount(b, ScopeNumber(0));
  b.Insert(ScopeNumber(0), b.FreshDoc(2000));
  b.ProbeSweep(ScopeNumber(0), 7);
  return b.Take();
}

// A large ring, filled cheaply: hashing costs a key for each token predicted, and a document of one
// long key and one token more writes a cell for each token of the key.
Sequence LargeRing(const std::string& name, uint64_t seed, const CacheConfig& budget) {
  constexpr uint64_t kFillers = 40;
  CacheConfig config = budget;
  const uint64_t ring = ModelOptions::FromConfig(config)->ring_tokens;
  config.key_len = (ring - 10 - 2 * kFillers) / (kFillers + 1);
  ScenarioBuilder b(name, config, seed);
  const ScopeKey scope = ScopeNumber(0);
  const Key filler = b.FreshDoc(b.key_len());
  for (const uint64_t offset : {0, 1}) {
    const Key key = b.FreshDoc(b.key_len());
    const uint64_t start = b.Head(scope);
    Key doc = key;
    for (const Token token : b.FreshDoc(8)) doc.push_back(token);
    b.Insert(scope, doc);
    for (uint64_t i = kFillers; i > 0; --i) {
      // All that is left to write, in equal parts; a part that is larger has some tokens more.
      const uint64_t cells = (start + ring + offset - b.Head(scope)) / i;
      doc = filler;
      for (const Token token : b.FreshDoc(cells - b.key_len() - 1)) doc.push_back(token);
      b.Insert(scope, doc);
    }
    b.Propose(scope, key, 9);
    b.ProbeEdges(scope);
  }
  return b.Take();
}

void Add(std::vector<Scenario>& scenarios, int tier, const CacheConfig& config, auto make) {
  scenarios.push_back({absl::StrCat("budget ", config.budget_bytes, " for ", config.max_scopes,
                                    " scopes, key_len ", config.key_len),
                       tier, [config, make](const std::string& name, uint64_t seed) {
                         return make(name, seed, config);
                       }});
}

}  // namespace

void AddGeometryScenarios(std::vector<Scenario>& scenarios) {
  // Every residue of a share by what a slot and a token take, powers of two and their neighbours.
  for (const uint64_t bytes : {6144, 6145, 6146, 6147, 6148, 6151, 6152, 6159, 8191, 8192, 8193}) {
    Add(scenarios, bytes < 6148 ? 0 : 1, ConfigFor(bytes, 2, 2), WholeGeometry);
  }
  for (const uint64_t bytes : {10000, 12287, 12288, 12292, 15001, 16383, 16384, 16388, 24571, 32767,
                               32768, 40961, 65535, 65536, 65540, 100003, 131071, 131072, 262147}) {
    Add(scenarios, 1, ConfigFor(bytes, 2, 3), WholeGeometry);
  }
  // What does not divide evenly is lost, not rounded up.
  for (const uint64_t scopes : {2, 3, 4, 5, 7, 64, 65, 100, 300}) {
    for (const uint64_t remainder : std::set<uint64_t>{1, scopes / 2, scopes - 1}) {
      const uint64_t bytes = remainder == 1 ? 8191 : 6147;
      Add(scenarios, scopes < 5 ? 0 : 1, CacheConfig{bytes * scopes + remainder, scopes, 2},
          WholeGeometry);
    }
  }
  Add(scenarios, 2, ConfigFor((uint64_t{1} << 20) + 12, 2, 3), WholeGeometry);
  Add(scenarios, 2, ConfigFor((uint64_t{4} << 20) - 1, 2, 2), WholeGeometry);
  Add(scenarios, 2, ConfigFor(uint64_t{3} << 19, 2, 4), SlotCountOnly);
  Add(scenarios, 2, ConfigFor(uint64_t{16} << 20, 1, 4), SlotCountOnly);
  Add(scenarios, 2, ConfigFor((uint64_t{32} << 20) - 4, 1, 3), SlotCountOnly);
  Add(scenarios, 2, ConfigFor(uint64_t{64} << 20, 1, 3), SlotCountOnly);
  Add(scenarios, 2, ConfigFor((uint64_t{16} << 20) + 4, 1, 1), LargeRing);
  Add(scenarios, 3, ConfigFor((uint64_t{32} << 20) - 4, 1, 1), LargeRing);
  // Budgets and counts of scopes that need more than 32 bits; the scopes stay small.
  Add(scenarios, 1, CacheConfig{(uint64_t{1} << 32) + 700'000 * 16 + 5, 700'000, 2}, WholeGeometry);
  Add(scenarios, 1, CacheConfig{uint64_t{6151} << 20, uint64_t{1} << 20, 3}, WholeGeometry);
  Add(scenarios, 1, CacheConfig{uint64_t{1} << 33, (uint64_t{1} << 20) + 1, 2}, WholeGeometry);
}

}  // namespace lockstep
