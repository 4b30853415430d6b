// The one result format: an envelope and sections, version 1. Later work adds sections and changes
// none. A leaf: every room but core may include it.

#ifndef LOCKSTEP_REPORTS_RESULT_H_
#define LOCKSTEP_REPORTS_RESULT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace lockstep {

inline constexpr int kResultFormatVersion = 1;

// The same everywhere.
enum ExitCode : int {
  kExitPass = 0,
  kExitBrokenPromise = 1,
  kExitBadInput = 2,
  kExitSlower = 3,
  kExitHarnessFailed = 4,
  kExitFloorMissed = 5,
  kExitInconclusive = 6,
};

// When several hold: 4, 2, 1, 3, 5, 6, and 0 only when nothing else does.
int WorseExitCode(int a, int b);
const char* VerdictName(int exit_code);  // "pass", "broken promise", ...

// Keys of the sections: invariants, classes, findings, fuzz, bench, gate, mutation, replay, plan.
struct Result {
  std::string command;      // "verify", with its flags
  std::string commit;       // of the harness; "" when unknown
  std::string impl_name;    // lockstep_impl_name()
  std::string impl_path;    // as the user gave it; "" for our own core
  std::string impl_sha256;  // of the library's file
  std::string level;        // "exact", "sound" or ""
  std::string machine;      // processor, cores, kernel
  std::string started;      // UTC, ISO 8601
  double seconds = 0;
  uint64_t seed = 0;
  int exit_code = kExitPass;
  nlohmann::ordered_json sections = nlohmann::ordered_json::object();
};

nlohmann::ordered_json ToJson(const Result& result);
// result.json, as it is written. Texts may come from foreign libraries and files; what is no UTF-8
// in them is replaced.
std::string ToJsonText(const Result& result);

// Errors: InvalidArgument "FILE: at /pointer: what is wrong".
absl::StatusOr<Result> ResultFromJson(const std::string& name, const nlohmann::ordered_json& json);
absl::StatusOr<Result> ReadResult(const std::string& path);

// Writes aside and renames, so that no reader ever sees half a file.
absl::Status WriteFileAtomically(const std::string& path, std::string_view contents);
absl::Status WriteResult(const Result& result, const std::string& dir);  // DIR/result.json

// Fills machine, started, commit.
Result StartResult(const std::string& command);

}  // namespace lockstep

#endif  // LOCKSTEP_REPORTS_RESULT_H_
