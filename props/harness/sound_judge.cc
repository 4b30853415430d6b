#include "props/harness/sound_judge.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "props/harness/describe.h"
#include "props/harness/exact_judge.h"

namespace lockstep {
namespace {

Finding Make(const char* check, const char* kind, std::string what) {
  return {.check = check, .what = std::move(what), .signature = absl::StrCat(check, ": ", kind)};
}

// Whether `doc` contains `key` directly followed by `draft`.
bool Contains(absl::Span<const Token> doc, absl::Span<const Token> key,
              absl::Span<const Token> draft) {
  if (doc.size() < key.size() + draft.size()) return false;
  const size_t last = doc.size() - draft.size();
  for (size_t start = key.size(); start <= last; ++start) {
    // The two tokens on either side of the seam decide nearly always.
    if (doc[start] != draft.front() || doc[start - 1] != key.back()) continue;
    if (doc.subspan(start, draft.size()) == draft &&
        doc.subspan(start - key.size(), key.size()) == key) {
      return true;
    }
  }
  return false;
}

}  // namespace

SoundJudge::SoundJudge(const CacheConfig& config, std::set<std::string> only,
                       bool may_accept_reserved)
    : config_(config), only_(std::move(only)), may_accept_reserved_(may_accept_reserved) {}

std::optional<Finding> SoundJudge::Check(const Operation& op, const Answer& answer) {
  const uint64_t index = op_index_++;
  std::optional<Finding> finding;
  if (enabled("I5")) finding = CheckBounds(op, answer, /*may_scribble=*/true);
  if (!finding) {
    finding =
        op.kind == Operation::Kind::kInsert ? CheckInsert(op, answer) : CheckPropose(op, answer);
  }
  if (!finding && enabled("I2")) finding = CheckScopes(op, answer);
  if (finding) finding->op_index = index;
  return finding;
}

SoundJudge::Scope& SoundJudge::UseOrMake(const ScopeKey& key) {
  const auto it = scopes_.find(key);
  if (it != scopes_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, it->second.by_use);
    return it->second;
  }
  if (scopes_.size() >= config_.max_scopes) {
    scopes_.erase(by_use_.back());
    by_use_.pop_back();
  }
  by_use_.push_front(key);
  Scope& made = scopes_[key];
  made.by_use = by_use_.begin();
  return made;
}

std::optional<Finding> SoundJudge::CheckInsert(const Operation& op, const Answer& answer) {
  const bool reserved =
      std::find(op.tokens.begin(), op.tokens.end(), kReservedToken) != op.tokens.end();
  const bool may_refuse = reserved && answer.status == LOCKSTEP_INVALID_ARGUMENT;
  if (answer.status != LOCKSTEP_OK && !may_refuse && enabled("I5")) {
    return Make("I5", "insert failed",
                absl::StrCat("insert of ", op.tokens.size(), " tokens gave ",
                             DescribeStatus(answer.status), " \"", answer.error, "\""));
  }
  if (answer.status != LOCKSTEP_OK || op.tokens.size() <= config_.key_len) return std::nullopt;
  if (reserved && !may_accept_reserved_) return std::nullopt;
  UseOrMake(op.scope).docs.push_back(op.tokens);
  return std::nullopt;
}

std::optional<Finding> SoundJudge::CheckPropose(const Operation& op, const Answer& answer) {
  const auto it = scopes_.find(op.scope);
  if (it == scopes_.end()) {
    if (answer.written == 0) return std::nullopt;
    const char* check = enabled("I1") ? "I1" : "I2";
    if (!enabled(check)) return std::nullopt;
    return Make(
        check, "draft from a scope that does not exist",
        absl::StrCat("scope ", DescribeScope(op.scope),
                     " does not exist, or was dropped, yet gave ", DescribeTokens(answer.draft)));
  }
  UseOrMake(op.scope);
  if (answer.written == 0 || !enabled("I1")) return std::nullopt;
  if (answer.draft.empty()) {
    return Make("I1", "draft where none was asked for",
                absl::StrCat("propose returned ", answer.written, " with max_len ", op.max_len));
  }
  const absl::Span<const Token> draft = answer.draft;
  if (std::find(draft.begin(), draft.end(), kReservedToken) != draft.end()) {
    return Make("I1", "reserved token in a draft",
                absl::StrCat("draft ", DescribeTokens(draft), " holds the reserved token"));
  }
  if (op.tokens.size() < config_.key_len) {
    return Make("I1", "draft for a short history",
                absl::StrCat("a history of ", op.tokens.size(), " tokens, shorter than key_len ",
                             config_.key_len, ", gave ", DescribeTokens(draft)));
  }
  const auto key = absl::MakeConstSpan(op.tokens).last(config_.key_len);
  const auto& docs = it->second.docs;
  if (std::any_of(docs.rbegin(), docs.rend(),
                  [&](const auto& doc) { return Contains(doc, key, draft); })) {
    return std::nullopt;
  }
  return Make("I1", "draft is no slice",
              absl::StrCat("no document of the scope holds ", DescribeTokens(key), " followed by ",
                           DescribeTokens(draft)));
}

std::optional<Finding> SoundJudge::CheckScopes(const Operation& op, const Answer& answer) const {
  if (!answer.observed) return std::nullopt;
  if (answer.scope_count > config_.max_scopes) {
    return Make("I2", "more scopes than max_scopes",
                absl::StrCat("scope_count is ", answer.scope_count, " with max_scopes ",
                             config_.max_scopes));
  }
  if (answer.stored_tokens != 0 && !scopes_.contains(op.scope)) {
    return Make(
        "I2", "tokens in a scope that does not exist",
        absl::StrCat("stored_tokens of scope ", DescribeScope(op.scope), ", which does not ",
                     "exist or was dropped, is ", answer.stored_tokens));
  }
  return std::nullopt;
}

}  // namespace lockstep
