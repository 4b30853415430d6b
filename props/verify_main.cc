// lockstep-verify: does this implementation keep its promises?

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "props/harness/byte_count.h"
#include "props/harness/check.h"
#include "props/harness/contained.h"
#include "props/harness/hash_path_variable.h"
#include "props/harness/implementation.h"
#include "props/harness/progress.h"
#include "props/harness/trace_source.h"
#include "props/harness/verify.h"
#include "props/invariants/property_check.h"
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

void AddFlags(CLI::App& app, Flags& flags) {
  app.description(
      "Says which promises (I1..I7) an implementation keeps.\n"
      "Without --impl our own core is judged. Exit codes: 0 all hold, 1 a promise is broken,\n"
      "2 bad usage or input, 4 the library or the harness cannot run, 5 a situation was never\n"
      "reached (give more --seconds), 6 interrupted.\n"
      "Next: ./lockstep explain OUT/finding-1.jsonl narrates a finding, and\n"
      "./lockstep verify --transcript OUT/finding-1.jsonl replays it.");
  app.add_option("--impl", flags.impl, "a shared library that offers the C interface");
  app.add_option("--level", flags.level, "exact: equal to the specification; sound: I1 to I5")
      ->check(CLI::IsMember({"exact", "sound"}))
      ->capture_default_str();
  app.add_option("--seconds", flags.seconds, "time for the whole run")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app.add_option("--transcript", flags.transcripts, "replay this transcript and nothing else");
  app.add_option(
      "--trace", flags.traces,
      "insert and propose what a server would on this traffic, and nothing else; several "
      "are shards of one stream");
  app.add_option("--only", flags.only, "check only these: I1..I7, model")
      ->delimiter(',')
      ->check(CLI::IsMember({"I1", "I2", "I3", "I4", "I5", "I6", "I7", "model"}));
  app.add_option("--budget", flags.budget, "bytes of the cache, for --trace, such as 64M")
      ->capture_default_str();
  app.add_option("--scopes", flags.scopes, "scopes of the cache, for --trace")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--key-len", flags.key_len, "tokens of a key, for --trace")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--max-draft", flags.max_draft, "most tokens of a draft, for --trace")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 16))
      ->capture_default_str();
  app.add_option("--seed", flags.seed, "of everything random; 0 draws one, and the result names it")
      ->check(CLI::Range(uint64_t{0}, uint64_t{UINT64_MAX - 1}))
      ->capture_default_str();
  app.add_option("--corpus", flags.corpus, "folder of golden transcripts and regressions");
  app.add_option("--fuzz-target", flags.fuzz_target,
                 "libFuzzer program for our own core; without it nothing is fuzzed");
  app.add_option("--out", flags.out, "folder for result.json, summary.md and transcripts")
      ->capture_default_str();
  app.add_flag("--first", flags.first, "end with the first finding, and do not make it small");
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

// Traffic as one check: of one stream, or of the one that several shards are.
struct Traffic {
  std::vector<std::string> paths;
  CacheConfig config;
  uint64_t max_draft = 8;
  double share = 0;
};

class TraceCheck : public Check {
 public:
  explicit TraceCheck(Traffic traffic) : traffic_(std::move(traffic)) {}

  std::string name() const override { return "trace"; }
  std::vector<std::string> serves() const override { return {"I1", "I5", "I6", "I7", "model"}; }
  bool applies(Level, bool) const override { return true; }
  double share() const override { return traffic_.share; }

  absl::StatusOr<CheckReport> Run(const CheckContext& context) override {
    auto options = ModelOptions::FromConfig(traffic_.config);
    if (!options.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--budget, --scopes, --key-len: ", options.status().message()));
    }
    auto reader = TraceReader::Open(traffic_.paths);
    if (!reader.ok()) return reader.status();
    TraceSource source(traffic_.paths.front(), *std::move(reader), traffic_.config, *options,
                       traffic_.max_draft);
    ContainedOptions contained;
    contained.interpreter.out_tokens = std::max<uint64_t>(traffic_.max_draft, 4096);
    absl::StatusOr<CheckReport> report = RunJudged(context, source, contained);
    if (!report.ok()) return report;
    if (!source.status().ok()) return source.status();
    report->evidence = absl::StrCat(source.requests(), " requests, ", report->operations,
                                    " calls, ", report->given_drafts, " drafts");
    return report;
  }

 private:
  Traffic traffic_;
};

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
    checks.push_back(std::make_unique<TraceCheck>(
        Traffic{.paths = std::move(traces),
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
    checks.push_back(
        std::make_unique<TraceCheck>(Traffic{.paths = flags.traces,
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
  std::cerr << "lockstep-verify: " << status.message() << "\n";
  const bool input = status.code() == absl::StatusCode::kInvalidArgument ||
                     status.code() == absl::StatusCode::kNotFound;
  return input ? kExitBadInput : kExitHarnessFailed;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
    if (std::isnan(flags.seconds)) throw CLI::ValidationError("--seconds", "nan is not a number");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitPass : kExitBadInput;
  }
  const absl::Status hash_path = CheckHashPathVariable();
  if (!hash_path.ok()) return Fail(hash_path);
  if (flags.seed == 0) flags.seed = std::random_device{}() | 1U;
  std::error_code error;
  std::filesystem::create_directories(flags.out, error);
  if (error) {
    return Fail(absl::NotFoundError(
        absl::StrCat("--out ", flags.out, ": cannot be made: ", error.message())));
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  absl::StatusOr<Result> result = Verify(flags, Begin(flags, argc, argv));
  if (!result.ok()) return Fail(result.status());
  for (const absl::Status& status :
       {WriteResult(*result, flags.out), WriteSummary(*result, flags.out)}) {
    if (!status.ok()) return Fail(status);
  }
  if (flags.json) {
    std::cout << ToJson(*result).dump(2) << "\n";
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
