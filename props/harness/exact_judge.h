// Holds an implementation to the exact model, and through it to I5, I6 and I7.

#ifndef LOCKSTEP_PROPS_HARNESS_EXACT_JUDGE_H_
#define LOCKSTEP_PROPS_HARNESS_EXACT_JUDGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "props/harness/exact_model.h"
#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

class ExactJudge : public Judge {
 public:
  // `only` names the checks that may find something: "I5", "I6", "I7" and "model", which is every
  // observable; empty means all. A finding carries the first of them that the answer breaks.
  explicit ExactJudge(const ModelOptions& options, std::set<std::string> only = {});

  std::optional<Finding> Check(const Operation& op, const Answer& answer) override;

  const ExactModel& model() const { return model_; }
  uint64_t expected_drafts() const { return expected_drafts_; }
  uint64_t given_drafts() const { return given_drafts_; }

 private:
  bool enabled(const char* id) const { return only_.empty() || only_.contains(id); }
  std::optional<Finding> CheckUseful(const Operation& op, const Answer& expected,
                                     const Answer& answer) const;
  std::optional<Finding> CheckRepeat(const Operation& op, const Answer& expected,
                                     uint64_t model_before, const Answer& answer) const;
  std::optional<Finding> CheckModel(const Operation& op, const Answer& expected,
                                    const Answer& answer) const;

  ExactModel model_;
  std::set<std::string> only_;
  std::map<ScopeKey, uint64_t> stored_;  // what the implementation last said
  uint64_t op_index_ = 0;
  uint64_t expected_drafts_ = 0;
  uint64_t given_drafts_ = 0;
};

// I5 as far as one answer shows it. At the sound level `out` may be scribbled on up to max_len.
std::optional<Finding> CheckBounds(const Operation& op, const Answer& answer, bool may_scribble);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_EXACT_JUDGE_H_
