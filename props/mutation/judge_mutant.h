// Judges one mutant: by the unit tests, then by verify.

#ifndef LOCKSTEP_PROPS_MUTATION_JUDGE_MUTANT_H_
#define LOCKSTEP_PROPS_MUTATION_JUDGE_MUTANT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "props/mutation/mutants.h"
#include "props/mutation/tree.h"

namespace lockstep::mutation {

struct Outcome {
  std::string caught_by = {};            // "unit tests", "verify", "" for a survivor
  std::string how = {};                  // "failed", "crashed", "hung"
  std::vector<std::string> checks = {};  // of verify, that found something
  double seconds = 0;
};

nlohmann::ordered_json ToJson(const Outcome& outcome);
Outcome OutcomeFromJson(const nlohmann::ordered_json& json);

class MutantJudge {
 public:
  // `work` is a folder for the logs of this judge alone.
  MutantJudge(const Tree& tree, std::string work) : tree_(tree), work_(std::move(work)) {}

  // Without a mutant both must pass, and show how long they take. Errors: Internal.
  absl::Status Calibrate();
  void TakeLimits(const MutantJudge& calibrated) { tests_seconds_ = calibrated.tests_seconds_; }
  Outcome Judge(const Mutant& mutant) const;

 private:
  const Tree& tree_;
  std::string work_;
  double tests_seconds_ = 1;
};

// Whether the mutant's machine code is the original's, in every unit of the core: then nothing can
// tell them apart.
bool SameMachineCode(const Tree& tree, const Mutant& mutant, const std::string& work);

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_JUDGE_MUTANT_H_
