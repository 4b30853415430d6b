// What a proposal may be asked: histories of all lengths, the reserved token in them, all lengths
// of drafts, and several proposals in one call.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/scenario_builder.h"
#include "props/harness/scenario_list.h"

namespace lockstep {
namespace {

using Doc = std::vector<Token>;

Doc Part(const Doc& doc, uint64_t begin, uint64_t end) {
  return {doc.begin() + static_cast<ptrdiff_t>(begin), doc.begin() + static_cast<ptrdiff_t>(end)};
}

// The key alone, with other tokens before it, cut short, and none.
Sequence Histories(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(12'345, 2, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc doc = b.FreshDoc(key_len + 30);
  b.Propose(scope, doc, 8);
  b.Insert(scope, doc);
  b.Propose(ScopeNumber(1), doc, 8);
  b.Propose(ScopeNumber(1), {}, 0);
  for (const uint64_t end : {key_len, key_len + 1, key_len + 11, key_len + 29, key_len + 30}) {
    const Doc key = Part(doc, end - key_len, end);
    b.Propose(scope, key, 8);
    b.Propose(scope, Part(doc, 0, end), 8);
    b.Propose(scope, Part(key, 1, key_len), 8);
    for (const uint64_t before : {1, 2, 7, 300}) {
      Doc history = b.FreshDoc(before);
      history.insert(history.end(), key.begin(), key.end());
      b.Propose(scope, history, 8);
      history.push_back(b.FreshToken());
      b.Propose(scope, history, 8);
      // The key is not what the history ends with.
      history.assign(key.begin(), key.end());
      history.insert(history.begin(), key.begin(), key.end());
      history.push_back(key.front());
      b.Propose(scope, history, 8);
    }
  }
  b.Propose(scope, {}, 8);
  b.Propose(scope, {}, 0);
  return b.Take();
}

// Histories so long that a length kept in 8 or 16 bits, or a buffer of some size, is too small.
// Each holds a known key at its start too, which must not be taken for the last one.
Sequence LongHistories(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc doc = b.SpreadDoc(key_len + 30);
  b.Insert(scope, doc);
  for (const uint64_t len : {255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 8193, 32768, 65535,
                             65536, 65537, 65536 + 20, 70'000, 140'000}) {
    for (const uint64_t end : {key_len, key_len + 9}) {
      Doc history = Part(doc, 0, key_len + 3);
      while (history.size() + key_len < len) history.push_back(b.FreshToken());
      history.insert(history.end(), doc.begin() + static_cast<ptrdiff_t>(end - key_len),
                     doc.begin() + static_cast<ptrdiff_t>(end));
      b.Propose(scope, history, 6);
    }
  }
  Doc unknown = doc;
  while (unknown.size() < 66'000) unknown.insert(unknown.end(), doc.begin(), doc.end());
  unknown.push_back(b.FreshToken());
  b.Propose(scope, unknown, 6);
  return b.Take();
}

// Drafts longer than any buffer that someone might have thought large enough. The first keys keep
// their slots, as the others are few.
Sequence LongDrafts(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(420'000, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t follows : {1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 65'537}) {
    const Doc doc = b.SparseDoc(b.SpreadDoc(key_len + 30), key_len + follows);
    b.Insert(scope, doc);
    const Doc key = Part(doc, 0, key_len);
    for (const uint64_t max_len : {follows - 1, follows, follows + 1}) {
      b.Propose(scope, key, max_len);
    }
    if (follows < 60'000) b.Propose(scope, key, std::numeric_limits<uint64_t>::max());
  }
  return b.Take();
}

// The reserved token in each place of a history. Only the last key_len tokens are looked at.
Sequence ReservedInHistory(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 2, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc doc = b.FreshDoc(key_len + 12);
  b.Insert(scope, doc);
  b.Insert(scope, b.FreshDoc(key_len + 5));
  for (uint64_t end = key_len; end <= doc.size(); ++end) {
    for (uint64_t place = 0; place < end; ++place) {
      if (key_len > 8 && place % 5 != end % 5) continue;
      Doc history = Part(doc, 0, end);
      history[place] = kReservedToken;
      b.Propose(scope, history, 6);
    }
    Doc history = Part(doc, 0, end);
    history.push_back(kReservedToken);
    b.Propose(scope, history, 6);
  }
  b.Propose(scope, Doc(key_len, kReservedToken), 6);
  // Keys with the reserved token that fall into a slot in use: in the ring such a key may well be
  // there, where a run ends.
  for (uint64_t p = key_len + 2; p < b.Head(scope); ++p) {
    if (key_len <= 8) b.Probe(scope, p);
  }
  for (int i = 0; i < 400 && key_len <= 8; ++i) {
    Doc history = b.FreshDoc(key_len);
    history[b.random().Below(key_len)] = kReservedToken;
    b.Propose(scope, history, 6);
  }
  return b.Take();
}

// Every length of a draft against every max_len around it, asked twice: asking changes nothing.
Sequence DraftLengths(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(24'576, 2, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t follows : {1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,  31,
                                 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000}) {
    const Doc doc = b.FreshDoc(key_len + follows);
    b.Insert(scope, doc);
    const Doc key = Part(doc, 0, key_len);
    for (const uint64_t max_len : {uint64_t{0}, uint64_t{1}, follows - 1, follows, follows + 1,
                                   follows + 7, uint64_t{4096}, uint64_t{65'536}, uint64_t{1} << 32,
                                   uint64_t{1} << 63, std::numeric_limits<uint64_t>::max()}) {
      b.Propose(scope, key, max_len);
      b.Propose(scope, key, max_len);
    }
  }
  return b.Take();
}

// A run cut in the middle of a document ends drafts there; from behind the cut they go on.
Sequence DraftEnds(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(24'576, 2, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc text = b.FreshDoc(key_len + 200);
  b.Insert(scope, text);
  Doc doc = b.FreshDoc(key_len + 6);
  doc.insert(doc.end(), text.begin(), text.begin() + static_cast<ptrdiff_t>(key_len + 60));
  const Doc tail = b.FreshDoc(key_len + 6);
  doc.insert(doc.end(), tail.begin(), tail.end());
  b.Insert(scope, doc);
  for (uint64_t end = key_len; end <= doc.size(); ++end) {
    for (const uint64_t max_len : {1, 31, 32, 33, 1000}) {
      b.Propose(scope, Part(doc, 0, end), max_len);
    }
  }
  return b.Take();
}

// Proposals in one call are the same calls in that order: also where their scopes are many, the
// same, absent, and where their order decides what is dropped afterwards.
Sequence Batches(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 4, key_len), seed);
  std::vector<Doc> docs;
  for (uint64_t i = 0; i < 60; ++i) {
    docs.push_back(b.FreshDoc(key_len + b.random().Between(2, 30)));
    b.Insert(ScopeNumber(i), docs.back());
    const uint64_t size = b.random().Between(2, 6);
    for (uint64_t j = 0; j < size; ++j) {
      const uint64_t number = i - std::min(i, b.random().Below(6));
      const Doc& doc = docs[number];
      Doc history = Part(doc, 0, b.random().Between(key_len - 1, doc.size()));
      const uint64_t max_len = b.random().OneIn(5) ? 0 : b.random().Between(1, 40);
      if (j == 0) {
        b.Propose(ScopeNumber(number), std::move(history), max_len);
      } else {
        b.ProposeBatched(ScopeNumber(number), std::move(history), max_len);
      }
    }
    for (uint64_t j = 0; j < 6 && j <= i; ++j) b.Observe(ScopeNumber(i - j));
  }
  return b.Take();
}

}  // namespace

void AddProposeScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](const char* what, uint64_t key_len, auto make) {
    scenarios.push_back({absl::StrCat(what, ", key_len ", key_len), key_len == 3 ? 0 : 1,
                         [make, key_len](const std::string& name, uint64_t seed) {
                           return make(name, seed, key_len);
                         }});
  };
  for (const uint64_t k : {3, 1, 2, 4, 7, 12, 64, 256}) {
    add("histories", k, Histories);
    add("reserved token in the history", k, ReservedInHistory);
    if (k == 3 || k == 1 || k == 12) add("long histories", k, LongHistories);
    if (k <= 3) add("long drafts", k, LongDrafts);
    if (k > 8) continue;
    add("lengths of drafts", k, DraftLengths);
    add("ends of drafts", k, DraftEnds);
    add("batches", k, Batches);
  }
}

}  // namespace lockstep
