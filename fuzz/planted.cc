#include "fuzz/planted.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "fuzz/child.h"
#include "fuzz/corpus.h"
#include "props/harness/input_file.h"
#include "props/harness/progress.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double kLeastShare = 0.95;

// What the processes of one fault run, in turn: most can be seen by the first, and what only
// hostile arguments or many scopes show by the others.
constexpr const char* kTurns[] = {"cache_exact", "c_arguments", "cache_exact", "scopes"};
constexpr absl::Duration kTurn = absl::Seconds(15);
constexpr absl::Duration kDeepTurn = absl::Seconds(5);

std::vector<fs::path> OneInputFaults(const std::string& root,
                                     const std::vector<std::string>& names) {
  std::vector<fs::path> patches;
  for (const auto& entry : fs::recursive_directory_iterator(root + "/props/faults")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".patch") continue;
    if (!names.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return absl::StrContains(path, name);
        })) {
      continue;
    }
    std::ifstream file(path);
    for (std::string line; std::getline(file, line) && !line.empty();) {
      if (line == "One-input: yes") patches.push_back(entry.path());
    }
  }
  std::sort(patches.begin(), patches.end());
  return patches;
}

// One process that looks for the fault, on one turn.
struct Searcher {
  Child child;
  std::string target;
  std::string log;
};

class Search {
 public:
  Search(const NightOptions& options, std::string folder)
      : options_(options), folder_(std::move(folder)) {}

  // {found, seconds, target, signature}
  Json Run() {
    const absl::Time start = absl::Now(), end = start + options_.time;
    std::vector<Searcher> running;
    Json row = {{"found", false}};
    while (row.at("found") == false && absl::Now() < end && !Interrupted()) {
      while (running.size() < static_cast<size_t>(options_.jobs)) {
        std::optional<Searcher> next = Start(end - absl::Now());
        if (!next) return row;
        running.push_back(*std::move(next));
      }
      absl::SleepFor(absl::Milliseconds(20));
      std::erase_if(running, [&](Searcher& searcher) {
        const std::optional<int> code = searcher.child.Poll();
        if (!code) return false;
        if (*code != 0 && row.at("found") == false) Found(searcher, *code, row);
        return true;
      });
    }
    row["seconds"] = absl::ToDoubleSeconds(absl::Now() - start);
    return row;
  }

 private:
  std::optional<Searcher> Start(absl::Duration left) {
    const std::string name = kTurns[turn_ % std::size(kTurns)];
    const Target& target = *std::find_if(Targets().begin(), Targets().end(),
                                         [&](const Target& t) { return t.name == name; });
    const bool deep = turn_ % 8 == 0;
    const std::string grown = absl::StrCat(folder_, deep ? "/deep/" : "/grown/", name);
    const std::string log = absl::StrCat(folder_, "/", turn_, ".log");
    std::error_code error;
    fs::create_directories(grown, error);
    std::vector<std::string> command = TargetCommand(options_, target);
    const absl::Duration time = std::min(left, deep ? kDeepTurn : kTurn * (1 + turn_ / 8));
    command.insert(
        command.end(),
        {absl::StrCat("-max_total_time=", std::max<int64_t>(1, absl::ToInt64Seconds(time))),
         absl::StrCat("-use_value_profile=", turn_ % 2), absl::StrCat("-seed=", turn_ + 1),
         // As in a night: every fourth time for what takes many calls, and first for the deep
         // seeds.
         absl::StrCat("-max_len=", turn_ % 4 == 0 || turn_ % 4 == 2 ? 4096 : 160),
         absl::StrCat("-artifact_prefix=", folder_, "/"), grown,
         deep ? DeepSeedCorpus(options_) : SeedCorpus(options_, target)});
    ++turn_;
    absl::StatusOr<Child> child = Child::Start(command, log);
    if (!child.ok()) return std::nullopt;
    return Searcher{*std::move(child), name, log};
  }

  static void Found(const Searcher& searcher, int code, Json& row) {
    const absl::StatusOr<std::string> log = ReadInputFile(searcher.log);
    const std::string signature = log.ok() ? ReadSignature(*log) : "";
    row["found"] = !signature.empty();
    row["target"] = searcher.target;
    row["signature"] =
        signature.empty() ? absl::StrCat("ended with ", code, "; see ", searcher.log) : signature;
  }

  const NightOptions& options_;
  std::string folder_;
  int turn_ = 0;
};

absl::Status Build(const std::string& root, const fs::path& patch, const std::string& folder) {
  setenv("CXX", "clang++-19", 1);
  setenv("CXXFLAGS",
         "-g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all "
         "-fno-omit-frame-pointer",
         1);
  absl::StatusOr<Child> child =
      Child::Start({root + "/props/faults/build_fault", patch.string(), folder + "/fault.so"},
                   folder + "/build.log");
  if (!child.ok()) return child.status();
  if (child->Wait(absl::Minutes(5), Interrupted) == 0) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(patch.string(), ": cannot be built; see ", folder, "/build.log"));
}

Json Summarise(const NightOptions& options, Json rows) {
  std::vector<double> seconds;
  for (const Json& row : rows) {
    if (row.at("found") == true) seconds.push_back(row.at("seconds").get<double>());
  }
  std::sort(seconds.begin(), seconds.end());
  const double share =
      rows.empty() ? 0 : static_cast<double>(seconds.size()) / static_cast<double>(rows.size());
  return {{"faults", rows.size()},
          {"found", seconds.size()},
          {"share", share},
          {"least", kLeastShare},
          {"median_seconds", seconds.empty() ? 0 : seconds[seconds.size() / 2]},
          {"worst_seconds", seconds.empty() ? 0 : seconds.back()},
          {"minutes_each", absl::ToDoubleMinutes(options.time)},
          {"jobs", options.jobs},
          {"rows", std::move(rows)}};
}

}  // namespace

absl::Status FindPlanted(const NightOptions& options, const std::string& root,
                         const std::vector<std::string>& names, Result& result) {
  const std::vector<fs::path> patches = OneInputFaults(root, names);
  if (patches.empty()) return absl::FailedPreconditionError("no planted fault is called so");
  ProgressLine progress;
  Json rows = Json::array();
  std::error_code error;
  for (const fs::path& patch : patches) {
    if (Interrupted()) break;
    const std::string name =
        absl::StrCat(patch.parent_path().filename().string(), "/", patch.stem().string());
    const std::string folder = options.out + "/planted/" + name;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    progress.Show(
        absl::StrCat("looking for ", name, " (", rows.size(), " of ", patches.size(), ")"));
    if (absl::Status status = Build(root, patch, folder); !status.ok()) return status;
    const std::string library = fs::absolute(folder + "/fault.so").string();
    setenv("LOCKSTEP_FUZZ_IMPL", library.c_str(), 1);
    Json row = {{"fault", name}};
    row.update(Search(options, folder).Run());
    if (row.at("found") == true) fs::remove_all(folder, error);
    rows.push_back(std::move(row));
    // After each, so that a long run that is ended has said what it knew.
    result.sections["planted"] = Summarise(options, rows);
    const absl::Status written =
        WriteFileAtomically(options.out + "/planted.md", PlantedText(result));
    if (!written.ok()) return written;
  }
  if (Interrupted()) result.exit_code = WorseExitCode(result.exit_code, kExitInconclusive);
  if (result.sections["planted"]["share"].get<double>() < kLeastShare) {
    result.exit_code = WorseExitCode(result.exit_code, kExitFloorMissed);
  }
  return absl::OkStatus();
}

std::string PlantedText(const Result& result) {
  const Json& planted = result.sections.at("planted");
  std::string text = absl::StrFormat(
      "%d of %d planted faults found (%.1f %%), from the seeds, in at most %.1f minutes with %d "
      "processes each; median %.1f s, worst %.1f s\n\n",
      planted.at("found").get<uint64_t>(), planted.at("faults").get<uint64_t>(),
      100 * planted.at("share").get<double>(), planted.at("minutes_each").get<double>(),
      planted.at("jobs").get<int>(), planted.at("median_seconds").get<double>(),
      planted.at("worst_seconds").get<double>());
  absl::StrAppend(&text,
                  "| fault | found | seconds | target | signature |\n|---|---|---|---|---|\n");
  for (const Json& row : planted.at("rows")) {
    absl::StrAppend(
        &text, absl::StrFormat("| %s | %s | %.1f | %s | %s |\n", row.at("fault").get<std::string>(),
                               row.at("found") == true ? "yes" : "NO", row.value("seconds", 0.0),
                               row.value("target", "-"), row.value("signature", "-")));
  }
  return text;
}

}  // namespace lockstep::fuzz
