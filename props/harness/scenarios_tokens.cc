// Tokens of all kinds: every bit matters, in keys, in what is compared and in what is stored; and
// vocabularies so small that stale tokens match by chance.

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

Doc Followed(const Doc& key, const Doc& by) {
  Doc doc = key;
  doc.insert(doc.end(), by.begin(), by.end());
  return doc;
}

Token WithoutReserved(Token token) { return token == kReservedToken ? token - 1 : token; }

// Keys that differ in one bit of one token and share a slot, so that they are compared.
Sequence KeyBits(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (int bit = 0; bit < 32; ++bit) {
    const uint64_t places[] = {0, key_len / 2, key_len - 1};
    for (const uint64_t place : places) {
      Doc key, other;
      // The last token moves a hash by about the same way whatever comes before it, so that a bit
      // of it may never leave a key in its slot.
      for (int attempts = 0; attempts < 2000; ++attempts) {
        key = b.FreshDoc(key_len);
        other = key;
        other[place] = WithoutReserved(key[place] ^ (Token{1} << bit));
        if (ScenarioSlot(key, b.slot_bits()) == ScenarioSlot(other, b.slot_bits())) break;
      }
      b.Insert(scope, Followed(key, b.FreshDoc(2)));
      b.Propose(scope, other, 3);
      b.Insert(scope, Followed(other, b.FreshDoc(2)));
      b.Propose(scope, key, 3);
      b.Propose(scope, other, 3);
    }
  }
  return b.Take();
}

// The same key followed by tokens that differ in one bit: not a duplicate.
Sequence NextTokenBits(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (int bit = 0; bit < 32; ++bit) {
    const Doc key = b.FreshDoc(key_len);
    const Doc next = b.FreshDoc(2);
    Doc changed = next;
    changed[0] = WithoutReserved(next[0] ^ (Token{1} << bit));
    b.Insert(scope, Followed(key, next));
    b.Insert(scope, Followed(key, changed));
    b.Propose(scope, key, 3);
    b.Insert(scope, Followed(key, changed));
    b.Insert(scope, Followed(key, next));
    b.Propose(scope, key, 3);
  }
  return b.Take();
}

// Tokens that are equal when cut to 8, 16, 24 or 31 bits, and those at the ends of the range.
Sequence WideTokens(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(9000, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Token ends[] = {0,          1,          0xFF,       0x100,      0xFFFF,
                        0x10000,    0xFFFFFF,   0x1000000,  0x7FFFFFFF, 0x80000000,
                        0x80000001, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFF0000, 0x00FFFFFF};
  for (int i = 0; i < 40; ++i) {
    Doc doc;
    for (uint64_t j = 0; j < key_len + 30; ++j) doc.push_back(b.random().Pick(ends));
    b.Insert(scope, doc);
    for (int j = 0; j < 6; ++j) {
      const uint64_t end = b.random().Between(key_len, doc.size());
      b.Propose(scope, {doc.begin(), doc.begin() + static_cast<ptrdiff_t>(end)}, 9);
    }
  }
  for (const int bits : {8, 16, 24, 31}) {
    const Doc base = b.RandomDoc(key_len + 40, uint64_t{1} << bits);
    for (Token high = 0; high < 4; ++high) {
      Doc doc = base;
      for (Token& token : doc) token = WithoutReserved(token | (high << bits));
      b.Insert(scope, doc);
      b.ProbeAnywhere(scope, 12);
      b.Propose(scope, {doc.begin(), doc.begin() + static_cast<ptrdiff_t>(key_len)}, 60);
    }
  }
  return b.Take();
}

// Keys of all kinds over few tokens, while the ring goes round several times.
Sequence TinyVocabulary(const std::string& name, uint64_t seed, uint64_t vocabulary,
                        uint64_t key_len, uint64_t rings) {
  ScenarioBuilder b(name, ConfigFor(6144 + seed % 5 * 8, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (int i = 0; b.Head(scope) < rings * b.ring_tokens() && i < 3000; ++i) {
    const uint64_t len = key_len + b.random().Between(1, b.random().OneIn(8) ? 400 : 40);
    Doc doc = b.RandomDoc(len, vocabulary);
    // Without something new every document is soon predicted.
    if (b.random().OneIn(2)) doc[b.random().Below(doc.size())] = b.FreshToken();
    b.Insert(scope, doc);
    b.ProbeEdges(scope);
    for (int j = 0; j < 3; ++j) {
      b.Propose(scope, b.RandomDoc(key_len + b.random().Below(3), vocabulary),
                b.random().Between(1, 70));
    }
  }
  return b.Take();
}

// Documents written a ring apart, of which only a token here and there differs.
Sequence SameTextEachLap(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  Doc doc = b.FreshDoc(key_len + 100);
  // Together with the mark these documents come back to nearly the same cells each lap.
  for (uint64_t lap = 0; lap < 8; ++lap) {
    b.Insert(scope, doc);
    b.ProbeEdges(scope);
    const uint64_t head = b.Head(scope);
    b.Fill(scope, b.ring_tokens() - doc.size() - 1 + lap % 3);
    b.Probe(scope, head - 2);
    b.ProbeEdges(scope);
    doc[b.random().Below(doc.size())] = b.FreshToken();
  }
  return b.Take();
}

}  // namespace

void AddTokenScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](std::string what, int tier, uint64_t key_len, auto make) {
    scenarios.push_back({absl::StrCat(what, ", key_len ", key_len), tier,
                         [make, key_len](const std::string& name, uint64_t seed) {
                           return make(name, seed, key_len);
                         }});
  };
  for (const uint64_t k : {2, 1, 3, 5}) {
    add("bits of a key's tokens", k == 2 ? 0 : 1, k, KeyBits);
    add("bits of the next token", k == 2 ? 0 : 1, k, NextTokenBits);
    add("wide tokens", k <= 2 ? 0 : 1, k, WideTokens);
    add("same text each lap", k <= 2 ? 0 : 1, k, SameTextEachLap);
    for (const uint64_t vocabulary : {1, 2, 3, 5}) {
      add(absl::StrCat("vocabulary of ", vocabulary), vocabulary == 2 ? 0 : 1, k,
          [vocabulary](const std::string& name, uint64_t seed, uint64_t key_len) {
            return TinyVocabulary(name, seed, vocabulary, key_len, 3);
          });
    }
  }
}

}  // namespace lockstep
