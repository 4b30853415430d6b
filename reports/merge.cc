#include "reports/merge.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/json_count.h"
#include "reports/json_members.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// A story longer than this is no help to anybody, and a page holds many.
constexpr size_t kMostStoryBytes = 64 << 10;

std::string ReadUpTo(const std::filesystem::path& path, size_t most) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// The night shift leaves what it tells of a finding as FOLDER/story.txt. The folder is as the run
// saw it, or, where the results were moved since, below the result's own.
void TakeInStories(const std::string& dir, Result& result) {
  const auto findings = result.sections.find("findings");
  if (findings == result.sections.end()) return;
  for (Json& finding : *findings) {
    const std::string folder = TextOf(finding, "folder");
    if (!TextOf(finding, "story").empty() || folder.empty()) continue;
    const std::filesystem::path moved =
        std::filesystem::path(dir) / "findings" / std::filesystem::path(folder).filename();
    for (const std::filesystem::path& place : {std::filesystem::path(folder), moved}) {
      std::string story = ReadUpTo(place / "story.txt", kMostStoryBytes);
      if (story.empty()) continue;
      finding["story"] = std::move(story);
      break;
    }
  }
}

// What one run has to say about the promises.
struct Tally {
  std::vector<std::string> broken;
  std::vector<std::string> unchecked;
  size_t holding = 0;
  size_t outside_level = 0;
};

Tally TallyOf(const Result& result) {
  Tally tally;
  for (const Json& row : Section(result, "invariants")) {
    const std::string verdict = TextOf(row, "verdict");
    if (verdict == "holds") {
      ++tally.holding;
    } else if (verdict == "broken") {
      tally.broken.push_back(TextOf(row, "id"));
    } else if (result.level == "sound" &&
               absl::StrContains(TextOf(row, "evidence"), "not part of")) {
      ++tally.outside_level;
    } else {
      tally.unchecked.push_back(TextOf(row, "id"));
    }
  }
  return tally;
}

size_t NeverReached(const Result& result) {
  const Json& classes = Section(result, "classes");
  return static_cast<size_t>(std::count_if(
      classes.begin(), classes.end(), [](const Json& n) { return CountOf(n) == uint64_t{0}; }));
}

std::string Promises(size_t count) {
  return absl::StrCat(count, count == 1 ? " promise" : " promises");
}

std::string Situations(size_t count) {
  return absl::StrCat(count, count == 1 ? " situation" : " situations");
}

std::string FirstWord(const std::string& text) { return text.substr(0, text.find(' ')); }

std::string ProblemOf(const Result& result) {
  const Tally tally = TallyOf(result);
  if (!tally.broken.empty()) {
    return absl::StrCat(tally.broken.size(), " of ", Promises(tally.broken.size() + tally.holding),
                        " broken (", absl::StrJoin(tally.broken, ", "), ")");
  }
  const size_t found = Section(result, "findings").size();
  switch (result.exit_code) {
    case kExitBrokenPromise:
      if (found == 0) return "a promise is broken";
      return absl::StrCat(found, found == 1 ? " fault" : " faults", " found");
    case kExitBadInput:
      return "its input was bad, so nothing was judged";
    case kExitSlower:
      return "slower than the base";
    case kExitHarnessFailed:
      return "the harness or its surroundings failed, so nothing is proven";
    case kExitFloorMissed:
      if (const size_t never = NeverReached(result)) {
        return absl::StrCat("a floor was missed (", Situations(never), " never reached)");
      }
      return "a floor was missed";
    case kExitInconclusive:
      return "inconclusive";
    default:
      return VerdictName(result.exit_code);
  }
}

// Why a run that passed does not yet show that every promise holds; "" when it does.
std::string GapOf(const Result& result) {
  const Tally tally = TallyOf(result);
  if (!tally.unchecked.empty()) {
    return absl::StrCat(absl::StrJoin(tally.unchecked, ", "), " not checked");
  }
  if (const size_t never = NeverReached(result)) {
    return absl::StrCat(Situations(never), " never reached");
  }
  return "";
}

// A run that shows all that its level promises is worth more than others that show part of it.
void Judge(Subject& subject) {
  std::vector<std::pair<int, std::string>> problems;
  std::vector<std::string> shown, gaps;
  for (const ReportedRun* run : subject.runs) {
    const Result& result = run->result;
    subject.exit_code = WorseExitCode(subject.exit_code, result.exit_code);
    const Tally tally = TallyOf(result);
    if (result.exit_code != kExitPass || !tally.broken.empty()) {
      problems.emplace_back(result.exit_code,
                            absl::StrCat(FirstWord(result.command), ": ", ProblemOf(result)));
    } else if (tally.holding > 0) {
      const std::string gap = GapOf(result);
      (gap.empty() ? shown : gaps)
          .push_back(gap.empty() ? absl::StrCat(Promises(tally.holding),
                                                tally.holding == 1 ? " holds (" : " hold (",
                                                result.level, " level)")
                                 : gap);
    }
  }
  std::stable_sort(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
    return a.first != b.first && WorseExitCode(a.first, b.first) == a.first;
  });
  std::vector<std::string> reasons;
  for (const auto& [code, reason] : problems) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  }
  if (!problems.empty()) {
    const bool only_unclear = problems.front().first == kExitInconclusive;
    subject.answer = only_unclear ? Answer::kNotShown : Answer::kNo;
    subject.because = absl::StrJoin(reasons, "; ");
  } else if (!shown.empty()) {
    subject.answer = Answer::kYes;
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    subject.because = absl::StrJoin(shown, "; ");
  } else {
    subject.because = gaps.empty() ? "no run here checks the promises: ./lockstep verify does"
                                   : absl::StrJoin(gaps, "; ");
  }
}

bool NamesLibrary(const Result& result) {
  return !result.impl_name.empty() || !result.impl_path.empty();
}

Subject SubjectOf(const Result& result) {
  Subject subject;
  subject.name = result.impl_path.empty() ? result.impl_name : result.impl_path;
  subject.sha256 = result.impl_sha256;
  if (result.impl_path.empty() && result.impl_sha256.empty()) subject.commit = result.commit;
  return subject;
}

// By what it is, where that is known: a path is only how it was called.
bool Same(const Subject& a, const Subject& b) {
  if (!a.sha256.empty() || !b.sha256.empty()) return a.sha256 == b.sha256;
  return a.name == b.name && a.commit == b.commit;
}

}  // namespace

absl::StatusOr<std::vector<ReportedRun>> ReadRuns(const std::vector<std::string>& dirs) {
  std::vector<ReportedRun> runs;
  for (const std::string& dir : dirs) {
    std::error_code error;
    if (!std::filesystem::is_directory(dir, error)) {
      return absl::NotFoundError(absl::StrCat(
          dir, ": is no folder; name one that a command wrote with --out, such as out/verify"));
    }
    const std::filesystem::path folder(dir);
    const std::string path = (folder / "result.json").string();
    if (!std::filesystem::exists(path, error)) {
      return absl::NotFoundError(absl::StrCat(
          dir, ": holds no result.json; name a folder that a command wrote with --out"));
    }
    absl::StatusOr<Result> result = ReadResult(path);
    if (!result.ok()) return result.status();
    TakeInStories(dir, *result);
    runs.push_back({.dir = dir,
                    .result = *std::move(result),
                    .google_benchmark = ReadUpTo(folder / "bench.json", size_t{16} << 20)});
  }
  return runs;
}

const char* AnswerName(Answer answer) {
  switch (answer) {
    case Answer::kYes:
      return "Yes";
    case Answer::kNo:
      return "No";
    case Answer::kNotShown:
      break;
  }
  return "Not shown";
}

std::vector<Subject> SubjectsOf(const std::vector<ReportedRun>& runs) {
  std::vector<Subject> subjects;
  std::vector<const ReportedRun*> unnamed;
  for (const ReportedRun& run : runs) {
    if (!NamesLibrary(run.result)) {
      unnamed.push_back(&run);
      continue;
    }
    Subject subject = SubjectOf(run.result);
    auto it = std::find_if(subjects.begin(), subjects.end(),
                           [&](const Subject& known) { return Same(known, subject); });
    if (it == subjects.end()) it = subjects.insert(subjects.end(), std::move(subject));
    it->runs.push_back(&run);
  }
  if (!unnamed.empty() && subjects.size() != 1) subjects.emplace_back();
  for (const ReportedRun* run : unnamed) subjects.back().runs.push_back(run);
  for (Subject& subject : subjects) Judge(subject);
  return subjects;
}

int OverallExitCode(const std::vector<ReportedRun>& runs) {
  int code = kExitPass;
  for (const ReportedRun& run : runs) {
    code = WorseExitCode(code, run.result.exit_code);
    if (!TallyOf(run.result).broken.empty()) code = WorseExitCode(code, kExitBrokenPromise);
  }
  return code;
}

std::string UpstreamLine(const std::vector<Subject>& subjects) {
  constexpr const char* kQuestion = "May this go upstream? ";
  if (subjects.size() == 1) {
    const Subject& only = subjects.front();
    return absl::StrCat(kQuestion, AnswerName(only.answer), ", because ", only.because, ".");
  }
  std::vector<std::string> answers;
  size_t libraries = 0;
  for (const Subject& subject : subjects) {
    if (subject.name.empty() && subject.exit_code == kExitPass) continue;
    if (!subject.name.empty()) ++libraries;
    const std::string name = subject.name.empty() ? "the rest" : subject.name;
    answers.push_back(absl::StrCat(name, ": ", AnswerName(subject.answer)));
  }
  return absl::StrCat(kQuestion, "These are results of ", libraries, " different libraries. ",
                      absl::StrJoin(answers, "; "), ".");
}

std::string ReproduceCommand(const Result& result) {
  return absl::StrCat("./lockstep ", result.command);
}

}  // namespace lockstep
