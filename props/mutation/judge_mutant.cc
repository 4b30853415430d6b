#include "props/mutation/judge_mutant.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "props/mutation/process.h"
#include "reports/result.h"

namespace lockstep::mutation {
namespace {

namespace fs = std::filesystem;

// Ten times what the tests take without a mutant counts as hanging, but not less than this.
constexpr double kLeastTestSeconds = 5;
constexpr double kVerifySeconds = 10;
constexpr double kMoreVerifySeconds = 60;
constexpr absl::Duration kVerifyLimit = absl::Seconds(120);
constexpr absl::Duration kCompileLimit = absl::Minutes(3);

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const char* How(const Ended& ended, int failed_code) {
  if (ended.timed_out) return "hung";
  return ended.exit_code == failed_code ? "failed" : "crashed";
}

// Assembly without what names the file.
std::string Assembly(const std::string& unit, const std::string& root, const std::string& out,
                     const std::string& log) {
  const Ended ended = RunProgram({"g++-12", "-std=c++20", "-O3", "-DNDEBUG", "-w", "-S", "-I.",
                                  "-Icore", "-DLOCKSTEP_STATIC", unit, "-o", out},
                                 root, log, {}, kCompileLimit);
  return ended.exit_code == 0 ? ReadAll(out) : "";
}

// The unit tests, quickest first. Sizing is a part of its own, which nothing else calls.
std::vector<std::vector<std::string>> TestsOf(const Tree& tree, const std::string& file) {
  std::vector<std::vector<std::string>> tests = {{tree.program("core_test")},
                                                 {tree.program("allocation_test")},
                                                 {tree.program("planned_memory_test")}};
  if (file.empty() || file.find("plan") != std::string::npos) {
    tests.push_back({tree.program("harness_test"), "--gtest_filter=*Plan*"});
    tests.push_back({tree.program("properties_test"), "--gtest_filter=*Plan*"});
  }
  return tests;
}

}  // namespace

nlohmann::ordered_json ToJson(const Outcome& o) {
  return {{"caught_by", o.caught_by}, {"how", o.how}, {"checks", o.checks}, {"seconds", o.seconds}};
}

Outcome OutcomeFromJson(const nlohmann::ordered_json& json) {
  return {.caught_by = json.at("caught_by"),
          .how = json.at("how"),
          .checks = json.at("checks"),
          .seconds = json.at("seconds")};
}

Outcome MutantJudge::Judge(const Mutant& mutant) const {
  const std::vector<std::string> environment = {absl::StrCat("LOCKSTEP_MUTANT_ID=", mutant.id)};
  fs::create_directories(work_);
  Outcome outcome;
  const absl::Duration limit = absl::Seconds(std::max(kLeastTestSeconds, 10 * tests_seconds_));
  for (std::vector<std::string>& argv : TestsOf(tree_, mutant.file)) {
    argv.insert(argv.end(), {"--gtest_brief=1", "--gtest_fail_fast"});
    const Ended tests = RunProgram(argv, tree_.root(), work_ + "/tests.log", environment, limit);
    outcome.seconds += tests.seconds;
    if (tests.exit_code == 0) continue;
    outcome.caught_by = "unit tests";
    outcome.how = How(tests, 1);
    return outcome;
  }
  const std::string out = work_ + "/verify";
  Ended verify;
  // A busy machine reaches too little in the first time; that accuses nobody, and acquits nobody.
  for (const double seconds : {kVerifySeconds, kMoreVerifySeconds}) {
    verify = RunProgram({tree_.program("lockstep-verify"), "--seconds", absl::StrCat(seconds),
                         "--seed", "1", "--out", out},
                        tree_.root(), work_ + "/verify.log", environment, kVerifyLimit);
    outcome.seconds += verify.seconds;
    if (verify.exit_code != kExitFloorMissed) break;
  }
  if (verify.exit_code == kExitPass || verify.exit_code == kExitFloorMissed) return outcome;
  outcome.caught_by = "verify";
  outcome.how = How(verify, kExitBrokenPromise);
  if (verify.exit_code != kExitBrokenPromise) return outcome;
  const absl::StatusOr<Result> result = ReadResult(out + "/result.json");
  if (!result.ok() || !result->sections.contains("findings")) return outcome;
  for (const auto& finding : result->sections["findings"]) {
    const std::string check = finding.value("check", "");
    if (std::find(outcome.checks.begin(), outcome.checks.end(), check) == outcome.checks.end()) {
      outcome.checks.push_back(check);
    }
  }
  return outcome;
}

absl::Status MutantJudge::Calibrate() {
  tests_seconds_ = 30;  // to begin with
  const Outcome outcome = Judge(Mutant{});
  if (!outcome.caught_by.empty()) {
    return absl::InternalError(absl::StrCat("without a mutant the core is caught by ",
                                            outcome.caught_by, ": see ", work_));
  }
  tests_seconds_ = std::max(0.1, outcome.seconds - kVerifySeconds);
  return absl::OkStatus();
}

bool SameMachineCode(const Tree& tree, const Mutant& mutant, const std::string& work) {
  const fs::path copy = fs::path(work) / "alone";
  std::error_code error;
  fs::remove_all(copy, error);
  fs::create_directories(copy / "core", error);
  fs::copy(fs::path(tree.source) / "core/lockstep", copy / "core/lockstep", error);
  if (error) return false;
  std::ofstream(copy / mutant.file, std::ios::binary)
      << Apply(ReadAll(fs::path(tree.source) / mutant.file), mutant);
  const bool is_header = mutant.file.ends_with(".h");
  for (const auto& entry : fs::directory_iterator(copy / "core/lockstep")) {
    const std::string unit = "core/lockstep/" + entry.path().filename().string();
    if (entry.path().extension() != ".cc" || (!is_header && unit != mutant.file)) continue;
    const std::string with = Assembly(unit, copy, work + "/with.s", work + "/with.log");
    const std::string without =
        Assembly(unit, tree.source, work + "/without.s", work + "/without.log");
    if (with.empty() || with != without) return false;
  }
  return true;
}

}  // namespace lockstep::mutation
