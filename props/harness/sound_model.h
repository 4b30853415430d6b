// The sound level: any design of cache is right that keeps I1 to I5. The model keeps every document
// inserted since its scope was made and asks of each draft only that it is a proper slice.

#ifndef LOCKSTEP_PROPS_HARNESS_SOUND_MODEL_H_
#define LOCKSTEP_PROPS_HARNESS_SOUND_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "props/harness/judge.h"
#include "props/harness/operation.h"

namespace lockstep {

class SoundJudge : public Judge {
 public:
  explicit SoundJudge(const CacheConfig& config);
  ~SoundJudge() override;
  std::optional<Finding> Check(const Operation& op, const Answer& answer) override;

  // Drafts that the exact model gives, and of these how many the implementation gave: usefulness.
  uint64_t expected_drafts() const;
  uint64_t given_drafts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SOUND_MODEL_H_
