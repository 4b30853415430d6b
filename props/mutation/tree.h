// A copy of the project whose core holds all mutants behind a switch.

#ifndef LOCKSTEP_PROPS_MUTATION_TREE_H_
#define LOCKSTEP_PROPS_MUTATION_TREE_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "props/mutation/mutants.h"

namespace lockstep::mutation {

struct Tree {
  std::string source;   // the project's root
  std::string planter;  // the program
  std::string dir;      // where the copy is: DIR/tree, DIR/mutants.json, logs
  int jobs = 2;

  std::string root() const { return dir + "/tree"; }
  std::string program(const std::string& name) const {
    return root() + "/build/release/bin/" + name;
  }
};

struct PlantedMutants {
  std::vector<Mutant> mutants;  // that compile
  size_t not_compiling = 0;
  std::string fingerprint;  // of all of them, and of what judges them
};

// Plants, builds, leaves out what does not compile, and builds again until all does; then builds
// the programs that judge. Takes minutes the first time. `say` hears of each step.
// Errors: Internal, with the log to look at.
absl::StatusOr<PlantedMutants> PrepareTree(const Tree& tree,
                                           absl::FunctionRef<void(const std::string&)> say);

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_TREE_H_
