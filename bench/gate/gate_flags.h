// The gate's command line.

#ifndef LOCKSTEP_BENCH_GATE_GATE_FLAGS_H_
#define LOCKSTEP_BENCH_GATE_GATE_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep::gate {

struct GateFlags {
  std::string command = "gate";  // as it was typed, for who reads the result
  std::string base;
  std::string head;
  std::string base_lib;
  std::string head_lib;
  std::vector<std::string> workloads;
  double budget_seconds = 0;
  int batch_us = 1000;
  uint64_t seed = 0;  // 0: a random one
  bool measure_identical = false;
  bool no_instructions = false;
  bool list = false;
  bool json = false;
  std::string out;  // "": out/gate, or out/gate_certificate
  bool certify = false;
  double hours = 0;
  double minutes = 0;
  bool render = false;
};

// The workloads that have one of `wanted` in their name, all when it is empty; "short" stands for
// the short gate's.
//
// Errors: InvalidArgument naming the one that is in no name, and the names.
absl::StatusOr<std::vector<std::string>> SelectedWorkloads(const std::vector<std::string>& wanted);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_GATE_FLAGS_H_
