#include "props/harness/shrink.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr uint64_t kLeastScopeBytes = 6144;  // spec section 2

class Shrinker {
 public:
  Shrinker(Failure& failure, absl::Time deadline) : failure_(failure), deadline_(deadline) {}

  ShrinkOutcome Shrink() {
    Sequence whole = failure_.sequence;
    outcome_.reproduced = Try(std::move(whole));
    if (!outcome_.reproduced) return outcome_;
    bool smaller = true;
    while (smaller && !out_of_time()) {
      smaller = false;
      smaller |= DropScopes();
      smaller |= DropOperations();
      smaller |= ShortenDocuments();
      smaller |= SimplifyProposals();
      smaller |= SimplifyConfig();
      smaller |= RenameScopes();
      smaller |= RenameTokens();
    }
    outcome_.finished = !out_of_time();
    return outcome_;
  }

 private:
  const Sequence& best() const { return failure_.sequence; }
  bool out_of_time() const { return absl::Now() >= deadline_; }

  // Runs the candidate; keeps it when the same check finds something.
  bool Try(Sequence candidate) {
    if (out_of_time()) return false;
    ++outcome_.attempts;
    const std::optional<Finding> found = failure_.reproduce(candidate);
    if (!found || found->check != failure_.finding.check) return false;
    if (found->op_index + 1 < candidate.ops.size()) candidate.ops.resize(found->op_index + 1);
    failure_.sequence = std::move(candidate);
    failure_.finding = *found;
    return true;
  }

  // Takes pieces out of `size` things, large pieces first; `without(begin, end)` makes a candidate.
  template <typename Size, typename Without>
  bool TakeAway(Size size, Without without) {
    bool any = false;
    for (size_t piece = size(); piece > 0 && !out_of_time(); piece /= 2) {
      // From the end: what comes late is needed least by what comes before.
      size_t end = size();
      while (end > 0 && !out_of_time()) {
        end = std::min(end, size());
        if (end == 0) break;
        const size_t begin = end > piece ? end - piece : 0;
        any |= Try(without(begin, end));
        end = begin;
      }
    }
    return any;
  }

  bool DropScopes() {
    std::vector<ScopeKey> scopes;
    for (const Operation& op : best().ops) {
      if (std::find(scopes.begin(), scopes.end(), op.scope) == scopes.end()) {
        scopes.push_back(op.scope);
      }
    }
    bool any = false;
    for (const ScopeKey& scope : scopes) {
      Sequence candidate = best();
      std::erase_if(candidate.ops, [&](const Operation& op) { return op.scope == scope; });
      if (scopes.size() > 1 && candidate.ops.size() < best().ops.size()) {
        any |= Try(std::move(candidate));
      }
    }
    return any;
  }

  bool DropOperations() {
    return TakeAway([&] { return best().ops.size(); },
                    [&](size_t begin, size_t end) {
                      Sequence candidate = best();
                      const auto ops = candidate.ops.begin();
                      candidate.ops.erase(ops + static_cast<ptrdiff_t>(begin),
                                          ops + static_cast<ptrdiff_t>(end));
                      return candidate;
                    });
  }

  bool ShortenDocuments() {
    bool any = false;
    for (size_t i = best().ops.size(); i-- > 0 && !out_of_time();) {
      if (i >= best().ops.size()) continue;
      any |= TakeAway([&] { return i < best().ops.size() ? best().ops[i].tokens.size() : 0; },
                      [&](size_t begin, size_t end) {
                        Sequence candidate = best();
                        auto& tokens = candidate.ops[i].tokens;
                        tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(begin),
                                     tokens.begin() + static_cast<ptrdiff_t>(end));
                        return candidate;
                      });
    }
    return any;
  }

  bool SimplifyProposals() {
    bool any = false;
    for (size_t i = 0; i < best().ops.size() && !out_of_time(); ++i) {
      if (best().ops[i].kind != Operation::Kind::kPropose) continue;
      for (const uint64_t max_len : {uint64_t{1}, uint64_t{8}, uint64_t{64}}) {
        if (i >= best().ops.size() || best().ops[i].max_len <= max_len) break;
        Sequence candidate = best();
        candidate.ops[i].max_len = max_len;
        if (Try(std::move(candidate))) {
          any = true;
          break;
        }
      }
      if (i < best().ops.size() && best().ops[i].batched) {
        Sequence candidate = best();
        candidate.ops[i].batched = false;
        any |= Try(std::move(candidate));
      }
    }
    return any;
  }

  bool SimplifyConfig() {
    bool any = false;
    const auto attempt = [&](CacheConfig config) {
      if (config == best().config) return;
      Sequence candidate = best();
      candidate.config = config;
      any |= Try(std::move(candidate));
    };
    const CacheConfig now = best().config;
    for (uint64_t scopes = 1; scopes <= 4 && scopes < now.max_scopes; ++scopes) {
      attempt({scopes * kLeastScopeBytes, scopes, best().config.key_len});
      if (best().config.max_scopes == scopes) break;
    }
    attempt({best().config.max_scopes * kLeastScopeBytes, best().config.max_scopes,
             best().config.key_len});
    for (uint64_t key_len = 1; key_len <= 4 && key_len < now.key_len; ++key_len) {
      attempt({best().config.budget_bytes, best().config.max_scopes, key_len});
      if (best().config.key_len == key_len) break;
    }
    return any;
  }

  bool RenameScopes() {
    Sequence candidate = best();
    std::map<ScopeKey, ScopeKey> names;
    for (Operation& op : candidate.ops) {
      const auto [it, added] = names.try_emplace(op.scope);
      if (added) it->second.tenant = names.size();
      op.scope = it->second;
    }
    return candidate.ops != best().ops && Try(std::move(candidate));
  }

  bool RenameTokens() {
    Sequence candidate = best();
    std::map<Token, Token> names = {{kReservedToken, kReservedToken}};
    for (Operation& op : candidate.ops) {
      for (Token& token : op.tokens) {
        token = names.try_emplace(token, static_cast<Token>(names.size())).first->second;
      }
    }
    return candidate.ops != best().ops && Try(std::move(candidate));
  }

  Failure& failure_;
  absl::Time deadline_;
  ShrinkOutcome outcome_;
};

}  // namespace

ShrinkOutcome Shrink(Failure& failure, absl::Time deadline) {
  if (!failure.reproduce) return {};
  return Shrinker(failure, deadline).Shrink();
}

uint64_t TokenCount(const Sequence& sequence) {
  uint64_t count = 0;
  for (const Operation& op : sequence.ops) count += op.tokens.size();
  return count;
}

}  // namespace lockstep
