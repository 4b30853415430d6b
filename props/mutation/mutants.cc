#include "props/mutation/mutants.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace lockstep::mutation {
namespace {

constexpr std::string_view kSwitch =
    "#include <type_traits>\n"
    "#ifndef LOCKSTEP_MUTANT\n"
    "namespace lockstep::mutation {\n"
    "extern unsigned active;\n"
    "}\n"
    "#define LOCKSTEP_MUTANT(id) \\\n"
    "  (!std::is_constant_evaluated() && ::lockstep::mutation::active == (id))\n"
    "#endif\n";

std::string Switch(unsigned id) { return "LOCKSTEP_MUTANT(" + std::to_string(id) + ")"; }

// Text that goes in front of an offset.
struct Insertion {
  unsigned offset;
  // At one offset what ends comes before what begins; of two that end the inner one comes first,
  // of two that begin the outer one.
  bool begins;
  unsigned length;  // of the piece of text that it begins or ends
  std::string text;
  std::vector<unsigned> ids;  // of whose own text the lines of `text` are, one each
};

bool Earlier(const Insertion& a, const Insertion& b) {
  if (a.offset != b.offset) return a.offset < b.offset;
  if (a.begins != b.begins) return b.begins;
  return a.begins ? a.length > b.length : a.length < b.length;
}

void AddInsertions(unsigned begin, unsigned end, const Site& site, std::vector<Insertion>& all) {
  if (site.form == Form::kEnd) {
    all.push_back(
        {.offset = begin, .begins = true, .length = 0, .text = "\n__builtin_trap();\n", .ids = {}});
    return;
  }
  // What comes before the first statement comes before all that is in it.
  const unsigned outermost = std::numeric_limits<unsigned>::max();
  Insertion before{.offset = begin,
                   .begins = true,
                   .length = site.form == Form::kFirstStatement ? outermost : end - begin,
                   .text = {},
                   .ids = {}};
  Insertion after{.offset = end, .begins = false, .length = end - begin, .text = {}, .ids = {}};
  for (const Mutant& mutant : site.mutants) {
    std::string one_line = mutant.replacement;
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    switch (site.form) {
      case Form::kExpression:
        before.text += "\n(" + Switch(mutant.id) + " ? (" + one_line + ") :";
        after.text += ")";
        break;
      case Form::kStatement:
        before.text += "\n{ if (!" + Switch(mutant.id) + ")";
        after.text += "}";
        break;
      case Form::kFirstStatement:
        before.text += "\nif (" + Switch(mutant.id) + ") " + one_line;
        break;
      case Form::kEnd:
        break;
    }
    before.ids.push_back(mutant.id);
  }
  before.text += site.form == Form::kExpression ? "\n(" : "\n";
  if (site.form == Form::kExpression) after.text += ")";
  all.push_back(std::move(before));
  if (!after.text.empty()) all.push_back(std::move(after));
}

// Comments to the end of the line would swallow what follows them.
std::string WithoutLineComments(std::string text) {
  for (size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) {
    text.erase(at, std::min(text.find('\n', at), text.size()) - at);
  }
  return text;
}

}  // namespace

Planted Plant(const std::string& text, const Sites& sites) {
  std::vector<Insertion> insertions;
  for (const auto& [range, site] : sites) {
    Site cleaned = site;
    for (Mutant& m : cleaned.mutants) m.replacement = WithoutLineComments(m.replacement);
    AddInsertions(range.first, range.second, cleaned, insertions);
  }
  std::stable_sort(insertions.begin(), insertions.end(), Earlier);
  Planted planted{.text = std::string(kSwitch), .ids_by_line = {}};
  auto line = static_cast<unsigned>(1 + std::count(planted.text.begin(), planted.text.end(), '\n'));
  unsigned done = 0;
  const auto add = [&](std::string_view piece) {
    planted.text += piece;
    line += static_cast<unsigned>(std::count(piece.begin(), piece.end(), '\n'));
  };
  for (const Insertion& insertion : insertions) {
    add(std::string_view(text).substr(done, insertion.offset - done));
    done = insertion.offset;
    for (size_t i = 0; i < insertion.ids.size(); ++i) {
      planted.ids_by_line.emplace(line + 1 + static_cast<unsigned>(i), insertion.ids[i]);
    }
    add(insertion.text);
  }
  add(std::string_view(text).substr(done));
  return planted;
}

std::string Apply(const std::string& text, const Mutant& mutant) {
  return text.substr(0, mutant.offset) + mutant.replacement +
         text.substr(mutant.offset + mutant.length);
}

}  // namespace lockstep::mutation
