// What shows late or far out: after many uses of one scope, in long keys, in rings and documents
// beyond 2^16 tokens, and where a key lies across the ring's end.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/scenario_builder.h"
#include "props/harness/scenario_list.h"

namespace lockstep {
namespace {

using Doc = std::vector<Token>;

Doc Followed(Doc doc, const Doc& by) {
  doc.insert(doc.end(), by.begin(), by.end());
  return doc;
}

// `key` with another token at `index`, such that both fall into one slot.
Doc NeighbourInSlot(ScenarioBuilder& b, const Doc& key, size_t index) {
  Doc other = key;
  const uint64_t slot = ScenarioSlot(key, b.slot_bits());
  do {
    other[index] = b.FreshToken();
  } while (ScenarioSlot(other, b.slot_bits()) != slot);
  return other;
}

// Each document is asked for at once, so that one stored wrongly is seen whichever use it was.
Sequence InsertThenAsk(const std::string& name, uint64_t seed, uint64_t documents, bool shifted) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, 3), seed);
  const ScopeKey scope = ScopeNumber(0);
  if (shifted) {
    b.Insert(scope, b.FreshDoc(5));
    b.Propose(scope, {}, 1);
    b.Propose(scope, {}, 1);
  }
  for (uint64_t i = 0; i < documents; ++i) {
    const Doc doc = b.FreshDoc(9);
    b.Insert(scope, doc);
    b.Propose(scope, {doc.begin(), doc.begin() + 3}, 64);
  }
  return b.Take();
}

// Uses of one scope beyond 2^16, then documents and questions as ever.
Sequence ManyUsesOfOne(const std::string& name, uint64_t seed, uint64_t uses) {
  ScenarioBuilder b(name, ConfigFor(6144, 2, 2), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc doc = b.FreshDoc(8);
  b.Insert(scope, doc);
  for (uint64_t i = 0; i < uses; ++i) b.Propose(scope, {doc[0], doc[1]}, i % 3);
  for (int i = 0; i < 40; ++i) {
    const Doc later = b.FreshDoc(7);
    b.Insert(scope, later);
    b.Propose(scope, {later[0], later[1]}, 9);
    b.Propose(scope, {later[2], later[3]}, 9);
  }
  return b.Take();
}

// Keys that differ in one token only, wherever it is, and share a slot.
Sequence LongKeys(const std::string& name, uint64_t seed, uint64_t budget, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(budget, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  std::vector<size_t> indexes = {0, key_len / 2, key_len - 1};
  for (const size_t from_end : {8, 16, 32, 64, 128, 200, 255, 256}) {
    if (from_end < key_len) indexes.push_back(key_len - 1 - from_end);
  }
  for (const size_t index : indexes) {
    const Doc key = b.FreshDoc(key_len);
    const Doc other = NeighbourInSlot(b, key, index);
    b.Insert(scope, Followed(key, b.FreshDoc(2)));
    b.Propose(scope, key, 4);
    b.Propose(scope, other, 4);
    b.Insert(scope, Followed(other, b.FreshDoc(2)));
    b.Propose(scope, other, 4);
    b.Propose(scope, key, 4);
    // Without a slot in common a hash of fewer tokens shows.
    Doc third = key;
    third[index] = b.FreshToken();
    b.Propose(scope, third, 4);
  }
  return b.Take();
}

// A key whose length has more than 16 bits: hashing it is what costs, so it is asked for seldom.
Sequence KeyBeyond16Bits(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(1 << 20, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc doc = b.FreshDoc(key_len + 3);
  b.Insert(scope, doc);
  const Doc key(doc.begin(), doc.begin() + static_cast<ptrdiff_t>(key_len));
  b.Propose(scope, key, 8);
  Doc other = key;
  other[0] = b.FreshToken();
  b.Propose(scope, other, 8);
  b.Propose(scope, {key.end() - 1, key.end()}, 8);
  b.Propose(scope, {key.end() - 9, key.end()}, 8);
  b.Insert(scope, {key.end() - 40, key.end()});
  return b.Take();
}

// A document and a ring beyond 2^16 tokens; what was written is asked for all along.
Sequence DocumentBeyond16Bits(const std::string& name, uint64_t seed, uint64_t len) {
  ScenarioBuilder b(name, ConfigFor(1 << 20, 1, 4), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (int round = 0; round < 2; ++round) {
    const Doc doc = b.FreshDoc(len);
    b.Insert(scope, doc);
    for (uint64_t end = 4; end < len; end += 997) {
      const auto at = doc.begin() + static_cast<ptrdiff_t>(end);
      b.Propose(scope, {at - 4, at}, 12);
    }
    b.Propose(scope, {doc.begin() + 40'000, doc.begin() + 40'004}, 60'000);
  }
  return b.Take();
}

// A key that lies across the ring's end, beside others of its slot that differ on one side of it.
Sequence KeyAcrossTheEnd(const std::string& name, uint64_t seed, uint64_t budget,
                         uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(budget, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (uint64_t behind = 0; behind <= key_len; ++behind) {
    // The token after the key is to be written `behind` cells behind the ring's end.
    const uint64_t ring = b.ring_tokens();
    const uint64_t wanted = (2 * ring + behind - key_len) % ring;
    b.Fill(scope, (wanted + ring - b.Head(scope) % ring) % ring);
    const Doc key = b.FreshDoc(key_len);
    const Doc early = NeighbourInSlot(b, key, 0), late = NeighbourInSlot(b, key, key_len - 1);
    const Doc middle = NeighbourInSlot(b, key, key_len / 2);
    b.Insert(scope, Followed(key, b.FreshDoc(3)));
    for (const Doc& history : {key, early, middle, late}) b.Propose(scope, history, 5);
  }
  return b.Take();
}

// A limit that was cut to fewer bits acts as 1: the first scopes would push each other out.
Sequence ManyScopesAllowed(const std::string& name, uint64_t seed, uint64_t max_scopes) {
  ScenarioBuilder b(name, ConfigFor(6144, max_scopes, 2), seed);
  std::vector<Doc> docs;
  for (uint64_t i = 0; i < 6; ++i) {
    docs.push_back(b.FreshDoc(6));
    b.Insert(ScopeNumber(i), docs.back());
  }
  for (uint64_t i = 0; i < docs.size(); ++i) {
    b.Propose(ScopeNumber(i), {docs[i][0], docs[i][1]}, 8);
    b.Observe(ScopeNumber(i));
  }
  return b.Take();
}

// Scope after scope takes another's place and is asked for what that one knew.
Sequence ManyTurnovers(const std::string& name, uint64_t seed, uint64_t max_scopes,
                       uint64_t turnovers) {
  ScenarioBuilder b(name, ConfigFor(6144, max_scopes, 2), seed);
  std::vector<Doc> keys;
  for (uint64_t i = 0; i < turnovers; ++i) {
    const ScopeKey scope = ScopeNumber(i);
    b.Insert(scope, b.FreshDoc(3));
    if (i >= max_scopes) b.Propose(scope, keys[i - max_scopes], 4);
    keys.push_back(b.FreshDoc(2));
    b.Insert(scope, Followed(keys.back(), b.FreshDoc(4)));
  }
  return b.Take();
}

// Documents of one token over and over, shorter and longer than the ring.
Sequence OneTokenOver(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Token token = b.FreshToken();
  for (const uint64_t len : {key_len + 1, b.ring_tokens() - 1, b.ring_tokens(), b.ring_tokens() + 1,
                             3 * b.ring_tokens(), uint64_t{5}}) {
    b.Insert(scope, Doc(len, token));
    b.Propose(scope, Doc(key_len, token), 40);
    b.Insert(scope, b.FreshDoc(20));
  }
  return b.Take();
}

}  // namespace

void AddLateScenarios(std::vector<Scenario>& scenarios) {
  for (const bool shifted : {false, true}) {
    scenarios.push_back({shifted ? "insert then ask, shifted" : "insert then ask", 0,
                         [shifted](const std::string& name, uint64_t seed) {
                           return InsertThenAsk(name, seed, 1100, shifted);
                         }});
  }
  for (const uint64_t key_len : {8, 17, 33, 34, 65, 70, 129, 201, 257, 300}) {
    scenarios.push_back({absl::StrCat("long keys that share a slot, key_len ", key_len), 0,
                         [key_len](const std::string& name, uint64_t seed) {
                           return LongKeys(name, seed, 6144, key_len);
                         }});
  }
  for (const uint64_t key_len : {2, 3, 8, 13}) {
    for (const uint64_t budget : {6144, 6200, 7777}) {
      scenarios.push_back(
          {absl::StrCat("key across the ring's end, ", budget, " bytes, key_len ", key_len), 0,
           [=](const std::string& name, uint64_t seed) {
             return KeyAcrossTheEnd(name, seed, budget, key_len);
           }});
    }
  }
  for (const uint64_t max_scopes : {65'537ULL, 4'294'967'297ULL}) {
    scenarios.push_back({absl::StrCat("room for ", max_scopes, " scopes"), 0,
                         [max_scopes](const std::string& name, uint64_t seed) {
                           return ManyScopesAllowed(name, seed, max_scopes);
                         }});
  }
  for (const uint64_t max_scopes : {1, 3}) {
    for (const int tier : {0, 1}) {
      const uint64_t turnovers = tier == 0 ? 1'100 : 66'000;
      scenarios.push_back({absl::StrCat(turnovers, " scopes in turn, of at most ", max_scopes),
                           tier, [=](const std::string& name, uint64_t seed) {
                             return ManyTurnovers(name, seed, max_scopes, turnovers);
                           }});
    }
  }
  for (const uint64_t key_len : {1, 2, 8}) {
    scenarios.push_back({absl::StrCat("one token over and over, key_len ", key_len), 0,
                         [key_len](const std::string& name, uint64_t seed) {
                           return OneTokenOver(name, seed, key_len);
                         }});
  }
  for (const uint64_t key_len : {65'537, 65'544}) {
    scenarios.push_back(
        {absl::StrCat("key_len ", key_len), 1, [key_len](const std::string& name, uint64_t seed) {
           return KeyBeyond16Bits(name, seed, key_len);
         }});
  }
  scenarios.push_back(
      {"a document of 100000 tokens", 1, [](const std::string& name, uint64_t seed) {
         return DocumentBeyond16Bits(name, seed, 100'000);
       }});
  scenarios.push_back({"66000 uses of one scope", 1, [](const std::string& name, uint64_t seed) {
                         return ManyUsesOfOne(name, seed, 66'000);
                       }});
}

}  // namespace lockstep
