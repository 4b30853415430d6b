// lockstep-report: results of any commands as one page.

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reports/command_line.h"
#include "reports/junit.h"
#include "reports/merge.h"
#include "reports/page.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep {
namespace {

struct Flags {
  std::vector<std::string> dirs;
  std::string out = "out/report";
  bool json = false;
};

CommandHelp Help() {
  return {
      .name = "report",
      .answers = "May this go upstream? Results of any commands as one page.",
      .about =
          "Each DIR is a folder that a command wrote with --out, and holds its result.json. Writes "
          "index.html, which needs no network and no other file; summary.md for comments and step "
          "summaries; junit.xml for test viewers; and Google Benchmark's bench.json as it is, "
          "where "
          "one lies beside a result. Results of different libraries are shown beside each other "
          "and "
          "get no common answer.",
      .examples = {{"./lockstep verify", "writes to out/verify"},
                   {"./lockstep report out/verify", "writes out/report/index.html"},
                   {"./lockstep report out/verify out/gate out/mutate", "all of a change"}},
      .exit_codes = {{0, "every result passed"},
                     {1, "a promise is broken"},
                     {2, "bad usage, or a result.json is missing or malformed"},
                     {3, "slower"},
                     {4, "a harness or its surroundings failed"},
                     {5, "a floor is missed"},
                     {6, "inconclusive; of several the first in the order 4, 2, 1, 3, 5, 6"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  Describe(app, Help());
  app.add_option("DIR", flags.dirs, "folders with a result.json")->required();
  app.add_option("--out", flags.out, "folder for what is written")->type_name("DIR");
  app.add_flag("--json", flags.json, "print the answer as JSON instead of a line");
}

absl::Status WriteAll(const std::string& out, const std::vector<ReportedRun>& runs) {
  const absl::Status made = MakeOutFolder(out);
  if (!made.ok()) return made;
  std::vector<std::pair<std::string, std::string>> files = {
      {"index.html", RenderPage(runs)},
      {"summary.md", RenderMergedMarkdown(runs)},
      {"junit.xml", RenderJunit(runs)}};
  size_t number = 0;
  for (const ReportedRun& run : runs) {
    if (run.google_benchmark.empty()) continue;
    const std::string suffix = ++number == 1 ? "" : absl::StrCat("-", number);
    files.emplace_back(absl::StrCat("bench", suffix, ".json"), run.google_benchmark);
  }
  for (const auto& [name, contents] : files) {
    const absl::Status status =
        WriteFileAtomically((std::filesystem::path(out) / name).string(), contents);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

nlohmann::ordered_json AnswersToJson(const std::vector<ReportedRun>& runs,
                                     const std::string& page) {
  nlohmann::ordered_json json = {{"exit_code", OverallExitCode(runs)},
                                 {"verdict", VerdictName(OverallExitCode(runs))},
                                 {"page", page},
                                 {"subjects", nlohmann::ordered_json::array()}};
  for (const Subject& subject : SubjectsOf(runs)) {
    json["subjects"].push_back({{"name", subject.name},
                                {"sha256", subject.sha256},
                                {"may_go_upstream", AnswerName(subject.answer)},
                                {"because", subject.because},
                                {"exit_code", subject.exit_code},
                                {"runs", subject.runs.size()}});
  }
  return json;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  const absl::StatusOr<std::vector<ReportedRun>> runs = ReadRuns(flags.dirs);
  if (!runs.ok()) return Complain("report", runs.status().message(), kExitBadInput);
  const absl::Status written = WriteAll(flags.out, *runs);
  if (!written.ok()) return Complain("report", written.message(), ExitCodeOf(written));
  const std::string page = (std::filesystem::path(flags.out) / "index.html").string();
  if (flags.json) {
    std::cout << AnswersToJson(*runs, page)
                     .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
  } else {
    std::cout << PrintableLine(UpstreamLine(SubjectsOf(*runs))) << "\nwritten to " << page << "\n";
  }
  return OverallExitCode(*runs);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
