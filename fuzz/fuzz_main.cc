// lockstep-fuzz: the night shift.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "fuzz/night.h"
#include "reports/result.h"
#include "reports/summary.h"

namespace lockstep::fuzz {
namespace {

struct Flags {
  double minutes = 10;
  std::vector<std::string> targets;
  NightOptions night;
  bool json = false;
};

std::string BesideThisProgram(const char* path) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / path).lexically_normal().string();
}

void AddFlags(CLI::App& app, Flags& flags) {
  NightOptions& night = flags.night;
  night.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  night.programs = BesideThisProgram("../../fuzz/bin");
  night.explain = BesideThisProgram("lockstep-explain");
  night.seeds = LOCKSTEP_CORPUS_DIR;
  night.corpus = BesideThisProgram("../../fuzz-corpus");
  night.out = "out/fuzz";
  std::vector<std::string> names;
  for (const Target& target : Targets()) names.push_back(target.name);
  app.description(
      "Fuzzes for a while: a corpus grows, and each distinct fault becomes a transcript and a\n"
      "story under DIR/findings.\n"
      "Exit codes: 0 nothing found; 1 a fault; 2 bad usage; 4 the surroundings failed or the\n"
      "planted fault was not found; 5 a target did not run, or a corpus would shrink; 6\n"
      "interrupted.");
  app.add_option("--minutes", flags.minutes, "how long (10)")->check(CLI::PositiveNumber);
  app.add_option("--jobs", night.jobs, "processes at a time (one per processor)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--target", flags.targets, "only these targets")->check(CLI::IsMember(names));
  app.add_option("--impl", night.impl, "fuzz this library in place of our own core")
      ->check(CLI::ExistingFile);
  app.add_option("--corpus", night.corpus, "the grown corpus (build/fuzz-corpus)");
  app.add_option("--out", night.out, "where findings and result.json go (out/fuzz)");
  app.add_option("--programs", night.programs, "the folder of the fuzz targets");
  app.add_flag("--accept", night.accept, "let a corpus shrink by more than a fifth");
  app.add_flag("--keep", night.keep, "put findings into corpus/regressions");
  app.add_flag("--json", flags.json, "print the result as JSON");
}

std::string Summary(const Result& result) {
  const auto& fuzz = result.sections["fuzz"];
  std::string text = absl::StrCat("canary: ", fuzz["canary"]["found"] == true ? "found" : "MISSED",
                                  " after ", fuzz["canary"]["seconds"].get<double>(), " s\n");
  for (const auto& t : fuzz["targets"]) {
    absl::StrAppend(&text, t["target"].get<std::string>(), ": ", t["executions"].get<uint64_t>(),
                    " executions, ", static_cast<uint64_t>(t["executions_per_second"]),
                    " a second, coverage ", t["coverage"].get<uint64_t>(), ", corpus ",
                    t["corpus"].get<uint64_t>(), "\n");
  }
  if (fuzz.contains("unaccepted")) text += fuzz["unaccepted"].get<std::string>() + "\n";
  for (const auto& f : result.sections["findings"]) {
    absl::StrAppend(&text, "FOUND by ", f["found_by"].get<std::string>(), ": ",
                    f["what"].get<std::string>(), "; see ", f["folder"].get<std::string>(), "\n");
  }
  return text;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitPass : kExitBadInput;
  }
  for (const Target& target : Targets()) {
    const bool wanted =
        flags.targets.empty() ||
        std::find(flags.targets.begin(), flags.targets.end(), target.name) != flags.targets.end();
    if (wanted && (flags.night.impl.empty() || target.any_library)) {
      flags.night.targets.push_back(target);
    }
  }
  if (flags.night.targets.empty()) {
    std::cerr << "none of these targets takes --impl\n";
    return kExitBadInput;
  }
  flags.night.time = absl::Minutes(flags.minutes);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  std::string command = "fuzz";
  for (int i = 1; i < argc; ++i) absl::StrAppend(&command, " ", argv[i]);
  Result result = StartResult(command);
  result.impl_path = flags.night.impl;
  result.impl_name = flags.night.impl.empty() ? "lockstep core" : flags.night.impl;
  const absl::Time start = absl::Now();
  absl::Status status = RunNight(flags.night, result);
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (status.ok()) status = WriteResult(result, flags.night.out);
  if (status.ok()) status = WriteSummary(result, flags.night.out);
  if (!status.ok()) {
    std::cerr << "lockstep-fuzz: " << std::string(status.message()) << "\n";
    return kExitHarnessFailed;
  }
  std::cout << (flags.json ? ToJson(result).dump(2) + "\n" : Summary(result)) << std::flush;
  return result.exit_code;
}

}  // namespace
}  // namespace lockstep::fuzz

int main(int argc, char** argv) { return lockstep::fuzz::Main(argc, argv); }
