// What a measuring process is asked and answers, and starting one.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bench/gate/measure.h"
#include "reports/result.h"

extern char** environ;

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

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
}

absl::Status Died(int status, const std::string& said) {
  if (WIFSIGNALED(status)) {
    return absl::UnavailableError(
        absl::StrCat("a measuring process died of signal ", WTERMSIG(status)));
  }
  return absl::UnavailableError(
      said.empty() ? absl::StrCat("a measuring process ended with code ", WEXITSTATUS(status))
                   : said);
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
          {"unsupported_by_base", readings.unsupported_by_base},
          {"unsupported_by_head", readings.unsupported_by_head}};
}

Readings ReadingsFromJson(const nlohmann::json& json) {
  return {.workloads = MapFromJson(json.at("workloads")),
          .control = MapFromJson(json.at("control")),
          .digests = json.at("digests"),
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
                                          const std::vector<std::string>& wrapper,
                                          const std::vector<std::string>& environment) {
  std::vector<std::string> argv = wrapper;
  // GATE_PROGRAM: tests start the gate's own program and not themselves.
  const char* program = std::getenv("LOCKSTEP_GATE_PROGRAM");
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) self[0] = '\0';
  argv.insert(argv.end(), {program != nullptr ? program : self, "--measure", ToJson(spec).dump()});
  std::vector<std::string> env;
  for (char** each = environ; *each != nullptr; ++each) env.emplace_back(*each);
  env.insert(env.end(), environment.begin(), environment.end());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0].c_str(), &actions, nullptr, Pointers(argv).data(),
                                 Pointers(env).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return absl::UnavailableError(absl::StrCat(argv[0], ": ", std::strerror(error)));
  }
  const std::string text = ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (status != 0 || json.is_discarded() || json.contains("error")) {
    return Died(status, json.is_object() ? json.value("error", "") : "");
  }
  return ReadingsFromJson(json);
}

}  // namespace lockstep::gate
