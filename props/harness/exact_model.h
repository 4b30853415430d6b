// The exact model: the spec's text, transcribed as plainly as it goes. Slow, obvious, and sharing
// nothing with the core but types and geometry.

#ifndef LOCKSTEP_PROPS_HARNESS_EXACT_MODEL_H_
#define LOCKSTEP_PROPS_HARNESS_EXACT_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lockstep/types.h"
#include "props/harness/model_options.h"
#include "props/harness/operation.h"

namespace lockstep {

// How often each class of situation occurred. The names are in situations.cc.
enum class Situation : uint8_t {
  kShortDocument,    // at most key_len tokens: nothing happens
  kRefusedDocument,  // the reserved token is in it
  kTailCut,          // only the last ring_tokens - 1 tokens counted
  kScopeMade,
  kScopeDropped,    // the least recently used one, at the limit
  kScopeMadeAgain,  // a scope that was dropped before
  kRingWrapped,     // a write reused a ring cell
  kRunStarted,
  kRunResumed,  // a second run of one document started
  kRunCut,      // the duplicate limit was reached
  kRunEndedByDocument,
  kDuplicatesBroken,     // a count of at least 1 was set back while writing
  kDuplicatesNearlyCut,  // ... and it stood at the limit less one
  kNothingWritten,       // a document longer than key_len, all of it predicted
  kSlotTakenOver,        // a slot that held a live position of another key was set
  kSlotRefreshed,        // a slot that held a position of the same key was set
  kStaleSlotRefused,     // a slot's position was too old to be believed
  kStaleMatchRefused,    // ... although the ring tokens before it equal the key by chance
  kOldestFound,          // the oldest position that can be believed was
  kOldestMissedByOne,    // the one before it was not
  kForeignKeyRefused,    // a live position's tokens were those of another key
  kProposeAbsentScope,
  kProposeShortHistory,
  kProposeZeroLen,
  kProposeReservedHistory,  // the reserved token is in history's last key_len
  kProposeMiss,
  kDraftEndedByRun,  // by the reserved token, which ends everything that was written
  kDraftEndedByMaxLen,
  kProposeSavedScope,  // a proposal alone kept a scope from being dropped
  kInsertSavedScope,   // an insert alone did
  kCount,
};
const char* SituationName(Situation situation);

struct SituationCounts {
  uint64_t of[static_cast<size_t>(Situation::kCount)] = {};
  void Add(const SituationCounts& other);
};

class ExactModel {
 public:
  explicit ExactModel(const ModelOptions& options);

  // What the spec says comes back, `touched_*` false. Observed always.
  Answer Apply(const Operation& op);

  uint64_t stored_tokens(const ScopeKey& scope) const;
  uint64_t scope_count() const;
  const SituationCounts& situations() const { return situations_; }
  const ModelOptions& options() const { return options_; }

  // For narration and for probing on purpose; nullptr when the scope is absent.
  struct Scope {
    std::vector<uint64_t> slots;
    std::vector<Token> ring;
    uint64_t head = 1;
    uint64_t last_use = 0;
    // What the last use would be if only inserts, or only proposals, counted: for the situations.
    uint64_t last_insert = 0;
    uint64_t last_propose = 0;
  };
  const Scope* scope(const ScopeKey& key) const;

 private:
  Answer ApplyInsert(const Operation& op);
  Answer ApplyPropose(const Operation& op);
  Scope& UseOrMake(const ScopeKey& key);
  void DropLeastRecentlyUsed();
  void InsertInto(Scope& scope, const std::vector<Token>& doc);
  void Append(Scope& scope, Token token);
  void SetSlot(Scope& scope, uint64_t slot, uint64_t found);
  uint64_t Oldest(const Scope& scope) const;
  uint64_t SlotOf(const Token* key) const;
  bool KeyBefore(const Scope& scope, uint64_t position, const Token* key) const;
  // The position found for the key_len tokens at `key`, or 0.
  uint64_t Find(const Scope& scope, const Token* key);
  void Count(Situation situation) { ++situations_.of[static_cast<size_t>(situation)]; }

  ModelOptions options_;
  uint64_t uses_ = 0;
  std::map<ScopeKey, Scope> scopes_;
  std::set<ScopeKey> dropped_;  // for the count of scopes made again
  SituationCounts situations_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_EXACT_MODEL_H_
