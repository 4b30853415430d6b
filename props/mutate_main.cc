// lockstep-mutate: changes the core in one small way at a time and says which changes the unit
// tests and verify do not notice.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "props/harness/progress.h"
#include "props/mutation/judge_mutant.h"
#include "props/mutation/listed.h"
#include "props/mutation/process.h"
#include "props/mutation/scores.h"
#include "props/mutation/tree.h"
#include "reports/command_line.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep::mutation {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Flags {
  std::string diff, file;
  std::string out = "out/mutate";
  std::string listed = LOCKSTEP_SOURCE_DIR "/props/equivalent.txt";
  double minutes = 0;
  int jobs = 2;
  bool json = false;
};

CommandHelp Help() {
  return {
      .name = "mutate",
      .answers = "Would the harness notice if these lines were wrong?",
      .about =
          "Changes the core in one small way at a time and says which changes nobody notices: the "
          "unit tests first, then verify. What was judged before is not judged again, as long as "
          "neither the core nor its judges changed. All of the core takes hours, a file or a diff "
          "minutes; the first run builds a copy of the project in build/mutation.",
      .examples = {{"./lockstep mutate --diff origin/main", "the lines of your change"},
                   {"./lockstep mutate --file geometry.cc --minutes 10", "a file, for a while"},
                   {"./lockstep report out/mutate", "the page, with survivors in their lines"}},
      .exit_codes = {{0, "every mutant is caught or listed"},
                     {2, "bad usage"},
                     {4, "the core does not pass unchanged, or does not build"},
                     {5, "a mutant survives, or one that is listed is caught"},
                     {6, "not all were judged in the time given"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("--diff", flags.diff, "only lines that differ from this commit")
      ->type_name("COMMIT");
  app.add_option("--file", flags.file, "only files whose name contains this")->type_name("TEXT");
  app.add_option("--minutes", flags.minutes, "stop after this time; 0: when all are judged")
      ->type_name("MINUTES")
      ->check(InRange(0, 1e5));
  app.add_option("--jobs", flags.jobs, "mutants at a time")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  app.add_option("--listed", flags.listed, "mutants that cannot matter, and why")
      ->type_name("FILE")
      ->default_str("props/equivalent.txt");
  app.add_option("--out", flags.out, "folder for result.json, summary.md and what was judged")
      ->type_name("DIR");
  app.add_flag("--json", flags.json, "print result.json instead of the tables");
}

// Lines of the working tree that differ from `ref`, by file. Errors: InvalidArgument.
absl::StatusOr<std::map<std::string, std::set<unsigned>>> ChangedLines(const std::string& ref,
                                                                       const std::string& out) {
  const std::string log = out + "/diff.log";
  const Ended ended = RunProgram({"git", "diff", "-U0", "--no-color", "--no-ext-diff",
                                  "--end-of-options", ref, "--", "core/lockstep"},
                                 LOCKSTEP_SOURCE_DIR, log, {}, absl::Minutes(1));
  if (ended.exit_code != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--diff ", ref, ": git knows no such commit: see ", log));
  }
  std::map<std::string, std::set<unsigned>> changed;
  std::string file;
  const std::regex hunk(R"(@@ -\S+ \+(\d+)(?:,(\d+))? @@.*)");
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    if (absl::StartsWith(line, "+++ b/")) file = line.substr(6);
    std::smatch match;
    if (!std::regex_match(line, match, hunk)) continue;
    const auto first = static_cast<unsigned>(std::stoul(match[1]));
    const auto count = match[2].matched ? static_cast<unsigned>(std::stoul(match[2])) : 1U;
    for (unsigned i = 0; i < count; ++i) changed[file].insert(first + i);
  }
  return changed;
}

// A mutant touches a changed line when its original has one.
bool Touches(const Mutant& m, const std::map<std::string, std::set<unsigned>>& changed) {
  const auto lines = changed.find(m.file);
  if (lines == changed.end()) return false;
  const auto last =
      m.line + static_cast<unsigned>(std::count(m.original.begin(), m.original.end(), '\n'));
  const auto at = lines->second.lower_bound(m.line);
  return at != lines->second.end() && *at <= last;
}

// What was judged, a line each, for the mutants and judges of one fingerprint. A line that was cut
// off by a crash is dropped.
class Records {
 public:
  Records(std::string path, const std::string& fingerprint) : path_(std::move(path)) {
    std::ifstream in(path_);
    std::string line;
    if (std::getline(in, line) && line == fingerprint) {
      while (std::getline(in, line)) {
        const Json json = Json::parse(line, nullptr, false);
        if (json.is_discarded()) continue;
        outcomes_[json.at("key")] = OutcomeFromJson(json.at("outcome"));
      }
    } else {
      std::ofstream(path_) << fingerprint << "\n";
    }
  }

  const std::map<std::string, Outcome>& outcomes() const { return outcomes_; }

  void Add(const std::string& key, const Outcome& outcome) {
    std::ofstream(path_, std::ios::app)
        << Json({{"key", key}, {"outcome", ToJson(outcome)}}).dump() << "\n";
  }

 private:
  std::string path_;
  std::map<std::string, Outcome> outcomes_;
};

// Judges what has no outcome yet, several at a time.
void JudgeAll(const Flags& flags, Records& records, const std::vector<MutantJudge>& judges,
              std::vector<Judged>& all) {
  std::vector<Judged*> waiting;
  for (Judged& j : all) {
    if (!j.outcome) waiting.push_back(&j);
  }
  const absl::Time start = absl::Now();
  const absl::Time end =
      flags.minutes > 0 ? start + absl::Minutes(flags.minutes) : absl::InfiniteFuture();
  ProgressLine progress;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t done = 0, survived = 0;
  std::vector<std::thread> workers;
  for (const MutantJudge& judge : judges) {
    workers.emplace_back([&] {
      for (size_t i; !Stopped() && absl::Now() < end && (i = next++) < waiting.size();) {
        const Outcome outcome = judge.Judge(waiting[i]->mutant);
        if (Stopped()) return;  // it was killed
        const std::lock_guard lock(mutex);
        waiting[i]->outcome = outcome;
        records.Add(waiting[i]->key, outcome);
        ++done;
        survived += outcome.caught_by.empty();
        const absl::Duration left =
            (absl::Now() - start) / double(done) * double(waiting.size() - done);
        progress.Show(absl::StrFormat("%d of %d mutants, %d not caught, about %s left", done,
                                      waiting.size(), survived,
                                      absl::FormatDuration(absl::Trunc(left, absl::Seconds(1)))));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
}

// Survivors that no list names are compared with the original as machine code.
void ProveEquivalent(const Tree& tree, const std::string& work, std::vector<Judged>& all) {
  ProgressLine progress;
  for (Judged& j : all) {
    if (Stopped()) return;
    if (!j.outcome || !j.outcome->caught_by.empty() || !j.listed_as.empty()) continue;
    progress.Show(absl::StrCat("machine code of ", j.key));
    j.same_code = SameMachineCode(tree, j.mutant, work);
  }
}

int ExitCodeOf(const Scores& s) {
  if (s.survived > 0 || s.listed_and_caught > 0) return kExitFloorMissed;
  return s.judged < s.all ? kExitInconclusive : kExitPass;
}

int Fail(const absl::Status& status, int code) {
  return Complain("mutate", status.message(), code);
}

int Run(const Flags& flags, Result result) {
  const std::string out = fs::absolute(flags.out).string();
  const absl::Status made = MakeOutFolder(flags.out);
  if (!made.ok()) return Fail(made, kExitBadInput);
  auto listed = ReadListed(flags.listed);
  if (!listed.ok()) return Fail(listed.status(), kExitBadInput);
  std::map<std::string, std::set<unsigned>> changed;
  if (!flags.diff.empty()) {
    auto lines = ChangedLines(flags.diff, out);
    if (!lines.ok()) return Fail(lines.status(), kExitBadInput);
    changed = *std::move(lines);
  }
  const absl::Time start = absl::Now();
  const Tree tree{.source = LOCKSTEP_SOURCE_DIR,
                  .planter = LOCKSTEP_PLANTER,
                  .dir = LOCKSTEP_MUTATION_DIR,
                  .jobs = flags.jobs};
  auto planted = PrepareTree(
      tree, [](const std::string& what) { std::cerr << "lockstep-mutate: " << what << "\n"; });
  if (!planted.ok()) return Fail(planted.status(), kExitHarnessFailed);

  Records records(out + "/judged.jsonl", planted->fingerprint);
  const std::vector<std::string> keys = KeysOf(planted->mutants);
  std::vector<Judged> all;
  for (size_t i = 0; i < keys.size(); ++i) {
    const Mutant& mutant = planted->mutants[i];
    if (!flags.diff.empty() && !Touches(mutant, changed)) continue;
    if (!absl::StrContains(mutant.file, flags.file)) continue;
    Judged judged;
    judged.mutant = mutant;
    judged.key = keys[i];
    if (const auto at = listed->find(keys[i]); at != listed->end()) {
      at->second.used = true;
      judged.listed_as = at->second.what;
    }
    if (const auto at = records.outcomes().find(keys[i]); at != records.outcomes().end()) {
      judged.outcome = at->second;
    }
    all.push_back(std::move(judged));
  }
  if (flags.diff.empty() && flags.file.empty()) {
    for (const auto& [key, line] : *listed) {
      if (line.used) continue;
      std::cerr << "lockstep-mutate: " << flags.listed << ":" << line.line
                << ": there is no such mutant: " << key << "\n";
      result.exit_code = kExitFloorMissed;
    }
  }
  std::vector<MutantJudge> judges;
  for (int i = 0; i < flags.jobs; ++i) {
    judges.emplace_back(tree, absl::StrCat(out, "/work", i));
  }
  if (absl::Status status = judges[0].Calibrate(); !status.ok() && !Stopped()) {
    return Fail(status, kExitHarnessFailed);
  }
  for (size_t i = 1; i < judges.size(); ++i) judges[i].TakeLimits(judges[0]);
  JudgeAll(flags, records, judges, all);
  ProveEquivalent(tree, out, all);

  const Scores scores = ScoreOf(all, planted->not_compiling);
  result.sections["mutation"] = MutationSection(tree.source, all, scores);
  result.exit_code = WorseExitCode(result.exit_code, ExitCodeOf(scores));
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  const std::string text = RenderMutation(result.sections["mutation"]);
  for (const absl::Status& status :
       {WriteResult(result, out), WriteFileAtomically(out + "/summary.md", text)}) {
    if (!status.ok()) return Fail(status, kExitHarnessFailed);
  }
  std::cout << (flags.json ? ToJsonText(result)
                           : absl::StrCat(text, "written to ", flags.out, "\n"));
  return Stopped() ? 130 : result.exit_code;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  StopOnSignals();
  return Run(flags, StartResult(CommandLine("mutate", argc, argv)));
}

}  // namespace
}  // namespace lockstep::mutation

int main(int argc, char** argv) { return lockstep::mutation::Main(argc, argv); }
