#include "reports/page.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "reports/html.h"
#include "reports/page_parts.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHostile[] =
    "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>@BODY@";

ReportedRun RunWith(const std::string& section, Json value) {
  ReportedRun run;
  run.result.command = "verify";
  run.result.impl_name = "lockstep core";
  run.result.sections[section] = std::move(value);
  return run;
}

size_t CountOfText(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(EscapeHtml, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\">'&\x1b\n\xff"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\x1b\n\\xff");
}

TEST(ScriptJson, CannotEndItsElementOrLine) {
  const std::string json = ScriptJson({{"a", "</script><!--\xe2\x80\xa8&"}});
  EXPECT_EQ(json, "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\"}");
  EXPECT_EQ(Json::parse(json)["a"], "</script><!--\xe2\x80\xa8&");
}

TEST(HtmlValue, FiguresAsPeopleReadThem) {
  EXPECT_EQ(HtmlValue(18446744073709551615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(HtmlValue(-1234), "-1,234");
  EXPECT_EQ(HtmlValue(INT64_MIN), "-9,223,372,036,854,775,808");
  EXPECT_EQ(HtmlValue(0.12345), "0.123");
  EXPECT_EQ(HtmlValue(2.5), "2.5");
  EXPECT_EQ(HtmlValue(123456.7), "123,457");
  EXPECT_EQ(HtmlValue(0.0), "0");
  EXPECT_EQ(HtmlValue(true), "yes");
  EXPECT_EQ(HtmlValue({1, 2}), "1, 2");
}

TEST(HumanBytes, RoundsIntoTheNextUnit) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(262144), "256 KiB");
  EXPECT_EQ(HumanBytes(1048575.9), "1 MiB");
  EXPECT_EQ(HumanBytes(1.5 * 1048576), "1.50 MiB");
}

// As many elements that run code as an empty page has.
TEST(Page, HostileNamesInEverySectionAreText) {
  const std::string plain = RenderPage({RunWith("other", Json::object())});
  for (const char* section : {"invariants", "findings"}) {
    const std::string page =
        RenderPage({RunWith(section, {{{"id", kHostile},
                                       {"what", kHostile},
                                       {"story", std::string("1. ") + kHostile},
                                       {kHostile, kHostile},
                                       {"transcript", kHostile}}})});
    EXPECT_EQ(CountOfText(page, "<script"), CountOfText(plain, "<script")) << section;
    EXPECT_THAT(page, Not(HasSubstr("<img"))) << section;
  }
  for (const char* section :
       {"checks", "classes", "fuzz", "gate", "bench", "mutation", "replay", "plan", kHostile}) {
    Json value = {{kHostile, kHostile}};
    if (section == std::string("classes")) value[kHostile] = 3;
    const std::string page = RenderPage({RunWith(section, value)});
    EXPECT_EQ(CountOfText(page, "<script"), CountOfText(plain, "<script")) << section;
    EXPECT_THAT(page, Not(HasSubstr("<img"))) << section;
    EXPECT_THAT(page, HasSubstr("&lt;img src=x")) << section;
  }
}

TEST(Page, HostileNamesInChartsAreText) {
  const Json row = {{"name", kHostile}, {"caught", 1}, {"survived", 2}};
  const std::string page = RenderPage({RunWith("mutation", {{"files", {row}}})});
  EXPECT_EQ(CountOfText(page, "alert(1)</script>"), 0u);
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e"));
}

TEST(Page, EveryMemberOfAnUnknownSectionIsShown) {
  const std::string page =
      RenderPage({RunWith("weather", {{"wind_speed", 12345},
                                      {"days", {{{"sun", "a lot"}, {"rain", {1, 2}}}}},
                                      {"deep", {{"deeper", {{"deepest", "mud"}}}}}})});
  for (const char* text : {"weather", "wind speed", "12,345", "a lot", "1, 2", "deepest", "mud"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

TEST(Page, ValuesOfUnexpectedTypesAreShownAsTheyAre) {
  for (const char* section : {"fuzz", "gate", "bench", "mutation", "replay", "plan", "checks"}) {
    for (const Json& value :
         {Json("a word"), Json(12345), Json({1, "x", nullptr}), Json({{1}, {2}}),
          Json({{"targets", 1}, {"rows", "x"}, {"terms", {1}}})}) {
      EXPECT_THAT(RenderPage({RunWith(section, value)}), HasSubstr("</html>")) << section << value;
    }
  }
}

TEST(Page, OfTenThousandRowsTwoThousandAreThereAndTheRestIsCounted) {
  Json rows = Json::array();
  for (int i = 0; i < 10000; ++i) rows.push_back({{"name", "row " + std::to_string(i)}, {"n", i}});
  const std::string page = RenderPage({RunWith("checks", rows)});
  EXPECT_THAT(page, HasSubstr(">1,940 more rows<"));
  EXPECT_THAT(page, HasSubstr("8,000 further rows, of 10,000, are in the result.json alone"));
  EXPECT_THAT(page, HasSubstr("row 1999<"));
  EXPECT_THAT(page, Not(HasSubstr("row 2000<")));
  EXPECT_LT(page.size(), 3u << 20);
}

TEST(Page, SurvivorStandsInItsLinesAndSaysNothingTwice) {
  const std::string page = RenderPage({RunWith("mutation", {{"survivors",
                                                             {{{"file", "core/a.cc"},
                                                               {"line", 30},
                                                               {"key", "a.cc F [constant] 1 => 2"},
                                                               {"kind", "constant"},
                                                               {"function", "F"},
                                                               {"original", "only here"},
                                                               {"replacement", "only there"},
                                                               {"diff", "- x = 1;\n+ x = 2;\n"},
                                                               {"note", "unknown <b>"}}}}})});
  EXPECT_THAT(page, HasSubstr("<h3>core/a.cc:30</h3>\n<p class=\"meta\">constant, in F</p>"));
  EXPECT_THAT(page, HasSubstr("<span class=\"del\">- x = 1;</span>"));
  EXPECT_THAT(page, HasSubstr("a.cc F [constant] 1 =&gt; 2"));
  EXPECT_THAT(page, HasSubstr("unknown &lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("only here")));
}

TEST(Page, HorizontalBarsHaveRoomEach) {
  Json files = Json::array();
  for (int i = 0; i < 25; ++i) {
    files.push_back({{"name", std::to_string(i)}, {"caught", 1}, {"survived", 0}});
  }
  EXPECT_THAT(RenderPage({RunWith("mutation", {{"files", files}})}),
              HasSubstr("<div class=\"canvas\" style=\"height:41rem\">"));
}

TEST(Page, StoryIsToldStepByStep) {
  const std::string page = RenderPage(
      {RunWith("findings",
               {{{"check", "I2"},
                 {"what", "w"},
                 {"story", "A cache.\n1. insert <x>\n    The scope is made.\n*** They part\n"}}})});
  EXPECT_THAT(page,
              HasSubstr("<span class=\"step\">1</span><div><div class=\"call\">insert &lt;x&gt;"));
  EXPECT_THAT(page, HasSubstr("<p>The scope is made.</p>"));
  EXPECT_THAT(page, HasSubstr("<li class=\"part\"><span></span><p>They part</p>"));
}

TEST(Page, TriesNoNetwork) {
  const std::string page = RenderPage({RunWith("other", Json::object())});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Replay, SweepIsATableOfBudgetsAndKeyLengths) {
  Json rows = Json::array();
  for (const int budget : {1 << 20, 4 << 20}) {
    for (const int key_len : {4, 8}) {
      rows.push_back(
          {{"trace", "t"},
           {"budget_bytes", budget},
           {"max_scopes", 4},
           {"key_len", key_len},
           {"max_draft", 8},
           {"policy", "plain"},
           {"all", {{"output_tokens", 1000}, {"steps_saved", budget / (1 << 20) * key_len * 10}}}});
    }
  }
  const std::string page = RenderPage({RunWith("replay", rows)});
  EXPECT_THAT(page, HasSubstr("<td>1 MiB</td><td class=\"n\">4.0 %</td>"
                              "<td class=\"n\">8.0 %</td>"));
  EXPECT_THAT(page, HasSubstr("<td>4 MiB</td><td class=\"n\">16.0 %</td>"
                              "<td class=\"n\">32.0 %</td>"));
}

TEST(Gate, ChangesAreShownInPercentWithTheirIntervals) {
  const std::string page =
      RenderPage({RunWith("gate", {{"rows",
                                    {{{"workload", "insert"},
                                      {"verdict", "slower"},
                                      {"ratio", 0.031},
                                      {"interval", {0.025, 0.04}},
                                      {"base_ns", 30.5}},
                                     {{"workload", "new one"}, {"verdict", "new"}}}}})});
  EXPECT_THAT(page, HasSubstr("<td>+3.10 %</td><td>+2.50 to +4.00 %</td>"));
  EXPECT_THAT(page, HasSubstr("<span class=\"badge is-bad\">slower</span>"));
  EXPECT_THAT(page, HasSubstr("new one"));
}

TEST(Fuzz, CoverageOverTimeIsAChartAndATable) {
  const std::string page =
      RenderPage({RunWith("fuzz", {{"targets",
                                    {{{"target", "plans"},
                                      {"executions", 1234},
                                      {"samples", {{{"seconds", 1}, {"coverage", 77}}}}}}}})});
  EXPECT_THAT(page, HasSubstr("Coverage of plans over time"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">77</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">1,234</td>"));
}

}  // namespace
}  // namespace lockstep
