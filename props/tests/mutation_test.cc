// What the mutation tool inserts, how it names mutants, and how it counts them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "props/mutation/judge_mutant.h"
#include "props/mutation/listed.h"
#include "props/mutation/mutants.h"
#include "props/mutation/process.h"
#include "props/mutation/scores.h"

namespace lockstep::mutation {
namespace {

// Tests run beside each other.
std::string TempPath(const std::string& name) {
  return testing::TempDir() + "/" + std::to_string(getpid()) + "_" + name;
}

Mutant MutantOf(unsigned id, const std::string& text, const std::string& original,
                const std::string& replacement) {
  return {.id = id,
          .file = "core/lockstep/a.cc",
          .function = "lockstep::F",
          .kind = "comparison",
          .original = original,
          .replacement = replacement,
          .line = 1,
          .offset = static_cast<unsigned>(text.find(original)),
          .length = static_cast<unsigned>(original.size())};
}

void AddSite(Sites& sites, Form form, Mutant mutant) {
  const unsigned begin = mutant.offset, end = begin + mutant.length;
  Site& site = sites[{begin, end}];
  site.form = form;
  site.mutants.push_back(std::move(mutant));
}

// Runs a program of the planted text with each id, and gives what it exits with.
int ExitOf(const std::string& planted, unsigned id) {
  const std::string stem = TempPath("planted");
  std::ofstream(stem + ".cc") << planted
                              << "\nnamespace lockstep::mutation { unsigned active = " << id
                              << "; }\n";
  const std::string command = "g++-12 -std=c++20 -w -o " + stem + " " + stem + ".cc && " + stem;
  const int status = std::system(command.c_str());
  return WEXITSTATUS(status);
}

TEST(Plant, EachIdSwitchesItsOwnMutantOn) {
  const std::string text = "int main() { int a = 3; if (a + 1 < 4) a = 9; return a; }\n";
  Sites sites;
  AddSite(sites, Form::kExpression, MutantOf(1, text, "a + 1 < 4", "(a + 1) <= (4)"));
  AddSite(sites, Form::kExpression, MutantOf(2, text, "a + 1 < 4", "true"));
  AddSite(sites, Form::kExpression, MutantOf(3, text, "a + 1", "(a) - (1)"));
  AddSite(sites, Form::kExpression, MutantOf(4, text, "9", "9 + 1 // more\n"));
  AddSite(sites, Form::kStatement, MutantOf(5, text, "a = 9;", ";"));
  Mutant first = MutantOf(6, text, "int a", "return 77;");
  first.length = 0;
  AddSite(sites, Form::kFirstStatement, first);
  const std::string planted = Plant(text, sites).text;
  EXPECT_EQ(ExitOf(planted, 0), 3);
  EXPECT_EQ(ExitOf(planted, 1), 9);
  EXPECT_EQ(ExitOf(planted, 2), 9);
  EXPECT_EQ(ExitOf(planted, 3), 9);
  EXPECT_EQ(ExitOf(planted, 4), 3);
  EXPECT_EQ(ExitOf(planted, 5), 3);
  EXPECT_EQ(ExitOf(planted, 6), 77);
}

TEST(Plant, LinesLeadBackToTheirMutants) {
  const std::string text = "int f(int a) {\n  return a < 4;\n}\n";
  Sites sites;
  AddSite(sites, Form::kExpression, MutantOf(7, text, "a < 4", "(a) >= (4)"));
  const Planted planted = Plant(text, sites);
  ASSERT_EQ(planted.ids_by_line.size(), 1U);
  unsigned line = 1;
  size_t at = 0;
  for (; line < planted.ids_by_line.begin()->first; ++line) at = planted.text.find('\n', at) + 1;
  const std::string own = planted.text.substr(at, planted.text.find('\n', at) - at);
  EXPECT_NE(own.find("LOCKSTEP_MUTANT(7) ? ((a) >= (4))"), std::string::npos) << own;
}

TEST(Apply, ChangesTheOneText) {
  const std::string text = "return a < b;";
  EXPECT_EQ(Apply(text, MutantOf(1, text, "a < b", "a <= b")), "return a <= b;");
}

TEST(KeysOf, SameChangeTwiceInAFunctionIsNumbered) {
  const std::string text = "a < b";
  const Mutant m = MutantOf(1, text, "a  <\n b", "a <= b");
  EXPECT_EQ(KeysOf({m, m}), (std::vector<std::string>{"a.cc F [comparison] a < b => a <= b",
                                                      "a.cc F [comparison] a < b => a <= b #2"}));
}

TEST(ReadListed, BadLinesAreNamed) {
  const std::string path = TempPath("listed.txt");
  const auto message = [&](const char* text) {
    std::ofstream(path) << text;
    return std::string(ReadListed(path).status().message());
  };
  EXPECT_EQ(message("# none\n\nspeed | a.cc F x => y | costs time\n"), "");
  EXPECT_NE(message("\nharmless | a | b\n").find("listed.txt:2: not \"equivalent"),
            std::string::npos);
  EXPECT_NE(message("speed | a\n").find("listed.txt:1: not"), std::string::npos);
  EXPECT_NE(message("speed | a | b\nspeed | a | c\n").find("listed.txt:2: is there twice"),
            std::string::npos);
}

TEST(ScoreOf, CountsEachMutantOnce) {
  std::vector<Judged> all(7);
  all[0].outcome = {.caught_by = "unit tests", .how = "failed"};
  all[1].outcome = {.caught_by = "verify", .how = "hung"};
  all[2].outcome = Outcome{};
  all[3].outcome = Outcome{};
  all[3].same_code = true;
  all[4].outcome = Outcome{};
  all[4].listed_as = "speed";
  all[5].outcome = {.caught_by = "unit tests", .how = "crashed"};
  all[5].listed_as = "equivalent";
  const Scores s = ScoreOf(all, 3);
  EXPECT_EQ(s.all, 7U);
  EXPECT_EQ(s.judged, 6U);
  EXPECT_EQ(s.caught, 3U);
  EXPECT_EQ(s.survived, 1U);
  EXPECT_EQ(s.same_code, 1U);
  EXPECT_EQ(s.listed_speed, 1U);
  EXPECT_EQ(s.listed_equivalent, 0U);
  EXPECT_EQ(s.listed_and_caught, 1U);
  EXPECT_EQ(s.crashed, 1U);
  EXPECT_EQ(s.hung, 1U);
  EXPECT_DOUBLE_EQ(s.share(), 0.75);
}

TEST(RunProgram, WhatHangsIsKilledWithAllItStarted) {
  const std::string log = TempPath("log");
  const Ended ended =
      RunProgram({"sh", "-c", "sleep 60 & wait"}, ".", log, {}, absl::Milliseconds(200));
  EXPECT_TRUE(ended.timed_out);
  EXPECT_LT(ended.seconds, 30);
}

TEST(RunProgram, VariablesReachIt) {
  const std::string log = TempPath("log");
  const Ended ended = RunProgram({"sh", "-c", "exit $LOCKSTEP_MUTANT_ID"}, ".", log,
                                 {"LOCKSTEP_MUTANT_ID=42"}, absl::Seconds(60));
  EXPECT_EQ(ended.exit_code, 42);
  EXPECT_EQ(RunProgram({"/no/such/program"}, ".", log, {}, absl::Seconds(60)).exit_code, 127);
}

}  // namespace
}  // namespace lockstep::mutation
