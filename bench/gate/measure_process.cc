// What a measuring process is asked and answers, and starting one.

#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/gate/measure.h"
#include "bench/replay/subprocess.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

nlohmann::json ToJson(const std::map<std::string, Reading>& readings) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, r] : readings) json[name] = {r.log_ratio, r.wall_log_ratio, r.base_ns};
  return json;
}

std::map<std::string, Reading> MapFromJson(const nlohmann::json& json) {
  std::map<std::string, Reading> readings;
  for (const auto& [name, r] : json.items()) readings[name] = {r.at(0), r.at(1), r.at(2)};
  return readings;
}

}  // namespace

nlohmann::json ToJson(const MeasureSpec& spec) {
  return {{"mode", spec.mode},           {"base", spec.base},       {"head", spec.head},
          {"workloads", spec.workloads}, {"control", spec.control}, {"trace", spec.trace},
          {"hash_path", spec.hash_path}, {"seed", spec.seed},       {"pairs", spec.pairs},
          {"batch_us", spec.batch_us}};
}

MeasureSpec MeasureSpecFromJson(const nlohmann::json& json) {
  return {.mode = json.at("mode"),
          .base = json.at("base"),
          .head = json.at("head"),
          .workloads = json.at("workloads"),
          .control = json.at("control"),
          .trace = json.at("trace"),
          .hash_path = json.at("hash_path"),
          .seed = json.at("seed"),
          .pairs = json.at("pairs"),
          .batch_us = json.at("batch_us")};
}

nlohmann::json ToJson(const Readings& readings) {
  return {{"workloads", ToJson(readings.workloads)},
          {"control", ToJson(readings.control)},
          {"digests", readings.digests},
          {"takes_hash_path", readings.takes_hash_path},
          {"unsupported_by_base", readings.unsupported_by_base},
          {"unsupported_by_head", readings.unsupported_by_head}};
}

Readings ReadingsFromJson(const nlohmann::json& json) {
  return {.workloads = MapFromJson(json.at("workloads")),
          .control = MapFromJson(json.at("control")),
          .digests = json.at("digests"),
          .takes_hash_path = json.at("takes_hash_path"),
          .unsupported_by_base = json.at("unsupported_by_base"),
          .unsupported_by_head = json.at("unsupported_by_head")};
}

int MeasureMain(const std::string& spec_text) {
  const nlohmann::json json = nlohmann::json::parse(spec_text, nullptr, false);
  if (json.is_discarded()) return kExitBadInput;
  // The libraries may print: what is read back goes where standard output went, and theirs away.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const absl::StatusOr<Readings> readings = Measure(MeasureSpecFromJson(json));
  const std::string text =
      readings.ok() ? ToJson(*readings).dump()
                    : nlohmann::json{{"error", std::string(readings.status().message())}}.dump();
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(out, text.data() + at, text.size() - at);
    if (n <= 0) return kExitHarnessFailed;
    at += static_cast<size_t>(n);
  }
  return readings.ok() ? kExitPass : kExitHarnessFailed;
}

absl::StatusOr<Readings> MeasureInProcess(const MeasureSpec& spec,
                                          const std::vector<std::string>& wrapper) {
  std::vector<std::string> argv = wrapper;
  // Tests start the gate's own program and not themselves.
  const char* program = std::getenv("LOCKSTEP_GATE_PROGRAM");
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) self[0] = '\0';
  argv.insert(argv.end(), {program != nullptr ? program : self, "--measure", ToJson(spec).dump()});
  absl::StatusOr<std::unique_ptr<Subprocess>> process = Subprocess::Start(argv, "", {});
  if (!process.ok()) return process.status();
  const absl::StatusOr<std::string> text = (*process)->ReadAll();
  if (!text.ok()) return text.status();
  const absl::Status ended = (*process)->Finish();
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_object() && json.contains("error")) {
    return absl::UnavailableError(json.at("error").get<std::string>());
  }
  if (!ended.ok() || !json.is_object()) {
    return absl::UnavailableError(absl::StrCat("a measuring process: ", ended.message()));
  }
  return ReadingsFromJson(json);
}

}  // namespace lockstep::gate
