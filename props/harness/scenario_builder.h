// Makes a sequence step by step beside the exact model, so that the next operation can be aimed at
// what the cache holds by then.

#ifndef LOCKSTEP_PROPS_HARNESS_SCENARIO_BUILDER_H_
#define LOCKSTEP_PROPS_HARNESS_SCENARIO_BUILDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lockstep/types.h"
#include "props/harness/exact_model.h"
#include "props/harness/operation.h"
#include "props/harness/random.h"

namespace lockstep {

// The n-gram key of spec section 3, written down once more, so that keys can be made to collide.
uint64_t ScenarioKeyHash(absl::Span<const Token> key);
uint64_t ScenarioSlot(absl::Span<const Token> key, int slot_bits);

// A budget that gives one scope its ring and slots, times max_scopes.
CacheConfig ConfigFor(uint64_t per_scope_bytes, uint64_t max_scopes, uint64_t key_len);

// The scope most sequences use; scopes of other numbers differ in their tenant.
ScopeKey ScopeNumber(uint64_t n);

class ScenarioBuilder {
 public:
  // Requires: the configuration is one that makes a cache.
  ScenarioBuilder(std::string name, const CacheConfig& config, uint64_t seed);

  // The two operations; the model answers them at once.
  const Answer& Insert(const ScopeKey& scope, std::vector<Token> doc);
  const Answer& Propose(const ScopeKey& scope, std::vector<Token> history, uint64_t max_len);
  // A proposal in one call with the one before it.
  const Answer& ProposeBatched(const ScopeKey& scope, std::vector<Token> history, uint64_t max_len);
  // An insert that is no use of the scope: what is then asked of the scope shows whether it exists.
  void Observe(const ScopeKey& scope) { Insert(scope, {}); }

  uint64_t key_len() const { return model_.options().key_len; }
  uint64_t ring_tokens() const { return model_.options().ring_tokens; }
  uint64_t slots() const { return model_.options().slots; }
  int slot_bits() const;
  const ExactModel& model() const { return model_; }
  Random& random() { return random_; }

  // A token that this builder has not handed out before (up to 2^31 of them); all bits vary.
  Token FreshToken();
  std::vector<Token> FreshDoc(uint64_t len);
  std::vector<Token> RandomDoc(uint64_t len, uint64_t vocabulary);
  // A fresh document whose keys fall into slots of their own, as far as there are enough: it does
  // not push its own keys out. With `end` it ends so, and the keys across the seam keep out of the
  // slots of the keys of `end`.
  std::vector<Token> SpreadDoc(uint64_t len, absl::Span<const Token> end = {});

  // Positions of a scope; 1 where it is absent.
  uint64_t Head(const ScopeKey& scope) const;
  uint64_t Oldest(const ScopeKey& scope) const;
  // What was written at [begin, end) of the scope as it is now, also where it is overwritten.
  std::vector<Token> Written(const ScopeKey& scope, uint64_t begin, uint64_t end) const;

  // Proposes from what was written just before `position`, an overwritten one too.
  void Probe(const ScopeKey& scope, uint64_t position, uint64_t max_len = 8);
  // ... around the oldest position that can be believed, and at the newest.
  void ProbeEdges(const ScopeKey& scope);
  // ... at `count` positions ever written, chosen at random.
  void ProbeAnywhere(const ScopeKey& scope, uint64_t count);
  // ... at every live position that is a multiple of `step`.
  void ProbeSweep(const ScopeKey& scope, uint64_t step = 1);

  // Writes `cells` cells by documents that share one key and so touch one slot only; fewer where no
  // number of documents of key_len + 3 to key_len + 33 cells adds up to that.
  void Fill(const ScopeKey& scope, uint64_t cells);
  // A document of `len` tokens that begins with `begin`, whose other keys are few and that no run
  // cut shortens. Requires: key_len <= 8.
  std::vector<Token> SparseDoc(std::vector<Token> begin, uint64_t len);

  Sequence Take() { return std::move(sequence_); }

 private:
  const Answer& Apply(Operation op);
  // Slots of all keys of `doc`.
  std::set<uint64_t> SlotsOf(absl::Span<const Token> doc) const;

  Sequence sequence_;
  ExactModel model_;
  Random random_;
  uint32_t fresh_;
  Token fill_token_;
  Token fill_end_;
  Answer answer_;
  std::map<ScopeKey, std::vector<Token>> written_;  // from position 1 on
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SCENARIO_BUILDER_H_
