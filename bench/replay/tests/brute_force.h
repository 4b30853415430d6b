// The whole replay once more, as plainly as can be and sharing nothing with what it checks: every
// earlier place of the history is looked at, a scope keeps all that was ever written to it, and the
// table of slots is a map.

#ifndef LOCKSTEP_BENCH_REPLAY_TESTS_BRUTE_FORCE_H_
#define LOCKSTEP_BENCH_REPLAY_TESTS_BRUTE_FORCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "bench/replay/decode.h"
#include "bench/replay/replay.h"
#include "lockstep/types.h"
#include "props/harness/trace.h"

namespace lockstep {

using Tokens = std::vector<Token>;

inline Tokens BruteOwnDraft(const Tokens& history, size_t key_len, size_t max_len) {
  Tokens draft;
  for (size_t end = history.size(); draft.empty() && end-- > key_len;) {
    bool equal = true;
    for (size_t i = 1; equal && i <= key_len; ++i) {
      equal = history[end - i] == history[history.size() - i];
    }
    for (size_t i = end; equal && i < history.size() && draft.size() < max_len; ++i) {
      draft.push_back(history[i]);
    }
  }
  return draft;
}

// One scope of the shared cache: written[p] is the token at position p, for every p there ever was.
class BruteScope {
 public:
  BruteScope(uint64_t slots, uint64_t ring_tokens, size_t key_len)
      : slots_(slots), ring_tokens_(ring_tokens), key_len_(key_len) {}

  void Insert(Tokens doc) {
    if (doc.size() > ring_tokens_ - 1) {
      doc.erase(doc.begin(), doc.end() - static_cast<ptrdiff_t>(ring_tokens_ - 1));
    }
    bool writing = false;
    int duplicates = 0;
    for (size_t e = key_len_; e < doc.size(); ++e) {
      const Tokens key(doc.begin() + static_cast<ptrdiff_t>(e - key_len_),
                       doc.begin() + static_cast<ptrdiff_t>(e));
      const uint64_t found = Find(key);
      const bool duplicate = found != 0 && written_[found] == doc[e];
      duplicates = duplicate ? duplicates + 1 : 0;
      if (writing && duplicates == 32) {
        written_.push_back(UINT32_MAX);
        writing = false;
      }
      if (!writing && duplicate) continue;
      if (!writing) written_.insert(written_.end(), key.begin(), key.end());
      writing = true;
      slot_of_[SlotOf(key)] = written_.size();
      written_.push_back(doc[e]);
    }
    if (writing) written_.push_back(UINT32_MAX);
  }

  Tokens Propose(const Tokens& history, size_t max_len) const {
    Tokens draft;
    if (history.size() < key_len_) return draft;
    const Tokens key(history.end() - static_cast<ptrdiff_t>(key_len_), history.end());
    const uint64_t found = Find(key);
    for (uint64_t p = found; found != 0 && p < written_.size() && draft.size() < max_len; ++p) {
      if (written_[p] == UINT32_MAX) break;
      draft.push_back(written_[p]);
    }
    return draft;
  }

  uint64_t live_tokens() const { return std::min<uint64_t>(written_.size() - 1, ring_tokens_); }

 private:
  uint64_t SlotOf(const Tokens& key) const {
    uint64_t h = 0xcbf29ce484222325;
    for (const Token t : key) {
      h = (h ^ t) * 0x00000100000001b3;
      h = h << 29 | h >> 35;
    }
    h *= 0x9e3779b97f4a7c15;
    uint64_t slot = 0;
    for (uint64_t bit = 1; bit < slots_; bit *= 2) slot = slot * 2 + (h >> 63), h *= 2;
    return slot;
  }

  uint64_t Find(const Tokens& key) const {
    const auto it = slot_of_.find(SlotOf(key));
    if (it == slot_of_.end()) return 0;
    const uint64_t head = written_.size();
    const uint64_t oldest = head > ring_tokens_ ? std::max<uint64_t>(head - ring_tokens_, 1) : 1;
    const uint64_t pos = it->second;
    if (pos < oldest + key_len_) return 0;
    for (size_t i = 0; i < key_len_; ++i) {
      if (written_[pos - key_len_ + i] != key[i]) return 0;
    }
    return pos;
  }

  uint64_t slots_;
  uint64_t ring_tokens_;
  size_t key_len_;
  Tokens written_ = {0};  // position 0 never exists
  std::map<uint64_t, uint64_t> slot_of_;
};

// All of a replay's counts but those of time.
struct BruteCounts {
  uint64_t steps_own_only = 0;
  DecodeCounts decode;
  uint64_t scope_drops = 0;
  uint64_t live_tokens = 0;
};

class BruteReplay {
 public:
  explicit BruteReplay(const ReplaySettings& settings) : settings_(settings) {
    const uint64_t share = settings.cache.budget_bytes / settings.cache.max_scopes;
    slots_ = 1;
    while (slots_ * 2 * 8 <= share / 2) slots_ *= 2;
    ring_tokens_ = (share - 8 * slots_) / 4;
  }

  void Play(const Request& request) {
    counts_.steps_own_only += Decode(request, nullptr).steps;
    // A scope is used when it is asked; whether it is asked shows in the decoding.
    Scope* scope = FindScope(request.scope);
    asked_ = false;
    counts_.decode.Add(Decode(request, scope));
    if (scope != nullptr && asked_) Use(request.scope);

    Tokens doc = request.prompt;
    doc.insert(doc.end(), request.output.begin(), request.output.end());
    if (doc.size() <= settings_.cache.key_len) return;
    if (scope == nullptr) {
      if (scopes_.size() == settings_.cache.max_scopes) {
        scopes_.pop_back();
        ++counts_.scope_drops;
      }
      scopes_.emplace_front(request.scope,
                            BruteScope(slots_, ring_tokens_, settings_.cache.key_len));
    }
    Use(request.scope);
    scopes_.front().second.Insert(doc);
  }

  BruteCounts Finish() {
    for (const Scope& scope : scopes_) counts_.live_tokens += scope.second.live_tokens();
    return counts_;
  }

 private:
  using Scope = std::pair<ScopeKey, BruteScope>;

  Scope* FindScope(const ScopeKey& key) {
    for (Scope& scope : scopes_) {
      if (scope.first == key) return &scope;
    }
    return nullptr;
  }

  void Use(const ScopeKey& key) {
    for (auto it = scopes_.begin(); it != scopes_.end(); ++it) {
      if (it->first == key) return scopes_.splice(scopes_.begin(), scopes_, it);
    }
  }

  DecodeCounts Decode(const Request& request, const Scope* scope) {
    const bool engine = settings_.policy == DraftPolicy::kEngine;
    DecodeCounts counts;
    Tokens history = request.prompt;
    uint64_t window = std::min<uint64_t>(2, settings_.max_draft);
    uint64_t misses = 0;  // drafts in a row of which nothing was accepted
    uint64_t skip = 0;
    size_t done = 0;
    while (done < request.output.size()) {
      ++counts.steps;
      Tokens draft;
      SourceCounts* source = &counts.own;
      if (skip > 0) {
        --skip;
      } else {
        const uint64_t limit = engine ? window : settings_.max_draft;
        draft = BruteOwnDraft(history, settings_.cache.key_len, limit);
        if (draft.empty()) {
          asked_ = true;
          source = &counts.shared;
          if (scope != nullptr) draft = scope->second.Propose(history, limit);
        }
      }
      size_t accepted = 0;
      while (accepted < draft.size() && done + accepted < request.output.size() &&
             draft[accepted] == request.output[done + accepted]) {
        ++accepted;
      }
      if (!draft.empty()) {
        source->drafts += 1;
        source->drafted += draft.size();
        source->accepted += accepted;
        const bool full = accepted == draft.size();
        window =
            full ? std::min(2 * window, settings_.max_draft) : std::max<uint64_t>(window / 2, 1);
        misses = accepted == 0 ? misses + 1 : 0;
        if (engine && misses > 0) skip = misses >= 5 ? 16 : uint64_t{1} << (misses - 1);
      }
      for (size_t i = 0; i <= accepted && done < request.output.size(); ++i) {
        history.push_back(request.output[done++]);
      }
    }
    return counts;
  }

  ReplaySettings settings_;
  uint64_t slots_ = 0;
  uint64_t ring_tokens_ = 0;
  std::list<Scope> scopes_;  // the most recently used first
  bool asked_ = false;
  BruteCounts counts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_TESTS_BRUTE_FORCE_H_
