// Parses a whole JSON document strictly: no member twice, and faults named by line or by pointer.

#ifndef LOCKSTEP_PROPS_HARNESS_JSON_DOCUMENT_H_
#define LOCKSTEP_PROPS_HARNESS_JSON_DOCUMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace lockstep {

// Errors: InvalidArgument, one line: "NAME:LINE: not JSON ..." or, for a member given twice,
//         "NAME: at /json/pointer: ...".
absl::StatusOr<nlohmann::json> ParseJsonDocument(absl::string_view name, absl::string_view bytes);

// `pointer` and the escaped `token` as the next step of a JSON pointer; cut when it is long, and
// made fit for one line of a terminal.
std::string JsonPointerStep(absl::string_view pointer, absl::string_view token);

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_JSON_DOCUMENT_H_
