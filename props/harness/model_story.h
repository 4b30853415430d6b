// What the exact model does at each call, in words.

#ifndef LOCKSTEP_PROPS_HARNESS_MODEL_STORY_H_
#define LOCKSTEP_PROPS_HARNESS_MODEL_STORY_H_

#include <cstdint>
#include <string>

#include "props/harness/exact_model.h"
#include "props/harness/operation.h"

namespace lockstep {

// "insert under (1,0,0,7): [1 2 3 4]", and the like.
std::string DescribeCall(const Operation& op);

class ModelStory {
 public:
  explicit ModelStory(const ModelOptions& options) : model_(options) {}

  // Applies the operation: what happened and why, in a few sentences, and what must come back.
  struct Chapter {
    std::string text;
    Answer expected;
  };
  Chapter Tell(const Operation& op);

  const ExactModel& model() const { return model_; }

 private:
  // How often a situation occurred in the operation that is being told.
  uint64_t Now(Situation situation) const;
  std::string TellInsert(const Operation& op, const Answer& expected, uint64_t head_before) const;
  std::string TellPropose(const Operation& op, const Answer& expected) const;
  std::string TellSlot(const Operation& op) const;
  std::string TellDraft(const Operation& op, const Answer& expected) const;
  uint64_t Oldest(const ExactModel::Scope& scope) const;

  ExactModel model_;
  SituationCounts before_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_MODEL_STORY_H_
