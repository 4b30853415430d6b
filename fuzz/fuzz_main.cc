// lockstep-fuzz: the night shift.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/coverage.h"
#include "fuzz/measure.h"
#include "fuzz/night.h"
#include "fuzz/night_sections.h"
#include "fuzz/planted.h"
#include "reports/command_line.h"
#include "reports/result.h"
#include "reports/summary.h"
#include "reports/text.h"

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

CommandHelp Help() {
  return {
      .name = "fuzz",
      .answers = "What does a night of fuzzing find?",
      .about =
          "Fuzzes every target in turn while a corpus grows in build/fuzz-corpus; each distinct "
          "fault becomes a small input, a transcript and its story under out/fuzz/findings. It can "
          "be killed at any time and loses nothing.",
      .examples = {{"./lockstep fuzz --minutes 480", "a night"},
                   {"./lockstep fuzz --target cache_exact --minutes 5", "one target"},
                   {"./lockstep fuzz --impl libengine.so", "another library"},
                   {"./lockstep fuzz --coverage", "what the corpus covers of the core"},
                   {"./lockstep report out/fuzz", "the page, with coverage over time"}},
      .exit_codes = {{0, "nothing found"},
                     {1, "a fault"},
                     {2, "bad usage"},
                     {4, "the surroundings failed, or the canary's fault was not found"},
                     {5, "a floor is missed, or a corpus would shrink"},
                     {6, "interrupted"}}};
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
  Describe(app, Help());
  app.add_option("--minutes", flags.minutes, "how long")
      ->type_name("MINUTES")
      ->check(InRange(1e-3, 1e5));
  app.add_option("--jobs", night.jobs, "processes at a time")
      ->type_name("N")
      ->default_str("one per processor")
      ->check(CLI::Range(1, 1024));
  app.add_option("--target", flags.targets, "only these: " + absl::StrJoin(names, ", "))
      ->type_name("NAME")
      ->check(CLI::IsMember(names));
  app.add_option("--impl", night.impl, "fuzz this library in place of our own core")
      ->type_name("LIB.so")
      ->check(CLI::ExistingFile);
  app.add_option("--corpus", night.corpus, "the grown corpus")
      ->type_name("DIR")
      ->default_str("build/fuzz-corpus");
  app.add_option("--seeds", night.seeds, "seeds, and regressions that --keep adds to")
      ->type_name("DIR")
      ->default_str("corpus");
  app.add_option("--out", night.out, "where findings, result.json and summary.md go")
      ->type_name("DIR");
  app.add_option("--programs", night.programs, "the folder of the fuzz targets")
      ->type_name("DIR")
      ->default_str("build/fuzz/bin");
  app.add_flag("--accept", night.accept, "let a corpus shrink by more than a fifth");
  app.add_flag("--keep", night.keep, "put findings into corpus/regressions");
  CLI::Option* const measure = app.add_flag("--measure", flags.measure,
                                            "only measure executions a second, --minutes per row");
  CLI::Option* const coverage =
      app.add_flag("--coverage", flags.coverage, "only measure what the corpus covers of the core");
  CLI::Option* const planted = app.add_flag(
      "--planted", flags.planted, "only look for planted faults of props/faults, --minutes each");
  measure->excludes(coverage, planted);
  coverage->excludes(planted);
  app.add_option("--fault", flags.faults, "with --planted: those whose file name contains this")
      ->type_name("TEXT")
      ->needs(planted);
  app.add_flag("--json", flags.json, "print result.json instead of the tables");
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
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  for (const Target& target : Targets()) {
    const bool wanted =
        flags.targets.empty() ||
        std::find(flags.targets.begin(), flags.targets.end(), target.name) != flags.targets.end();
    if (wanted && (flags.night.impl.empty() || target.any_library)) {
      flags.night.targets.push_back(target);
    }
  }
  if (flags.night.targets.empty()) {
    return Complain("fuzz", "--target: none of these takes --impl; see ./lockstep fuzz --help",
                    kExitBadInput);
  }
  flags.night.time = absl::Minutes(flags.minutes);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  Result result = StartResult(CommandLine("fuzz", argc, argv));
  result.impl_path = flags.night.impl;
  result.impl_name = flags.night.impl.empty() ? "lockstep core" : flags.night.impl;
  const absl::Time start = absl::Now();
  absl::Status status = RunMode(flags, result);
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (status.ok()) status = WriteResult(result, flags.night.out);
  if (status.ok()) status = WritePage(result, flags.night.out);
  if (!status.ok()) return Complain("fuzz", status.message(), kExitHarnessFailed);
  std::cout << (flags.json ? ToJsonText(result) : Text(result)) << std::flush;
  return result.exit_code;
}

}  // namespace
}  // namespace lockstep::fuzz

int main(int argc, char** argv) { return lockstep::fuzz::Main(argc, argv); }
