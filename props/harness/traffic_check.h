// Recorded traffic as a check: the calls that a server would make on it, judged.

#ifndef LOCKSTEP_PROPS_HARNESS_TRAFFIC_CHECK_H_
#define LOCKSTEP_PROPS_HARNESS_TRAFFIC_CHECK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/types.h"
#include "props/harness/check.h"

namespace lockstep {

// One stream, or the one that several shards are.
struct Traffic {
  std::vector<std::string> paths;  // at least one
  CacheConfig config;
  uint64_t max_draft = 8;
  double share = 0;  // of the time of verify; 0: to the end
};

// Errors when it runs: InvalidArgument for a configuration that no cache has, naming the flags of
//                      verify, and for a trace that is malformed; NotFound for one that is not
//                      there.
std::unique_ptr<Check> MakeTrafficCheck(Traffic traffic);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_TRAFFIC_CHECK_H_
