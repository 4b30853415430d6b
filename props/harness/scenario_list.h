// The directed sequences, by what they are after. One file each.

#ifndef LOCKSTEP_PROPS_HARNESS_SCENARIO_LIST_H_
#define LOCKSTEP_PROPS_HARNESS_SCENARIO_LIST_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "props/harness/operation.h"

namespace lockstep {

struct Scenario {
  std::string name;
  // Sequences of a lower tier come first: 0 is cheap and tells much, 3 writes most.
  int tier = 0;
  // Makes the sequence, which must not depend on anything but the seed.
  std::function<Sequence(const std::string& name, uint64_t seed)> make;
  // To be run once more without asking stored_tokens and scope_count in between.
  bool also_unobserved = false;
};

void AddGeometryScenarios(std::vector<Scenario>& scenarios);  // budgets, residues, ring sizes
void AddRingScenarios(std::vector<Scenario>& scenarios);      // oldest position, tail cut, wrap
void AddRunScenarios(std::vector<Scenario>& scenarios);       // duplicates, run marks, resends
void AddSlotScenarios(std::vector<Scenario>& scenarios);      // collisions of keys and of hashes
void AddTokenScenarios(std::vector<Scenario>& scenarios);     // every bit of a token, vocabularies
void AddProposeScenarios(std::vector<Scenario>& scenarios);   // histories, lengths, batches
void AddScopeScenarios(std::vector<Scenario>& scenarios);     // order of use, refusals, turnover
void AddCallScenarios(std::vector<Scenario>& scenarios);      // many calls
void AddLateScenarios(std::vector<Scenario>& scenarios);      // what shows late or far out

// All of the above, cheapest first.
std::vector<Scenario> DirectedScenarios();

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_SCENARIO_LIST_H_
