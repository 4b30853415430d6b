#include "reports/junit.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/html.h"
#include "reports/json_members.h"
#include "reports/summary.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

// The cases of one suite, and how many of each kind.
class Suite {
 public:
  explicit Suite(std::string class_name) : class_name_(std::move(class_name)) {}

  void Pass(const std::string& name) { Add(name, ""); }
  void Skip(const std::string& name, const std::string& why) {
    ++skipped_;
    Add(name, absl::StrCat("<skipped message=\"", EscapeHtml(why), "\"/>"));
  }
  void Fail(const std::string& name, const std::string& message, const std::string& text) {
    ++failures_;
    Add(name, absl::StrCat("<failure message=\"", EscapeHtml(message), "\">", EscapeHtml(text),
                           "</failure>"));
  }

  std::string Render(const Result& result) const {
    return absl::StrFormat(
        "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" "
        "time=\"%.3f\" timestamp=\"%s\">\n%s  </testsuite>\n",
        EscapeHtml(result.command), tests_, failures_, skipped_, result.seconds,
        EscapeHtml(result.started), cases_);
  }

 private:
  void Add(const std::string& name, const std::string& inside) {
    ++tests_;
    absl::StrAppend(&cases_, "    <testcase classname=\"", EscapeHtml(class_name_), "\" name=\"",
                    EscapeHtml(name), "\">", inside, "</testcase>\n");
  }

  std::string class_name_;
  std::string cases_;
  int tests_ = 0;
  int failures_ = 0;
  int skipped_ = 0;
};

std::string RenderSuite(const Result& result) {
  const std::string command = result.command.substr(0, result.command.find(' '));
  Suite suite(absl::StrCat("lockstep.", command.empty() ? "run" : command,
                           result.level.empty() ? "" : "." + result.level));
  for (const Json& row : Section(result, "invariants")) {
    const std::string name = absl::StrCat(TextOf(row, "id"), " ", TextOf(row, "name"));
    const std::string verdict = TextOf(row, "verdict");
    const std::string evidence = TextOf(row, "evidence");
    if (verdict == "holds") {
      suite.Pass(name);
    } else if (verdict == "broken") {
      suite.Fail(name, "broken", evidence);
    } else {
      suite.Skip(name, evidence.empty() ? verdict : evidence);
    }
  }
  size_t number = 0;
  for (const Json& finding : Section(result, "findings")) {
    std::string text = FindingOrigin(finding) + "\n";
    for (const std::string& line : FindingCommands(result, finding)) {
      absl::StrAppend(&text, line, "\n");
    }
    absl::StrAppend(&text, TextOf(finding, "story"));
    suite.Fail(absl::StrCat("finding ", ++number, ": ", TextOf(finding, "signature")),
               absl::StrCat(TextOf(finding, "check"), ": ", TextOf(finding, "what")), text);
  }
  if (result.exit_code == kExitPass) {
    suite.Pass("verdict");
  } else {
    suite.Fail("verdict", VerdictName(result.exit_code), ReproduceCommand(result));
  }
  return suite.Render(result);
}

}  // namespace

std::string RenderJunit(const std::vector<ReportedRun>& runs) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lockstep\">\n";
  for (const ReportedRun& run : runs) xml += RenderSuite(run.result);
  return xml + "</testsuites>\n";
}

std::string RenderMergedMarkdown(const std::vector<ReportedRun>& runs) {
  std::string text = absl::StrCat("**", EscapeMarkdown(UpstreamLine(SubjectsOf(runs))), "**\n");
  for (const ReportedRun& run : runs) absl::StrAppend(&text, "\n", RenderMarkdown(run.result));
  return text;
}

}  // namespace lockstep
