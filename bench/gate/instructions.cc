#include "bench/gate/instructions.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/gate/sampling.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

bool HasValgrind() {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    if (access((rest.substr(0, colon) + "/valgrind").c_str(), X_OK) == 0) return true;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

std::string SmallOf(const std::string& name) { return name.substr(0, name.find('/')) + "/small"; }

// The count in one file of callgrind's; 0 when there is none.
uint64_t CountIn(const fs::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    for (const char* key : {"summary: ", "totals: "}) {
      if (line.starts_with(key))
        return std::strtoull(line.c_str() + std::string(key).size(), nullptr, 10);
    }
  }
  return 0;
}

// Base's and head's count of one workload: the function that is counted is called once for each.
absl::StatusOr<std::pair<uint64_t, uint64_t>> CountOne(MeasureSpec spec, const fs::path& dir) {
  spec.mode = MeasureMode::kInstructions;
  spec.control.clear();
  spec.seed = 1;
  const std::string out = (dir / "count").string();
  const absl::StatusOr<Readings> readings =
      MeasureInProcess(spec, {"valgrind", "-q", "--tool=callgrind", "--collect-atstart=no",
                              "--log-file=/dev/null", "--toggle-collect=lockstep_gate_counted",
                              "--dump-after=lockstep_gate_counted", "--callgrind-out-file=" + out});
  if (!readings.ok()) return readings.status();
  const std::pair<uint64_t, uint64_t> counts = {CountIn(out + ".1"), CountIn(out + ".2")};
  for (const fs::directory_entry& entry : fs::directory_iterator(dir)) fs::remove(entry.path());
  if (counts.first == 0 || counts.second == 0) {
    return absl::UnavailableError("callgrind counted nothing; is its output format another one?");
  }
  return counts;
}

}  // namespace

InstructionCounts CountInstructions(const MeasureSpec& spec, const std::vector<std::string>& forced,
                                    const std::string& dir) {
  InstructionCounts counts;
  if (!HasValgrind()) return {.more = {}, .why_none = "valgrind is not installed"};
  std::error_code error;
  fs::remove_all(dir, error);  // of a run that was stopped
  fs::create_directories(dir, error);
  if (error) return {.more = {}, .why_none = absl::StrCat(dir, ": ", error.message())};
  std::map<std::string, double> of_small;
  for (const std::string& name : spec.workloads) {
    const std::string small = SmallOf(name);
    if (!of_small.contains(small)) {
      MeasureSpec one = spec;
      one.workloads = {small};
      const absl::StatusOr<std::pair<uint64_t, uint64_t>> of_both = CountOne(one, dir);
      if (!of_both.ok()) {
        counts = {.more = {}, .why_none = std::string(of_both.status().message())};
        break;
      }
      of_small[small] =
          static_cast<double>(of_both->second) / static_cast<double>(of_both->first) - 1;
    }
    counts.more[name] = of_small[small];
    if (std::find(forced.begin(), forced.end(), name) != forced.end()) {
      counts.more[name + kForcedSuffix] = of_small[small];
    }
  }
  fs::remove_all(dir, error);
  return counts;
}

}  // namespace lockstep::gate
