#include "reports/result.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "reports/json_count.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// The worst first.
constexpr std::array kExitCodesByWeight = {kExitHarnessFailed, kExitBadInput,    kExitBrokenPromise,
                                           kExitSlower,        kExitFloorMissed, kExitInconclusive,
                                           kExitPass};

constexpr std::array kEnvelopeMembers = {
    "format_version", "command", "commit",  "impl_name", "impl_path", "impl_sha256", "level",
    "machine",        "started", "seconds", "seed",      "verdict",   "exit_code"};

bool IsEnvelopeMember(const std::string& key) {
  return std::any_of(kEnvelopeMembers.begin(), kEnvelopeMembers.end(),
                     [&](const char* member) { return key == member; });
}

// Takes members out of the envelope; the first fault is kept and everything after it ignored.
class EnvelopeReader {
 public:
  EnvelopeReader(const std::string& name, const Json& json) : name_(name), json_(json) {}

  void Fail(const std::string& pointer, const std::string& what) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(
        absl::StrCat(name_, ": at ", pointer.empty() ? "the top" : pointer, ": ", what));
  }

  const Json* Member(const char* key) {
    const auto it = json_.find(key);
    if (it != json_.end()) return &*it;
    Fail(absl::StrCat("/", key), "the member is missing");
    return nullptr;
  }

  void ReadString(const char* key, std::string& out) {
    const Json* value = Member(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Fail(absl::StrCat("/", key), "must be a string");
    out = value->get<std::string>();
  }

  void ReadUnsigned(const char* key, uint64_t& out) {
    const Json* value = Member(key);
    if (value == nullptr) return;
    const std::optional<uint64_t> count = CountOf(*value);
    if (!count) return Fail(absl::StrCat("/", key), "must be an integer from 0 to 2^64 - 1");
    out = *count;
  }

  void ReadSeconds(double& out) {
    const Json* value = Member("seconds");
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0) {
      return Fail("/seconds", "must be a number that is not negative");
    }
    out = value->get<double>();
  }

  const absl::Status& status() const { return status_; }

 private:
  const std::string& name_;
  const Json& json_;
  absl::Status status_;
};

// The outer shape of the sections that every renderer reads.
void CheckSection(const std::string& key, const Json& section, EnvelopeReader& reader) {
  const std::string pointer = "/" + key;
  if (key == "invariants" || key == "findings") {
    if (!section.is_array()) return reader.Fail(pointer, "must be an array");
    for (size_t i = 0; i < section.size(); ++i) {
      if (!section[i].is_object()) {
        reader.Fail(absl::StrCat(pointer, "/", i), "must be an object");
      }
    }
  } else if (key == "classes") {
    if (!section.is_object()) return reader.Fail(pointer, "must be an object");
    for (const auto& [name, count] : section.items()) {
      if (CountOf(count)) continue;
      const Json::json_pointer member = Json::json_pointer("/classes") / name;
      reader.Fail(member.to_string(), "must be a count from 0 to 2^64 - 1");
    }
  }
}

std::string ProcessorName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) break;
    return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "unknown processor";
}

std::string MachineName() {
  utsname system = {};
  uname(&system);
  return absl::StrCat(ProcessorName(), ", ", std::thread::hardware_concurrency(), " cores, ",
                      system.sysname, " ", system.release, " ", system.machine);
}

}  // namespace

int WorseExitCode(int a, int b) {
  const auto weight = [](int code) {
    return std::find(kExitCodesByWeight.begin(), kExitCodesByWeight.end(), code);
  };
  // A code outside the list stands behind pass; it must not lose to it.
  if (a == kExitPass) return b;
  if (b == kExitPass) return a;
  return weight(a) <= weight(b) ? a : b;
}

const char* VerdictName(int exit_code) {
  switch (exit_code) {
    case kExitPass:
      return "pass";
    case kExitBrokenPromise:
      return "broken promise";
    case kExitBadInput:
      return "bad input";
    case kExitSlower:
      return "slower";
    case kExitHarnessFailed:
      return "harness failed";
    case kExitFloorMissed:
      return "floor missed";
    case kExitInconclusive:
      return "inconclusive";
    default:
      return "unknown";
  }
}

Json ToJson(const Result& result) {
  Json json = {{"format_version", kResultFormatVersion},
               {"command", result.command},
               {"commit", result.commit},
               {"impl_name", result.impl_name},
               {"impl_path", result.impl_path},
               {"impl_sha256", result.impl_sha256},
               {"level", result.level},
               {"machine", result.machine},
               {"started", result.started},
               {"seconds", result.seconds},
               {"seed", result.seed},
               {"verdict", VerdictName(result.exit_code)},
               {"exit_code", result.exit_code}};
  for (const auto& [key, section] : result.sections.items()) json[key] = section;
  return json;
}

std::string ToJsonText(const Result& result) {
  return ToJson(result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<Result> ResultFromJson(const std::string& name, const Json& json) {
  EnvelopeReader reader(name, json);
  if (!json.is_object()) {
    reader.Fail("", "must be an object");
    return reader.status();
  }
  Result result;
  uint64_t version = 0;
  uint64_t exit_code = 0;
  std::string verdict;
  reader.ReadUnsigned("format_version", version);
  if (version != kResultFormatVersion) {
    reader.Fail("/format_version",
                absl::StrCat("is ", version, ", and this program reads ", kResultFormatVersion));
  }
  reader.ReadString("command", result.command);
  reader.ReadString("commit", result.commit);
  reader.ReadString("impl_name", result.impl_name);
  reader.ReadString("impl_path", result.impl_path);
  reader.ReadString("impl_sha256", result.impl_sha256);
  reader.ReadString("level", result.level);
  reader.ReadString("machine", result.machine);
  reader.ReadString("started", result.started);
  reader.ReadSeconds(result.seconds);
  reader.ReadUnsigned("seed", result.seed);
  reader.ReadUnsigned("exit_code", exit_code);
  if (exit_code > kExitInconclusive) reader.Fail("/exit_code", "must be from 0 to 6");
  result.exit_code = static_cast<int>(exit_code);
  reader.ReadString("verdict", verdict);
  if (verdict != VerdictName(result.exit_code)) {
    reader.Fail("/verdict", absl::StrCat("must be \"", VerdictName(result.exit_code),
                                         "\", which is what exit code ", exit_code, " means"));
  }
  for (const auto& [key, section] : json.items()) {
    if (IsEnvelopeMember(key)) continue;
    CheckSection(key, section, reader);
    result.sections[key] = section;
  }
  if (!reader.status().ok()) return reader.status();
  return result;
}

absl::StatusOr<Result> ReadResult(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory, not a result file"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return absl::DataLossError(absl::StrCat(path, ": cannot be read to its end"));
  try {
    return ResultFromJson(path, Json::parse(text));
  } catch (const Json::exception& e) {
    // Its text names line and column, after "[json.exception.parse_error.101] ".
    const std::string_view what = e.what();
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is not JSON: ", std::string(what.substr(what.find("] ") + 2))));
  }
}

absl::Status WriteResult(const Result& result, const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat(dir, ": cannot be made a directory"));
  }
  return WriteFileAtomically((std::filesystem::path(dir) / "result.json").string(),
                             ToJsonText(result));
}

Result StartResult(const std::string& command) {
  Result result;
  result.command = command;
  // The front door says which commit it has built; whoever runs the program alone does not know.
  if (const char* commit = std::getenv("LOCKSTEP_COMMIT")) result.commit = commit;
  result.machine = MachineName();
  result.started = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  return result;
}

}  // namespace lockstep
