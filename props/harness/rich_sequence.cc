#include "props/harness/rich_sequence.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/random.h"

namespace lockstep {
namespace {

struct Mix {
  CacheConfig config;
  uint64_t scopes;       // in use; more than max_scopes drops some
  uint64_t vocabulary;   // few tokens: keys come again with other tokens following
  uint64_t most_tokens;  // of a document
  size_t known_docs;     // that proposals begin from
};
constexpr Mix kMixes[] = {
    // Scopes come and go; drafts are long.
    {{.budget_bytes = 5 * 6144, .max_scopes = 5, .key_len = 2}, 9, 100'000, 120, 40},
    // One scope in which everything is overwritten and slots are fought over.
    {{.budget_bytes = 6144, .max_scopes = 1, .key_len = 3}, 1, 3'000'000'000, 90, 60},
    // Nearly every key is ambiguous.
    {{.budget_bytes = 3 * 12'288, .max_scopes = 3, .key_len = 1}, 4, 25, 60, 30},
    // Many scopes.
    {{.budget_bytes = 40 * 6200, .max_scopes = 40, .key_len = 4}, 60, 500, 50, 120},
};
constexpr size_t kOps = 1'500;

class Maker {
 public:
  Maker(const Mix& mix, uint64_t seed) : mix_(mix), random_(seed) {}

  std::vector<Operation> Make() {
    std::vector<Operation> ops;
    while (ops.size() < kOps) {
      if (known_.size() < 4 || random_.OneIn(3)) {
        ops.push_back(AnyInsert());
      } else {
        ops.push_back(AnyProposal());
        ops.back().batched = ops.size() > 1 && random_.OneIn(6) &&
                             ops[ops.size() - 2].kind == Operation::Kind::kPropose;
      }
    }
    return ops;
  }

 private:
  struct Known {
    ScopeKey scope;
    std::vector<Token> doc;
  };

  ScopeKey AnyScope() {
    const uint64_t n = random_.Below(mix_.scopes);
    return {n % 3, n / 3 % 3, n / 9, n << 40};
  }

  Operation AnyInsert() {
    if (!known_.empty() && random_.OneIn(5)) {
      const Known& known = random_.Of(known_);
      return Insert(known.scope, known.doc);
    }
    Known made = {AnyScope(), std::vector<Token>(1 + random_.Below(mix_.most_tokens))};
    for (Token& token : made.doc) token = static_cast<Token>(random_.Below(mix_.vocabulary));
    if (random_.OneIn(40)) made.doc[random_.Below(made.doc.size())] = kReservedToken;
    if (known_.size() < mix_.known_docs) {
      known_.push_back(made);
    } else {
      known_[random_.Below(known_.size())] = made;
    }
    return Insert(made.scope, std::move(made.doc));
  }

  // Mostly what a document that was inserted not long ago begins with.
  Operation AnyProposal() {
    const Known& known = random_.Of(known_);
    std::vector<Token> history(
        known.doc.begin(),
        known.doc.begin() + static_cast<ptrdiff_t>(random_.Below(known.doc.size() + 1)));
    const ScopeKey scope = random_.OneIn(8) ? AnyScope() : known.scope;
    const uint64_t max_len = random_.OneIn(4) ? random_.Below(8) : 100 + random_.Below(100);
    return Propose(scope, std::move(history), max_len);
  }

  const Mix& mix_;
  Random random_;
  std::vector<Known> known_;
};

}  // namespace

Sequence RichSequence(uint64_t seed, uint64_t kind) {
  const Mix& mix = kMixes[kind % std::size(kMixes)];
  return {absl::StrCat("rich sequence ", kind, " of seed ", seed), mix.config,
          Maker(mix, seed).Make()};
}

}  // namespace lockstep
