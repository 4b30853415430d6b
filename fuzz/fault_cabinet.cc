#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "fuzz/child.h"
#include "fuzz/night.h"
#include "props/harness/input_file.h"
#include "reports/result.h"

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
  std::vector<std::string> command = {options.programs + "/fuzz_" + target.name,
                                      "-rss_limit_mb=2048", "-timeout=10"};
  const std::string dictionary = absl::StrCat(options.seeds, "/../fuzz/dictionaries/",
                                              target.codec ? "codec" : target.name, ".dict");
  std::error_code error;
  if (fs::exists(dictionary, error)) command.push_back("-dict=" + dictionary);
  return command;
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
  // Whole or not at all, and only then is the artifact taken away.
  const absl::StatusOr<std::string> bytes = ReadInputFile(artifact);
  if (!bytes.ok() || !WriteFileAtomically(input, *bytes).ok()) {
    fault.signature += " (cannot be kept: is the disk full? it is " + artifact + ")";
    faults_.push_back(std::move(fault));
    return;
  }
  fs::remove(artifact, error);
  std::cerr << absl::StrCat("lockstep-fuzz: found ", fault.signature, fault.flaky ? " (flaky)" : "",
                            "; see ", fault.folder, "\n");
  std::string smallest = input;
  if (!fault.flaky) smallest = Minimise(target, fault, input, time_to_minimise);
  Explain(target, smallest, fault);
  if (options_.keep && !fault.flaky) KeepAsRegression(target, fault, smallest);
  faults_.push_back(std::move(fault));
}

std::string FaultCabinet::Minimise(const Target& target, const FoundFault& fault,
                                   const std::string& input, absl::Duration time) const {
  if (Interrupted()) return input;
  const std::string aside = fault.folder + "/minimised.new",
                    minimised = fault.folder + "/minimised";
  std::vector<std::string> command = TargetCommand(options_, target);
  command.insert(command.end(),
                 {"-minimize_crash=1", "-exact_artifact_path=" + aside,
                  absl::StrCat("-max_total_time=", absl::ToInt64Seconds(time)), input});
  absl::StatusOr<Child> child = Child::Start(command, fault.folder + "/minimise.log");
  if (child.ok()) child->Wait(time + absl::Seconds(5), Interrupted);
  std::error_code error;
  // libFuzzer keeps any failure; only the same one is the same fault made small.
  if (!fs::exists(aside, error) || RunOnce(target, aside) != fault.signature) return input;
  fs::rename(aside, minimised, error);
  return error ? input : minimised;
}

void FaultCabinet::KeepAsRegression(const Target& target, const FoundFault& fault,
                                    const std::string& input) const {
  const fs::path regressions = fs::path(options_.seeds) / "regressions";
  const std::string words = fs::path(fault.folder).filename().string();
  std::error_code error;
  fs::create_directories(regressions / fault.target, error);
  // What was kept of another fault of the same signature stays: it passes today.
  std::string name = words;
  for (int i = 2; fs::exists(regressions / fault.target / name, error); ++i) {
    if (RunOnce(target, (regressions / fault.target / name).string()) == fault.signature) return;
    name = absl::StrCat(words, "_", i);
  }
  const auto copy = [](const std::string& from, const fs::path& to) {
    const absl::StatusOr<std::string> bytes = ReadInputFile(from);
    const absl::Status written =
        bytes.ok() ? WriteFileAtomically(to.string(), *bytes) : bytes.status();
    if (!written.ok()) std::cerr << std::string(written.message()) << "\n";
  };
  copy(input, regressions / fault.target / name);
  if (!fault.transcript.empty()) copy(fault.transcript, regressions / (name + ".jsonl"));
}

void FaultCabinet::ReplayRegressions(const Target& target) const {
  const fs::path folder = fs::path(options_.seeds) / "regressions" / target.name;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_regular_file() || RunOnce(target, entry.path().string()).empty()) continue;
    fs::copy_file(entry.path(),
                  fs::path(options_.out) / "artifacts" / target.name / entry.path().filename(),
                  fs::copy_options::overwrite_existing, error);
  }
}

void FaultCabinet::Explain(const Target& target, const std::string& input,
                           FoundFault& fault) const {
  if (!target.codec) return;
  const std::string transcript = fault.folder + "/transcript.jsonl";
  std::vector<std::string> command = {options_.explain};
  if (target.name == "scopes") {
    // It changes what it decodes, so it writes the calls itself.
    setenv("LOCKSTEP_FUZZ_TRANSCRIPT", transcript.c_str(), 1);
    RunOnce(target, input);
    unsetenv("LOCKSTEP_FUZZ_TRANSCRIPT");
    command.push_back(transcript);
  } else {
    command.insert(command.end(), {input, "--fuzz-input", "--transcript", transcript});
    if (!options_.impl.empty()) command.push_back("--configured");
  }
  if (target.name == "cache_sound") command.insert(command.end(), {"--level", "sound"});
  if (!options_.impl.empty()) command.insert(command.end(), {"--impl", options_.impl});
  absl::StatusOr<Child> child = Child::Start(command, fault.folder + "/story.txt");
  if (!child.ok()) return;
  child->Wait(absl::Seconds(60), NeverStops);
  std::error_code error;
  if (fs::exists(transcript, error)) fault.transcript = transcript;
}

}  // namespace lockstep::fuzz
