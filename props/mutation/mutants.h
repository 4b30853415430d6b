// What the planter finds in a file: mutants, and the text to insert for them.

#ifndef LOCKSTEP_PROPS_MUTATION_MUTANTS_H_
#define LOCKSTEP_PROPS_MUTATION_MUTANTS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::mutation {

// One small change. `original` is replaced by `replacement`.
struct Mutant {
  unsigned id = 0;  // from 1 on, over all files
  std::string file;
  std::string function;  // "" outside of any
  std::string kind;      // "comparison", "constant", "statement deleted", ...
  std::string original;
  std::string replacement;
  unsigned line = 0;
  unsigned offset = 0;  // in the file, of the original
  unsigned length = 0;
};

// How a mutant is switched on where it stands. kEnd is the end of a function that returns a value,
// and has no mutants: whoever gets there without a return statement is stopped, since a compiler
// takes it for impossible and would undo the deletion of one.
enum class Form { kExpression, kStatement, kFirstStatement, kEnd };

struct Site {
  Form form = Form::kExpression;
  std::vector<Mutant> mutants;  // of the same piece of text
};

// By begin and end of the piece of text, as offsets in the file.
using Sites = std::map<std::pair<unsigned, unsigned>, Site>;

// The file with every mutant in it, each switched on by LOCKSTEP_MUTANT(id), and the lines, from 1
// on, at which each mutant's own text stands.
struct Planted {
  std::string text;
  std::multimap<unsigned, unsigned> ids_by_line;
};
Planted Plant(const std::string& text, const Sites& sites);

// The file with one mutant and no switch.
std::string Apply(const std::string& text, const Mutant& mutant);

}  // namespace lockstep::mutation

#endif  // LOCKSTEP_PROPS_MUTATION_MUTANTS_H_
