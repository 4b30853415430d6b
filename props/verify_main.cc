// lockstep-verify: does this implementation keep its promises?

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "props/harness/byte_count.h"
#include "props/harness/check.h"
#include "props/harness/contained.h"
#include "props/harness/hash_path_variable.h"
#include "props/harness/implementation.h"
#include "props/harness/progress.h"
#include "props/harness/traffic_check.h"
#include "props/harness/verify.h"
#include "props/invariants/property_check.h"
#include "reports/command_line.h"
#include "reports/file_hash.h"
#include "reports/result.h"
#include "reports/summary.h"
#include "reports/text.h"

namespace lockstep {
namespace {

struct Flags {
  std::string impl;
  std::string level = "exact";
  double seconds = 45;
  std::vector<std::string> transcripts;
  std::vector<std::string> traces;
  std::vector<std::string> only;
  std::string budget = "64M";
  uint64_t scopes = 4;
  uint64_t key_len = 8;
  uint64_t max_draft = 8;
  uint64_t seed = 0;
  // As seen from here, so that results name no folder of this machine.
  std::string corpus = std::filesystem::proximate(LOCKSTEP_CORPUS_DIR).string();
  std::string fuzz_target = LOCKSTEP_FUZZ_TARGET;
  std::string out = "out/verify";
  bool first = false;
  bool json = false;
};

volatile std::sig_atomic_t interrupted = 0;

CommandHelp Help() {
  return {
      .name = "verify",
      .answers = "Does this implementation keep its promises?",
      .about =
          "Judges our own core, or with --impl any shared library behind core/lockstep/c_api.h: "
          "golden transcripts, properties, and directed and random calls beside an exact model. "
          "Prints a row per promise (I1 to I7) with the evidence for it and how often each "
          "situation occurred, and writes result.json, summary.md and a small transcript of each "
          "finding. LOCKSTEP_HASH_PATH=plain|avx2|avx512 in the environment makes our own core "
          "hash as another processor would.",
      .examples = {{"./lockstep verify", "our own core"},
                   {"./lockstep verify --impl libengine.so --level sound", "another design"},
                   {"./lockstep verify --trace requests.jsonl.zst --budget 16M", "your traffic"},
                   {"./lockstep explain out/verify/finding-1.jsonl", "what a finding does"},
                   {"./lockstep verify --transcript out/verify/finding-1.jsonl", "replay it"}},
      .exit_codes = {{0, "every promise holds"},
                     {1, "a promise is broken"},
                     {2, "bad usage or input"},
                     {4, "the library does not load, or the harness cannot run"},
                     {5, "a situation was never reached: give it more --seconds"},
                     {6, "interrupted"}}};
}

void AddTrafficFlags(CLI::App& app, Flags& flags) {
  app.add_option("--trace", flags.traces,
                 "the calls of a server with this traffic, and nothing else; several files are "
                 "shards of one stream")
      ->type_name("FILE");
  app.add_option("--budget", flags.budget, "with --trace: bytes of the cache, such as 512K or 2G")
      ->type_name("BYTES");
  app.add_option("--scopes", flags.scopes, "with --trace: most scopes of the cache")
      ->type_name("N")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  app.add_option("--key-len", flags.key_len, "with --trace: tokens that a draft must follow")
      ->type_name("TOKENS")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  app.add_option("--max-draft", flags.max_draft, "with --trace: most tokens of a draft")
      ->type_name("TOKENS")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 16));
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("--impl", flags.impl, "judge this library in place of our own core")
      ->type_name("LIB.so");
  app.add_option("--level", flags.level, "exact: equal to the specification; sound: I1 to I5 hold")
      ->type_name("exact|sound")
      ->check(CLI::IsMember({"exact", "sound"}));
  app.add_option("--seconds", flags.seconds, "for the whole run")
      ->type_name("SECONDS")
      ->check(InRange(0.1, 1e6));
  app.add_option("--only", flags.only, "check only these, apart by commas: I1 to I7, model")
      ->type_name("NAMES")
      ->delimiter(',')
      ->check(CLI::IsMember({"I1", "I2", "I3", "I4", "I5", "I6", "I7", "model"}));
  app.add_option("--seed", flags.seed, "of everything random; 0 draws one, and the result names it")
      ->type_name("N")
      ->check(CLI::Range(uint64_t{0}, uint64_t{UINT64_MAX - 1}));
  app.add_option("--transcript", flags.transcripts, "replay these calls and nothing else")
      ->type_name("FILE");
  AddTrafficFlags(app, flags);
  app.add_flag("--first", flags.first, "end with the first finding, and do not make it small");
  app.add_option("--corpus", flags.corpus, "folder of golden transcripts, seeds and regressions")
      ->type_name("DIR")
      ->default_str("corpus");
  app.add_option("--fuzz-target", flags.fuzz_target,
                 "libFuzzer program for our own core; \"\" fuzzes nothing")
      ->type_name("FILE")
      ->default_str("build/fuzz/bin/fuzz_cache_exact");
  app.add_option("--out", flags.out, "folder for result.json, summary.md and transcripts")
      ->type_name("DIR");
  app.add_flag("--json", flags.json, "print result.json instead of the table");
}

// The .jsonl files of a folder, sorted; an unreadable or empty folder is an error where one must
// not be.
absl::StatusOr<std::vector<std::string>> TranscriptsIn(const std::string& dir, bool needed) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat(dir, ": cannot be read: ", error.message()));
  if (needed && paths.empty()) {
    return absl::NotFoundError(absl::StrCat(dir, ": holds no transcripts (*.jsonl)"));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<std::vector<std::unique_ptr<Check>>> AllChecks(const Flags& flags) {
  auto golden = TranscriptsIn(flags.corpus + "/golden/transcripts", true);
  if (!golden.ok()) return golden.status();
  auto paths = TranscriptsIn(flags.corpus + "/regressions", false);
  if (!paths.ok()) return paths.status();
  paths->insert(paths->end(), golden->begin(), golden->end());
  std::vector<std::unique_ptr<Check>> checks;
  checks.push_back(MakeTranscriptCheck(*std::move(paths)));
  checks.push_back(MakeDirectedCheck());
  checks.push_back(MakeIsolationCheck());
  checks.push_back(MakeMemoryCheck());
  checks.push_back(MakeDeterminismCheck());
  checks.push_back(MakeBoundsCheck());
  checks.push_back(MakeDepthCheck());
  checks.push_back(MakeExhaustiveCheck());
  checks.push_back(MakeFuzzCheck(flags.fuzz_target, flags.corpus + "/cache_exact", flags.out));
  std::vector<std::string> traces;
  for (const char* name :
       {"/traces/lockstep_folders.jsonl.zst", "/traces/lockstep_history.jsonl.zst"}) {
    if (std::filesystem::exists(flags.corpus + name)) traces.push_back(flags.corpus + name);
  }
  if (!traces.empty()) {
    // Small enough that rings wrap and scopes are dropped.
    checks.push_back(
        MakeTrafficCheck({.paths = std::move(traces),
                          .config = {.budget_bytes = 256 << 10, .max_scopes = 4, .key_len = 8},
                          .share = 0.1}));
  }
  checks.push_back(MakePropertyCheck());
  checks.push_back(MakeRandomCheck());
  return checks;
}

absl::StatusOr<std::vector<std::unique_ptr<Check>>> ChecksFor(const Flags& flags) {
  if (flags.traces.empty() && flags.transcripts.empty()) return AllChecks(flags);
  const absl::StatusOr<uint64_t> budget = ParseByteCount(flags.budget);
  if (!budget.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--budget: ", budget.status().message()));
  }
  std::vector<std::unique_ptr<Check>> checks;
  if (!flags.transcripts.empty()) {
    checks.push_back(MakeTranscriptCheck(flags.transcripts));
    checks.push_back(MakeReplayCheck(flags.transcripts));
  }
  if (!flags.traces.empty()) {
    checks.push_back(MakeTrafficCheck({.paths = flags.traces,
                                       .config = {*budget, flags.scopes, flags.key_len},
                                       .max_draft = flags.max_draft}));
  }
  return checks;
}

absl::StatusOr<Result> Verify(const Flags& flags, Result result) {
  // Asked in a child: a library that crashes when it is loaded must not take verify with it.
  auto name = ImplementationName({.library = flags.impl});
  if (!name.ok()) return name.status();
  result.impl_name = *name;
  if (!flags.impl.empty()) {
    auto hash = Sha256OfFile(flags.impl);
    if (!hash.ok()) return hash.status();
    result.impl_sha256 = *hash;
  }
  VerifyOptions options;
  options.context.impl.library = flags.impl;
  options.context.level = flags.level == "exact" ? Level::kExact : Level::kSound;
  options.context.seed = flags.seed;
  options.context.only = {flags.only.begin(), flags.only.end()};
  options.context.interrupted = [] { return interrupted != 0; };
  ProgressLine progress;
  options.context.progress = [&](const std::string& what) { progress.Show(what); };
  options.time = absl::Seconds(flags.seconds);
  options.out_dir = flags.out;
  options.first_only = flags.first;
  options.floors = flags.traces.empty() && flags.transcripts.empty() && flags.only.empty();
  // What a user names is run to its end, however long that takes.
  if (!options.floors && flags.only.empty()) options.time = absl::InfiniteDuration();
  auto checks = ChecksFor(flags);
  if (!checks.ok()) return checks.status();
  return RunVerify(options, *checks, std::move(result));
}

Result Begin(const Flags& flags, int argc, char** argv) {
  Result result = StartResult(CommandLine("verify", argc, argv));
  result.level = flags.level;
  result.seed = flags.seed;
  result.impl_path = flags.impl;
  return result;
}

int Fail(const absl::Status& status) {
  return Complain("verify", status.message(), ExitCodeOf(status));
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  const absl::Status hash_path = CheckHashPathVariable();
  if (!hash_path.ok()) return Fail(hash_path);
  if (flags.seed == 0) flags.seed = std::random_device{}() | 1U;
  const absl::Status made = MakeOutFolder(flags.out);
  if (!made.ok()) return Fail(made);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  absl::StatusOr<Result> result = Verify(flags, Begin(flags, argc, argv));
  if (!result.ok()) return Fail(result.status());
  for (const absl::Status& status :
       {WriteResult(*result, flags.out), WriteSummary(*result, flags.out)}) {
    if (!status.ok()) return Fail(status);
  }
  if (flags.json) {
    std::cout << ToJsonText(*result);
  } else {
    std::cout << RenderTerminal(*result, isatty(STDOUT_FILENO) != 0) << "\nseed " << result->seed
              << "; written to " << flags.out << "\n";
  }
  return result->exit_code;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (const auto done = lockstep::ContainedMain(argc, argv)) return *done;
  return lockstep::Main(argc, argv);
}
