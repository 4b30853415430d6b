// Scopes that are easily taken for one another, and scopes that come and go beside each other.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/scenario_builder.h"
#include "props/harness/scenarios.h"

namespace lockstep {
namespace {

using Doc = std::vector<Token>;
using Fields = std::array<uint64_t, 4>;

ScopeKey KeyOf(const Fields& f) { return {f[0], f[1], f[2], f[3]}; }

// Every scope learns the same key with another continuation. Before it does, it has nothing; after
// all have, each still has its own.
Sequence OneKeyInAll(std::string name, uint64_t seed, std::vector<ScopeKey> scopes) {
  std::sort(scopes.begin() + 1, scopes.end());
  scopes.erase(std::unique(scopes.begin() + 1, scopes.end()), scopes.end());
  ScenarioBuilder b(std::move(name), ConfigFor(6144, scopes.size() + 3, 2), seed);
  const Doc key = b.FreshDoc(2);
  for (const ScopeKey& scope : scopes) {
    b.Propose(scope, key, 4);
    Doc doc = key;
    const Doc own = b.FreshDoc(4);
    doc.insert(doc.end(), own.begin(), own.end());
    b.Insert(scope, doc);
    if (scope != scopes.front()) b.Propose(scopes.front(), key, 4);
  }
  for (const ScopeKey& scope : scopes) {
    b.Propose(scope, key, 1);
    b.Propose(scope, key, 4);
  }
  return b.Take();
}

std::vector<ScopeKey> OneBitApart(const Fields& base, int first_field, int last_field) {
  std::vector<ScopeKey> scopes = {KeyOf(base)};
  for (int field = first_field; field <= last_field; ++field) {
    for (int bit = 0; bit < 64; ++bit) {
      Fields f = base;
      f[static_cast<size_t>(field)] ^= uint64_t{1} << bit;
      scopes.push_back(KeyOf(f));
    }
  }
  return scopes;
}

std::vector<ScopeKey> Permuted(const Fields& base) {
  std::vector<ScopeKey> scopes = {KeyOf(base)};
  std::array<size_t, 4> order = {0, 1, 2, 3};
  while (std::next_permutation(order.begin(), order.end())) {
    scopes.push_back(KeyOf({base[order[0]], base[order[1]], base[order[2]], base[order[3]]}));
  }
  return scopes;
}

// Pairs of fields that come out equal under the ways in which fields are often joined into one
// number or text.
std::vector<ScopeKey> JoinedAlike(Random& random) {
  const Fields base = {random.Next() >> 8, random.Next() >> 8, random.Next() >> 8,
                       random.Next() >> 8};
  std::vector<ScopeKey> scopes = {KeyOf(base)};
  const auto with = [&](size_t i, uint64_t a, size_t j, uint64_t c) {
    Fields f = base;
    f[i] = a;
    f[j] = c;
    scopes.push_back(KeyOf(f));
  };
  constexpr uint64_t kFactors[] = {1,
                                   2,
                                   3,
                                   10,
                                   16,
                                   31,
                                   33,
                                   37,
                                   131,
                                   1000,
                                   1024,
                                   65599,
                                   1000003,
                                   16777619,
                                   uint64_t{1} << 16,
                                   uint64_t{1} << 32,
                                   0x00000100000001b3,
                                   0x9e3779b97f4a7c15,
                                   0x517cc1b727220a95,
                                   6364136223846793005};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      // a * factor + c
      for (const uint64_t factor : kFactors) with(i, base[i] + 1, j, base[j] - factor);
      const uint64_t flip = random.Next();
      with(i, base[i] ^ flip, j, base[j] ^ flip);
      const uint64_t a = random.Next();
      // (a * m) ^ c, as FNV and this project's own key hash go, and with Fx's rotation.
      for (const uint64_t m : {uint64_t{0x00000100000001b3}, uint64_t{0x517cc1b727220a95}}) {
        for (const int turn : {0, 5, 29}) {
          for (const uint64_t start : {uint64_t{0}, uint64_t{0xcbf29ce484222325}}) {
            const uint64_t old_state = std::rotl((start ^ base[i]) * m, turn);
            const uint64_t new_state = std::rotl((start ^ a) * m, turn);
            with(i, a, j, base[j] ^ old_state ^ new_state);
          }
        }
      }
      // h ^= c + 0x9e3779b9 + (h << 6) + (h >> 2), from 0
      const auto step = [](uint64_t h) { return 0x9e3779b9 + (h << 6) + (h >> 2); };
      const uint64_t old_h = base[i] + 0x9e3779b9;
      const uint64_t new_h = a + 0x9e3779b9;
      with(i, a, j, (old_h ^ (base[j] + step(old_h)) ^ new_h) - step(new_h));
    }
  }
  return scopes;
}

std::vector<ScopeKey> PlainNumbers() {
  constexpr uint64_t kEnds[] = {0, 1, 0xFFFFFFFF, uint64_t{1} << 32, ~uint64_t{0}};
  std::vector<ScopeKey> scopes = {KeyOf({1, 23, 4, 5}),    KeyOf({12, 3, 4, 5}),
                                  KeyOf({1, 2, 34, 5}),    KeyOf({1, 2, 3, 45}),
                                  KeyOf({123, 4, 5, 0}),   KeyOf({0x1, 0x2A, 4, 5}),
                                  KeyOf({0x12, 0xA, 4, 5})};
  for (const uint64_t a : kEnds) {
    for (const uint64_t b : kEnds) {
      // Equal pairs cancel out under xor.
      scopes.push_back(KeyOf({a, b, 0, 0}));
      scopes.push_back(KeyOf({0, 0, a, b}));
      scopes.push_back(KeyOf({a, a, b, b}));
      scopes.push_back(KeyOf({a, b, a, b}));
    }
  }
  return scopes;
}

// Rings written full and slots at both ends of their tables in use, in all scopes: what lies next
// to each other in memory must not run into each other.
Sequence Neighbours(std::string name, uint64_t seed, uint64_t per_scope, uint64_t key_len) {
  ScenarioBuilder b(std::move(name), ConfigFor(per_scope, 5, key_len), seed);
  const uint64_t slots[] = {0, b.slots() - 1, b.slots() / 2, 1};
  std::vector<Doc> keys;
  for (const uint64_t slot : slots) {
    Doc key = b.FreshDoc(key_len);
    while (ScenarioSlot(key, b.slot_bits()) != slot) key = b.FreshDoc(key_len);
    keys.push_back(key);
  }
  const auto use_keys = [&](uint64_t i) {
    for (const Doc& key : keys) {
      Doc doc = key;
      doc.push_back(static_cast<Token>(100 + i));
      b.Insert(ScopeNumber(i), doc);
    }
  };
  for (uint64_t i = 0; i < 5; ++i) {
    use_keys(i);
    b.Insert(ScopeNumber(i), b.SparseDoc(b.FreshDoc(key_len + 30), b.ring_tokens() - 60));
    use_keys(i);
  }
  for (uint64_t round = 0; round < 4; ++round) {
    for (uint64_t i = 0; i < 5; ++i) {
      for (const Doc& key : keys) b.Propose(ScopeNumber(i), key, 4);
      b.ProbeEdges(ScopeNumber(i));
      b.ProbeSweep(ScopeNumber(i), 29);
      b.Insert(ScopeNumber(i), b.FreshDoc(key_len + b.random().Between(1, 40)));
    }
  }
  return b.Take();
}

// Scopes that share most of their text and differ in what follows, with every kind of call under
// each: resends, edits, refused and short documents, proposals that find nothing.
Sequence SharedTexts(std::string name, uint64_t seed, uint64_t max_scopes, uint64_t scopes,
                     uint64_t calls) {
  ScenarioBuilder b(std::move(name), ConfigFor(6144 + seed % 11, max_scopes, 2), seed);
  Random& random = b.random();
  std::vector<Doc> texts;
  for (int i = 0; i < 6; ++i) texts.push_back(b.FreshDoc(random.Between(32, 160)));
  for (uint64_t i = 0; i < calls; ++i) {
    const ScopeKey scope = ScopeNumber(random.Below(scopes));
    Doc doc = random.Of(texts);
    const uint64_t at = random.Below(doc.size() - 3);
    switch (random.Below(14)) {
      case 0:
        doc[at] = kReservedToken;
        b.Insert(scope, doc);
        break;
      case 1:
        b.Insert(scope, {doc[0], doc[1]});
        break;
      case 2:
      case 3:
      case 4:
      case 5:
        // The scope's own way on from here.
        doc.resize(at + 3);
        for (uint64_t own = 0; own < 5; ++own) {
          doc.push_back(static_cast<Token>(scope.tenant * 1000 + at % 7 + own));
        }
        b.Insert(scope, doc);
        break;
      case 6:
        b.Insert(scope, doc);
        break;
      case 7: {
        // Proposals that find nothing are uses as well.
        const uint64_t kind = random.Below(3);
        doc.resize(kind == 0 ? 1 : at + 2);
        if (kind == 1) doc.push_back(kReservedToken);
        b.Propose(scope, doc, kind == 2 ? 0 : 5);
        break;
      }
      case 8:
        // Several in one call, of which the order counts.
        for (uint64_t more = random.Between(2, 5); more > 0; --more) {
          const Doc& text = random.Of(texts);
          b.ProposeBatched(ScopeNumber(random.Below(scopes)), {text[at % 30], text[at % 30 + 1]},
                           random.Below(4));
        }
        break;
      default:
        doc.resize(at + 2);
        b.Propose(scope, doc, random.OneIn(4) ? 1 : random.Between(0, 12));
    }
  }
  for (uint64_t i = 0; i < scopes; ++i) {
    for (const Doc& text : texts) b.Propose(ScopeNumber(i), {text[0], text[1]}, 200);
  }
  return b.Take();
}

}  // namespace

std::vector<Sequence> IsolationSequences(uint64_t seed) {
  Random random(seed ^ 0x15014715);
  const Fields any = {random.Next(), random.Next(), random.Next(), random.Next()};
  const Fields zero = {0, 0, 0, 0};
  std::vector<Sequence> sequences;
  const auto all = [&](std::string what, std::vector<ScopeKey> scopes) {
    sequences.push_back(
        OneKeyInAll(absl::StrCat("scopes ", what), random.Next(), std::move(scopes)));
  };
  const auto shared = [&](uint64_t max_scopes, uint64_t scopes, uint64_t calls) {
    sequences.push_back(
        SharedTexts(absl::StrCat("shared texts, ", scopes, " scopes of at most ", max_scopes),
                    random.Next(), max_scopes, scopes, calls));
  };
  all("with fields swapped", Permuted(any));
  all("one bit apart", OneBitApart(any, 0, 3));
  shared(4, 4, 300);
  shared(2, 4, 300);
  shared(1, 3, 200);
  // A limit cut to fewer bits acts as 1.
  shared(65'537, 6, 300);
  shared(4'294'967'297, 6, 300);
  all("of plain numbers", PlainNumbers());
  all("joined alike", JoinedAlike(random));
  all("one bit from zero", OneBitApart(zero, 0, 3));
  all("with small fields swapped", Permuted({1, 2, 3, 4}));
  sequences.push_back(Neighbours("neighbours, key_len 2", random.Next(), 6144, 2));
  sequences.push_back(Neighbours("neighbours, key_len 1", random.Next(), 8200, 1));
  shared(3, 5, 1500);
  shared(8, 12, 1500);
  shared(70, 90, 2500);
  std::vector<ScopeKey> many;
  for (int i = 0; i < 1100; ++i) {
    many.push_back({random.Next(), random.Next(), random.Next(), random.Next()});
  }
  all("by the thousand", std::move(many));
  return sequences;
}

Sequence RandomIsolationSequence(uint64_t seed, uint64_t call_count) {
  Random random(seed);
  const uint64_t max_scopes = random.OneIn(5) ? random.Between(10, 70) : random.Between(1, 6);
  const uint64_t scopes = random.OneIn(4) ? max_scopes : max_scopes + random.Between(1, 6);
  return SharedTexts(absl::StrCat("random scopes, seed ", seed), random.Next(), max_scopes, scopes,
                     call_count);
}

}  // namespace lockstep
