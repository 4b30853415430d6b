// One measuring process: both libraries in it, batches of theirs in turn.

#ifndef LOCKSTEP_BENCH_GATE_MEASURE_H_
#define LOCKSTEP_BENCH_GATE_MEASURE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/c_workloads.h"
#include "nlohmann/json.hpp"

namespace lockstep::gate {

enum class MeasureMode : uint8_t { kTime, kDigest, kInstructions };

struct MeasureSpec {
  MeasureMode mode = MeasureMode::kTime;
  std::string base;  // paths
  std::string head;
  std::vector<std::string> workloads;
  std::string control = {};  // this workload is measured with two copies of base too; "" for none
  std::string trace = {};    // of WriteOwnTrace; "" for none
  std::string hash_path =
      {};  // "" for the library's own choice; else all must take it, to be timed
  uint64_t seed = 1;
  int pairs = 40;
  int batch_us = 1000;
};

struct Reading {
  double log_ratio = 0;       // median over the pairs of log(head / base), thread CPU time
  double wall_log_ratio = 0;  // the same of wall time
  double base_ns = 0;         // of an operation
};

struct Readings {
  std::map<std::string, Reading> workloads;
  std::map<std::string, Reading> control;                        // its one, under its name
  std::map<std::string, std::pair<uint64_t, uint64_t>> digests;  // base, head
  bool takes_hash_path = false;  // whether all libraries hash as spec.hash_path says
  std::vector<std::string> unsupported_by_base;
  std::vector<std::string> unsupported_by_head;
};

nlohmann::json ToJson(const MeasureSpec& spec);
MeasureSpec MeasureSpecFromJson(const nlohmann::json& json);
nlohmann::json ToJson(const Readings& readings);
Readings ReadingsFromJson(const nlohmann::json& json);

// In this process, which must be a fresh one.
absl::StatusOr<Readings> Measure(const MeasureSpec& spec);

// In a fresh process of this program, behind `wrapper`: a command and its arguments, or nothing.
absl::StatusOr<Readings> MeasureInProcess(const MeasureSpec& spec,
                                          const std::vector<std::string>& wrapper = {});

// What such a process runs; returns its exit code.
int MeasureMain(const std::string& spec_text);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_MEASURE_H_
