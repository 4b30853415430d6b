#include "props/harness/bounds_sequences.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/random.h"

namespace lockstep {
namespace {

constexpr ScopeKey kScope = {1, 2, 3, 4};
constexpr ScopeKey kAbsent = {4, 3, 2, 1};
constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
// The ring of a scope with the least share.
constexpr uint64_t kLeastShare = 6144;
constexpr uint64_t kLeastRing = 1024;

constexpr uint64_t kLens[] = {
    0,
    1,
    2,
    47,
    48,
    49,
    1023,
    1024,
    1025,
    4096,
    65'535,
    65'536,
    65'537,
    kMost,
    kMost - 1,
    kMost / 2,
    kMost / 2 + 1,
    kMost / 4,
    kMost / 4 + 1,
    kMost / 4 + 2,
    uint64_t{1} << 31,
    (uint64_t{1} << 31) - 1,
    (uint64_t{1} << 32) - 1,
    uint64_t{1} << 32,
    (uint64_t{1} << 32) + 1,
    (uint64_t{1} << 40) + 3,
};

std::vector<Token> RandomDoc(Random& random, size_t len) {
  std::vector<Token> doc(len);
  for (Token& token : doc) token = static_cast<Token>(random.Below(kReservedToken));
  return doc;
}

std::vector<Token> First(const std::vector<Token>& doc, size_t len) {
  return {doc.begin(), doc.begin() + static_cast<ptrdiff_t>(std::min(len, doc.size()))};
}

CacheConfig OneScope(uint64_t share, uint64_t key_len) {
  return {.budget_bytes = 2 * share, .max_scopes = 2, .key_len = key_len};
}

// Histories and documents around the length of a key, at both edges of their arrays.
Sequence ShortArrays(uint64_t seed, uint64_t key_len) {
  Random random(seed);
  const std::vector<Token> doc = RandomDoc(random, 3 * key_len + 20);
  Sequence sequence = {absl::StrCat("arrays about as long as a key of ", key_len),
                       OneScope(kLeastShare, key_len),
                       {}};
  sequence.ops.push_back(Insert(kScope, doc));
  for (uint64_t len = 0; len <= key_len + 2; ++len) {
    for (int edge = 0; edge < 2; ++edge) {
      sequence.ops.push_back(Insert(kScope, First(doc, len)));
      sequence.ops.push_back(Propose(kScope, First(doc, len), 8));
    }
    // An odd number of proposals, so that the edges change places.
    sequence.ops.push_back(Propose(kAbsent, First(doc, len), 8));
    sequence.ops.push_back(Propose(kScope, First(doc, len), 0));
    sequence.ops.push_back(Propose(kScope, First(doc, len), 1));
    sequence.ops.push_back(Insert(kAbsent, First(doc, std::min(len, key_len))));
  }
  return sequence;
}

// Every max_len, for drafts of 48 and of some 900 tokens, and where there is none.
Sequence EveryMaxLen(uint64_t seed) {
  Random random(seed);
  const std::vector<Token> doc = RandomDoc(random, 50);
  const std::vector<Token> long_doc = RandomDoc(random, 900);
  Sequence sequence = {"every max_len", OneScope(kLeastShare, 2), {}};
  sequence.ops.push_back(Insert(kScope, doc));
  sequence.ops.push_back(Insert({1, 2, 3, 5}, long_doc));
  for (const uint64_t max_len : kLens) {
    for (int edge = 0; edge < 2; ++edge) {
      sequence.ops.push_back(Propose(kScope, First(doc, 2), max_len));
      sequence.ops.push_back(Propose({1, 2, 3, 5}, First(long_doc, 9), max_len));
      sequence.ops.push_back(Propose(kScope, First(long_doc, 5), max_len));
    }
    sequence.ops.push_back(Propose(kAbsent, First(doc, 2), max_len));
    sequence.ops.push_back(Propose(kScope, First(doc, 1), max_len));
    sequence.ops.push_back(Propose(kScope, {}, max_len));
  }
  return sequence;
}

Sequence EveryBit(uint64_t seed) {
  Random random(seed);
  std::vector<Token> doc = {0, kReservedToken - 1, 1, 0x7fffffff, 0x80000000};
  for (int bit = 0; bit < 32; ++bit) {
    doc.push_back(Token{1} << bit);
    doc.push_back(~(Token{1} << bit));
    doc.push_back(static_cast<Token>(random.Below(kReservedToken)) ^ (Token{1} << bit));
  }
  std::replace(doc.begin(), doc.end(), kReservedToken, Token{5});
  Sequence sequence = {"tokens with every bit", OneScope(kLeastShare, 1), {}};
  sequence.ops.push_back(Insert(kScope, doc));
  for (size_t i = 0; i < doc.size(); ++i) {
    sequence.ops.push_back(Propose(kScope, {doc[i]}, 3));
    sequence.ops.push_back(Insert(kScope, {doc[i], doc[doc.size() - 1 - i], doc[i]}));
    sequence.ops.push_back(Propose(kScope, {7, doc[i], doc[doc.size() - 1 - i]}, 3));
  }
  return sequence;
}

// The reserved token at every place of documents and histories, also where a document is too short
// to be stored, or so long that the token falls off its beginning.
Sequence ReservedEverywhere(uint64_t seed) {
  Random random(seed);
  const std::vector<Token> doc = RandomDoc(random, 12);
  Sequence sequence = {"the reserved token everywhere", OneScope(kLeastShare, 3), {}};
  sequence.ops.push_back(Insert(kScope, doc));
  for (size_t len = 1; len <= doc.size(); ++len) {
    for (size_t place = 0; place < len; ++place) {
      std::vector<Token> marked = First(doc, len);
      marked[place] = kReservedToken;
      sequence.ops.push_back(Insert(place % 2 == 0 ? kScope : kAbsent, marked));
      sequence.ops.push_back(Propose(kScope, marked, 6));
      sequence.ops.push_back(Propose(kScope, First(doc, len), 6));
    }
  }
  std::vector<Token> long_doc = RandomDoc(random, 3 * kLeastRing);
  for (const size_t place : {size_t{0}, long_doc.size() / 2, long_doc.size() - 1}) {
    std::vector<Token> marked = long_doc;
    marked[place] = kReservedToken;
    sequence.ops.push_back(Insert(kScope, marked));
    sequence.ops.push_back(Propose(kScope, marked, 6));
    sequence.ops.push_back(Propose(kScope, First(doc, 5), 6));
  }
  sequence.ops.push_back(Insert(kScope, std::vector<Token>(5, kReservedToken)));
  sequence.ops.push_back(Propose(kScope, std::vector<Token>(5, kReservedToken), 6));
  return sequence;
}

Sequence Batches(uint64_t seed) {
  Random random(seed);
  const std::vector<Token> doc = RandomDoc(random, 60);
  Sequence sequence = {"batches of every size", OneScope(kLeastShare, 2), {}};
  sequence.ops.push_back(Insert(kScope, doc));
  for (const size_t size : {1, 2, 3, 64, 300}) {
    for (size_t i = 0; i < size; ++i) {
      const std::vector<Token> history = First(doc, random.Below(doc.size() + 1));
      const uint64_t max_len = random.OneIn(8) ? kMost : random.Below(70);
      sequence.ops.push_back(Propose(random.OneIn(5) ? kAbsent : kScope, history, max_len));
      sequence.ops.back().batched = i > 0;
    }
    sequence.ops.push_back(Insert(kScope, First(doc, size)));
  }
  return sequence;
}

// Documents about as long as the ring and several times as long.
Sequence AroundTheRing(uint64_t seed, uint64_t key_len) {
  Random random(seed);
  Sequence sequence = {absl::StrCat("documents around the ring, key_len ", key_len),
                       OneScope(kLeastShare, key_len),
                       {}};
  for (const uint64_t len :
       {key_len, key_len + 1, key_len + 2, kLeastRing - 2, kLeastRing - 1, kLeastRing,
        kLeastRing + 1, kLeastRing + 2, 2 * kLeastRing - 1, 2 * kLeastRing, 5 * kLeastRing}) {
    // Beyond what has to be accepted there is nothing to be long or short against.
    if (len > 8 * kLeastRing) continue;
    const std::vector<Token> doc = RandomDoc(random, len);
    sequence.ops.push_back(Insert(kScope, doc));
    for (const uint64_t history : {len, len / 2, len - 1, std::min(len, key_len)}) {
      sequence.ops.push_back(Propose(kScope, First(doc, history), 3 * kLeastRing));
      sequence.ops.push_back(Propose(kScope, First(doc, history), kMost));
    }
  }
  return sequence;
}

Sequence LongDocuments(uint64_t seed, uint64_t share) {
  Random random(seed);
  Sequence sequence = {absl::StrCat("long documents, a share of ", share), OneScope(share, 4), {}};
  for (const size_t len : {65'535, 65'536, 65'537, 300'000}) {
    const std::vector<Token> doc = RandomDoc(random, len);
    sequence.ops.push_back(Insert(kScope, doc));
    for (const size_t history : {size_t{4}, len / 2, len - 1, len}) {
      sequence.ops.push_back(Propose(kScope, First(doc, history), kMost));
    }
  }
  return sequence;
}

Sequence LongHistories(uint64_t seed) {
  Random random(seed);
  const std::vector<Token> doc = RandomDoc(random, 40);
  Sequence sequence = {"histories of up to a million tokens", OneScope(kLeastShare, 4), {}};
  sequence.ops.push_back(Insert(kScope, doc));
  for (const size_t len : {4095, 4096, 65'536, 262'144, 1'000'000}) {
    std::vector<Token> history = RandomDoc(random, len);
    sequence.ops.push_back(Propose(kScope, history, 9));
    std::copy_n(doc.begin(), 8, history.end() - 8);
    sequence.ops.push_back(Propose(kScope, history, 9));
    sequence.ops.push_back(Propose(kScope, std::move(history), kMost));
  }
  return sequence;
}

}  // namespace

std::vector<Sequence> ShortBoundsSequences(uint64_t seed) {
  std::vector<Sequence> sequences;
  for (const uint64_t key_len : {2, 1, 5, 17}) sequences.push_back(ShortArrays(seed, key_len));
  sequences.push_back(EveryMaxLen(seed));
  sequences.push_back(EveryBit(seed));
  sequences.push_back(ReservedEverywhere(seed));
  sequences.push_back(Batches(seed));
  // A key_len of 1022 is the longest that this ring has to accept.
  for (const uint64_t key_len :
       {uint64_t{2}, uint64_t{1}, uint64_t{100}, kLeastRing - 3, kLeastRing - 2, kLeastRing - 1,
        kLeastRing, 3 * kLeastRing, kMost}) {
    sequences.push_back(AroundTheRing(seed, key_len));
  }
  return sequences;
}

std::vector<Sequence> LongBoundsSequences(uint64_t seed) {
  std::vector<Sequence> sequences;
  sequences.push_back(LongHistories(seed));
  sequences.push_back(LongDocuments(seed, kLeastShare));
  sequences.push_back(LongDocuments(seed, uint64_t{4} << 20));
  return sequences;
}

std::vector<CacheConfig> BoundsConfigs() {
  constexpr uint64_t kBudgets[] = {0,
                                   1,
                                   7,
                                   kLeastShare - 1,
                                   kLeastShare,
                                   kLeastShare + 1,
                                   3 * kLeastShare - 1,
                                   3 * kLeastShare,
                                   uint64_t{1} << 20,
                                   uint64_t{1} << 33,
                                   uint64_t{1} << 45,
                                   kMost / 2,
                                   kMost / 2 + 1,
                                   kMost - 1,
                                   kMost};
  constexpr uint64_t kScopes[] = {1, 0, 2, 3, 1000, uint64_t{1} << 32, kMost / 2 + 1, kMost};
  constexpr uint64_t kKeyLens[] = {
      2, 0, 1, 1021, 1022, 1023, 1024, 1025, 4096, uint64_t{1} << 32, kMost / 2 + 1, kMost};
  std::vector<CacheConfig> configs;
  // What differs in one way from what is usual comes first.
  for (const uint64_t key_len : kKeyLens) {
    for (const uint64_t scopes : kScopes) {
      for (const uint64_t budget : kBudgets) configs.push_back({budget, scopes, key_len});
    }
  }
  return configs;
}

}  // namespace lockstep
