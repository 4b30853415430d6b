// What the command lines of all programs share: one form of --help, one line for a user's mistake,
// and the exit codes that go with it.

#ifndef LOCKSTEP_REPORTS_COMMAND_LINE_H_
#define LOCKSTEP_REPORTS_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "reports/result.h"

namespace lockstep {

struct CommandHelp {
  std::string name;     // "verify"
  std::string answers;  // the question that the command answers, in one line
  std::string about;    // what else a reader must know; paragraphs, each a line, wrapped when shown
  std::vector<std::pair<std::string, std::string>> examples;  // what is typed, and what for
  std::vector<std::pair<int, std::string>> exit_codes;
  std::string call = "./lockstep " + name;  // how the program is started
};

// Gives `app` its --help. From here on the defaults of options are captured and shown; name what an
// option takes with type_name("SECONDS").
//
// Requires: called before options are added.
void Describe(CLI::App& app, const CommandHelp& help);

// Parses; the exit code when the program ends with that: after --help, or a mistake of the user,
// which is said on standard error in one line.
std::optional<int> ParseCommandLine(CLI::App& app, int argc, const char* const* argv);

// For check(): CLI::Range takes "nan" for a number in any range.
CLI::Validator InRange(double low, double high);

// Says "lockstep-NAME: message" on standard error, in one line; returns `exit_code`.
int Complain(absl::string_view name, absl::string_view message, int exit_code);

// 2 for what the user named and got wrong (InvalidArgument, NotFound), `failed_precondition` for
// that, else 4.
int ExitCodeOf(const absl::Status& status, int failed_precondition = kExitHarnessFailed);

// Makes the folder of --out. Errors: NotFound "--out DIR: cannot be made: ...".
absl::Status MakeOutFolder(const std::string& dir);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_COMMAND_LINE_H_
