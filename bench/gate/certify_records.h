// What a certification has done so far: lines of JSON that survive being killed.

#ifndef LOCKSTEP_BENCH_GATE_CERTIFY_RECORDS_H_
#define LOCKSTEP_BENCH_GATE_CERTIFY_RECORDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace lockstep::gate {

// Those that are whole, in order; a line that was cut when a run was killed is none.
std::vector<nlohmann::ordered_json> ReadRecords(const std::string& path);

// On disk when it returns; after a line that was cut it starts a new one.
absl::Status AppendRecord(const std::string& path, const nlohmann::ordered_json& record);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_CERTIFY_RECORDS_H_
