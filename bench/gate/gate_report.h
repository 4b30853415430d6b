// A comparison as Markdown, JSON and JUnit.

#ifndef LOCKSTEP_BENCH_GATE_GATE_REPORT_H_
#define LOCKSTEP_BENCH_GATE_GATE_REPORT_H_

#include <string>
#include <vector>

#include "bench/gate/comparison.h"
#include "nlohmann/json.hpp"

namespace lockstep::gate {

struct Surroundings {
  std::string machine;
  std::string base;  // what was compared, for people
  std::string head;
  uint64_t seed = 0;
  std::vector<std::string> remarks;  // a dirty tree, a budget that shortened batches
};

nlohmann::ordered_json GateSection(const Comparison& comparison, const Surroundings& surroundings);
// Fewer than 60 lines, the verdict first.
std::string GateMarkdown(const Comparison& comparison, const Surroundings& surroundings);
std::string GateJUnit(const Comparison& comparison);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_GATE_REPORT_H_
