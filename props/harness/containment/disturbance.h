// Things that go on between the calls of a contained child and must not matter (I4).

#ifndef LOCKSTEP_PROPS_HARNESS_CONTAINMENT_DISTURBANCE_H_
#define LOCKSTEP_PROPS_HARNESS_CONTAINMENT_DISTURBANCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "props/harness/implementation.h"
#include "props/harness/operation.h"
#include "props/harness/surroundings.h"

namespace lockstep {

class Disturbance {
 public:
  Disturbance(const Surroundings& surroundings, const CInterface& functions);
  ~Disturbance();

  // To be called before the implementation is asked to do `step`.
  void Before(absl::Span<const Operation> step, const CacheConfig& config);

  // Drops the unrelated cache.
  void Forget() { other_.reset(); }

 private:
  void MoveHeapAbout();
  void UseOtherCache(const Operation& op, const CacheConfig& config);
  uint64_t Random();

  bool unrelated_work_;
  bool heap_noise_;
  uint64_t random_;
  const CInterface& functions_;
  std::vector<void*> blocks_;
  std::unique_ptr<CacheHandle> other_;
  uint64_t other_uses_ = 0;
  std::vector<Token> tokens_;
  std::vector<Token> out_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_CONTAINMENT_DISTURBANCE_H_
