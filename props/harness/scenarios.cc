#include "props/harness/scenarios.h"

#include <algorithm>

#include "props/harness/scenario_list.h"

namespace lockstep {

std::vector<Scenario> DirectedScenarios() {
  std::vector<Scenario> scenarios;
  AddProposeScenarios(scenarios);
  AddRunScenarios(scenarios);
  AddRingScenarios(scenarios);
  AddSlotScenarios(scenarios);
  AddTokenScenarios(scenarios);
  AddScopeScenarios(scenarios);
  AddGeometryScenarios(scenarios);
  AddCallScenarios(scenarios);
  AddLateScenarios(scenarios);
  std::stable_sort(scenarios.begin(), scenarios.end(),
                   [](const Scenario& a, const Scenario& b) { return a.tier < b.tier; });
  return scenarios;
}

std::vector<Sequence> DirectedSequences(uint64_t seed) {
  std::vector<Sequence> sequences;
  for (const Scenario& scenario : DirectedScenarios()) {
    sequences.push_back(scenario.make(scenario.name, seed));
  }
  return sequences;
}

}  // namespace lockstep
