#include "bench/gate/command.h"

#include <algorithm>
#include <memory>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "bench/replay/subprocess.h"

namespace lockstep::gate {

absl::StatusOr<std::string> RunCommand(const std::vector<std::string>& argv) {
  // Compilers complain on either output, and which came first matters to who reads it.
  std::vector<std::string> merged = {"sh", "-c", "exec \"$@\" 2>&1", "sh"};
  merged.insert(merged.end(), argv.begin(), argv.end());
  absl::StatusOr<std::unique_ptr<Subprocess>> process = Subprocess::Start(merged, "", {});
  if (!process.ok()) return process.status();
  absl::StatusOr<std::string> said = (*process)->ReadAll();
  if (!said.ok()) return said.status();
  if ((*process)->Finish().ok()) return said;
  constexpr size_t kEnd = 1500;
  const size_t from = said->size() > kEnd ? said->size() - kEnd : 0;
  // "env NAME=VALUE... cmake" is cmake.
  const auto name = std::find_if(argv.begin(), argv.end() - 1, [](const std::string& word) {
    return word != "env" && word.find('=') == std::string::npos;
  });
  return absl::InvalidArgumentError(
      absl::StrCat(*name, " failed: ", absl::StripAsciiWhitespace(said->substr(from))));
}

std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace lockstep::gate
