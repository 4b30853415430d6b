#include <algorithm>
#include <cctype>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "fuzz/child.h"
#include "fuzz/night.h"
#include "props/harness/input_file.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;

std::string FileName(std::string_view words) {
  std::string name;
  for (const char c : words.substr(0, 60)) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}

bool NeverStops() { return false; }

}  // namespace

std::vector<std::string> TargetCommand(const NightOptions& options, const Target& target) {
  return {options.programs + "/fuzz_" + target.name, "-rss_limit_mb=2048", "-timeout=10"};
}

std::string FaultCabinet::RunOnce(const Target& target, const std::string& input) const {
  std::vector<std::string> command = TargetCommand(options_, target);
  command.push_back(input);
  const std::string log = options_.out + "/replay.log";
  absl::StatusOr<Child> child = Child::Start(command, log);
  if (!child.ok()) return "";
  const int code = child->Wait(absl::Seconds(60), NeverStops);
  if (code == 0) return "";
  const absl::StatusOr<std::string> text = ReadInputFile(log);
  const std::string signature = text.ok() ? ReadSignature(*text) : "";
  return signature.empty() ? absl::StrCat("ended with ", code) : signature;
}

bool FaultCabinet::Examine(const Target& target, absl::Duration time_to_minimise) {
  const fs::path folder = fs::path(options_.out) / "artifacts" / target.name;
  std::error_code error;
  std::vector<fs::path> artifacts;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) artifacts.push_back(entry.path());
  }
  std::sort(artifacts.begin(), artifacts.end());
  bool found = false;
  for (const fs::path& artifact : artifacts) {
    if (artifact.filename().string().starts_with("slow-unit")) {
      fs::remove(artifact, error);
      continue;
    }
    FoundFault fault;
    fault.target = target.name;
    int failed = 0;
    constexpr int kRuns = 3;
    for (int run = 0; run < kRuns; ++run) {
      const std::string signature = RunOnce(target, artifact.string());
      if (signature.empty()) continue;
      ++failed;
      fault.signature = signature;
    }
    fault.flaky = failed < kRuns;
    if (failed == 0) fault.signature = "did not fail again";
    const auto known = std::find_if(faults_.begin(), faults_.end(), [&](const FoundFault& f) {
      return f.target == fault.target && f.signature == fault.signature;
    });
    if (known != faults_.end()) {
      ++known->times;
      fs::remove(artifact, error);
      continue;
    }
    Keep(target, artifact.string(), std::move(fault), time_to_minimise);
    found = true;
  }
  return found;
}

void FaultCabinet::Keep(const Target& target, const std::string& artifact, FoundFault fault,
                        absl::Duration time_to_minimise) {
  const std::string name = FileName(absl::StrCat(target.name, " ", fault.signature));
  fault.folder = options_.out + "/findings/" + name;
  std::error_code error;
  fs::create_directories(fault.folder, error);
  const std::string input = fault.folder + "/input";
  fs::copy_file(artifact, input, fs::copy_options::overwrite_existing, error);
  if (!error) fs::remove(artifact, error);
  std::string smallest = input;
  if (!fault.flaky && !Interrupted()) {
    const std::string minimised = fault.folder + "/minimised";
    std::vector<std::string> command = TargetCommand(options_, target);
    command.insert(
        command.end(),
        {"-minimize_crash=1", "-exact_artifact_path=" + minimised,
         absl::StrCat("-max_total_time=", absl::ToInt64Seconds(time_to_minimise)), input});
    absl::StatusOr<Child> child = Child::Start(command, fault.folder + "/minimise.log");
    if (child.ok()) child->Wait(time_to_minimise + absl::Seconds(5), Interrupted);
    // libFuzzer keeps any failure; only the same one is the same fault made small.
    if (fs::exists(minimised, error) && RunOnce(target, minimised) == fault.signature) {
      smallest = minimised;
    }
  }
  Explain(target, smallest, fault);
  if (options_.keep && !fault.flaky) {
    const fs::path regressions = fs::path(options_.seeds) / "regressions";
    fs::create_directories(regressions / target.name, error);
    fs::copy_file(smallest, regressions / target.name / name, fs::copy_options::overwrite_existing,
                  error);
    if (!fault.transcript.empty()) {
      fs::copy_file(fault.transcript, regressions / (name + ".jsonl"),
                    fs::copy_options::overwrite_existing, error);
    }
  }
  faults_.push_back(std::move(fault));
}

void FaultCabinet::Explain(const Target& target, const std::string& input,
                           FoundFault& fault) const {
  if (!target.codec || target.name == "scopes") return;
  std::vector<std::string> command = {options_.explain, input, "--fuzz-input", "--transcript",
                                      fault.folder + "/transcript.jsonl"};
  if (target.name == "cache_sound") command.insert(command.end(), {"--level", "sound"});
  if (!options_.impl.empty()) {
    command.insert(command.end(), {"--configured", "--impl", options_.impl});
  }
  absl::StatusOr<Child> child = Child::Start(command, fault.folder + "/story.txt");
  if (!child.ok()) return;
  child->Wait(absl::Seconds(60), NeverStops);
  std::error_code error;
  const std::string transcript = fault.folder + "/transcript.jsonl";
  if (fs::exists(transcript, error)) fault.transcript = transcript;
}

}  // namespace lockstep::fuzz
