#include "fuzz/coverage.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fuzz/child.h"
#include "fuzz/corpus.h"
#include "props/harness/input_file.h"
#include "props/harness/progress.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double kLeastLines = 0.95;

absl::string_view Trimmed(absl::string_view text) { return absl::StripAsciiWhitespace(text); }

// "DA:12,7" -> {12, 7}; the last field of a branch may be "-", which is never.
bool ReadFields(absl::string_view text, std::vector<uint64_t>& fields) {
  fields.clear();
  for (const absl::string_view field : absl::StrSplit(text, ',')) {
    uint64_t value = 0;
    if (field != "-" && !absl::SimpleAtoi(field, &value)) return false;
    fields.push_back(value);
  }
  return true;
}

absl::StatusOr<std::string> Run(const NightOptions& options,
                                const std::vector<std::string>& command, const std::string& name) {
  const std::string log = absl::StrCat(options.out, "/coverage/", name);
  absl::StatusOr<Child> child = Child::Start(command, log);
  if (!child.ok()) return child.status();
  const int code = child->Wait(absl::Minutes(30), Interrupted);
  if (code != 0) {
    return absl::InternalError(absl::StrCat(command[0], " ended with ", code, "; see ", log));
  }
  return ReadInputFile(log);
}

absl::StatusOr<std::vector<std::string>> Replay(const NightOptions& options,
                                                const std::string& bin) {
  std::vector<std::string> programs;
  ProgressLine progress;
  for (const Target& target : options.targets) {
    const std::string program = absl::StrCat(bin, "/replay_", target.name);
    if (!fs::exists(program)) {
      return absl::FailedPreconditionError(
          program + ": is missing; build the preset `coverage`, or use ./lockstep fuzz --coverage");
    }
    progress.Show("replaying the corpus of " + target.name);
    setenv("LLVM_PROFILE_FILE",
           absl::StrCat(options.out, "/coverage/", target.name, ".profraw").c_str(), 1);
    const auto log = Run(options,
                         {program, SeedCorpus(options, target),
                          target.codec ? DeepSeedCorpus(options) : SeedCorpus(options, target),
                          "--optional", GrownCorpus(options, target), "--optional",
                          absl::StrCat(options.seeds, "/regressions/", target.name)},
                         target.name + ".log");
    if (!log.ok()) return log.status();
    programs.push_back(program);
  }
  unsetenv("LLVM_PROFILE_FILE");
  return programs;
}

Json ToJson(const CoverageFigures& figures, size_t exceptions, const std::string& page) {
  return {{"lines", figures.lines},       {"lines_run", figures.lines_run},
          {"branches", figures.branches}, {"branches_taken", figures.branches_taken},
          {"exceptions", exceptions},     {"missed", figures.missed},
          {"stale", figures.stale},       {"page", page}};
}

}  // namespace

absl::StatusOr<std::map<std::string, FileCoverage>> ReadTracefile(std::string_view text) {
  std::map<std::string, FileCoverage> files;
  FileCoverage* file = nullptr;
  std::vector<uint64_t> fields;
  for (absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (absl::ConsumePrefix(&line, "SF:")) {
      file = &files[std::string(line)];
      continue;
    }
    const bool is_line = absl::ConsumePrefix(&line, "DA:");
    const bool is_branch = !is_line && absl::ConsumePrefix(&line, "BRDA:");
    if (!is_line && !is_branch) continue;
    if (file == nullptr || !ReadFields(line, fields) || fields.size() < (is_line ? 2 : 4)) {
      return absl::InvalidArgumentError(
          absl::StrCat("llvm-cov: not the lcov format: ", std::string(line)));
    }
    if (is_line) {
      file->lines[fields[0]] += fields[1];
    } else {
      ++file->branches[fields[0]].all;
      file->branches[fields[0]].taken += fields[3] > 0;
    }
  }
  return files;
}

absl::StatusOr<std::vector<CoverageException>> ReadExceptions(const std::string& name,
                                                              std::string_view text) {
  std::vector<CoverageException> exceptions;
  int at = 0;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    ++at;
    if (Trimmed(line).empty() || Trimmed(line)[0] == '#') continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, " | ");
    if (parts.size() != 3 || Trimmed(parts[0]).empty() || Trimmed(parts[1]).empty() ||
        Trimmed(parts[2]).empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ":", at, ": give `FILE | TEXT OF THE LINE | REASON`, with none of them empty"));
    }
    exceptions.push_back({std::string(Trimmed(parts[0])), std::string(Trimmed(parts[1])),
                          std::string(Trimmed(parts[2])), at});
  }
  return exceptions;
}

CoverageFigures CompareWithExceptions(const std::map<std::string, FileCoverage>& files,
                                      const std::vector<CoverageException>& exceptions,
                                      const std::map<std::string, std::string>& sources) {
  CoverageFigures figures;
  std::vector<bool> used(exceptions.size(), false);
  for (const auto& [path, file] : files) {
    const std::string name = fs::path(path).filename().string();
    for (const auto& [line, count] : file.lines) {
      ++figures.lines;
      figures.lines_run += count > 0;
    }
    const std::vector<std::string> text = absl::StrSplit(sources.at(path), '\n');
    for (const auto& [line, branches] : file.branches) {
      figures.branches += branches.all;
      figures.branches_taken += branches.taken;
      if (branches.taken == branches.all) continue;
      const std::string shown =
          line <= text.size() ? std::string(Trimmed(text[line - 1])) : "past the file's end";
      bool excepted = false;
      for (size_t i = 0; i < exceptions.size(); ++i) {
        if (exceptions[i].file != name || exceptions[i].line != shown) continue;
        used[i] = excepted = true;
      }
      if (!excepted) figures.missed.push_back(absl::StrCat(name, ":", line, ": ", shown));
    }
  }
  for (size_t i = 0; i < exceptions.size(); ++i) {
    if (used[i] || absl::StartsWith(exceptions[i].reason, "by chance")) continue;
    figures.stale.push_back(absl::StrCat("line ", exceptions[i].at, ": ", exceptions[i].file, " | ",
                                         exceptions[i].line));
  }
  return figures;
}

absl::Status MeasureCoverage(const NightOptions& options, const std::string& root, Result& result) {
  std::error_code error;
  fs::remove_all(options.out + "/coverage", error);
  fs::create_directories(options.out + "/coverage", error);
  const auto programs = Replay(options, root + "/build/coverage/bin");
  if (!programs.ok()) return programs.status();
  const std::string profile = options.out + "/coverage/all.profdata";
  std::vector<std::string> merge = {"/usr/bin/llvm-profdata-19", "merge", "-sparse", "-o", profile};
  for (const Target& target : options.targets) {
    merge.push_back(absl::StrCat(options.out, "/coverage/", target.name, ".profraw"));
  }
  if (const auto merged = Run(options, merge, "merge.log"); !merged.ok()) return merged.status();
  std::vector<std::string> rest = {"-instr-profile=" + profile, (*programs)[0]};
  for (size_t i = 1; i < programs->size(); ++i) rest.push_back("-object=" + (*programs)[i]);
  rest.push_back("-sources");
  rest.push_back(root + "/core/lockstep");
  std::vector<std::string> exported = {"/usr/bin/llvm-cov-19", "export", "-format=lcov"};
  exported.insert(exported.end(), rest.begin(), rest.end());
  const auto tracefile = Run(options, exported, "core.lcov");
  if (!tracefile.ok()) return tracefile.status();
  const std::string page = options.out + "/coverage/html";
  std::vector<std::string> shown = {"/usr/bin/llvm-cov-19", "show", "-format=html",
                                    "-show-branches=count", "-output-dir=" + page};
  shown.insert(shown.end(), rest.begin(), rest.end());
  if (const auto log = Run(options, shown, "show.log"); !log.ok()) return log.status();

  const std::string list = root + "/fuzz/coverage_exceptions.txt";
  const absl::StatusOr<std::string> text = ReadInputFile(list);
  if (!text.ok()) return text.status();
  const auto exceptions = ReadExceptions("fuzz/coverage_exceptions.txt", *text);
  if (!exceptions.ok()) return absl::FailedPreconditionError(exceptions.status().message());
  const auto files = ReadTracefile(*tracefile);
  if (!files.ok()) return files.status();
  if (files->empty()) return absl::InternalError("llvm-cov saw no file of core/lockstep");
  std::map<std::string, std::string> sources;
  for (const auto& [path, file] : *files) {
    absl::StatusOr<std::string> source = ReadInputFile(path);
    if (!source.ok()) return source.status();
    sources[path] = *std::move(source);
  }
  const CoverageFigures figures = CompareWithExceptions(*files, *exceptions, sources);
  result.sections["coverage"] = ToJson(figures, exceptions->size(), page + "/index.html");
  const bool enough =
      static_cast<double>(figures.lines_run) >= kLeastLines * static_cast<double>(figures.lines);
  if (!figures.missed.empty() || !figures.stale.empty() || !enough) {
    result.exit_code = WorseExitCode(result.exit_code, kExitFloorMissed);
  }
  return absl::OkStatus();
}

std::string CoverageText(const Result& result) {
  const Json& c = result.sections.at("coverage");
  std::string text =
      absl::StrFormat("core: %d of %d lines, %d of %d branches; %d exceptions; page: %s\n",
                      c.at("lines_run").get<uint64_t>(), c.at("lines").get<uint64_t>(),
                      c.at("branches_taken").get<uint64_t>(), c.at("branches").get<uint64_t>(),
                      c.at("exceptions").get<uint64_t>(), c.at("page").get<std::string>());
  for (const Json& line : c.at("missed")) {
    absl::StrAppend(&text, "NOT COVERED: ", line.get<std::string>(), "\n");
  }
  for (const Json& line : c.at("stale")) {
    absl::StrAppend(&text, "STALE EXCEPTION: ", line.get<std::string>(), "\n");
  }
  return text;
}

}  // namespace lockstep::fuzz
