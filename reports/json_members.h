// Members of JSON that may be absent or of any type, as text.

#ifndef LOCKSTEP_REPORTS_JSON_MEMBERS_H_
#define LOCKSTEP_REPORTS_JSON_MEMBERS_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "reports/result.h"

namespace lockstep {

// A section of a result; an empty array when there is none.
const nlohmann::ordered_json& Section(const Result& result, const char* key);

// A member of an object; null when there is none, or `object` is something else.
const nlohmann::ordered_json& MemberOf(const nlohmann::ordered_json& object, const char* key);

// An array of objects, with at least one.
bool IsRows(const nlohmann::ordered_json& value);

// A string as it is, anything else as JSON; "" for a member that is absent.
std::string TextOf(const nlohmann::ordered_json& value);
std::string TextOf(const nlohmann::ordered_json& object, const char* key);

// "1,234,567"; "?" for a member that is absent.
std::string CountTextOf(const nlohmann::ordered_json& value);
std::string CountTextOf(const nlohmann::ordered_json& object, const char* key);

// A finding in words: "found by isolation; 4 operations, 1,234 tokens", and the commands that show
// it again.
std::string FindingOrigin(const nlohmann::ordered_json& finding);
std::vector<std::string> FindingCommands(const Result& result,
                                         const nlohmann::ordered_json& finding);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_JSON_MEMBERS_H_
