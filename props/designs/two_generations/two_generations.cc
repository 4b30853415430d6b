// Two generations of documents. The young one fills up, becomes the old one, and what was old is
// forgotten at once. Each has four-way sets of places, and of the places that match, the one that
// agrees with the most history before the key answers.
//
// Where the contract leaves a design free: the longest match answers; half of the memory is
// forgotten at a time; of a document with the reserved token only what is before it is kept; memory
// is filled when the scope is made, and a scope never takes more than kMaxScopeBytes of its share.

#include <algorithm>
#include <bit>
#include <memory>

#include "common/cache.h"
#include "common/scope_lru.h"

namespace designs {
namespace {

constexpr uint64_t kWays = 4;
constexpr uint64_t kMaxScopeBytes = 32 << 20;
constexpr uint64_t kMaxBackwards = 64;

struct Sizes {
  explicit Sizes(const lockstep_config& config)
      : key_len(config.key_len),
        generation_bytes(std::min(config.budget_bytes / config.max_scopes, kMaxScopeBytes) / 2),
        sets(std::bit_floor(generation_bytes / 4 / (kWays * sizeof(uint32_t)))),
        tokens(generation_bytes / sizeof(uint32_t) - kWays * sets) {}

  uint64_t key_len;
  uint64_t generation_bytes;
  uint64_t sets;
  uint64_t tokens;
};

// Documents one after the other, each with kReserved after it. Index 0 holds kReserved too, so that
// the place 0 stands for none, and a walk backwards always ends.
class Generation {
 public:
  explicit Generation(const Sizes& sizes)
      : sizes_(sizes),
        ways_(std::make_unique<uint32_t[]>(sizes.sets * kWays)),
        tokens_(std::make_unique<uint32_t[]>(sizes.tokens)) {
    Clear();
  }

  void Clear() {
    std::fill_n(ways_.get(), sizes_.sets * kWays, 0);
    tokens_[0] = kReserved;
    used_ = 1;
  }

  uint64_t used() const { return used_; }
  uint64_t room() const { return sizes_.tokens - used_; }

  void Add(std::span<const uint32_t> doc) {
    std::copy(doc.begin(), doc.end(), &tokens_[used_]);
    for (uint64_t e = sizes_.key_len; e < doc.size(); ++e) {
      uint32_t* set = SetOf(doc.data() + e - sizes_.key_len);
      *std::min_element(set, set + kWays) = static_cast<uint32_t>(used_ + e);
    }
    used_ += doc.size() + 1;
    tokens_[used_ - 1] = kReserved;
  }

  // The tokens after the place that agrees longest with the history; the latest of equals.
  std::span<const uint32_t> Best(std::span<const uint32_t> history) const {
    const uint32_t* set = SetOf(history.last(sizes_.key_len).data());
    uint64_t best_len = 0;
    uint32_t best = 0;
    for (uint64_t way = 0; way < kWays; ++way) {
      const uint64_t len = AgreesFor(set[way], history);
      if (len < sizes_.key_len || len < best_len) continue;
      if (len == best_len && set[way] < best) continue;
      best_len = len;
      best = set[way];
    }
    if (best == 0) return {};
    return {&tokens_[best], std::find(&tokens_[best], &tokens_[used_], kReserved)};
  }

 private:
  uint32_t* SetOf(const uint32_t* key) const {
    uint32_t hash = 0x2f0b4a17;
    for (uint64_t i = 0; i < sizes_.key_len; ++i) {
      hash = std::rotl(hash ^ (key[i] * 0xcc9e2d51), 13) * 5 + 0xe6546b64;
    }
    hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
    return &ways_[((hash ^ (hash >> 13)) & (sizes_.sets - 1)) * kWays];
  }

  // How many tokens before `place` equal the end of the history, at most kMaxBackwards more than a
  // key. kReserved ends the walk, in the store and in the history.
  uint64_t AgreesFor(uint32_t place, std::span<const uint32_t> history) const {
    const uint64_t most = std::min<uint64_t>(history.size(), sizes_.key_len + kMaxBackwards);
    uint64_t len = 0;
    while (len < most) {
      const uint32_t token = place > len ? tokens_[place - len - 1] : kReserved;
      if (token == kReserved || token != history[history.size() - len - 1]) break;
      ++len;
    }
    return len;
  }

  Sizes sizes_;
  std::unique_ptr<uint32_t[]> ways_;
  std::unique_ptr<uint32_t[]> tokens_;
  uint64_t used_ = 1;
};

class Generations {
 public:
  explicit Generations(const Sizes& sizes)
      : generations_{Generation(sizes), Generation(sizes)},
        young_(&generations_[0]),
        old_(&generations_[1]),
        most_tokens_(sizes.tokens - 2) {}

  void Clear() {
    young_->Clear();
    old_->Clear();
  }

  void Add(std::span<const uint32_t> doc) {
    doc = doc.last(std::min<uint64_t>(doc.size(), most_tokens_));
    if (doc.size() + 1 > young_->room()) {
      std::swap(young_, old_);
      young_->Clear();
    }
    young_->Add(doc);
  }

  std::span<const uint32_t> After(std::span<const uint32_t> history) const {
    const std::span<const uint32_t> draft = young_->Best(history);
    return draft.empty() ? old_->Best(history) : draft;
  }

  uint64_t tokens() const { return young_->used() + old_->used(); }

 private:
  Generation generations_[2];
  Generation* young_;
  Generation* old_;
  uint64_t most_tokens_;
};

class TwoGenerations final : public Cache {
 public:
  explicit TwoGenerations(const lockstep_config& config)
      : sizes_(config), scopes_(config.max_scopes) {}

  bool Insert(const ScopeKey& scope, std::span<const uint32_t> doc) override {
    if (doc.size() <= sizes_.key_len) return true;
    Generations& generations =
        scopes_.UseOrMake(scope, [this] { return std::make_unique<Generations>(sizes_); });
    generations.Add({doc.begin(), std::find(doc.begin(), doc.end(), kReserved)});
    return true;
  }

  size_t Propose(const ScopeKey& scope, std::span<const uint32_t> history, uint32_t* out,
                 size_t max_len) override {
    const Generations* generations = scopes_.Use(scope);
    if (generations == nullptr || max_len == 0 || history.size() < sizes_.key_len) return 0;
    std::span<const uint32_t> draft = generations->After(history);
    draft = draft.first(std::min(draft.size(), max_len));
    std::copy(draft.begin(), draft.end(), out);
    return draft.size();
  }

  uint64_t stored_tokens(const ScopeKey& scope) const override {
    const Generations* generations = scopes_.Peek(scope);
    return generations == nullptr ? 0 : generations->tokens();
  }

  size_t scope_count() const override { return scopes_.size(); }

 private:
  Sizes sizes_;
  ScopeLru<Generations> scopes_;
};

}  // namespace

const char* const kName = "two_generations";

std::unique_ptr<Cache> MakeCache(const lockstep_config& config, std::string* why) {
  *why = WhatIsWrong(config);
  if (why->empty() && config.key_len >= ContractRingTokens(config) - 1) {
    *why = "key_len is " + std::to_string(config.key_len) +
           ", so no document could be stored; lower key_len or raise budget_bytes";
  }
  if (!why->empty()) return nullptr;
  return std::make_unique<TwoGenerations>(config);
}

}  // namespace designs
