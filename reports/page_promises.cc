// Invariants, checks, situations, findings.

#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "reports/html.h"
#include "reports/json_count.h"
#include "reports/json_members.h"
#include "reports/page_parts.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// A story as explain tells it: "1. call", then lines indented below it, and "*** where they part".
std::string HtmlOfStory(const std::string& story) {
  std::string html, lead;
  bool open = false;
  const auto close = [&] {
    if (open) html += "</div></li>\n";
    open = false;
  };
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(story, '\n'))) {
    if (line.empty()) continue;
    const size_t dot = line.find(". ");
    const bool call =
        dot != std::string::npos && dot > 0 && line.find_first_not_of("0123456789") == dot;
    if (call) {
      close();
      absl::StrAppend(&html, "<li><span class=\"step\">", line.substr(0, dot),
                      "</span><div><div class=\"call\">", EscapeHtml(line.substr(dot + 2)),
                      "</div>");
      open = true;
    } else if (absl::StartsWith(line, "***")) {
      close();
      absl::StrAppend(&html, "<li class=\"part\"><span></span><p>",
                      EscapeHtml(std::string(absl::StripAsciiWhitespace(line.substr(3)))),
                      "</p></li>\n");
    } else if (open) {
      absl::StrAppend(&html, "<p>", EscapeHtml(std::string(absl::StripAsciiWhitespace(line))),
                      "</p>");
    } else {
      absl::StrAppend(&lead, "<p class=\"meta\">", EscapeHtml(line), "</p>\n");
    }
  }
  close();
  return absl::StrCat(lead, html.empty() ? "" : "<ol class=\"story\">\n", html,
                      html.empty() ? "" : "</ol>\n");
}

// What else a finding carries, so that nothing is lost.
std::string HtmlOfOtherMembers(const Json& finding) {
  Json rest = Json::object();
  for (const auto& [key, value] : finding.items()) {
    bool known = false;
    for (const char* name : {"check", "what", "found_by", "transcript", "ops", "tokens", "story",
                             "flaky", "signature"}) {
      known |= key == name;
    }
    if (!known) rest[key] = value;
  }
  return rest.empty() ? "" : HtmlOfJson(rest, "more of this finding");
}

std::string HtmlOfFinding(const ReportedRun& run, const Json& finding, size_t number) {
  const std::string signature = TextOf(finding, "signature");
  std::string html = absl::StrCat(
      "<article class=\"finding\"><h3>", number, ". <span class=\"badge is-bad\">",
      EscapeHtml(TextOf(finding, "check")), "</span> ", EscapeHtml(TextOf(finding, "what")),
      "</h3>\n<p class=\"meta\">", EscapeHtml(FindingOrigin(finding)),
      MemberOf(finding, "flaky") == Json(true) ? "; flaky: it did not show every time" : "",
      signature.empty() ? "" : absl::StrCat("; signature: ", EscapeHtml(signature)), "</p>\n");
  const std::string story = TextOf(finding, "story");
  if (!story.empty()) {
    const std::string steps = HtmlOfStory(story);
    // A long story is one that could not be made small: told when asked for.
    html += story.size() < 6000
                ? steps
                : absl::StrCat("<details><summary>The story, call by call</summary>", steps,
                               "</details>\n");
  }
  html += HtmlOfOtherMembers(finding);
  for (const std::string& command : FindingCommands(run.result, finding)) {
    absl::StrAppend(&html, "<p class=\"command\">", EscapeHtml(command), "</p>\n");
  }
  return html + "</article>\n";
}

// Counts from one to billions: their logarithm is what a bar can show.
std::string Meter(uint64_t count, uint64_t most) {
  if (count == 0 || most == 0) return "";
  const double part =
      std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most));
  return absl::StrFormat(
      "<svg class=\"meter\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">"
      "<rect width=\"%.1f\" height=\"4\" rx=\".6\"/></svg>",
      100 * part);
}

}  // namespace

std::string HtmlOfInvariants(const ReportedRun& run) {
  HtmlTable table("promises", {{""}, {"promise"}, {"verdict"}, {"evidence"}});
  for (const Json& row : Section(run.result, "invariants")) {
    const std::string verdict = TextOf(row, "verdict");
    table.AddRow({EscapeHtml(TextOf(row, "id")), EscapeHtml(TextOf(row, "name")), Badge(verdict),
                  EscapeHtml(TextOf(row, "evidence"))},
                 RowClass(verdict));
  }
  return table.empty() ? "" : table.Render();
}

std::string HtmlOfChecks(const ReportedRun& run) {
  const Json& checks = Section(run.result, "checks");
  return checks.empty() ? "" : HtmlOfJson(checks, "checks");
}

std::string HtmlOfClasses(const ReportedRun& run) {
  uint64_t most = 0;
  for (const Json& count : Section(run.result, "classes")) {
    most = std::max(most, CountOf(count).value_or(0));
  }
  HtmlTable table("situations", {{"situation"}, {"occurred", true}, {""}});
  const Json& classes = Section(run.result, "classes");
  for (const auto& [name, value] : classes.items()) {
    const std::optional<uint64_t> count = CountOf(value);
    const bool never = count == uint64_t{0};
    table.AddRow({EscapeHtml(name), never ? "<b>never</b>" : HtmlValue(value),
                  Meter(count.value_or(0), most)},
                 never ? "is-bad" : "");
  }
  return table.empty() ? "" : absl::StrCat("<div class=\"dense\">", table.Render(), "</div>\n");
}

std::string HtmlOfFindings(const ReportedRun& run) {
  std::string html;
  size_t number = 0;
  for (const Json& finding : Section(run.result, "findings")) {
    html += HtmlOfFinding(run, finding, ++number);
  }
  return html;
}

}  // namespace lockstep
