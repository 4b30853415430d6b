// lockstep-bench: how fast is the cache?

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
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

void AddFlags(CLI::App& app, Flags& flags) {
  app.description(
      "How fast is the cache? Measures our own core and a plain implementation, beside what "
      "memory\n"
      "alone costs, in one process and in random order.\n"
      "Exit codes: 0 measured, and all that --protocol promises holds; 1 an implementation did "
      "other\n"
      "work than it should; 2 bad usage; 4 something cannot run; 5 a promise of --protocol is "
      "missed.");
  auto* const protocol =
      app.add_flag("--protocol", flags.protocol, "only what must hold; about a minute");
  app.add_flag("--growth", flags.growth,
               "only what a token costs along each axis; also writes OUT/growth.csv")
      ->excludes(protocol);
  app.add_option("--filter", flags.suites.filter,
                 "of the benchmarks, those whose name matches this expression");
  app.add_option("--min-time,--seconds", flags.suites.min_time_seconds,
                 "least seconds for one repetition of a benchmark")
      ->check(CLI::Range(1e-4, 1000.0))
      ->capture_default_str();
  app.add_option("--repetitions", flags.suites.repetitions, "of each benchmark, in random order")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--large", flags.large, "also caches of 1 GiB, which take minutes to fill");
  app.add_flag("--list", flags.list, "name the benchmarks and exit");
  app.add_option("--impl", flags.impl, "also measure this shared library, and judge it");
  app.add_option("--rounds", flags.rounds, "of --protocol and --growth")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", flags.seed, "of the order in which things are measured")
      ->capture_default_str();
  app.add_option("--out", flags.out, "folder for what is written (default out/bench)");
  app.add_flag("--json", flags.json,
               "print JSON instead of a table: Google Benchmark's own format, or result.json");
}

int Fail(int exit_code, absl::string_view message) {
  std::cerr << "lockstep-bench: " << PrintableLine(std::string(message)) << "\n";
  return exit_code;
}

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
      return kExitBadInput;
    case absl::StatusCode::kFailedPrecondition:  // other work than it should
      return kExitBrokenPromise;
    default:
      return kExitHarnessFailed;
  }
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
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  absl::Status status;
  if (error) {
    status = absl::NotFoundError(absl::StrCat("--out ", dir, ": cannot be made: ", error.message(),
                                              "; name a folder to write to"));
  }
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
  if (!written.ok()) return Fail(kExitBadInput, written.message());
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
  if (!rows.ok()) return Fail(ExitCodeOf(rows.status()), rows.status().message());
  result.exit_code = AllHold(*rows) ? kExitPass : kExitFloorMissed;
  result.sections["bench"] = {{"rows", ProtocolToJson(*rows)},
                              {"rounds", flags.rounds},
                              {"environment", EnvironmentJson()}};
  return Finish(flags, result, start,
                flags.json ? ToJson(result).dump(2) + "\n" : RenderProtocol(*rows));
}

int Growth(const Flags& flags, const std::vector<MeasuredImpl>& impls, Result result) {
  const absl::Time start = absl::Now();
  const auto rows = MeasureGrowth(impls, flags.rounds, flags.seed);
  if (!rows.ok()) return Fail(ExitCodeOf(rows.status()), rows.status().message());
  result.sections["bench"] = {{"growth", GrowthToJson(*rows)}, {"environment", EnvironmentJson()}};
  return Finish(flags, result, start,
                flags.json ? ToJson(result).dump(2) + "\n" : RenderGrowth(*rows), "growth.csv",
                GrowthCsv(*rows));
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
    if (!read.ok()) return Fail(ExitCodeOf(read.status()), read.status().message());
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
  if (!results.ok()) return Fail(ExitCodeOf(results.status()), results.status().message());
  result.exit_code = results->failed ? kExitBrokenPromise : kExitPass;
  // The figures lie beside it, in bench.json.
  result.sections["bench"] = nlohmann::ordered_json::object();
  return Finish(flags, result, start, flags.json ? results->json : results->table, "bench.json",
                results->json);
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("", "lockstep-bench");
  AddFlags(app, flags);
  std::string command = "bench";
  for (int i = 1; i < argc; ++i) absl::StrAppend(&command, " ", ShellWord(argv[i]));
  try {
    app.parse(argc, argv);
    if (std::isnan(flags.suites.min_time_seconds))
      throw CLI::ValidationError("--min-time", "nan is not a number");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitPass : kExitBadInput;
  }
  const absl::Status hash_path = CheckHashPathVariable();
  if (!hash_path.ok()) return Fail(kExitBadInput, hash_path.message());
  UseHugePages(argv);
  Result result = StartResult(command);
  const auto impls = Implementations(flags, result);
  if (!impls.ok()) return Fail(ExitCodeOf(impls.status()), impls.status().message());
  if (flags.protocol) return Protocol(flags, *impls, std::move(result));
  if (flags.growth) return Growth(flags, *impls, std::move(result));
  return Suites(flags, *impls, std::move(result));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
