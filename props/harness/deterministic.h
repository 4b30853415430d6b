// Runs one sequence twice, the second time in other surroundings, and compares the answers (I4).

#ifndef LOCKSTEP_PROPS_HARNESS_DETERMINISTIC_H_
#define LOCKSTEP_PROPS_HARNESS_DETERMINISTIC_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "props/harness/check.h"
#include "props/harness/surroundings.h"

namespace lockstep {

struct NamedSurroundings {
  std::string name;  // as in "otherwise ...": "in a fresh process"
  Surroundings surroundings;
  uint64_t later_caches = 0;  // so many more of one process are given the sequence as well
};

// The likeliest to matter first. Equal for equal seeds.
std::vector<NamedSurroundings> AllSurroundings(uint64_t seed);

// The few that show best what was seen in `found`, also with few operations.
std::vector<NamedSurroundings> TellingSurroundings(const NamedSurroundings& found, uint64_t ops);

// A sequence and what is answered to it in plain surroundings.
struct PlainRun {
  Sequence sequence;
  std::vector<Answer> answers;  // fewer than operations when that ends the process
};
absl::StatusOr<PlainRun> RunPlainly(const CheckContext& context, const Sequence& sequence);

// Returns: how the first answer that is another in these surroundings differs; at the sound level
//          stored_tokens is not compared. Nothing when the sequence ends the process anyway.
absl::StatusOr<std::optional<Finding>> DiffersIn(const CheckContext& context, const PlainRun& plain,
                                                 const NamedSurroundings& surroundings);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_DETERMINISTIC_H_
