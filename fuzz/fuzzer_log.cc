#include "fuzz/fuzzer_log.h"

#include <cctype>
#include <cstdlib>

#include "fuzz/target.h"

namespace lockstep::fuzz {
namespace {

std::string_view NextLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

uint64_t NumberAfter(std::string_view line, std::string_view name) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return 0;
  return std::strtoull(std::string(line.substr(at + name.size(), 24)).c_str(), nullptr, 10);
}

// "    #2 0x55d0 in lockstep::Scope::Insert(absl::...) /a/b.cc:3:4" -> "lockstep::Scope::Insert".
std::string OwnFunction(std::string_view line) {
  const size_t at = line.find(" in lockstep");
  if (at == std::string_view::npos || line.find('#') == std::string_view::npos) return "";
  const std::string_view name = line.substr(at + 4);
  return std::string(name.substr(0, name.find_first_of("( ")));
}

}  // namespace

Pulse ReadPulse(std::string_view log) {
  Pulse pulse;
  while (!log.empty()) {
    const std::string_view line = NextLine(log);
    if (!line.starts_with('#') || line.find("cov: ") == std::string_view::npos) continue;
    pulse.executions = NumberAfter(line, "#");
    pulse.coverage = NumberAfter(line, "cov: ");
    pulse.features = NumberAfter(line, "ft: ");
    pulse.corpus = NumberAfter(line, "corp: ");
    pulse.executions_per_second = NumberAfter(line, "exec/s: ");
    pulse.new_inputs += line.find("NEW ") != std::string_view::npos;
  }
  return pulse;
}

uint64_t ReadModules(std::string_view log) {
  while (!log.empty()) {
    const std::string_view line = NextLine(log);
    if (line.starts_with("INFO: Loaded ")) return NumberAfter(line, "INFO: Loaded ");
  }
  return 0;
}

std::string ReadSignature(std::string_view log) {
  std::string error;
  while (!log.empty()) {
    const std::string_view line = NextLine(log);
    if (line.starts_with(kFindingPrefix)) {
      return std::string(line.substr(std::string_view(kFindingPrefix).size()));
    }
    const size_t at = line.find("ERROR: ");
    if (error.empty() && at != std::string_view::npos) {
      // "AddressSanitizer: heap-buffer-overflow on address ..." without the values.
      const std::string_view what = line.substr(at + 7);
      const size_t second = what.find(' ', what.find(' ') + 1);
      error = std::string(what.substr(0, second));
    } else if (error.empty() && line.find("runtime error: ") != std::string_view::npos) {
      error = "UndefinedBehaviorSanitizer";
    }
    if (error.empty()) continue;
    const std::string function = OwnFunction(line);
    if (!function.empty()) return error + " in " + function;
  }
  return error;
}

}  // namespace lockstep::fuzz
