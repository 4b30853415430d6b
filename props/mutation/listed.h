// props/equivalent.txt: mutants that cannot matter, each with a reason.

#ifndef LOCKSTEP_PROPS_MUTATION_LISTED_H_
#define LOCKSTEP_PROPS_MUTATION_LISTED_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "props/mutation/mutants.h"

namespace lockstep::mutation {

// What names a mutant while the lines around it move: file, function, kind, the change, and a
// number where a function has several such, from 1 on.
std::vector<std::string> KeysOf(const std::vector<Mutant>& mutants);

struct ListedMutant {
  std::string what;  // "equivalent" or "speed": it costs time and nothing else
  std::string reason;
  unsigned line = 0;
  bool used = false;
};

// One a line: "equivalent | KEY | reason". "#" starts a comment.
//
// Errors: InvalidArgument "FILE:LINE: what is wrong".
absl::StatusOr<std::map<std::string, ListedMutant>> ReadListed(const std::string& path);

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_LISTED_H_
