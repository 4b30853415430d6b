// What became of the mutants, as a section of result.json, a table and a list of survivors.

#ifndef LOCKSTEP_PROPS_MUTATION_SCORES_H_
#define LOCKSTEP_PROPS_MUTATION_SCORES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "props/mutation/judge_mutant.h"
#include "props/mutation/listed.h"
#include "props/mutation/mutants.h"

namespace lockstep::mutation {

struct Judged {
  Mutant mutant;
  std::string key;
  std::optional<Outcome> outcome;  // none: not judged yet
  std::string listed_as;           // "equivalent", "speed" or ""
  bool same_code = false;          // a survivor whose machine code is the original's
};

struct Scores {
  size_t all = 0, judged = 0, caught = 0, survived = 0;  // survived: outside every list
  size_t same_code = 0, listed_equivalent = 0, listed_speed = 0;
  size_t crashed = 0, hung = 0;  // of the caught ones
  size_t listed_and_caught = 0;
  size_t not_compiling = 0;

  // Of those that could matter.
  double share() const { return caught + survived == 0 ? 1 : double(caught) / (caught + survived); }
};

Scores ScoreOf(const std::vector<Judged>& all, size_t not_compiling);

// The section "mutation": totals, rows per file and per kind, survivors with their lines, and for
// each check of verify the mutants that it alone catches.
nlohmann::ordered_json MutationSection(const std::string& source, const std::vector<Judged>& all,
                                       const Scores& scores);

// The section as text: Markdown that a terminal shows well, too.
std::string RenderMutation(const nlohmann::ordered_json& section);

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_SCORES_H_
