#include <algorithm>
#include <string>

#include "bench/c_workloads.h"
#include "bench/gate/gate_report.h"
#include "bench/gate/sampling.h"
#include "gtest/gtest.h"

namespace lockstep::gate {
namespace {

// As long as a report can be: every row, all three attempts, everything slower or unclear.
Comparison Longest() {
  Comparison c = {.exit_code = 3, .verdict = "SLOWER: all"};
  std::vector<std::string> names = CWorkloadNames();
  for (const std::string& name : ShortGateNames()) names.push_back(name + kForcedSuffix);
  for (const std::string& name : names) {
    c.rows.push_back({.name = name,
                      .verdict = Verdict::kSlower,
                      .instructions = 0.02,
                      .note = "confirmed | over \"five\" <link> orders & more"});
  }
  for (const char* what : {"first", "extension", "five link orders"}) {
    c.attempts.push_back(
        {.what = what, .processes = 20, .slower = names, .unclear = names, .control = {0.001}});
  }
  return c;
}

TEST(GateMarkdown, TheLongestHasFewerThan60LinesAndTheVerdictFirst) {
  Surroundings s;
  for (int i = 0; i < 50; ++i) s.remarks.emplace_back("Perf-Accept: resent/cache reason");
  const std::string text = GateMarkdown(Longest(), s);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
  EXPECT_TRUE(text.starts_with("**SLOWER: all**\n"));
  EXPECT_NE(text.find("and 40 more in result.json"), std::string::npos);
  EXPECT_NE(text.find("confirmed \\| over"), std::string::npos);
}

TEST(GateJUnit, CountsItsFailuresAndEscapes) {
  Comparison c = Longest();
  c.verdict = "SLOWER: \"a\" <b> & c";
  const std::string xml = GateJUnit(c);
  EXPECT_NE(xml.find("tests=\"31\" failures=\"31\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("SLOWER: &quot;a&quot; &lt;b&gt; &amp; c"), std::string::npos);
  c.exit_code = 0;
  for (Row& row : c.rows) row.verdict = Verdict::kAccepted;
  EXPECT_NE(GateJUnit(c).find("tests=\"31\" failures=\"0\""), std::string::npos);
}

TEST(GateSection, KeepsEveryAttemptWithItsSamples) {
  Comparison c = Longest();
  c.attempts[0].samples["resent/cache"] = {0.01, -0.01};
  const nlohmann::ordered_json section = GateSection(c, {});
  ASSERT_EQ(section["attempts"].size(), 3U);
  EXPECT_EQ(section["attempts"][0]["log_ratios"]["resent/cache"].size(), 2U);
  EXPECT_EQ(section["rows"].size(), 30U);
}

}  // namespace
}  // namespace lockstep::gate
