#include "props/mutation/listed.h"

#include <fstream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace lockstep::mutation {
namespace {

constexpr std::string_view kBetween = " | ";

std::string OneLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
  }
  return absl::StrReplaceAll(absl::StripTrailingAsciiWhitespace(line), {{" | ", " ¦ "}});
}

}  // namespace

std::vector<std::string> KeysOf(const std::vector<Mutant>& mutants) {
  std::map<std::string, int> seen;
  std::vector<std::string> keys;
  for (const Mutant& m : mutants) {
    std::string key = absl::StrCat(absl::StripPrefix(m.file, "core/lockstep/"), " ",
                                   absl::StripPrefix(m.function, "lockstep::"), " [", m.kind, "] ",
                                   OneLine(m.original), " => ", OneLine(m.replacement));
    const int n = ++seen[key];
    if (n > 1) absl::StrAppend(&key, " #", n);
    keys.push_back(std::move(key));
  }
  return keys;
}

absl::StatusOr<std::map<std::string, ListedMutant>> ReadListed(const std::string& path) {
  std::map<std::string, ListedMutant> listed;
  std::ifstream in(path);
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t first = line.find(kBetween), last = line.rfind(kBetween);
    const std::string what = line.substr(0, first);
    if (first == std::string::npos || last == first || (what != "equivalent" && what != "speed")) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ":", number, ": not \"equivalent | KEY | reason\" or \"speed | KEY | reason\""));
    }
    const std::string key = line.substr(first + kBetween.size(), last - first - kBetween.size());
    const std::string reason = line.substr(last + kBetween.size());
    if (reason.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": the reason is missing"));
    }
    if (!listed.emplace(key, ListedMutant{.what = what, .reason = reason, .line = number}).second) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": is there twice"));
    }
  }
  return listed;
}

}  // namespace lockstep::mutation
