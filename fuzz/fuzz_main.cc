// lockstep-fuzz: the night shift.

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "fuzz/coverage.h"
#include "fuzz/measure.h"
#include "fuzz/night.h"
#include "fuzz/night_sections.h"
#include "fuzz/planted.h"
#include "reports/result.h"
#include "reports/summary.h"

namespace lockstep::fuzz {
namespace {

struct Flags {
  double minutes = 10;
  std::vector<std::string> targets;
  NightOptions night;
  bool measure = false;
  bool coverage = false;
  bool planted = false;
  std::vector<std::string> faults;
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
  night.seeds = LOCKSTEP_SOURCE_DIR "/corpus";
  night.corpus = BesideThisProgram("../../fuzz-corpus");
  night.out = "out/fuzz";
  std::vector<std::string> names;
  for (const Target& target : Targets()) names.push_back(target.name);
  app.description(
      "Fuzzes for a while: a corpus grows, and each distinct fault becomes a transcript and a\n"
      "story under DIR/findings.\n"
      "Exit codes: 0 nothing found; 1 a fault; 2 bad usage; 4 the surroundings failed or the\n"
      "planted fault was not found; 5 a floor is missed, or a corpus would shrink; 6 interrupted.");
  app.add_option("--minutes", flags.minutes, "how long (10)")->check(CLI::PositiveNumber);
  app.add_option("--jobs", night.jobs, "processes at a time (one per processor)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--target", flags.targets, "only these targets")->check(CLI::IsMember(names));
  app.add_option("--impl", night.impl, "fuzz this library in place of our own core")
      ->check(CLI::ExistingFile);
  app.add_option("--corpus", night.corpus, "the grown corpus (build/fuzz-corpus)");
  app.add_option("--seeds", night.seeds, "seeds, and regressions that --keep adds to (corpus)");
  app.add_option("--out", night.out, "where findings and result.json go (out/fuzz)");
  app.add_option("--programs", night.programs, "the folder of the fuzz targets");
  app.add_flag("--accept", night.accept, "let a corpus shrink by more than a fifth");
  app.add_flag("--keep", night.keep, "put findings into corpus/regressions");
  CLI::Option* const measure = app.add_flag(
      "--measure", flags.measure, "only measure executions a second, for that long per row");
  CLI::Option* const coverage =
      app.add_flag("--coverage", flags.coverage, "only measure what the corpus covers of the core");
  CLI::Option* const planted = app.add_flag(
      "--planted", flags.planted, "only look for each planted fault of props/faults, that long");
  measure->excludes(coverage, planted);
  coverage->excludes(planted);
  app.add_option("--fault", flags.faults, "with --planted: those whose file name contains this")
      ->needs(planted);
  app.add_flag("--json", flags.json, "print the result as JSON");
}

std::string Text(const Result& result) {
  if (result.sections.contains("fuzz_speed")) return SpeedText(result);
  if (result.sections.contains("coverage")) return CoverageText(result);
  if (result.sections.contains("planted")) return PlantedText(result);
  return NightText(result);
}

absl::Status RunMode(const Flags& flags, Result& result) {
  if (flags.measure) return MeasureSpeed(flags.night, result);
  if (flags.coverage) return MeasureCoverage(flags.night, LOCKSTEP_SOURCE_DIR, result);
  if (flags.planted) return FindPlanted(flags.night, LOCKSTEP_SOURCE_DIR, flags.faults, result);
  return RunNight(flags.night, result);
}

// The verdict and the page that a person reads in the morning.
absl::Status WritePage(const Result& result, const std::string& dir) {
  return WriteFileAtomically(
      dir + "/summary.md", absl::StrCat(RenderMarkdown(result), "\n```\n", Text(result), "```\n"));
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
    if (std::isnan(flags.minutes)) throw CLI::ValidationError("--minutes", "nan is not a number");
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
  absl::Status status = RunMode(flags, result);
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (status.ok()) status = WriteResult(result, flags.night.out);
  if (status.ok()) status = WritePage(result, flags.night.out);
  if (!status.ok()) {
    std::cerr << "lockstep-fuzz: " << std::string(status.message()) << "\n";
    return kExitHarnessFailed;
  }
  std::cout << (flags.json ? ToJson(result).dump(2) + "\n" : Text(result)) << std::flush;
  return result.exit_code;
}

}  // namespace
}  // namespace lockstep::fuzz

int main(int argc, char** argv) { return lockstep::fuzz::Main(argc, argv); }
