// Random sequences, of which every part is drawn so that something happens: configurations with
// small scopes, documents made of earlier ones, proposals from what the cache holds.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/scenario_builder.h"
#include "props/harness/scenarios.h"

namespace lockstep {
namespace {

using Doc = std::vector<Token>;

uint64_t RandomScopeBytes(Random& random) {
  const uint64_t kind = random.Below(20);
  if (kind < 11) return 6144 + random.Below(64);
  if (kind < 17) return random.Between(6144, 16'500);
  if (kind < 19) return random.Between(16'384, 66'000);
  return random.Between(65'000, 300'000);
}

uint64_t RandomScopes(Random& random) {
  const uint64_t kind = random.Below(20);
  if (kind < 6) return 1;
  if (kind < 12) return random.Between(2, 3);
  if (kind < 17) return random.Between(4, 8);
  return random.Between(9, 70);
}

uint64_t RandomKeyLen(Random& random) {
  const uint64_t kind = random.Below(20);
  if (kind < 14) return random.Between(1, 4);
  if (kind < 18) return random.Between(5, 16);
  return random.Between(17, 100);
}

CacheConfig RandomConfig(Random& random) {
  CacheConfig config =
      ConfigFor(RandomScopeBytes(random), RandomScopes(random), RandomKeyLen(random));
  config.budget_bytes += random.Below(config.max_scopes);
  return config;
}

class RandomMaker {
 public:
  RandomMaker(uint64_t seed, const CacheConfig& config, Random& random)
      : b_(absl::StrCat("random operations, seed ", seed), config, random.Next()),
        random_(b_.random()) {
    constexpr uint64_t kVocabularies[] = {2, 3, 4, 8, 16, 64, 256, 65'536, kReservedToken};
    constexpr uint64_t kInsertShares[] = {2, 5, 8};
    constexpr uint64_t kLengths[] = {3, 12, 40, 120, 300};
    vocabulary_ = random_.Pick(kVocabularies);
    inserts_in_ten_ = random_.Pick(kInsertShares);
    usual_len_ = random_.Pick(kLengths);
    scopes_ = random_.OneIn(3) ? config.max_scopes : config.max_scopes + random_.Between(1, 4);
  }

  Sequence Make(uint64_t op_count) {
    while (made_ < op_count) {
      ++made_;
      if (docs_.empty() || random_.Below(10) < inserts_in_ten_) {
        MakeInsert();
      } else {
        MakeProposal();
      }
    }
    return b_.Take();
  }

 private:
  // A few scopes get most of the calls.
  ScopeKey RandomScope() {
    const uint64_t bound = random_.OneIn(3) ? scopes_ : std::min<uint64_t>(scopes_, 3);
    return ScopeNumber(random_.Below(bound));
  }

  uint64_t RandomLen() {
    const uint64_t k = b_.key_len();
    const uint64_t kind = random_.Below(64);
    if (kind < 4) return random_.Below(k + 1);
    if (kind < 50) return k + random_.Between(1, usual_len_);
    if (kind < 60) return k + random_.Between(1, 20);
    if (b_.ring_tokens() > 6000) return k + 500;
    if (kind < 62) return b_.ring_tokens() - 3 + random_.Below(7);
    return random_.Below(kind == 62 ? b_.ring_tokens() : 3 * b_.ring_tokens());
  }

  Doc Slice(const Doc& doc) {
    const uint64_t begin = random_.OneIn(2) ? 0 : random_.Below(doc.size());
    const uint64_t end = random_.OneIn(2) ? doc.size() : random_.Between(begin, doc.size());
    return {doc.begin() + static_cast<ptrdiff_t>(begin), doc.begin() + static_cast<ptrdiff_t>(end)};
  }

  Doc NewText(uint64_t len) {
    const uint64_t kind = random_.Below(8);
    if (kind == 0) return b_.FreshDoc(len);
    Doc doc = b_.RandomDoc(len, vocabulary_);
    if (kind == 1) {
      const uint64_t period = random_.Between(1, 40);
      for (uint64_t i = period; i < len; ++i) doc[i] = doc[i - period];
    }
    return doc;
  }

  Doc RandomDocument() {
    if (docs_.empty() || random_.OneIn(3)) return NewText(RandomLen());
    Doc doc = random_.OneIn(2) ? docs_.back() : random_.Of(docs_);
    switch (random_.Below(6)) {
      case 0:
        break;
      case 1:
        doc = Slice(doc);
        break;
      case 2:
        Extend(doc, NewText(random_.Between(1, usual_len_)));
        break;
      case 3: {
        Doc start = NewText(random_.Between(1, b_.key_len() + 3));
        Extend(start, Slice(doc));
        doc = std::move(start);
        break;
      }
      case 4:
        for (uint64_t edits = random_.Between(1, 4); edits > 0 && !doc.empty(); --edits) Edit(doc);
        break;
      default:
        doc = Slice(doc);
        for (uint64_t parts = random_.Between(1, 3); parts > 0; --parts) {
          Extend(doc, Slice(random_.Of(docs_)));
        }
    }
    if (doc.size() > 3 * b_.ring_tokens()) doc.resize(RandomLen());
    return doc;
  }

  void Edit(Doc& doc) {
    const uint64_t at = random_.Below(doc.size());
    const auto it = doc.begin() + static_cast<ptrdiff_t>(at);
    const Token token = static_cast<Token>(random_.Below(vocabulary_));
    switch (random_.Below(3)) {
      case 0:
        *it = token;
        break;
      case 1:
        doc.erase(it);
        break;
      default:
        doc.insert(it, token);
    }
  }

  static void Extend(Doc& doc, const Doc& by) { doc.insert(doc.end(), by.begin(), by.end()); }

  void MakeInsert() {
    Doc doc = RandomDocument();
    if (!doc.empty()) docs_.push_back(doc);
    if (docs_.size() > 40) docs_.erase(docs_.begin() + static_cast<ptrdiff_t>(random_.Below(20)));
    if (random_.OneIn(40) && !doc.empty()) doc[random_.Below(doc.size())] = kReservedToken;
    const ScopeKey scope = RandomScope();
    b_.Insert(scope, std::move(doc));
    last_scope_ = scope;
    if (random_.OneIn(6)) {
      b_.ProbeEdges(scope);
      made_ += 6;
    }
  }

  uint64_t RandomMaxLen() {
    const uint64_t kind = random_.Below(16);
    if (kind == 0) return 0;
    if (kind == 1) return b_.ring_tokens();
    if (kind == 2) return std::numeric_limits<uint64_t>::max();
    return kind < 6 ? random_.Between(1, 200) : random_.Between(1, 10);
  }

  Doc RandomHistory(const ScopeKey& scope) {
    const uint64_t k = b_.key_len();
    const uint64_t kind = random_.Below(16);
    if (kind == 0) return b_.RandomDoc(random_.Below(k + 3), vocabulary_);
    if (kind == 1) return b_.RandomDoc(k, vocabulary_);
    if (kind < 7 && b_.Head(scope) > k + 1) {
      // Anything that was ever there, mostly what still is.
      const uint64_t head = b_.Head(scope);
      const uint64_t least = random_.OneIn(4) ? k + 1 : std::min(head, b_.Oldest(scope) + k);
      const uint64_t position = random_.Between(least, head);
      return b_.Written(scope, position - k, position);
    }
    const Doc& doc = random_.OneIn(2) ? docs_.back() : random_.Of(docs_);
    const uint64_t end = random_.Below(doc.size() + 1);
    const uint64_t begin = random_.OneIn(2) && end > k ? end - k : 0;
    Doc history(doc.begin() + static_cast<ptrdiff_t>(begin),
                doc.begin() + static_cast<ptrdiff_t>(end));
    if (random_.OneIn(30) && !history.empty()) {
      history[random_.Below(history.size())] = kReservedToken;
    }
    return history;
  }

  void MakeProposal() {
    const ScopeKey scope = random_.OneIn(2) ? last_scope_ : RandomScope();
    Doc history = RandomHistory(scope);
    if (random_.OneIn(8)) {
      b_.ProposeBatched(scope, std::move(history), RandomMaxLen());
    } else {
      b_.Propose(scope, std::move(history), RandomMaxLen());
    }
  }

  ScenarioBuilder b_;
  Random& random_;
  uint64_t vocabulary_, inserts_in_ten_, usual_len_, scopes_;
  uint64_t made_ = 0;
  std::vector<Doc> docs_;  // to be sent again, in part or whole
  ScopeKey last_scope_ = ScopeNumber(0);
};

}  // namespace

Sequence RandomSequence(uint64_t seed, uint64_t op_count) {
  Random random(seed * 0x9e3779b97f4a7c15 + 1);
  CacheConfig config = RandomConfig(random);
  while (!ModelOptions::FromConfig(config).ok()) config = RandomConfig(random);
  return RandomMaker(seed, config, random).Make(op_count);
}

}  // namespace lockstep
