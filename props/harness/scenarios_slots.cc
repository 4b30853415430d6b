// Slots that two keys share, keys that differ in little, and keys whose whole hashes are equal.

#include <bit>
#include <cstdint>
#include <optional>
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

Key Followed(const Key& key, const std::vector<Token>& by) {
  Key doc = key;
  doc.insert(doc.end(), by.begin(), by.end());
  return doc;
}

std::pair<Key, Key> KeysInOneSlot(ScenarioBuilder& b) {
  std::unordered_map<uint64_t, Key> seen;
  while (true) {
    Key key = b.FreshDoc(b.key_len());
    const auto [it, is_new] = seen.emplace(ScenarioSlot(key, b.slot_bits()), key);
    if (!is_new) return {it->second, key};
  }
}

// A key that takes another's slot, and loses it again.
Sequence SlotTakenOver(const std::string& name, uint64_t seed, uint64_t per_scope,
                       uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(per_scope, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (int i = 0; i < 12; ++i) {
    const auto [one, two] = KeysInOneSlot(b);
    const Key first = Followed(one, b.FreshDoc(3));
    const Key second = Followed(two, b.FreshDoc(1 + static_cast<uint64_t>(i) % 3));
    b.Propose(scope, one, 5);
    b.Insert(scope, first);
    b.Propose(scope, one, 5);
    b.Propose(scope, two, 5);
    b.Insert(scope, second);
    b.Propose(scope, one, 5);
    b.Propose(scope, two, 5);
    b.Insert(scope, second);
    b.Insert(scope, first);
    b.Propose(scope, one, 5);
    b.Propose(scope, two, 5);
    // Both in one document: the second takes the slot while the run is being written.
    Key both = Followed(Followed(two, b.FreshDoc(2)), Followed(one, b.FreshDoc(2)));
    b.Insert(scope, both);
    b.Insert(scope, both);
    b.Propose(scope, one, 5);
    b.Propose(scope, two, 5);
  }
  return b.Take();
}

// A key found last in the document before, now with another continuation: the latest counts.
Sequence SlotRefreshed(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6147, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Key key = b.FreshDoc(key_len);
  for (int i = 0; i < 60; ++i) {
    b.Insert(scope, Followed(key, b.FreshDoc(b.random().Between(1, 40))));
    b.Propose(scope, key, 50);
    if (i % 5 == 0) {
      Key doc = b.FreshDoc(2);
      b.Insert(scope, Followed(Followed(doc, key), b.FreshDoc(4)));
      b.Propose(scope, key, 2);
    }
  }
  return b.Take();
}

// A key found, and then all keys that differ from it in one token, in all places, or in their
// order: none is the key, whatever slot it falls into.
Sequence NearKeys(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (uint64_t place = 0; place < key_len; ++place) {
    // Of long keys every place near an end, and where a length kept in few bits would end.
    const bool edge = place < 3 || place + 3 > key_len || (place + 1) % 32 <= 1;
    if (key_len > 16 && !edge) continue;
    // Only a key in the same slot is compared token by token.
    Key key, near;
    do {
      key = b.FreshDoc(key_len);
      near = key;
      near[place] = b.FreshToken();
    } while (ScenarioSlot(key, b.slot_bits()) != ScenarioSlot(near, b.slot_bits()));
    b.Insert(scope, Followed(key, b.FreshDoc(3)));
    b.Propose(scope, near, 4);
    b.Propose(scope, key, 4);
    b.Insert(scope, Followed(near, b.FreshDoc(3)));
    b.Propose(scope, near, 4);
    b.Propose(scope, key, 4);
  }
  for (uint64_t shift = 1; shift < key_len; shift += key_len > 16 ? key_len / 3 : 1) {
    const Key key = b.FreshDoc(key_len);
    Key turned(key.begin() + static_cast<ptrdiff_t>(shift), key.end());
    turned.insert(turned.end(), key.begin(), key.begin() + static_cast<ptrdiff_t>(shift));
    Key swapped = key;
    std::swap(swapped[shift - 1], swapped[shift]);
    Key equal_sum = key;
    equal_sum[shift - 1] += 1;
    equal_sum[shift] -= 1;
    for (const Key& other : {turned, swapped, equal_sum, Key(key.rbegin(), key.rend())}) {
      b.Insert(scope, Followed(key, b.FreshDoc(2)));
      b.Propose(scope, other, 4);
      b.Insert(scope, Followed(other, b.FreshDoc(2)));
      b.Propose(scope, key, 4);
      b.Propose(scope, other, 4);
    }
  }
  return b.Take();
}

// Two keys with the same 64-bit hash. They agree but for the last two tokens; the first of those
// changes the hash in its low 32 bits only, and the second undoes it.
std::optional<std::pair<Key, Key>> KeysOfOneHash(ScenarioBuilder& b) {
  const Key key = b.FreshDoc(b.key_len());
  const size_t at = key.size() - 2;
  const auto prefix = absl::MakeConstSpan(key).first(at);
  const uint64_t start = ScenarioKeyHash(prefix);
  // 435 is what of the multiplier acts on the low 40 bits; this is its inverse.
  uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 435 * inverse;
  for (int64_t low = -7; low <= 7; ++low) {
    const uint64_t mask = (uint64_t{1} << 35) - 1;
    const uint64_t wrapped = (static_cast<uint64_t>(low) * inverse) & mask;
    const uint64_t difference = wrapped > mask / 2 ? wrapped - mask - 1 : wrapped;
    const uint64_t other_state = (start ^ key[at]) + difference;
    const uint64_t other_token = other_state ^ start;
    if (low == 0 || other_token >= kReservedToken) continue;
    Key other = key;
    other[at] = static_cast<Token>(other_token);
    const auto upto = [&](const Key& k) {
      return ScenarioKeyHash(absl::MakeConstSpan(k).first(at + 1));
    };
    const uint64_t last = key[at + 1] ^ upto(key) ^ upto(other);
    if (last >= kReservedToken) continue;
    other[at + 1] = static_cast<Token>(last);
    if (ScenarioKeyHash(key) == ScenarioKeyHash(other)) return std::pair(key, other);
  }
  return std::nullopt;
}

Sequence EqualHashes(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (int found = 0; found < 8;) {
    const auto keys = KeysOfOneHash(b);
    if (!keys) continue;
    ++found;
    const auto& [one, two] = *keys;
    b.Insert(scope, Followed(one, b.FreshDoc(3)));
    b.Propose(scope, two, 4);
    const std::vector<Token> after = b.FreshDoc(40);
    b.Insert(scope, Followed(one, after));
    b.Insert(scope, Followed(two, after));
    b.Propose(scope, one, 4);
    b.Propose(scope, two, 4);
  }
  return b.Take();
}

}  // namespace

void AddSlotScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](std::string what, int tier, uint64_t key_len, auto make) {
    scenarios.push_back({absl::StrCat(what, ", key_len ", key_len), tier,
                         [make, key_len](const std::string& name, uint64_t seed) {
                           return make(name, seed, key_len);
                         }});
  };
  for (const uint64_t per_scope : {6144, 8192, 20000, 40000, 70000, 140000, 1100000, 2200000}) {
    for (const uint64_t k : {1, 3}) {
      add(absl::StrCat("slot taken over ", per_scope, " bytes"),
          per_scope < 7000      ? 0
          : per_scope < 1000000 ? 1
                                : 2,
          k, [per_scope](const std::string& name, uint64_t seed, uint64_t key_len) {
            return SlotTakenOver(name, seed, per_scope, key_len);
          });
    }
  }
  for (const uint64_t k : {1, 2, 3, 4, 5, 8, 16, 33, 65, 130, 257}) {
    if (k <= 65) add("slot refreshed", k <= 3 ? 0 : 1, k, SlotRefreshed);
    add("keys that differ in little", k <= 5 ? 0 : 1, k, NearKeys);
    if (k > 1) add("keys of one hash", k <= 3 ? 0 : 1, k, EqualHashes);
  }
}

}  // namespace lockstep
