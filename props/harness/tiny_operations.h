// Operations for scopes with tiny rings, slot tables and duplicate limits, or with first positions
// far out, which no configuration gives: for our own core only, in this process.

#ifndef LOCKSTEP_PROPS_HARNESS_TINY_OPERATIONS_H_
#define LOCKSTEP_PROPS_HARNESS_TINY_OPERATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "props/harness/check.h"
#include "props/harness/exact_model.h"
#include "props/harness/operation.h"

namespace lockstep {

// Random documents and proposals over few tokens, aimed at nothing: in a tiny ring everything is
// near everything. They fill the ring of each of a few scopes at least `laps` times.
std::vector<Operation> TinyOperations(const ModelOptions& options, uint64_t seed, uint64_t laps);

// Runs `ops` on our own core's scope with these options beside the exact model. The failure of a
// finding can be reproduced.
CheckReport RunTiny(const ModelOptions& options, const std::string& name,
                    std::vector<Operation> ops);

// "4 slots, 6 ring tokens, key_len 2, ...": what no configuration says.
std::string DescribeOptions(const ModelOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_TINY_OPERATIONS_H_
