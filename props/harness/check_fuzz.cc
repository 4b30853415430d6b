// A short run of a libFuzzer target: the fuzzer finds its own way into our core, guided by
// coverage.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "props/harness/check.h"
#include "props/harness/codec.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// libFuzzer looks at its clock between inputs only and takes a while to start.
constexpr absl::Duration kGrace = absl::Seconds(15);
constexpr absl::Duration kLeast = absl::Seconds(1);

// Starts `args` with its output in `log`; the process, or an error.
absl::StatusOr<pid_t> Start(const std::vector<std::string>& args, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return absl::InternalError(absl::StrCat(args[0], ": cannot be started"));
  return pid;
}

// Waits until the process ends, or `deadline`, when it is killed and nothing is returned.
std::optional<int> Wait(pid_t pid, absl::Time deadline) {
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (absl::Now() >= deadline) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return std::nullopt;
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
  return status;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The number after "stat::number_of_executed_units:" in libFuzzer's output.
uint64_t ExecutedUnits(const std::string& log) {
  static constexpr std::string_view kName = "stat::number_of_executed_units:";
  const size_t at = log.find(kName);
  uint64_t units = 0;
  if (at == std::string::npos) return units;
  std::istringstream(log.substr(at + kName.size(), 32)) >> units;
  return units;
}

class FuzzCheck : public Check {
 public:
  FuzzCheck(std::string target, std::string corpus, std::string out_dir)
      : target_(std::move(target)), corpus_(std::move(corpus)), out_dir_(std::move(out_dir)) {}

  std::string name() const override { return "fuzzing"; }
  std::vector<std::string> serves() const override { return {"model", "I1", "I6"}; }
  bool applies(Level level, bool own_core) const override {
    return own_core && level == Level::kExact && fs::exists(target_);
  }
  double share() const override { return 0.15; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    CheckReport report;
    const absl::Duration time = std::max(kLeast, context.deadline - absl::Now());
    const std::string found = out_dir_ + "/fuzz-", log_path = out_dir_ + "/fuzz.log";
    // libFuzzer adds what it learns to the first folder: never to the seeds.
    const std::string grown = out_dir_ + "/fuzz-corpus";
    RemoveOldFindings();
    fs::create_directories(grown);
    const auto pid =
        Start({target_, absl::StrCat("-max_total_time=", absl::ToInt64Seconds(time)),
               absl::StrCat("-seed=", context.seed % 0x7fffffff + 1),
               absl::StrCat("-artifact_prefix=", found), "-print_final_stats=1", grown, corpus_},
              log_path);
    if (!pid.ok()) return pid.status();
    const std::optional<int> status = Wait(*pid, absl::Now() + time + kGrace);
    const std::string log = ReadAll(log_path);
    report.operations = ExecutedUnits(log);
    report.evidence = absl::StrCat(report.operations, " inputs");
    if ((status.has_value() && *status == 0) || context.interrupted()) return report;
    AddFinding(status, log_path, report);
    return report;
  }

 private:
  void RemoveOldFindings() const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(out_dir_, ignored)) {
      if (entry.path().filename().string().starts_with("fuzz-")) {
        fs::remove_all(entry.path(), ignored);
      }
    }
  }

  std::string FirstFinding() const {
    for (const auto& entry : fs::directory_iterator(out_dir_)) {
      const bool found = entry.path().filename().string().starts_with("fuzz-");
      if (found && entry.is_regular_file()) return entry.path().string();
    }
    return "";
  }

  void AddFinding(const std::optional<int>& status, const std::string& log_path,
                  CheckReport& report) const {
    const std::string path = FirstFinding();
    Failure failure;
    failure.finding.check = "model";
    failure.finding.signature = "model: fuzzing";
    failure.found_by = path.empty() ? log_path : path;
    failure.finding.what =
        !status.has_value() ? absl::StrCat("the fuzz target did not end; see ", log_path)
        : path.empty()      ? absl::StrCat("the fuzz target failed; see ", log_path)
                            : absl::StrCat("the fuzz target failed on an input; see ", log_path,
                                           ", replay with ./lockstep explain ", path);
    const std::string bytes = path.empty() ? "" : ReadAll(path);
    const std::vector<uint8_t> input(bytes.begin(), bytes.end());
    DecodedInput decoded = Decode(input);
    // A sequence over a tiny scope has no configuration that a transcript could name.
    if (!path.empty() && !decoded.tiny) failure.sequence = std::move(decoded.sequence);
    report.failures.push_back(std::move(failure));
  }

  std::string target_, corpus_, out_dir_;
};

}  // namespace

std::unique_ptr<Check> MakeFuzzCheck(std::string target, std::string corpus, std::string out_dir) {
  return std::make_unique<FuzzCheck>(std::move(target), std::move(corpus), std::move(out_dir));
}

}  // namespace lockstep
