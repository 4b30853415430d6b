// Reads what libFuzzer and our targets say.

#ifndef LOCKSTEP_FUZZ_FUZZER_LOG_H_
#define LOCKSTEP_FUZZ_FUZZER_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::fuzz {

// The last line of progress: "#123 NEW cov: 5 ft: 6 corp: 7/8b exec/s: 9 ...".
struct Pulse {
  uint64_t executions = 0;
  uint64_t coverage = 0;
  uint64_t features = 0;
  uint64_t corpus = 0;
  uint64_t executions_per_second = 0;
  uint64_t new_inputs = 0;  // lines that begin a NEW input
};
Pulse ReadPulse(std::string_view log);

// How many modules give libFuzzer coverage: "INFO: Loaded 2 modules".
uint64_t ReadModules(std::string_view log);

// What an ended target says of its finding, equal for equal faults: the line of `kFindingPrefix`,
// or the kind of error a sanitizer or libFuzzer reports with the first function of our own; "" when
// the log reports none.
std::string ReadSignature(std::string_view log);

}  // namespace lockstep::fuzz

#endif  // LOCKSTEP_FUZZ_FUZZER_LOG_H_
