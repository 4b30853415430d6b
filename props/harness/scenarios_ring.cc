// What happens at the ends of the ring: the oldest position that can be believed, repeats at a
// distance of about one ring, documents longer than a ring, and wrapping.

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

// A ring that holds a dozen keys.
uint64_t ScopeBytesFor(uint64_t key_len, uint64_t seed) {
  const uint64_t residue = Random(seed).Below(16);
  if (key_len <= 8) return 6144 + residue;
  return 48 * 1024 + 4 * residue;
}

// Writes a document, then moves the oldest position to each of its first cells in turn, looking on
// both sides. Nothing else touches the slots of its keys.
Sequence OldestEdge(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(ScopeBytesFor(key_len, seed), 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t offset : {0, 1, 2, 5, 31}) {
    const uint64_t start = b.Head(scope);
    b.Insert(scope, b.SpreadDoc(key_len + 60));
    b.Fill(scope, start + b.ring_tokens() + offset - b.Head(scope));
    b.ProbeEdges(scope);
    if (key_len > 16) continue;
    for (uint64_t i = 0; i < 6; ++i) {
      b.Fill(scope, key_len + 3 + i % 4);
      b.ProbeEdges(scope);
    }
  }
  b.ProbeAnywhere(scope, 40);
  return b.Take();
}

// A text written twice, so many cells apart that the first copy is about to be overwritten: whether
// its tokens count as duplicates turns on one position.
Sequence RepeatAtDistance(const std::string& name, uint64_t seed, uint64_t key_len) {
  // So many slots that the keys across the seam hardly meet those of the text.
  const uint64_t bytes = key_len > 64 ? 400'000 : ScopeBytesFor(key_len, seed);
  ScenarioBuilder b(name, ConfigFor(bytes, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const uint64_t ring = b.ring_tokens();
  std::vector<uint64_t> distances;
  for (uint64_t d = ring - key_len - 2; d <= ring - key_len + 2; ++d) distances.push_back(d);
  for (const uint64_t d : {ring - key_len / 2, ring - 1, ring, ring + 1}) distances.push_back(d);
  for (const uint64_t distance : distances) {
    const std::vector<Token> text = b.SpreadDoc(key_len + 75);
    const uint64_t start = b.Head(scope);
    b.Insert(scope, text);
    const uint64_t head = start + distance - (key_len + 1);
    if (head > b.Head(scope)) b.Fill(scope, head - b.Head(scope));
    const std::vector<Token> again = b.SpreadDoc(key_len + 1, text);
    b.Insert(scope, again);
    b.ProbeEdges(scope);
    b.Insert(scope, again);
  }
  return b.Take();
}

// The same, where the second copy begins with the text: nothing is being written when the first
// copy is looked up.
Sequence ResendAtEdge(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(ScopeBytesFor(key_len, seed), 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  for (const uint64_t slack : {key_len + 1, key_len, key_len - 1, uint64_t{0}, key_len / 2}) {
    const std::vector<Token> text = b.SpreadDoc(key_len + 75);
    const uint64_t start = b.Head(scope);
    b.Insert(scope, text);
    // The first key is found at start + key_len, `slack` cells above the oldest.
    b.Fill(scope, start + key_len - slack + b.ring_tokens() - b.Head(scope));
    b.Insert(scope, text);
    b.ProbeEdges(scope);
    b.Insert(scope, text);
  }
  return b.Take();
}

// Positions just overwritten, whose keys now read partly old and partly new, the mark of the newest
// run among it. No history with the reserved token matches, also not where its slot holds such a
// position.
Sequence DeadKeys(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(ScopeBytesFor(key_len, seed), 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  // The last tokens that Fill writes, and the mark.
  b.Fill(scope, key_len + 20);
  const std::vector<Token> newest = b.Written(scope, b.Head(scope) - key_len, b.Head(scope));
  for (uint64_t dead = 1; dead <= key_len; ++dead) {
    std::vector<Token> key, mixed;
    do {
      key = b.FreshDoc(key_len);
      mixed.assign(newest.end() - static_cast<ptrdiff_t>(dead), newest.end());
      mixed.insert(mixed.end(), key.begin() + static_cast<ptrdiff_t>(dead), key.end());
    } while (ScenarioSlot(key, b.slot_bits()) != ScenarioSlot(mixed, b.slot_bits()));
    std::vector<Token> doc = key;
    for (const Token token : b.FreshDoc(9)) doc.push_back(token);
    const uint64_t start = b.Head(scope);
    b.Insert(scope, doc);
    b.Fill(scope, start + dead + b.ring_tokens() - b.Head(scope));
    b.Propose(scope, mixed, 5);
    b.Propose(scope, key, 5);
    b.ProbeEdges(scope);
  }
  return b.Take();
}

// Probes a document around the token with which the part that counts begins, and at both ends.
void ProbeAroundCut(ScenarioBuilder& b, const ScopeKey& scope, const std::vector<Token>& doc) {
  const uint64_t k = b.key_len();
  const uint64_t kept = std::min<uint64_t>(doc.size(), b.ring_tokens() - 1);
  const uint64_t cut = doc.size() - kept;
  for (uint64_t e : {k, k + 1, cut + k - 1, cut + k, cut + k + 1, cut + k + 2,
                     uint64_t{doc.size() / 2}, uint64_t{doc.size() - 1}, uint64_t{doc.size()}}) {
    if (e < k || e > doc.size()) continue;
    b.Propose(
        scope,
        {doc.begin() + static_cast<ptrdiff_t>(e - k), doc.begin() + static_cast<ptrdiff_t>(e)}, 5);
  }
}

// Documents about as long as the ring and several times longer. With few keys every key of the part
// that counts is still there afterwards.
Sequence TailCut(const std::string& name, uint64_t seed, uint64_t key_len, bool sparse) {
  ScenarioBuilder b(name, ConfigFor(6144 + seed % 7 * 4, 16, key_len), seed);
  const uint64_t ring = b.ring_tokens();
  uint64_t number = 0;
  for (const uint64_t len : {ring - 2, ring - 1, ring, ring + 1, ring + key_len, ring + 40,
                             2 * ring - 1, 2 * ring, 3 * ring + 5}) {
    const ScopeKey scope = ScopeNumber(number++);
    std::vector<Token> doc;
    if (sparse) {
      // Fresh where the part that counts begins, and in the head that does not.
      const uint64_t cut = len < ring ? 0 : len - (ring - 1);
      doc = b.SparseDoc(b.SpreadDoc(cut + key_len + 20), len);
    } else {
      doc = b.FreshDoc(len);
    }
    b.Insert(scope, doc);
    ProbeAroundCut(b, scope, doc);
    b.Insert(scope, doc);
    b.Insert(scope, b.FreshDoc(key_len + 3));
    ProbeAroundCut(b, scope, doc);
    b.Insert(scope, doc);
    b.ProbeEdges(scope);
  }
  return b.Take();
}

// A document that repeats itself: were its head not cut off, its tail would all be predicted.
Sequence RepeatedTail(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 8, key_len), seed);
  const uint64_t ring = b.ring_tokens();
  uint64_t number = 0;
  for (const uint64_t part : {ring / 3, ring / 2, ring * 2 / 3, ring - 40, ring - 1, ring}) {
    const ScopeKey scope = ScopeNumber(number++);
    const std::vector<Token> text = b.SparseDoc(b.FreshDoc(key_len + 80), part);
    std::vector<Token> doc;
    for (int i = 0; i < 3; ++i) doc.insert(doc.end(), text.begin(), text.end());
    b.Insert(scope, doc);
    ProbeAroundCut(b, scope, doc);
    doc.insert(doc.begin(), 3, b.FreshToken());
    b.Insert(scope, doc);
    ProbeAroundCut(b, scope, doc);
  }
  return b.Take();
}

// Three rings of documents of all lengths, fresh, repeated and edited, and a look at every live
// position after each ring.
Sequence WrapAndSweep(const std::string& name, uint64_t seed, uint64_t per_scope,
                      uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(per_scope, 1, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  std::vector<std::vector<Token>> docs;
  for (uint64_t lap = 1; lap <= 3; ++lap) {
    while (b.Head(scope) < lap * b.ring_tokens() + lap * 7) {
      std::vector<Token> doc = b.FreshDoc(key_len + b.random().Between(1, 90));
      if (!docs.empty() && b.random().OneIn(3)) {
        const std::vector<Token>& old = b.random().Of(docs);
        doc.insert(doc.end(), old.begin(), old.end());
        if (doc.size() > b.ring_tokens() / 2) doc.resize(b.ring_tokens() / 2);
        if (b.random().OneIn(2)) doc[b.random().Below(doc.size())] = b.FreshToken();
      }
      b.Insert(scope, doc);
      b.ProbeEdges(scope);
      docs.push_back(std::move(doc));
    }
    b.ProbeSweep(scope, lap == 2 ? 1 : 5);
    b.ProbeAnywhere(scope, 60);
  }
  return b.Take();
}

// Keys nearly as long as the ring leave room for one or two tokens to predict.
Sequence KeyNearlyRing(const std::string& name, uint64_t seed, uint64_t key_len) {
  ScenarioBuilder b(name, ConfigFor(6144, 2, key_len), seed);
  const ScopeKey scope = ScopeNumber(0);
  const uint64_t k = key_len;
  const uint64_t ring = b.ring_tokens();
  for (const uint64_t len : {k, k + 1, k + 2, k + 3, ring - 1, ring, ring + 1, 2 * ring}) {
    const std::vector<Token> doc = b.FreshDoc(len);
    b.Insert(scope, doc);
    if (len <= k) continue;
    ProbeAroundCut(b, scope, doc);
    b.Insert(scope, doc);
    std::vector<Token> other = doc;
    other.back() = b.FreshToken();
    b.Insert(scope, other);
    ProbeAroundCut(b, scope, other);
  }
  return b.Take();
}

}  // namespace

void AddRingScenarios(std::vector<Scenario>& scenarios) {
  const auto add = [&](std::string what, int tier, uint64_t key_len, auto make) {
    scenarios.push_back({absl::StrCat(what, ", key_len ", key_len), tier,
                         [make, key_len](const std::string& name, uint64_t seed) {
                           return make(name, seed, key_len);
                         }});
  };
  for (const uint64_t k : {1, 2, 3, 4, 5, 8, 13, 16, 33, 64, 255, 256, 257}) {
    const int tier = k <= 4 ? 0 : 1;
    add("oldest position", tier, k, OldestEdge);
    if (k <= 64) add("repeat at a ring's distance", tier, k, RepeatAtDistance);
    add("resend at the edge", tier, k, ResendAtEdge);
    if (k <= 16) add("dead keys", tier, k, DeadKeys);
  }
  add("repeat at a ring's distance", 2, 256, RepeatAtDistance);
  for (const uint64_t k : {1, 2, 3, 6}) {
    const int tier = k == 2 ? 0 : 1;
    for (const bool sparse : {true, false}) {
      add(sparse ? "tail cut, few keys" : "tail cut", tier, k,
          [sparse](const std::string& name, uint64_t seed, uint64_t key_len) {
            return TailCut(name, seed, key_len, sparse);
          });
    }
    add("repeated tail", tier, k, RepeatedTail);
  }
  for (const uint64_t per_scope : {6144, 6149, 7777, 9001, 16383, 20011}) {
    for (const uint64_t k : {1, 3}) {
      add(absl::StrCat("wrap and sweep ", per_scope, " bytes"), per_scope == 6149 ? 0 : 1, k,
          [per_scope](const std::string& name, uint64_t seed, uint64_t key_len) {
            return WrapAndSweep(name, seed, per_scope, key_len);
          });
    }
  }
  for (const uint64_t key_len : {1014, 1020, 1021, 1022}) {
    add("key nearly as long as the ring", 1, key_len, KeyNearlyRing);
  }
}

}  // namespace lockstep
