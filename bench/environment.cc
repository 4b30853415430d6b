#include "bench/environment.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "lockstep/ngram_key.h"

namespace lockstep {
namespace {

constexpr const char* kTunables = "GLIBC_TUNABLES";
constexpr const char* kHugePages = "glibc.malloc.hugetlb=1";

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "unknown" : line;
}

// Of the program's memory now.
std::string HugePageBytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string name, rest; file >> name && std::getline(file, rest);) {
    if (name == "AnonHugePages:") return rest.substr(rest.find_first_not_of(' '));
  }
  return "unknown";
}

std::string Tunables() {
  const char* const value = std::getenv(kTunables);
  return value == nullptr ? "" : value;
}

}  // namespace

void UseHugePages(char** argv) {
  const std::string tunables = Tunables();
  if (tunables.find(kHugePages) != std::string::npos) return;
  setenv(kTunables, absl::StrCat(tunables, tunables.empty() ? "" : ":", kHugePages).c_str(), 1);
  execv("/proc/self/exe", argv);
  unsetenv(kTunables);
}

std::vector<std::pair<std::string, std::string>> Environment() {
  const char* const commit = std::getenv("LOCKSTEP_COMMIT");
  const std::string tunables = Tunables();
  return {
      {"compiler", LOCKSTEP_COMPILER " " __VERSION__},
      {"flags", LOCKSTEP_COMPILER_FLAGS},
      {"build", LOCKSTEP_BUILD_TYPE},
      {"commit", commit == nullptr ? "" : commit},
      {"hash_path", HashPathName(CurrentHashPath())},
      {"huge_pages", FirstLine("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"huge_pages_of_malloc", tunables.empty() ? "no" : tunables},
      {"huge_page_bytes", HugePageBytes()},
      {"load", FirstLine("/proc/loadavg")},
  };
}

}  // namespace lockstep
