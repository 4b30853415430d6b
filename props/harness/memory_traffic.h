// Traffic for the memory check: every kind of call, with contents that never come again unless a
// call repeats one on purpose.

#ifndef LOCKSTEP_PROPS_HARNESS_MEMORY_TRAFFIC_H_
#define LOCKSTEP_PROPS_HARNESS_MEMORY_TRAFFIC_H_

#include <cstdint>
#include <vector>

#include "props/harness/operation.h"
#include "props/harness/random.h"

namespace lockstep {

class MemoryTraffic {
 public:
  MemoryTraffic(uint64_t seed, const CacheConfig& config);

  // Calls under as many scopes as there is room for, so that none is ever dropped: inserts of new
  // and of known documents, refusals, documents too short, hits, misses, absent scopes, batches.
  std::vector<Operation> Calls(size_t count);

  // `count` scopes made that never were before, with a few calls under each.
  std::vector<Operation> Turnovers(size_t count);

 private:
  std::vector<Token> FreshDoc();
  ScopeKey AnyScope();
  ScopeKey FreshScope();
  Operation AnyInsert();
  Operation AnyProposal();

  Random random_;
  CacheConfig config_;
  std::vector<std::pair<ScopeKey, std::vector<Token>>> recent_;
  size_t next_recent_ = 0;
  uint64_t fresh_scopes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_MEMORY_TRAFFIC_H_
