#include "props/harness/exact_model.h"

#include <algorithm>
#include <bit>

#include "lockstep/geometry.h"

namespace lockstep {

absl::StatusOr<ModelOptions> ModelOptions::FromConfig(const CacheConfig& config, bool any_key_len) {
  absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry(config);
  if (!geometry.ok()) return geometry.status();
  if (!any_key_len && config.key_len >= geometry->ring_tokens - 1) {
    return absl::InvalidArgumentError("key_len leaves no token to predict");
  }
  return ModelOptions{.slots = geometry->slots,
                      .ring_tokens = geometry->ring_tokens,
                      .key_len = config.key_len,
                      .max_scopes = config.max_scopes};
}

ExactModel::ExactModel(const ModelOptions& options) : options_(options) {}

Answer ExactModel::Apply(const Operation& op) {
  Answer answer = op.kind == Operation::Kind::kInsert ? ApplyInsert(op) : ApplyPropose(op);
  answer.stored_tokens = stored_tokens(op.scope);
  answer.scope_count = scope_count();
  return answer;
}

uint64_t ExactModel::stored_tokens(const ScopeKey& scope) const {
  const auto it = scopes_.find(scope);
  return it == scopes_.end() ? 0 : it->second.head - options_.first_position;
}

uint64_t ExactModel::scope_count() const { return scopes_.size(); }

const ExactModel::Scope* ExactModel::scope(const ScopeKey& key) const {
  const auto it = scopes_.find(key);
  return it == scopes_.end() ? nullptr : &it->second;
}

Answer ExactModel::ApplyInsert(const Operation& op) {
  Answer answer;
  if (std::find(op.tokens.begin(), op.tokens.end(), kReservedToken) != op.tokens.end()) {
    Count(Situation::kRefusedDocument);
    answer.status = LOCKSTEP_INVALID_ARGUMENT;
    return answer;
  }
  if (op.tokens.size() <= options_.key_len) {
    Count(Situation::kShortDocument);
    return answer;
  }
  Scope& scope = UseOrMake(op.scope);
  scope.last_insert = scope.last_use;
  InsertInto(scope, op.tokens);
  return answer;
}

ExactModel::Scope& ExactModel::UseOrMake(const ScopeKey& key) {
  if (!scopes_.contains(key)) {
    if (scopes_.size() >= options_.max_scopes) DropLeastRecentlyUsed();
    Count(Situation::kScopeMade);
    if (dropped_.contains(key)) Count(Situation::kScopeMadeAgain);
    Scope& made = scopes_[key];
    made.slots.assign(options_.slots, 0);
    made.ring.assign(options_.ring_tokens, 0);
    made.head = options_.first_position;
  }
  Scope& scope = scopes_[key];
  scope.last_use = ++uses_;
  return scope;
}

void ExactModel::DropLeastRecentlyUsed() {
  const auto least = [&](uint64_t Scope::* use) {
    return std::min_element(scopes_.begin(), scopes_.end(), [use](const auto& a, const auto& b) {
      return a.second.*use < b.second.*use;
    });
  };
  const auto victim = least(&Scope::last_use);
  if (least(&Scope::last_insert) != victim) Count(Situation::kProposeSavedScope);
  if (least(&Scope::last_propose) != victim) Count(Situation::kInsertSavedScope);
  Count(Situation::kScopeDropped);
  dropped_.insert(victim->first);
  scopes_.erase(victim);
}

// Spec section 4, `insert`, step by step.
void ExactModel::InsertInto(Scope& scope, const std::vector<Token>& whole) {
  const uint64_t k = options_.key_len;
  const uint64_t kept = std::min<uint64_t>(whole.size(), options_.ring_tokens - 1);
  if (kept < whole.size()) Count(Situation::kTailCut);
  const Token* doc = whole.data() + (whole.size() - kept);
  bool writing = false;
  uint64_t runs = 0;
  uint64_t duplicates = 0;
  for (uint64_t e = k; e < kept; ++e) {
    const Token* key = doc + (e - k);
    const uint64_t found = Find(scope, key);
    const bool duplicate = found != 0 && scope.ring[found % options_.ring_tokens] == doc[e];
    if (writing && !duplicate && duplicates > 0) Count(Situation::kDuplicatesBroken);
    if (writing && !duplicate && duplicates + 1 == options_.duplicate_limit) {
      Count(Situation::kDuplicatesNearlyCut);
    }
    duplicates = duplicate ? duplicates + 1 : 0;
    if (writing && duplicates == options_.duplicate_limit) {
      Count(Situation::kRunCut);
      Append(scope, kReservedToken);
      writing = false;
    }
    if (!writing && duplicate) continue;
    if (!writing) {
      Count(runs++ == 0 ? Situation::kRunStarted : Situation::kRunResumed);
      for (uint64_t i = 0; i < k; ++i) Append(scope, key[i]);
      writing = true;
    }
    SetSlot(scope, SlotOf(key), found);
    Append(scope, doc[e]);
  }
  if (runs == 0) Count(Situation::kNothingWritten);
  if (writing) {
    Count(Situation::kRunEndedByDocument);
    Append(scope, kReservedToken);
  }
}

// Called just before the token is appended: the slot points at where it will be.
void ExactModel::SetSlot(Scope& scope, uint64_t slot, uint64_t found) {
  const uint64_t before = scope.slots[slot];
  if (before != 0 && found != 0) Count(Situation::kSlotRefreshed);
  if (before != 0 && found == 0 && before >= Oldest(scope) + options_.key_len) {
    Count(Situation::kSlotTakenOver);
  }
  scope.slots[slot] = scope.head;
}

void ExactModel::Append(Scope& scope, Token token) {
  if (scope.head - options_.first_position >= options_.ring_tokens) Count(Situation::kRingWrapped);
  scope.ring[scope.head % options_.ring_tokens] = token;
  ++scope.head;
}

// Positions in [Oldest, head) are live. Nothing was ever written below first_position, which is 1
// in every cache that is not made for a test.
uint64_t ExactModel::Oldest(const Scope& scope) const {
  const uint64_t written = scope.head - options_.first_position;
  if (written <= options_.ring_tokens) return options_.first_position;
  return scope.head - options_.ring_tokens;
}

// Spec section 3.
uint64_t ExactModel::SlotOf(const Token* key) const {
  uint64_t h = 0xcbf29ce484222325;
  for (uint64_t i = 0; i < options_.key_len; ++i) {
    h = (h ^ key[i]) * 0x00000100000001b3;
    h = (h << 29) | (h >> 35);
  }
  const int bits = std::countr_zero(options_.slots);
  return bits == 0 ? 0 : (h * 0x9e3779b97f4a7c15) >> (64 - bits);
}

bool ExactModel::KeyBefore(const Scope& scope, uint64_t position, const Token* key) const {
  for (uint64_t i = 0; i < options_.key_len; ++i) {
    const uint64_t p = position - options_.key_len + i;
    if (scope.ring[p % options_.ring_tokens] != key[i]) return false;
  }
  return true;
}

// Spec section 4, `find`.
uint64_t ExactModel::Find(const Scope& scope, const Token* key) {
  const uint64_t position = scope.slots[SlotOf(key)];
  if (position == 0 || position >= scope.head) return 0;
  const uint64_t least = Oldest(scope) + options_.key_len;
  if (position < least) {
    Count(Situation::kStaleSlotRefused);
    if (position + 1 == least) Count(Situation::kOldestMissedByOne);
    if (position >= options_.key_len && KeyBefore(scope, position, key)) {
      Count(Situation::kStaleMatchRefused);
    }
    return 0;
  }
  if (!KeyBefore(scope, position, key)) {
    Count(Situation::kForeignKeyRefused);
    return 0;
  }
  if (position == least && least > options_.first_position + options_.key_len) {
    Count(Situation::kOldestFound);
  }
  return position;
}

Answer ExactModel::ApplyPropose(const Operation& op) {
  Answer answer;
  const auto it = scopes_.find(op.scope);
  if (it == scopes_.end()) {
    Count(Situation::kProposeAbsentScope);
    return answer;
  }
  Scope& scope = it->second;
  scope.last_use = scope.last_propose = ++uses_;
  const uint64_t k = options_.key_len;
  if (op.tokens.size() < k) Count(Situation::kProposeShortHistory);
  if (op.max_len == 0) Count(Situation::kProposeZeroLen);
  if (op.max_len == 0 || op.tokens.size() < k) return answer;
  if (std::find(op.tokens.end() - static_cast<ptrdiff_t>(k), op.tokens.end(), kReservedToken) !=
      op.tokens.end()) {
    Count(Situation::kProposeReservedHistory);
    return answer;
  }
  const uint64_t found = Find(scope, op.tokens.data() + (op.tokens.size() - k));
  if (found == 0) {
    Count(Situation::kProposeMiss);
    return answer;
  }
  for (uint64_t p = found; p < scope.head; ++p) {
    const Token token = scope.ring[p % options_.ring_tokens];
    if (token == kReservedToken) {
      Count(Situation::kDraftEndedByRun);
      break;
    }
    if (answer.draft.size() == op.max_len) {
      Count(Situation::kDraftEndedByMaxLen);
      break;
    }
    answer.draft.push_back(token);
  }
  answer.written = answer.draft.size();
  return answer;
}

}  // namespace lockstep
