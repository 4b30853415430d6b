#include "bench/gate/sampling.h"

namespace lockstep::gate {
namespace {

// Keeps the C library on the path that valgrind takes.
const char* const kForcedTunables =
    "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,"
    "-AVX512VL_Usable,-AVX512BW_Usable";

absl::Status AddOne(const MeasureSpec& spec, bool forced, Sampling& sampling) {
  const std::vector<std::string> tunables = {"env", kForcedTunables};
  const absl::StatusOr<Readings> readings =
      MeasureInProcess(spec, forced ? tunables : std::vector<std::string>());
  if (!readings.ok()) return readings.status();
  for (const auto& [name, reading] : readings->workloads) {
    const std::string row = forced ? name + kForcedSuffix : name;
    sampling.cpu[row].push_back(reading.log_ratio);
    sampling.wall[row].push_back(reading.wall_log_ratio);
    sampling.base_ns[row].push_back(reading.base_ns);
  }
  for (const auto& [name, reading] : readings->control) {
    sampling.control.push_back(reading.log_ratio);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddProcess(MeasureSpec spec, const std::vector<std::string>& forced, Random& random,
                        Sampling& sampling) {
  ++sampling.processes;
  spec.seed = random.Next();
  if (absl::Status s = AddOne(spec, /*forced=*/false, sampling); !s.ok()) return s;
  if (forced.empty()) return absl::OkStatus();
  spec.seed = random.Next();
  spec.workloads = forced;
  spec.control.clear();
  spec.hash_path = kForcedPath;
  return AddOne(spec, /*forced=*/true, sampling);
}

}  // namespace lockstep::gate
