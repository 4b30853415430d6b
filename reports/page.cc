#include "reports/page.h"

#include <array>
#include <functional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/html.h"
#include "reports/json_members.h"
#include "reports/page_parts.h"

namespace lockstep {
namespace {

struct Part {
  const char* section;
  const char* title;
  const char* lead;
  std::string (*render)(const ReportedRun&);
};

// In the order in which a reader asks.
constexpr std::array kParts = {
    Part{"invariants", "Promises",
         "What an implementation must keep, and what was done to break it.", HtmlOfInvariants},
    Part{"findings", "Findings",
         "Each fault with a small example that shows it, told call by call beside the exact model.",
         HtmlOfFindings},
    Part{"gate", "Performance gate", "Did this change make it slower than its base?", HtmlOfGate},
    Part{"bench", "Benchmarks", "How fast it is, beside what memory alone costs.", HtmlOfBench},
    Part{"replay", "Replay of recorded traffic",
         "Decoding steps that the cache saves: a sequence alone needs one for each token.",
         HtmlOfReplay},
    Part{"mutation", "Mutation", "Small changes made to the core on purpose: who notices?",
         HtmlOfMutation},
    Part{"fuzz", "Fuzzing", "What the night shift ran, and how much of the code it reached.",
         HtmlOfFuzz},
    Part{"checks", "What ran", "Each check, and how much it did.", HtmlOfChecks},
    Part{"classes", "Situations reached",
         "How often each situation that matters occurred; one that never did proves nothing.",
         HtmlOfClasses},
    Part{"plan", "Memory plan", "Bytes that the engine's caches will take.", HtmlOfPlan},
};

std::string Duration(double seconds) {
  if (seconds < 120) return absl::StrFormat("%.1f s", seconds);
  if (seconds < 7200) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.1f h", seconds / 3600);
}

const char* AnswerClass(Answer answer) {
  return answer == Answer::kYes ? "yes" : answer == Answer::kNo ? "no" : "open";
}

std::string HtmlOfVerdict(const std::vector<Subject>& subjects) {
  const auto answer = [](const Subject& subject) {
    return absl::StrCat("<b>", AnswerName(subject.answer), "</b>, because ",
                        EscapeHtml(subject.because), ".");
  };
  if (subjects.size() == 1) {
    return absl::StrCat("<div class=\"verdict ", AnswerClass(subjects.front().answer),
                        "\"><h1><small>May this go upstream?</small> ", answer(subjects.front()),
                        "</h1></div>\n");
  }
  std::string html =
      "<div class=\"verdict open\"><h1><small>May this go upstream?</small> "
      "These are results of different libraries; each has its own answer.</h1></div>\n";
  HtmlTable table("an answer per library", {{"library"}, {"sha256 or commit"}, {"answer"}});
  for (const Subject& subject : subjects) {
    table.AddRow(
        {subject.name.empty() ? "no library" : EscapeHtml(subject.name),
         absl::StrCat("<code>", EscapeHtml((subject.sha256 + subject.commit).substr(0, 16)),
                      "</code>"),
         absl::StrCat("<span class=\"", AnswerClass(subject.answer),
                      "\" style=\"background:none\">", answer(subject), "</span>")});
  }
  return html + table.Render();
}

std::string Fact(const std::string& name, const std::string& html, bool wide = false) {
  if (html.empty()) return "";
  return absl::StrCat(wide ? "<div class=\"wide\"><dt>" : "<div><dt>", name, "</dt><dd>", html,
                      "</dd></div>\n");
}

std::string Joined(const std::set<std::string>& values) {
  std::string html;
  for (const std::string& value : values) {
    if (value.empty()) continue;
    absl::StrAppend(&html, html.empty() ? "" : "<br>", EscapeHtml(value));
  }
  return html;
}

std::string HtmlOfFacts(const std::vector<ReportedRun>& runs,
                        const std::vector<Subject>& subjects) {
  std::set<std::string> libraries, hashes, levels, machines, commits;
  double seconds = 0;
  for (const ReportedRun& run : runs) {
    const Result& result = run.result;
    levels.insert(result.level);
    machines.insert(result.machine);
    commits.insert(result.commit);
    seconds += result.seconds;
  }
  for (const Subject& subject : subjects) {
    libraries.insert(subject.name);
    hashes.insert(subject.sha256);
  }
  return absl::StrCat(
      "<dl class=\"facts\">\n", Fact("Library", Joined(libraries)), Fact("Level", Joined(levels)),
      Fact("Ran for", absl::StrCat(Duration(seconds), " in ", runs.size(),
                                   runs.size() == 1 ? " run" : " runs")),
      Fact("Machine", Joined(machines)), Fact("SHA-256 of the library", Joined(hashes), true),
      Fact("Commit of the harness", Joined(commits), true), "</dl>\n");
}

std::string HtmlOfRuns(const std::vector<ReportedRun>& runs) {
  HtmlTable table("the runs", {{"command"},
                               {"verdict"},
                               {"library"},
                               {"level"},
                               {"took", true},
                               {"seed", true},
                               {"started"}});
  for (const ReportedRun& run : runs) {
    const Result& result = run.result;
    const std::string verdict = VerdictName(result.exit_code);
    table.AddRow({absl::StrCat("<code>", EscapeHtml(ReproduceCommand(result)), "</code>"),
                  absl::StrCat(Badge(verdict), " (exit ", result.exit_code, ")"),
                  EscapeHtml(result.impl_path.empty() ? result.impl_name : result.impl_path),
                  EscapeHtml(result.level), Duration(result.seconds), absl::StrCat(result.seed),
                  EscapeHtml(result.started)},
                 RowClass(verdict));
  }
  return absl::StrCat(
      "<section id=\"runs\"><h2>Runs</h2>\n<p class=\"lead\">What this page is made "
      "of.</p>\n",
      table.Render(), "</section>\n");
}

// The section of every run that has it, each with the command that makes it again.
std::string HtmlOfPart(const std::vector<ReportedRun>& runs, const std::string& id,
                       const std::string& title, const std::string& lead,
                       const std::function<std::string(const ReportedRun&)>& render) {
  std::vector<std::pair<const ReportedRun*, std::string>> shown;
  for (const ReportedRun& run : runs) {
    std::string html = render(run);
    if (!html.empty()) shown.emplace_back(&run, std::move(html));
  }
  if (shown.empty()) return "";
  std::string html = absl::StrCat("<section id=\"", EscapeHtml(id), "\"><h2>", EscapeHtml(title),
                                  "</h2>\n<p class=\"lead\">", EscapeHtml(lead), "</p>\n");
  for (const auto& [run, part] : shown) {
    const Result& result = run->result;
    if (shown.size() > 1) {
      const std::string& name = result.impl_path.empty() ? result.impl_name : result.impl_path;
      absl::StrAppend(&html, "<h3>", EscapeHtml(name.empty() ? result.command : name),
                      result.level.empty() ? "" : ", " + EscapeHtml(result.level) + " level",
                      "</h3>\n");
    }
    absl::StrAppend(&html, part, "<p class=\"command\">", EscapeHtml(ReproduceCommand(result)),
                    "</p>\n");
  }
  return html + "</section>\n";
}

std::string HtmlOfParts(const std::vector<ReportedRun>& runs, std::string& nav) {
  std::string html;
  std::set<std::string> known;
  const auto add = [&](const std::string& id, const std::string& title, std::string part) {
    if (part.empty()) return;
    absl::StrAppend(&nav, "<li><a href=\"#", EscapeHtml(id), "\">", EscapeHtml(title), "</a></li>");
    html += part;
  };
  for (const Part& part : kParts) {
    known.insert(part.section);
    add(part.section, part.title,
        HtmlOfPart(runs, part.section, part.title, part.lead, part.render));
  }
  size_t number = 0;
  for (const ReportedRun& run : runs) {
    for (const auto& entry : run.result.sections.items()) {
      const std::string key = entry.key();
      if (!known.insert(key).second) continue;
      const auto render = [&key](const ReportedRun& any) {
        const auto it = any.result.sections.find(key);
        return it == any.result.sections.end() ? "" : HtmlOfJson(*it, key);
      };
      // Names from files do not become identifiers.
      const std::string id = absl::StrCat("more-", ++number);
      add(id, LabelOf(key), HtmlOfPart(runs, id, LabelOf(key), "", render));
    }
  }
  return html;
}

// Replaces each @NAME@ of the template once, so that nothing from a file is taken for one.
std::string Filled(const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string page;
  std::string_view rest = kPageTemplate;
  for (const auto& [name, value] : values) {
    const size_t at = rest.find(name);
    absl::StrAppend(&page, std::string(rest.substr(0, at)), std::string(value));
    rest.remove_prefix(at + name.size());
  }
  return page + std::string(rest);
}

}  // namespace

std::string RenderPage(const std::vector<ReportedRun>& runs) {
  const std::vector<Subject> subjects = SubjectsOf(runs);
  std::string nav;
  const std::string parts = HtmlOfParts(runs, nav);
  const std::string body = absl::StrCat(
      "<header>\n", HtmlOfVerdict(subjects), HtmlOfFacts(runs, subjects),
      "<nav aria-label=\"Sections\"><ul>", nav, "<li><a href=\"#runs\">Runs</a></li></ul></nav>\n",
      "</header>\n<main>\n", parts, HtmlOfRuns(runs),
      "</main>\n<footer><p>Made by <code>./lockstep report</code> from the result.json of ",
      runs.size(), runs.size() == 1 ? " run" : " runs",
      ". Beside it: summary.md and junit.xml, and where it was measured Google Benchmark's own "
      "JSON.</p></footer>");
  return Filled({{"@TITLE@", EscapeHtml(UpstreamLine(subjects))},
                 {"@STYLE@", kPageStyle},
                 {"@BODY@", body},
                 {"@CHART_LIBRARY@", kChartLibrary},
                 {"@SCRIPT@", kPageScript}});
}

}  // namespace lockstep
