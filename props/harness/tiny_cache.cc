// The core's own scope under the plainest table of scopes there is, for rings, slot tables and
// first positions that no configuration gives.

#include <algorithm>
#include <bit>
#include <iterator>
#include <list>
#include <utility>

#include "absl/types/span.h"
#include "lockstep/scope.h"
#include "props/harness/implementation.h"

namespace lockstep {
namespace {

class TinyCache : public CacheHandle {
 public:
  explicit TinyCache(const ModelOptions& options) : options_(options) {}

  lockstep_status Insert(const ScopeKey& key, const Token* doc, size_t count) override {
    const absl::Span<const Token> tokens(doc, count);
    if (std::find(tokens.begin(), tokens.end(), kReservedToken) != tokens.end()) {
      error_ = "the reserved token is in the document";
      return LOCKSTEP_INVALID_ARGUMENT;
    }
    if (count <= options_.key_len) return LOCKSTEP_OK;
    if (!Use(key)) {
      const absl::Status made = by_use_.size() < options_.max_scopes ? Make(key) : TakeOver(key);
      if (!made.ok()) {
        error_ = std::string(made.message());
        return LOCKSTEP_RESOURCE_EXHAUSTED;
      }
    }
    by_use_.front().scope.Insert(tokens);
    return LOCKSTEP_OK;
  }

  size_t Propose(const ScopeKey& key, const Token* history, size_t count, Token* out,
                 size_t max_len) override {
    if (!Use(key)) return 0;
    return by_use_.front().scope.Propose(absl::Span<const Token>(history, count), out, max_len);
  }

  bool has_batch() const override { return true; }
  void ProposeBatch(lockstep_proposal* proposals, size_t count) override {
    for (lockstep_proposal& p : absl::MakeSpan(proposals, count)) {
      const ScopeKey key{p.scope.model, p.scope.tokenizer, p.scope.adapter, p.scope.tenant};
      p.written = Propose(key, p.history, p.count, p.out, p.max_len);
    }
  }

  uint64_t StoredTokens(const ScopeKey& key) const override {
    const auto it = std::find_if(by_use_.begin(), by_use_.end(),
                                 [&](const Entry& entry) { return entry.key == key; });
    return it == by_use_.end() ? 0 : it->scope.stored_tokens();
  }

  uint64_t ScopeCount() const override { return by_use_.size(); }
  std::string LastError() const override { return error_; }

 private:
  struct Entry {
    ScopeKey key;
    Scope scope;
  };

  // Moves the scope to the front; false when it does not exist.
  bool Use(const ScopeKey& key) {
    const auto it = std::find_if(by_use_.begin(), by_use_.end(),
                                 [&](const Entry& entry) { return entry.key == key; });
    if (it == by_use_.end()) return false;
    by_use_.splice(by_use_.begin(), by_use_, it);
    return true;
  }

  absl::Status Make(const ScopeKey& key) {
    absl::StatusOr<Scope> made = Scope::Make({.slots = options_.slots,
                                              .ring_tokens = options_.ring_tokens,
                                              .key_len = options_.key_len,
                                              .duplicate_limit = options_.duplicate_limit,
                                              .first_position = options_.first_position,
                                              .position_bits = PositionBits()});
    if (!made.ok()) return made.status();
    by_use_.push_front({key, *std::move(made)});
    return absl::OkStatus();
  }

  // Drops the least recently used scope; its memory goes on as the new one, as in the real cache.
  absl::Status TakeOver(const ScopeKey& key) {
    by_use_.splice(by_use_.begin(), by_use_, std::prev(by_use_.end()));
    by_use_.front().key = key;
    by_use_.front().scope.Reset();
    return absl::OkStatus();
  }

  // As few as the ring allows, so that positions that look alike are close together; or so many
  // that a slot has no room for a tag, and every collision is left to the comparison of the key.
  int PositionBits() const {
    const bool tagged = std::countr_zero(options_.slots) % 2 == 0;
    return tagged ? static_cast<int>(std::bit_width(options_.ring_tokens)) : 63;
  }

  ModelOptions options_;
  std::list<Entry> by_use_;  // the most recently used first
  std::string error_;
};

}  // namespace

std::unique_ptr<CacheHandle> MakeTinyCache(const ModelOptions& options) {
  return std::make_unique<TinyCache>(options);
}

}  // namespace lockstep
