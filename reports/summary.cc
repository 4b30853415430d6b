#include "reports/summary.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/json_count.h"
#include "reports/json_members.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// "8 promises hold", "2 promises broken: I1, I4", with what was not checked.
std::string Tally(const Json& invariants) {
  std::vector<std::string> broken;
  size_t holding = 0;
  for (const Json& row : invariants) {
    if (TextOf(row, "verdict") == "broken") broken.push_back(TextOf(row, "id"));
    if (TextOf(row, "verdict") == "holds") ++holding;
  }
  const size_t unchecked = invariants.size() - holding - broken.size();
  const std::string rest = unchecked == 0 ? "" : absl::StrCat("; ", unchecked, " not checked");
  if (broken.empty()) {
    return absl::StrCat(holding, holding == 1 ? " promise holds" : " promises hold", rest);
  }
  return absl::StrCat(broken.size(), " of ", holding + broken.size(),
                      " promises broken: ", absl::StrJoin(broken, ", "), rest);
}

// How it was run, for the second line: the first line that anybody asks for is the seed.
std::string RunLine(const Result& result) {
  std::string line =
      absl::StrFormat("%s; %.1f s, seed %d", result.command, result.seconds, result.seed);
  if (!result.impl_sha256.empty()) {
    absl::StrAppend(&line, ", library sha256 ", result.impl_sha256.substr(0, 16));
  }
  if (!result.commit.empty()) {
    const bool dirty = absl::EndsWith(result.commit, "-dirty");
    absl::StrAppend(&line, ", commit ", result.commit.substr(0, 12), dirty ? " and changes" : "");
  }
  return line;
}

std::string HeadlineOf(const Json& finding) {
  return absl::StrCat(TextOf(finding, "check"), ": ", TextOf(finding, "what"));
}

std::string Paint(const std::string& text, bool colour, bool good, bool bad) {
  if (!colour || (!good && !bad)) return text;
  return absl::StrCat(good ? "\x1b[32m" : "\x1b[1;31m", text, "\x1b[0m");
}

// Colours the verdict after the columns were laid out, so that escapes have no width.
std::string TerminalInvariants(const Json& invariants, bool colour) {
  TextTable table;
  for (const Json& row : invariants) {
    table.AddRow({PrintableLine(TextOf(row, "id")), PrintableLine(TextOf(row, "name")),
                  PrintableLine(TextOf(row, "verdict")), PrintableLine(TextOf(row, "evidence"))});
  }
  std::string plain = table.Render("  ");
  if (!colour) return plain;
  std::string painted;
  size_t start = 0;
  for (const Json& row : invariants) {
    const size_t end = plain.find('\n', start) + 1;
    const std::string verdict = TextOf(row, "verdict");
    painted +=
        Paint(plain.substr(start, end - 1 - start), true, verdict == "holds", verdict == "broken") +
        "\n";
    start = end;
  }
  return painted;
}

// What each check did, one a row.
std::string TerminalChecks(const Json& checks) {
  TextTable table;
  for (const Json& row : checks) {
    table.AddRow({PrintableLine(TextOf(row, "name")), PrintableLine(TextOf(row, "evidence"))});
  }
  return table.Render("  ");
}

std::string TerminalFindings(const Result& result, bool colour) {
  std::string text;
  size_t number = 0;
  for (const Json& finding : Section(result, "findings")) {
    const std::string head = absl::StrCat("  ", ++number, ". ", PrintableLine(HeadlineOf(finding)));
    absl::StrAppend(&text, Paint(head, colour, false, true), "\n     ",
                    PrintableLine(FindingOrigin(finding)), "\n");
    for (const std::string& command : FindingCommands(result, finding)) {
      absl::StrAppend(&text, "     ", PrintableLine(command), "\n");
    }
  }
  return text;
}

// As many columns as fit into 100 characters, filled downwards.
std::string TerminalClasses(const Json& classes) {
  std::vector<std::vector<std::string>> cells;
  size_t width = 0;
  for (const auto& [name, count] : classes.items()) {
    cells.push_back({PrintableLine(CountTextOf(count)), PrintableLine(name)});
    width = std::max(width, cells.back()[0].size() + cells.back()[1].size() + 4);
  }
  const size_t columns = std::clamp<size_t>(96 / std::max<size_t>(width, 1), 1, 4);
  const size_t rows = (cells.size() + columns - 1) / columns;
  using Align = TextTable::Align;
  TextTable table({Align::kRight, Align::kLeft, Align::kRight, Align::kLeft, Align::kRight,
                   Align::kLeft, Align::kRight, Align::kLeft});
  for (size_t row = 0; row < rows; ++row) {
    std::vector<std::string> line;
    for (size_t at = row; at < cells.size(); at += rows) {
      line.insert(line.end(), cells[at].begin(), cells[at].end());
    }
    table.AddRow(std::move(line));
  }
  return table.Render("  ");
}

std::string NeverReached(const Json& classes) {
  std::vector<std::string> names;
  for (const auto& [name, count] : classes.items()) {
    if (CountOf(count) == uint64_t{0}) names.push_back(name);
  }
  if (names.empty()) return "";
  return absl::StrCat("never reached: ", absl::StrJoin(names, ", "));
}

std::string MarkdownFindings(const Result& result) {
  std::string text;
  size_t number = 0;
  for (const Json& finding : Section(result, "findings")) {
    absl::StrAppend(&text, "**", ++number, ".** ", EscapeMarkdown(HeadlineOf(finding)), "  \n",
                    EscapeMarkdown(FindingOrigin(finding)), "\n\n");
    const std::vector<std::string> commands = FindingCommands(result, finding);
    // Indented by four, a block of code needs no fence that its content could close.
    for (const std::string& command : commands) {
      absl::StrAppend(&text, "    ", PrintableLine(command), "\n");
    }
    if (!commands.empty()) text += "\n";
  }
  return text;
}

}  // namespace

std::string VerdictLine(const Result& result) {
  std::string line = absl::AsciiStrToUpper(VerdictName(result.exit_code));
  std::string subject = result.impl_path.empty() ? result.impl_name : result.impl_path;
  if (subject.empty()) subject = result.command;
  absl::StrAppend(&line, ": ", subject);
  if (!result.level.empty()) absl::StrAppend(&line, ", ", result.level, " level");
  const Json& invariants = Section(result, "invariants");
  if (!invariants.empty()) absl::StrAppend(&line, ": ", Tally(invariants));
  return line;
}

std::string RenderTerminal(const Result& result, bool colour) {
  std::string text =
      absl::StrCat(Paint(PrintableLine(VerdictLine(result)), colour, result.exit_code == kExitPass,
                         result.exit_code != kExitPass),
                   "\n", PrintableLine(RunLine(result)), "\n");
  const Json& invariants = Section(result, "invariants");
  if (!invariants.empty()) text += "\n" + TerminalInvariants(invariants, colour);
  if (!Section(result, "findings").empty()) {
    absl::StrAppend(&text, "\nFindings\n", TerminalFindings(result, colour));
  }
  const Json& checks = Section(result, "checks");
  if (!checks.empty()) absl::StrAppend(&text, "\nWhat ran\n", TerminalChecks(checks));
  const Json& classes = Section(result, "classes");
  if (!classes.empty()) {
    absl::StrAppend(&text, "\nSituations\n", TerminalClasses(classes));
    const std::string never = NeverReached(classes);
    if (!never.empty()) {
      absl::StrAppend(&text, "  ", Paint(PrintableLine(never), colour, false, true), "\n");
    }
  }
  return text;
}

std::string RenderMarkdown(const Result& result) {
  std::string text = absl::StrCat(
      "# ", EscapeMarkdown(VerdictLine(result)), "\n\n", EscapeMarkdown(RunLine(result)), "  \n",
      EscapeMarkdown(result.machine), ", started ", EscapeMarkdown(result.started), "\n");
  const Json& invariants = Section(result, "invariants");
  if (!invariants.empty()) text += "\n| | promise | verdict | evidence |\n|---|---|---|---|\n";
  for (const Json& row : invariants) {
    std::string verdict = EscapeMarkdown(TextOf(row, "verdict"));
    if (verdict != "holds") verdict = absl::StrCat("**", verdict, "**");
    absl::StrAppend(&text, "| ", EscapeMarkdown(TextOf(row, "id")), " | ",
                    EscapeMarkdown(TextOf(row, "name")), " | ", verdict, " | ",
                    EscapeMarkdown(TextOf(row, "evidence")), " |\n");
  }
  if (!Section(result, "findings").empty()) {
    absl::StrAppend(&text, "\n## Findings\n\n", MarkdownFindings(result));
  }
  const Json& checks = Section(result, "checks");
  if (!checks.empty()) text += "\n## What ran\n\n| check | evidence |\n|---|---|\n";
  for (const Json& row : checks) {
    absl::StrAppend(&text, "| ", EscapeMarkdown(TextOf(row, "name")), " | ",
                    EscapeMarkdown(TextOf(row, "evidence")), " |\n");
  }
  const Json& classes = Section(result, "classes");
  if (classes.empty()) return text;
  text += "\n## Situations\n\n| situation | occurred |\n|---|--:|\n";
  for (const auto& [name, count] : classes.items()) {
    absl::StrAppend(&text, "| ", EscapeMarkdown(name), " | ", EscapeMarkdown(CountTextOf(count)),
                    " |\n");
  }
  const std::string never = NeverReached(classes);
  if (!never.empty()) absl::StrAppend(&text, "\n**", EscapeMarkdown(never), "**\n");
  return text;
}

absl::Status WriteSummary(const Result& result, const std::string& dir) {
  return WriteFileAtomically((std::filesystem::path(dir) / "summary.md").string(),
                             RenderMarkdown(result));
}

}  // namespace lockstep
