#include "bench/gate/gate_flags.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/c_workloads.h"

namespace lockstep::gate {

absl::StatusOr<std::vector<std::string>> SelectedWorkloads(const std::vector<std::string>& wanted) {
  if (wanted.empty()) return CWorkloadNames();
  std::vector<std::string> selected;
  for (const std::string& part : wanted) {
    const size_t before = selected.size();
    for (const std::string& name : part == "short" ? ShortGateNames() : CWorkloadNames()) {
      if (part == "short" || name.find(part) != std::string::npos) selected.push_back(name);
    }
    if (selected.size() == before) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--workloads ", part, ": no workload has that in its name; there are short, ",
          absl::StrJoin(CWorkloadNames(), ", ")));
    }
  }
  std::sort(selected.begin(), selected.end());
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  return selected;
}

}  // namespace lockstep::gate
