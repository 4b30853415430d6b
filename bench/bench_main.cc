// lockstep-bench: how fast is the cache?

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "bench/environment.h"
#include "bench/google_suites.h"
#include "bench/growth.h"
#include "bench/protocol.h"
#include "bench/protocol_report.h"
#include "bench/suites.h"
#include "props/harness/hash_path_variable.h"
#include "reports/command_line.h"
#include "reports/file_hash.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep {
namespace {

struct Flags {
  std::string impl;
  std::string out;
  size_t rounds = 25;
  uint64_t seed = 1;
  SuiteOptions suites;
  bool protocol = false;
  bool growth = false;
  bool large = false;
  bool list = false;
  bool json = false;
};

CommandHelp Help() {
  return {
      .name = "bench",
      .answers = "How fast is the cache?",
      .about =
          "Measures our own core and a plain implementation, beside what memory alone costs, in "
          "one "
          "process and in random order, on the time of the measuring thread. Without --protocol or "
          "--growth it runs Google Benchmark's suites and writes bench.json in that tool's own "
          "format. LOCKSTEP_HASH_PATH=plain|avx2|avx512 in the environment makes our own core hash "
          "as another processor would.",
      .examples = {{"./lockstep bench", "every benchmark, some minutes"},
                   {"./lockstep bench --filter Propose --repetitions 5", "some of them"},
                   {"./lockstep bench --protocol", "what must hold, as multiples of memory's cost"},
                   {"./lockstep bench --growth", "what a token costs along each axis"},
                   {"./lockstep bench --impl libengine.so --protocol", "another library"}},
      .exit_codes = {{0, "measured, and all that --protocol promises holds"},
                     {1, "an implementation did other work than it should"},
                     {2, "bad usage"},
                     {4, "something cannot run"},
                     {5, "a promise of --protocol is missed"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  auto* const protocol =
      app.add_flag("--protocol", flags.protocol, "only what must hold; about a minute");
  app.add_flag("--growth", flags.growth,
               "only what a token costs along each axis; also writes growth.csv; about two minutes")
      ->excludes(protocol);
  app.add_option("--impl", flags.impl, "measure this library too, and judge it")
      ->type_name("LIB.so");
  app.add_option("--filter", flags.suites.filter,
                 "of the benchmarks, those whose name matches this regular expression")
      ->type_name("REGEX");
  app.add_option("--min-time,--seconds", flags.suites.min_time_seconds,
                 "least time of one repetition of a benchmark")
      ->type_name("SECONDS")
      ->check(InRange(1e-4, 1000.0));
  app.add_option("--repetitions", flags.suites.repetitions, "of each benchmark, in random order")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--large", flags.large, "also caches of 1 GiB, which take minutes to fill");
  app.add_flag("--list", flags.list, "name the benchmarks and exit");
  app.add_option("--rounds", flags.rounds, "of --protocol and --growth")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--seed", flags.seed, "of the order in which things are measured")->type_name("N");
  app.add_option("--out", flags.out, "folder for result.json and bench.json or growth.csv")
      ->type_name("DIR")
      ->default_str("out/bench, if it can be made");
  app.add_flag("--json", flags.json,
               "print JSON instead of a table: Google Benchmark's own, or result.json");
}

int Fail(const absl::Status& status) {
  // FailedPrecondition: other work than it should.
  return Complain("bench", status.message(), ExitCodeOf(status, kExitBrokenPromise));
}

absl::StatusOr<std::vector<MeasuredImpl>> Implementations(const Flags& flags, Result& result) {
  std::vector<MeasuredImpl> impls = {{"core", OwnCore(), true}};
  const auto plain = LoadLibrary(LOCKSTEP_PLAIN_LIBRARY);
  if (!plain.ok()) return absl::UnavailableError(plain.status().message());
  impls.push_back({"plain_exact", *plain, true});
  result.impl_name = impls.front().functions.impl_name();
  if (flags.impl.empty()) return impls;
  const auto hash = Sha256OfFile(flags.impl);
  if (!hash.ok()) return hash.status();
  const auto library = LoadLibrary(flags.impl);
  if (!library.ok()) return absl::UnavailableError(library.status().message());
  impls.push_back({std::filesystem::path(flags.impl).stem().string(), *library, false});
  result.impl_name = library->impl_name();
  result.impl_path = flags.impl;
  result.impl_sha256 = *hash;
  return impls;
}

nlohmann::ordered_json EnvironmentJson() {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : Environment()) json[name] = value;
  return json;
}

// Writes result.json, and another file where it has a name. Where nobody asked for files, none is
// no failure.
absl::Status Write(const Flags& flags, const Result& result, const std::string& name,
                   const std::string& contents) {
  const std::string dir = flags.out.empty() ? "out/bench" : flags.out;
  absl::Status status = MakeOutFolder(dir);
  if (status.ok()) status = WriteResult(result, dir);
  if (status.ok() && !name.empty()) {
    status = WriteFileAtomically(absl::StrCat(dir, "/", name), contents);
  }
  return flags.out.empty() ? absl::OkStatus() : status;
}

int Finish(const Flags& flags, Result& result, absl::Time start, const std::string& text,
           const std::string& name = "", const std::string& contents = "") {
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  result.seed = flags.seed;
  const absl::Status written = Write(flags, result, name, contents);
  if (!written.ok()) return Fail(written);
  std::cout << text;
  if (!flags.json) {
    for (const auto& [key, value] : Environment()) std::cout << key << ": " << value << "\n";
  }
  return result.exit_code;
}

int Protocol(const Flags& flags, const std::vector<MeasuredImpl>& impls, Result result) {
  const absl::Time start = absl::Now();
  const auto rows = RunProtocol(impls, flags.impl.empty() ? "core" : impls.back().label,
                                {.rounds = flags.rounds, .seed = flags.seed});
  if (!rows.ok()) return Fail(rows.status());
  result.exit_code = AllHold(*rows) ? kExitPass : kExitFloorMissed;
  result.sections["bench"] = {{"rows", ProtocolToJson(*rows)},
                              {"rounds", flags.rounds},
                              {"environment", EnvironmentJson()}};
  return Finish(flags, result, start, flags.json ? ToJsonText(result) : RenderProtocol(*rows));
}

int Growth(const Flags& flags, const std::vector<MeasuredImpl>& impls, Result result) {
  const absl::Time start = absl::Now();
  const auto rows = MeasureGrowth(impls, flags.rounds, flags.seed);
  if (!rows.ok()) return Fail(rows.status());
  result.sections["bench"] = {{"growth", GrowthToJson(*rows)}, {"environment", EnvironmentJson()}};
  return Finish(flags, result, start, flags.json ? ToJsonText(result) : RenderGrowth(*rows),
                "growth.csv", GrowthCsv(*rows));
}

int Suites(const Flags& flags, const std::vector<MeasuredImpl>& impls, Result result) {
  const absl::Time start = absl::Now();
  std::vector<std::string> traces;
  for (const char* name : {"lockstep_folders", "lockstep_history"}) {
    const std::string path = absl::StrCat(LOCKSTEP_CORPUS_DIR, "/traces/", name, ".jsonl.zst");
    if (std::filesystem::exists(path)) traces.push_back(path);
  }
  std::shared_ptr<ReplayWork> replay;
  if (!traces.empty()) {
    auto read = ReadReplay(traces);
    if (!read.ok()) return Fail(read.status());
    replay = *std::move(read);
  }
  CacheStore store;
  const std::vector<Suite> suites = MakeSuites(impls, std::move(replay), flags.large, store);
  if (flags.list) {
    for (const Suite& suite : suites) std::cout << suite.name << "\n";
    return kExitPass;
  }
  auto context = Environment();
  context.emplace_back("machine", result.machine);
  const auto results = RunSuites(suites, flags.suites, context);
  if (!results.ok()) return Fail(results.status());
  result.exit_code = results->failed ? kExitBrokenPromise : kExitPass;
  // The figures lie beside it, in bench.json.
  result.sections["bench"] = nlohmann::ordered_json::object();
  return Finish(flags, result, start, flags.json ? results->json : results->table, "bench.json",
                results->json);
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  const absl::Status hash_path = CheckHashPathVariable();
  if (!hash_path.ok()) return Fail(hash_path);
  UseHugePages(argv);
  Result result = StartResult(CommandLine("bench", argc, argv));
  const auto impls = Implementations(flags, result);
  if (!impls.ok()) return Fail(impls.status());
  if (flags.protocol) return Protocol(flags, *impls, std::move(result));
  if (flags.growth) return Growth(flags, *impls, std::move(result));
  return Suites(flags, *impls, std::move(result));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
