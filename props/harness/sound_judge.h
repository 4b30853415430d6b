// The sound level: any design of cache is right that keeps I1 to I5. The judge keeps every document
// inserted since its scope was made and asks of each draft only that it is a proper slice of one.
//
// Which scopes exist follows from the order of use, which is the same for every design (spec
// section 5). A document with the reserved token may be refused, or accepted and then never drafted
// across; the status that came back says which.

#ifndef LOCKSTEP_PROPS_HARNESS_SOUND_JUDGE_H_
#define LOCKSTEP_PROPS_HARNESS_SOUND_JUDGE_H_

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

class SoundJudge : public Judge {
 public:
  // `only` names the checks that may find something: "I1", "I2" and "I5"; empty means all. At the
  // exact level a document with the reserved token counts as not inserted, whatever came back.
  explicit SoundJudge(const CacheConfig& config, std::set<std::string> only = {},
                      bool may_accept_reserved = true);

  // Cost: a scan of the scope's documents, the latest first, until one contains the draft.
  std::optional<Finding> Check(const Operation& op, const Answer& answer) override;

 private:
  struct Scope {
    std::list<ScopeKey>::iterator by_use;
    std::vector<std::vector<Token>> docs;
  };

  bool enabled(const char* id) const { return only_.empty() || only_.contains(id); }
  std::optional<Finding> CheckInsert(const Operation& op, const Answer& answer);
  std::optional<Finding> CheckPropose(const Operation& op, const Answer& answer);
  std::optional<Finding> CheckScopes(const Operation& op, const Answer& answer) const;
  Scope& UseOrMake(const ScopeKey& key);

  CacheConfig config_;
  std::set<std::string> only_;
  bool may_accept_reserved_;
  uint64_t op_index_ = 0;
  std::map<ScopeKey, Scope> scopes_;
  std::list<ScopeKey> by_use_;  // the most recently used first
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SOUND_JUDGE_H_
