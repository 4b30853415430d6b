// lockstep-faults: plants each fault of props/faults/ in a copy of what it is a patch to, builds
// it, and requires verify to find it for the reason that the fault states.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "reports/command_line.h"
#include "reports/result.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string faults = LOCKSTEP_SOURCE_DIR "/props/faults";
  std::string verify = LOCKSTEP_VERIFY;
  std::string out = "out/faults";
  std::vector<std::string> names;
  double seconds = 10;
  int jobs = 2;
  bool only_own_check = false;
  bool quick = false;
};

struct Fault {
  fs::path patch;
  std::string name, breaks, says, levels;
};

struct Outcome {
  bool built = false;
  int exit_code = -1;
  double seconds = 0;
  std::vector<std::string> checks;  // that found something
  uint64_t ops = 0, tokens = 0;     // of the smallest transcript
  bool has_transcript = false;
};

CommandHelp Help() {
  return {.name = "faults",
          .answers = "Does verify find every planted fault of props/faults?",
          .about = "Plants each in a copy of the design it belongs to, builds it and judges it.",
          .examples = {{"build/release/bin/lockstep-faults", "all of them"},
                       {"build/release/bin/lockstep-faults i3_ --seconds 30", "some"}},
          .exit_codes = {{0, "every fault is found"},
                         {2, "bad usage"},
                         {4, "one cannot be built"},
                         {5, "one is missed"}},
          .call = "build/release/bin/lockstep-faults"};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("NAME", flags.names, "only faults whose file name contains one of these");
  app.add_option("--seconds", flags.seconds, "of each verify run")
      ->type_name("SECONDS")
      ->check(InRange(0.1, 1e6));
  app.add_option("--jobs", flags.jobs, "faults at a time")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  app.add_flag("--only-own-check", flags.only_own_check,
               "with only the checker of the invariant that the fault breaks");
  app.add_flag("--quick", flags.quick, "end each run with its first finding, and shrink nothing");
  app.add_option("--faults", flags.faults, "folder of the patches and of build_fault")
      ->type_name("DIR")
      ->default_str("props/faults");
  app.add_option("--verify", flags.verify, "the program that judges")
      ->type_name("FILE")
      ->default_str("lockstep-verify beside this program");
  app.add_option("--out", flags.out, "folder for libraries and results")->type_name("DIR");
}

// The lines "Name: value" before the first empty one.
Fault ReadFault(const fs::path& path) {
  Fault fault{.patch = path, .name = path.stem().string(), .breaks = {}, .says = {}, .levels = {}};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, colon), value = line.substr(colon + 2);
    if (key == "Breaks") fault.breaks = value;
    if (key == "Says") fault.says = value;
    if (key == "Level") fault.levels = value;
  }
  return fault;
}

std::vector<Fault> ReadFaults(const Flags& flags) {
  std::vector<Fault> faults;
  for (const auto& entry : fs::recursive_directory_iterator(flags.faults)) {
    if (entry.path().extension() != ".patch") continue;
    const std::string path = entry.path().string();
    const bool wanted =
        std::any_of(flags.names.begin(), flags.names.end(),
                    [&](const std::string& name) { return absl::StrContains(path, name); });
    if (flags.names.empty() || wanted) faults.push_back(ReadFault(entry.path()));
  }
  std::sort(faults.begin(), faults.end(),
            [](const Fault& a, const Fault& b) { return a.patch < b.patch; });
  return faults;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

int Shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

Outcome TryFault(const Flags& flags, const Fault& fault) {
  Outcome outcome;
  const std::string dir = absl::StrCat(flags.out, "/", fault.name);
  fs::create_directories(dir);
  const std::string library = dir + "/fault.so";
  outcome.built =
      Shell(absl::StrCat(Quoted(flags.faults + "/build_fault"), " ", Quoted(fault.patch.string()),
                         " ", Quoted(library), " >", Quoted(dir + "/build.log"), " 2>&1")) == 0;
  if (!outcome.built) return outcome;
  const absl::Time start = absl::Now();
  std::string command = absl::StrCat(Quoted(flags.verify), " --impl ", Quoted(library), " --out ",
                                     Quoted(dir), " --seconds ", flags.seconds, " --seed 1");
  if (!absl::StrContains(fault.levels, "exact")) absl::StrAppend(&command, " --level sound");
  if (flags.only_own_check && fault.breaks.starts_with("I")) {
    absl::StrAppend(&command, " --only ", fault.breaks);
  }
  if (flags.quick) absl::StrAppend(&command, " --first");
  outcome.exit_code = Shell(absl::StrCat(command, " >", Quoted(dir + "/verify.log"), " 2>&1"));
  outcome.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  const absl::StatusOr<Result> result = ReadResult(dir + "/result.json");
  if (!result.ok() || !result->sections.contains("findings")) return outcome;
  for (const auto& finding : result->sections["findings"]) {
    outcome.checks.push_back(finding.at("check").get<std::string>());
    const uint64_t tokens = finding.at("tokens").get<uint64_t>();
    if (!finding.contains("transcript")) continue;
    if (outcome.has_transcript && tokens >= outcome.tokens) continue;
    outcome.has_transcript = true;
    outcome.tokens = tokens;
    outcome.ops = finding.at("ops").get<uint64_t>();
  }
  fs::remove(library);
  return outcome;
}

// Found for the stated reason: by its own checker where only that one ran.
bool Found(const Flags& flags, const Fault& fault, const Outcome& outcome) {
  if (!outcome.built || outcome.exit_code != kExitBrokenPromise) return false;
  if (!flags.only_own_check || !fault.breaks.starts_with("I")) return true;
  return std::find(outcome.checks.begin(), outcome.checks.end(), fault.breaks) !=
         outcome.checks.end();
}

void PrintRow(const Flags& flags, const Fault& fault, const Outcome& outcome) {
  const char* verdict = !outcome.built                 ? "NOT BUILT"
                        : Found(flags, fault, outcome) ? "found"
                                                       : "MISSED";
  std::string small = "-";
  if (outcome.has_transcript)
    small = absl::StrCat(outcome.ops, " ops, ", outcome.tokens, " tokens");
  absl::PrintF("%-9s %-5s  %-38s %5.1f s  %-26s %s\n", verdict, fault.breaks, fault.name,
               outcome.seconds, small, absl::StrJoin(outcome.checks, " "));
  std::fflush(stdout);
}

// The table "checker x fault", which a run with --only-own-check fills in the diagonal of.
std::string Table(const Flags& flags, const std::vector<Fault>& faults,
                  const std::vector<Outcome>& outcomes) {
  constexpr const char* kCheckers[] = {"I1", "I2", "I3", "I4", "I5", "I6", "I7", "model"};
  std::string table = "| fault | breaks |";
  for (const char* checker : kCheckers) absl::StrAppend(&table, " ", checker, " |");
  absl::StrAppend(&table, " seconds |\n|---|---|---|---|---|---|---|---|---|---|---:|\n");
  for (size_t i = 0; i < faults.size(); ++i) {
    const std::vector<std::string>& found = outcomes[i].checks;
    absl::StrAppend(&table, "| ", faults[i].name, " | ", faults[i].breaks, " |");
    for (const std::string checker : kCheckers) {
      const bool finds = std::find(found.begin(), found.end(), checker) != found.end();
      absl::StrAppend(&table, finds ? " found |" : "  |");
    }
    absl::StrAppendFormat(&table, " %.1f |\n", outcomes[i].seconds);
  }
  absl::StrAppend(&table, "\nAn empty cell: not found by this checker in ", flags.seconds,
                  " s, or not asked.\n");
  return table;
}

int Summarise(const Flags& flags, const std::vector<Fault>& faults,
              const std::vector<Outcome>& outcomes) {
  size_t found = 0, built = 0, small = 0, shown = 0;
  for (size_t i = 0; i < faults.size(); ++i) {
    built += outcomes[i].built;
    found += Found(flags, faults[i], outcomes[i]);
    shown += outcomes[i].has_transcript;
    small += outcomes[i].has_transcript && outcomes[i].ops <= 8 && outcomes[i].tokens <= 120;
  }
  absl::PrintF(
      "%d of %d faults found; %d transcripts, of which %d have at most 8 operations and 120 "
      "tokens\n",
      found, faults.size(), shown, small);
  const absl::Status written =
      WriteFileAtomically(flags.out + "/table.md", Table(flags, faults, outcomes));
  if (!written.ok()) return Complain("faults", written.message(), kExitHarnessFailed);
  if (built < faults.size()) return kExitHarnessFailed;
  return found == faults.size() ? kExitPass : kExitFloorMissed;
}

int Run(const Flags& flags) {
  const std::vector<Fault> faults = ReadFaults(flags);
  if (faults.empty()) {
    return Complain("faults", flags.faults + ": no fault matches", kExitBadInput);
  }
  std::vector<Outcome> outcomes(faults.size());
  std::atomic<size_t> next{0};
  std::mutex printing;
  std::vector<std::thread> workers;
  for (int i = 0; i < flags.jobs; ++i) {
    workers.emplace_back([&] {
      for (size_t mine; (mine = next++) < faults.size();) {
        outcomes[mine] = TryFault(flags, faults[mine]);
        const std::lock_guard lock(printing);
        PrintRow(flags, faults[mine], outcomes[mine]);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return Summarise(flags, faults, outcomes);
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  std::error_code error;
  if (!fs::is_directory(flags.faults, error)) {
    return Complain("faults", "--faults " + flags.faults + ": not a folder", kExitBadInput);
  }
  return Run(flags);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
