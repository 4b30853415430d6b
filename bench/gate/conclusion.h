// From what a comparison found to its rows, its verdict and its exit code.

#ifndef LOCKSTEP_BENCH_GATE_CONCLUSION_H_
#define LOCKSTEP_BENCH_GATE_CONCLUSION_H_

#include <map>
#include <string>
#include <vector>

#include "bench/gate/comparison.h"
#include "bench/gate/sampling.h"

namespace lockstep::gate {

struct Evidence {
  std::map<std::string, TimeDecision> decisions;  // by row
  Sampling sampling;
  std::map<std::string, double> instructions;
  std::map<std::string, bool> confirmed;  // over link orders; those that were tried
  std::vector<std::string> only_head;     // workloads that need a symbol that base lacks ...
  std::vector<std::string> only_base;     // ... and that head lacks
};

std::vector<Row> MakeRows(const Evidence& evidence,
                          const std::map<std::string, std::string>& accepted);

// Fills exit_code and verdict from rows and noise. Rows that only the time calls slower are unclear
// where there is noise.
void Conclude(Comparison& comparison);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_CONCLUSION_H_
