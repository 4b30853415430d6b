// The protocol's rows as a table and as a section of result.json.

#ifndef LOCKSTEP_BENCH_PROTOCOL_REPORT_H_
#define LOCKSTEP_BENCH_PROTOCOL_REPORT_H_

#include <string>
#include <vector>

#include "bench/protocol.h"
#include "nlohmann/json.hpp"

namespace lockstep {

std::string RenderProtocol(const std::vector<ProtocolRow>& rows);

// [{"name", "impl", "unit", "ns", "ns_low", "ns_high", and where there is a floor "floor",
// "floor_ns", "ratio", "ratio_low", "ratio_high", "plain_ratio", "promise", "verdict"}]
nlohmann::ordered_json ProtocolToJson(const std::vector<ProtocolRow>& rows);

// True when all that was promised holds.
bool AllHold(const std::vector<ProtocolRow>& rows);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_PROTOCOL_REPORT_H_
