// Which scopes exist: what makes one, what uses one, which is dropped, and what a refused or short
// document leaves as it was. Empty documents are no use of a scope and so show whether it exists.

#include <algorithm>
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

// Scopes by number, each with one document of its own.
class Scopes {
 public:
  Scopes(const std::string& name, uint64_t max_scopes, uint64_t key_len, uint64_t seed)
      : b(name, ConfigFor(6144, max_scopes, key_len), seed) {}

  // Makes the scope, or uses it by an insert.
  void Insert(uint64_t number) {
    if (docs_.size() <= number) docs_.resize(number + 1);
    if (docs_[number].empty()) docs_[number] = b.FreshDoc(b.key_len() + 6 + number % 5);
    b.Insert(ScopeNumber(number), docs_[number]);
  }
  // Uses it by a proposal of one of the kinds that find something, nothing, or cannot.
  void Propose(uint64_t number, uint64_t kind) {
    Doc history = docs_.size() > number ? docs_[number] : b.FreshDoc(b.key_len() + 6);
    uint64_t max_len = 4;
    if (kind % 5 <= 1 && history.size() > b.key_len()) history.resize(b.key_len());
    if (kind % 5 == 1) max_len = 0;
    if (kind % 5 == 2) history.resize(b.key_len() - 1);
    if (kind % 5 == 3) history.push_back(kReservedToken);
    if (kind % 5 == 4) history = b.FreshDoc(b.key_len());
    b.Propose(ScopeNumber(number), std::move(history), max_len);
  }
  void ObserveAll(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) b.Observe(ScopeNumber(i));
  }
  // Asks every scope for its document, which uses those that are there.
  void AskAll(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) Propose(i, 0);
  }

  ScenarioBuilder b;

 private:
  std::vector<Doc> docs_;
};

enum class Use { kInserts, kProposals, kBoth };

// Fills the cache, uses scopes in another order, makes new ones and looks at who is gone; again
// and again, dropped scopes among those made.
Sequence OrderOfUse(const std::string& name, uint64_t seed, uint64_t max_scopes, Use use) {
  Scopes scopes(name, max_scopes, 2, seed);
  Random& random = scopes.b.random();
  const uint64_t numbers = max_scopes + std::min<uint64_t>(max_scopes, 4) + 1;
  for (uint64_t i = 0; i < max_scopes; ++i) scopes.Insert(i);
  const uint64_t rounds = max_scopes <= 7 ? 30 : max_scopes <= 65 ? 24 : 12;
  for (uint64_t round = 0; round < rounds; ++round) {
    const uint64_t uses = round == 0 ? max_scopes / 2 : random.Below(max_scopes * 2);
    for (uint64_t i = 0; i < std::min<uint64_t>(uses, 150); ++i) {
      const uint64_t number = round == 0 ? i * 2 % max_scopes : random.Below(numbers);
      const bool there = scopes.b.model().scope(ScopeNumber(number)) != nullptr;
      const bool insert = use == Use::kInserts || (use == Use::kBoth && random.OneIn(2));
      if (insert && there) scopes.Insert(number);
      if (!insert) scopes.Propose(number, random.Below(5));
    }
    for (uint64_t made = 0; made <= round % 3; ++made) {
      uint64_t number = random.Below(numbers);
      while (scopes.b.model().scope(ScopeNumber(number)) != nullptr)
        number = (number + 1) % numbers;
      scopes.Insert(number);
      if (max_scopes <= 7 || round % 8 == 0) scopes.ObserveAll(numbers);
    }
  }
  scopes.ObserveAll(numbers);
  scopes.AskAll(numbers);
  return scopes.b.Take();
}

// Documents with the reserved token at each place, and short ones: refused or ignored, they make no
// scope, drop none, refresh none and store nothing.
Sequence RefusedAndShort(const std::string& name, uint64_t seed, uint64_t max_scopes,
                         uint64_t key_len) {
  Scopes scopes(name, max_scopes, key_len, seed);
  ScenarioBuilder& b = scopes.b;
  const auto refuse = [&](uint64_t number, uint64_t len, uint64_t place) {
    Doc doc = b.FreshDoc(len);
    doc[place] = kReservedToken;
    b.Insert(ScopeNumber(number), doc);
  };
  refuse(0, key_len + 5, 0);
  refuse(0, key_len, key_len - 1);
  b.Insert(ScopeNumber(0), b.FreshDoc(key_len));
  b.Observe(ScopeNumber(0));
  for (uint64_t i = 0; i < max_scopes; ++i) scopes.Insert(i);
  uint64_t next = max_scopes;
  const uint64_t ring = b.ring_tokens();
  for (const auto& [len, place] : std::vector<std::pair<uint64_t, uint64_t>>{
           {1, 0},
           {key_len, 0},
           {key_len, key_len - 1},
           {key_len + 1, 0},
           {key_len + 1, key_len},
           {key_len + 20, key_len + 7},
           {ring - 1, 0},
           {ring, 0},
           {ring + 7, 3},
           {ring + 7, ring + 6},
           {3 * ring, 0},
           {3 * ring, ring},
           {3 * ring, 3 * ring - 1},
       }) {
    // At the limit: the least recently used scope stays, and stays the least recently used.
    refuse(next, len, place);
    b.Insert(ScopeNumber(next), b.FreshDoc(key_len));
    b.Insert(ScopeNumber(next), b.FreshDoc(1));
    scopes.ObserveAll(next + 1);
    const uint64_t least = next - max_scopes;
    refuse(least, len, place);
    b.Insert(ScopeNumber(least), b.FreshDoc(key_len));
    b.Observe(ScopeNumber(least));
    scopes.Insert(next++);
    scopes.ObserveAll(next);
  }
  scopes.AskAll(next);
  return b.Take();
}

// The reserved token at every place of one document.
Sequence ReservedEverywhere(const std::string& name, uint64_t seed, uint64_t key_len) {
  Scopes scopes(name, 2, key_len, seed);
  ScenarioBuilder& b = scopes.b;
  scopes.Insert(0);
  const Doc doc = b.FreshDoc(key_len + 70);
  for (size_t place = 0; place < doc.size(); ++place) {
    Doc bad = doc;
    bad[place] = kReservedToken;
    b.Insert(ScopeNumber(place % 3), bad);
    b.Propose(ScopeNumber(0), {doc.begin(), doc.begin() + static_cast<ptrdiff_t>(key_len)}, 80);
  }
  b.Insert(ScopeNumber(0), doc);
  b.Propose(ScopeNumber(0), {doc.begin(), doc.begin() + static_cast<ptrdiff_t>(key_len)}, 80);
  return b.Take();
}

// The reserved token far into long documents.
Sequence ReservedLate(const std::string& name, uint64_t seed, uint64_t key_len) {
  Scopes scopes(name, 2, key_len, seed);
  ScenarioBuilder& b = scopes.b;
  scopes.Insert(0);
  for (const uint64_t len : {300, 1300, 4100, 8200, 66'000}) {
    const Doc doc = b.FreshDoc(len);
    for (const uint64_t place : {255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 8191, 8192,
                                 32'768, 65'535, 65'536, 65'537, 65'999}) {
      if (place >= len || place * 20 < len) continue;
      Doc bad = doc;
      bad[place] = kReservedToken;
      b.Insert(ScopeNumber(place % 2), bad);
      // Neither before nor behind that place is anything known, nor from a key that holds it.
      for (const uint64_t end :
           {key_len, place - 1, place, place + 1, place + key_len, place + key_len + 1, len - 2}) {
        if (end < key_len || end > len) continue;
        b.Propose(ScopeNumber(place % 2),
                  {bad.begin() + static_cast<ptrdiff_t>(end - key_len),
                   bad.begin() + static_cast<ptrdiff_t>(end)},
                  4);
      }
    }
  }
  return b.Take();
}

// A scope dropped and made again, or another made in its place, holds nothing of what was there:
// not where the new text is the same, nor where its positions come to be those of the old.
Sequence DroppedIsGone(const std::string& name, uint64_t seed, uint64_t max_scopes) {
  ScenarioBuilder b(name, ConfigFor(6144, max_scopes, 2), seed);
  std::vector<Doc> docs;
  for (uint64_t i = 0; i < 40; ++i) {
    const ScopeKey scope = ScopeNumber(i % (max_scopes + 2));
    const Doc doc = b.FreshDoc(b.random().Between(20, 200));
    b.Insert(scope, i % 4 == 3 ? docs[b.random().Below(docs.size())] : doc);
    docs.push_back(doc);
    const uint64_t first = docs.size() > 12 ? docs.size() - 12 : 0;
    for (uint64_t j = first; j < docs.size(); ++j) {
      // The whole of an earlier document is asked for where it was and where it was not.
      for (const size_t end : {size_t{2}, docs[j].size() / 2, docs[j].size() - 1}) {
        b.Propose(scope, {docs[j].begin(), docs[j].begin() + static_cast<ptrdiff_t>(end)}, 5);
      }
    }
    if (i % 5 == 4) b.Fill(scope, b.ring_tokens() + 10);
  }
  return b.Take();
}

// As many scopes one after the other in one place as make a counter of 8 bits run over, while their
// few cells are all still in the ring.
Sequence TinyTurnover(const std::string& name, uint64_t seed, uint64_t max_scopes) {
  ScenarioBuilder b(name, ConfigFor(6144, max_scopes, 1), seed);
  std::vector<Doc> docs;
  for (uint64_t i = 0; i < 340 * max_scopes; ++i) {
    docs.push_back(b.FreshDoc(2));
    b.Insert(ScopeNumber(i), docs.back());
    for (const uint64_t before : {127, 128, 255, 256, 257}) {
      const uint64_t ago = before * max_scopes;
      if (ago <= i) b.Propose(ScopeNumber(i), {docs[i - ago][0]}, 2);
    }
    b.Propose(ScopeNumber(i), {docs[b.random().Below(docs.size())][0]}, 2);
  }
  return b.Take();
}

// A scope written far, then dropped: what takes its place starts anew.
Sequence DroppedFarOut(const std::string& name, uint64_t seed, uint64_t position) {
  ScenarioBuilder b(name, ConfigFor(6144 + seed % 64, 1, 1), seed);
  for (uint64_t round = 0; round < 2; ++round) {
    std::vector<Doc> docs;
    while (b.Head(ScopeNumber(round)) < position) {
      b.Insert(ScopeNumber(round), b.FreshDoc(b.ring_tokens() - 1));
    }
    for (int i = 0; i < 12; ++i) {
      docs.push_back(b.FreshDoc(20));
      b.Insert(ScopeNumber(round), docs.back());
    }
    b.Insert(ScopeNumber(round + 1), b.FreshDoc(7));
    for (const Doc& doc : docs) {
      for (size_t at = 0; at < doc.size(); at += 3) {
        b.Propose(ScopeNumber(round + 1), {doc[at]}, 4);
      }
      b.Insert(ScopeNumber(round + 1), doc);
    }
    b.ProbeSweep(ScopeNumber(round + 1));
  }
  return b.Take();
}

// A few scopes stay in use while hundreds come and go.
Sequence Turnover(const std::string& name, uint64_t seed, uint64_t max_scopes, uint64_t count) {
  Scopes scopes(name, max_scopes, 1, seed);
  for (uint64_t i = 0; i < count; ++i) {
    scopes.Insert(i);
    if (max_scopes > 1) scopes.Propose(0, i);
    if (max_scopes > 2 && i % 2 == 0) scopes.Insert(1);
    scopes.Propose(i, 0);
    scopes.Propose(i / 2, 0);
    if (i >= max_scopes) scopes.b.Observe(ScopeNumber(i - max_scopes));
    scopes.b.Observe(ScopeNumber(i - std::min(i, max_scopes - 1)));
  }
  return scopes.b.Take();
}

}  // namespace

void AddScopeScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](const char* what, const std::string& unit, int tier, uint64_t n, auto make) {
    scenarios.push_back(
        {absl::StrCat(what, ", ", unit, " ", n), tier,
         [make, n](const std::string& name, uint64_t seed) { return make(name, seed, n); },
         /*also_unobserved=*/tier == 0});
  };
  const auto with = [](Use use) {
    return [use](const std::string& name, uint64_t seed, uint64_t max_scopes) {
      return OrderOfUse(name, seed, max_scopes, use);
    };
  };
  for (const uint64_t n : {2, 1, 3, 4, 5, 7, 8, 64, 65, 100, 300}) {
    const int tier = n <= 5 || n == 65 ? 0 : 1;
    add("order of use by inserts", "scopes", tier, n, with(Use::kInserts));
    add("order of use by proposals", "scopes", tier, n, with(Use::kProposals));
    add("order of use by both", "scopes", tier, n, with(Use::kBoth));
  }
  for (const uint64_t k : {1, 2, 3, 9}) {
    for (const uint64_t scopes : {1, 2, 3, 5}) {
      add("refused and short documents", absl::StrCat(scopes, " scopes, key_len"), k == 2 ? 0 : 1,
          k, [scopes](const std::string& name, uint64_t seed, uint64_t key_len) {
            return RefusedAndShort(name, seed, scopes, key_len);
          });
    }
    add("reserved token everywhere", "key_len", k == 3 ? 0 : 1, k, ReservedEverywhere);
    if (k != 9) add("reserved token late", "key_len", k == 2 ? 0 : 1, k, ReservedLate);
  }
  for (const uint64_t n : {1, 2, 3, 6}) {
    if (n <= 3) add("tiny turnover", "scopes", n == 1 ? 0 : 1, n, TinyTurnover);
    add("dropped is gone", "scopes", n == 2 ? 0 : 1, n, DroppedIsGone);
    add("turnover", "scopes", 1, n, [](const std::string& name, uint64_t seed, uint64_t scopes) {
      return Turnover(name, seed, scopes, 400);
    });
  }
  add("dropped far out", "position", 1, 66'000, DroppedFarOut);
}

}  // namespace lockstep
