// Runs of tokens in the ring: how many predicted tokens cut one, where a second one starts, how it
// ends, and what a resent or edited document writes.

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

void Append(Doc& doc, const Doc& from, uint64_t begin, uint64_t end) {
  doc.insert(doc.end(), from.begin() + static_cast<ptrdiff_t>(begin),
             from.begin() + static_cast<ptrdiff_t>(std::min<uint64_t>(end, from.size())));
}

void Append(Doc& doc, const Doc& more) { doc.insert(doc.end(), more.begin(), more.end()); }

// Looks from every place of a document.
void ProbeAll(ScenarioBuilder& b, const ScopeKey& scope, const Doc& doc, uint64_t step = 1) {
  const uint64_t k = b.key_len();
  for (uint64_t e = k; e <= doc.size(); e += step) {
    b.Propose(
        scope,
        {doc.begin() + static_cast<ptrdiff_t>(e - k), doc.begin() + static_cast<ptrdiff_t>(e)}, 40);
  }
}

// A new token, `count` predicted ones, a new one, and more predicted ones after it: all counts
// around the limit, each over a text of its own.
Sequence DuplicateCounts(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(24'000, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t count : {31, 32, 33, 1, 30, 34, 63, 64, 65, 96}) {
    const Doc text = b.SpreadDoc(key_len + 150);
    b.Insert(scope, text);
    Doc doc = b.FreshDoc(key_len + 1);
    Append(doc, text, 0, key_len + count);
    if (count % 2 == 0 || count == 31) {
      doc.push_back(b.FreshToken());
      Append(doc, text, key_len + 5, key_len + 5 + key_len + count);
    }
    b.Insert(scope, doc);
    ProbeAll(b, scope, doc, 3);
    b.Propose(scope, {doc.end() - static_cast<ptrdiff_t>(key_len), doc.end()}, 4);
    doc.push_back(b.FreshToken());
    b.Insert(scope, doc);
  }
  return b.Take();
}

// 31 predicted tokens, one that is not, and 31 again: no run is cut, as the count starts anew. Then
// a document that begins with predicted tokens, which are not written but counted.
Sequence BrokenCounts(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(24'000, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const Doc text = b.SpreadDoc(key_len + 400);
  for (const uint64_t first : {31, 16, 1, 32}) {
    b.Insert(scope, text);
    Doc doc = b.FreshDoc(key_len + 1);
    for (uint64_t i = 0; i < 4; ++i) {
      Append(doc, text, i * (key_len + 40), i * (key_len + 40) + key_len + first);
      doc.push_back(b.FreshToken());
    }
    b.Insert(scope, doc);
    ProbeAll(b, scope, doc, 7);
  }
  for (const uint64_t before : {1, 20, 31, 32, 40}) {
    const Doc other = b.SpreadDoc(key_len + 200);
    b.Insert(scope, other);
    Doc doc;
    Append(doc, other, 0, key_len + before);
    doc.push_back(b.FreshToken());
    Append(doc, other, 60, 60 + key_len + 31);
    doc.push_back(b.FreshToken());
    Append(doc, other, 60, 60 + key_len + 32);
    doc.push_back(b.FreshToken());
    b.Insert(scope, doc);
    ProbeAll(b, scope, doc, 7);
  }
  return b.Take();
}

// A predicted key whose token is another one breaks the count as an unknown key does.
Sequence WrongPredictions(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(24'000, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t at : {1, 15, 30, 31, 32, 33, 50}) {
    const Doc text = b.SpreadDoc(key_len + 100);
    b.Insert(scope, text);
    Doc doc = b.FreshDoc(key_len + 1);
    Append(doc, text);
    doc[2 * key_len + 1 + at] ^= 1;
    if (doc[2 * key_len + 1 + at] == kReservedToken) doc[2 * key_len + 1 + at] = 0;
    b.Insert(scope, doc);
    ProbeAll(b, scope, text, 11);
    ProbeAll(b, scope, doc, 11);
    b.Insert(scope, text);
  }
  return b.Take();
}

// One token over and over, and short periods: a document that predicts itself while it is written.
Sequence Periods(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(12'500, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t period : {1, 2, 3, 5, 16, 31, 32, 33, 40}) {
    const Doc unit = b.FreshDoc(period);
    for (const uint64_t extra : {1, 30, 31, 32, 33, 34, 35, 70}) {
      if (period > 3 && extra != 35 && extra != 70) continue;
      Doc doc;
      while (doc.size() < key_len + extra + (period > 3 ? 2 * period : 0)) Append(doc, unit);
      doc.resize(key_len + extra + (period > 3 ? 2 * period : 0));
      if (extra == 70) doc.push_back(b.FreshToken());
      b.Insert(scope, doc);
      ProbeAll(b, scope, doc, 13);
    }
  }
  return b.Take();
}

// Where documents end: what follows the last key of one is nothing, not the next document, and a
// key half in one document and half in the next is no key.
Sequence DocumentEnds(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6150, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  Doc last = b.FreshDoc(key_len + 9);
  b.Insert(scope, last);
  while (b.Head(scope) < 2 * b.ring_tokens()) {
    const Doc doc = b.FreshDoc(key_len + b.random().Between(1, 60));
    b.Insert(scope, doc);
    Doc joined = last;
    Append(joined, doc);
    for (uint64_t e = last.size() - 1; e <= last.size() + key_len; ++e) {
      Doc history;
      Append(history, joined, 0, e);
      b.Propose(scope, history, 50);
    }
    ProbeAll(b, scope, doc, doc.size() / 3 + 1);
    last = doc;
  }
  return b.Take();
}

// The same for documents whose places need more than 16 bits.
Sequence LongDocumentEnds(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor((uint64_t{2} << 20) + 12, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  Doc last = b.FreshDoc(key_len + 30);
  b.Insert(scope, last);
  for (const uint64_t len : {65'535, 65'536, 65'537, 70'000}) {
    const Doc doc = b.FreshDoc(len);
    b.Insert(scope, doc);
    Doc joined(last.end() - static_cast<ptrdiff_t>(key_len), last.end());
    Append(joined, doc, 0, 2 * key_len);
    ProbeAll(b, scope, joined);
    ProbeAll(b, scope, doc, 4099);
    const uint64_t beyond = std::min<uint64_t>(65'530, len - 10);
    ProbeAll(b, scope, {doc.begin() + static_cast<ptrdiff_t>(beyond), doc.end()}, 97);
    last = doc;
  }
  return b.Take();
}

// What servers send: each turn sends all of the last one and more; the same request again and
// again; a request with one token changed, left out or put in.
Sequence Resends(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(40'000, 2, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  Doc turns;
  for (int turn = 0; turn < 7; ++turn) {
    Append(turns, b.FreshDoc(key_len + b.random().Between(3, 120)));
    b.Insert(scope, turns);
    ProbeAll(b, scope, turns, 17);
  }
  for (int i = 0; i < 3; ++i) b.Insert(scope, turns);
  for (int i = 0; i < 24; ++i) {
    Doc edited = turns;
    const auto at = static_cast<ptrdiff_t>(b.random().Below(edited.size()));
    if (i % 3 == 0) edited[static_cast<size_t>(at)] = b.FreshToken();
    if (i % 3 == 1) edited.erase(edited.begin() + at);
    if (i % 3 == 2) edited.insert(edited.begin() + at, b.FreshToken());
    b.Insert(scope, edited);
    ProbeAll(b, scope, edited, 23);
    if (i % 4 == 0) b.Insert(scope, edited);
    if (i % 8 == 7) turns = edited;
  }
  return b.Take();
}

// One key with two continuations in a document: sending it again writes again.
Sequence TwoContinuations(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(12'000, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t gap : {1, 7, 40}) {
    const Doc key = b.FreshDoc(key_len);
    Doc doc = key;
    Append(doc, b.FreshDoc(gap));
    Append(doc, key);
    Append(doc, b.FreshDoc(gap + 3));
    for (int i = 0; i < 4; ++i) {
      b.Insert(scope, doc);
      ProbeAll(b, scope, doc, 5);
      b.Propose(scope, key, 20);
    }
  }
  return b.Take();
}

}  // namespace

void AddRunScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](const char* what, uint64_t key_len, auto make) {
    scenarios.push_back({absl::StrCat(what, ", key_len ", key_len), key_len <= 3 ? 0 : 1,
                         [make, key_len](const std::string& name, uint64_t seed) {
                           return make(name, seed, key_len);
                         }});
  };
  for (const uint64_t k : {3, 1, 2, 4, 8, 17, 32, 40}) {
    add("counts of duplicates", k, DuplicateCounts);
    add("broken counts", k, BrokenCounts);
    if (k > 8) continue;
    add("wrong predictions", k, WrongPredictions);
    add("periods", k, Periods);
    add("ends of documents", k, DocumentEnds);
    if (k == 2 || k == 4) add("ends of long documents", k, LongDocumentEnds);
    add("resends", k, Resends);
    add("two continuations", k, TwoContinuations);
  }
}

}  // namespace lockstep
