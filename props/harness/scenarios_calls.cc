// Many calls on one cache, each of which would show a call that went wrong: faults that wait for
// the 997th call, or for a counter of 8, 10, 12 or 16 bits to run over.

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

// Inserts that all write, and proposals that all find; `scopes` scopes take turns.
Sequence ManyCalls(const std::string& name, uint64_t seed, uint64_t calls, uint64_t one_insert_in,
                   uint64_t scopes) {
  ScenarioBuilder b(name, ConfigFor(6144 + seed % 9, scopes, 2), seed);
  std::vector<Doc> latest(scopes + 1);
  for (uint64_t i = 0; i < calls; ++i) {
    const uint64_t number = b.random().Below(i % 64 == 63 ? scopes + 1 : scopes);
    Doc& doc = latest[number];
    if (doc.empty() || i % one_insert_in == 0) {
      doc = b.FreshDoc(5);
      b.Insert(ScopeNumber(number), doc);
    } else {
      // Which tokens follow tells which were found.
      const uint64_t end = b.random().Between(2, 4);
      b.Propose(ScopeNumber(number), {doc.begin(), doc.begin() + static_cast<ptrdiff_t>(end)}, 3);
    }
  }
  return b.Take();
}

// Each document is asked for when the next one has come: a draft must not run on into that.
Sequence InsertsInARow(const std::string& name, uint64_t seed, uint64_t inserts) {
  ScenarioBuilder b(name, ConfigFor(6144 + seed % 13, 1, 2), seed);
  Doc before = b.FreshDoc(6);
  for (uint64_t i = 0; i < inserts; ++i) {
    Doc doc = b.FreshDoc(5 + i % 3);
    b.Insert(ScopeNumber(0), doc);
    const uint64_t end = 2 + i % 2;
    b.Propose(ScopeNumber(0), {before.begin(), before.begin() + static_cast<ptrdiff_t>(end)}, 20);
    before = std::move(doc);
  }
  return b.Take();
}

// Scopes come and go all the time, so that whenever a count of uses runs over, a drop shows it.
Sequence ManyTurnovers(const std::string& name, uint64_t seed, uint64_t calls) {
  ScenarioBuilder b(name, ConfigFor(6144, 3, 1), seed);
  const Doc doc = b.FreshDoc(3);
  uint64_t newest = 0;
  for (uint64_t i = 0; i < calls; ++i) {
    if (i % 5 == 0) {
      b.Insert(ScopeNumber(++newest), doc);
      continue;
    }
    // The newest two of the three that are there are used in turn, so that the third is dropped
    // next; the one dropped last is asked for in vain.
    const uint64_t back = i % 5 == 4 ? 3 : i % 5 == 2 ? 0 : 1;
    if (back <= newest) b.Propose(ScopeNumber(newest - back), {doc[i % 2]}, 1);
  }
  return b.Take();
}

// Uses by the tens of thousands between two drops.
Sequence ManyUses(const std::string& name, uint64_t seed, uint64_t uses) {
  ScenarioBuilder b(name, ConfigFor(6144, 3, 1), seed);
  const Doc doc = b.FreshDoc(3);
  for (uint64_t round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 3; ++i) b.Insert(ScopeNumber(i), doc);
    // Scope 0 is used often, scope 2 now and then, scope 1 never: it is the one dropped.
    for (uint64_t i = 0; i < uses; ++i) {
      b.Propose(ScopeNumber(i % 97 == 0 ? 2 : 0), {doc[0]}, 1);
    }
    b.Propose(ScopeNumber(2), {doc[0]}, 1);
    b.Insert(ScopeNumber(3 + round), doc);
    for (uint64_t i = 0; i < 4 + round; ++i) b.Observe(ScopeNumber(i));
  }
  return b.Take();
}

// Over and over the same document: nothing is written after the first time.
Sequence ManyRepeats(const std::string& name, uint64_t seed, uint64_t calls) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, 3), seed);
  const Doc doc = b.SparseDoc(b.FreshDoc(12), 14);
  for (uint64_t i = 0; i < calls; ++i) {
    b.Insert(ScopeNumber(0), doc);
    if (i % 16 == 0) b.Propose(ScopeNumber(0), {doc.begin(), doc.begin() + 3}, 20);
  }
  return b.Take();
}

}  // namespace

void AddCallScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](const char* what, int tier, uint64_t calls, auto make) {
    scenarios.push_back(
        {absl::StrCat(calls, what), tier, [make, calls](const std::string& name, uint64_t seed) {
           return make(name, seed, calls);
         }});
  };
  add(" calls, one scope", 0, 1300, [](const std::string& name, uint64_t seed, uint64_t calls) {
    return ManyCalls(name, seed, calls, 7, 1);
  });
  add(" calls, mostly inserts", 1, 5000,
      [](const std::string& name, uint64_t seed, uint64_t calls) {
        return ManyCalls(name, seed, calls, 1 + 1, 3);
      });
  add(" inserts in a row", 0, 1100, InsertsInARow);
  add(" inserts in a row", 1, 5000, InsertsInARow);
  add(" uses between drops", 0, 700, ManyUses);
  add(" calls, scopes come and go", 1, 3000, ManyTurnovers);
  add(" repeats", 1, 4400, ManyRepeats);
  add(" inserts in a row", 2, 66'000, InsertsInARow);
  add(" calls, five scopes", 2, 70'000, [](const std::string& name, uint64_t seed, uint64_t calls) {
    return ManyCalls(name, seed, calls, 9, 5);
  });
  add(" calls, scopes come and go", 2, 90'000, ManyTurnovers);
  add(" uses between drops", 2, 66'000, ManyUses);
}

}  // namespace lockstep
