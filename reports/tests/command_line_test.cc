#include "reports/command_line.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ended {
  std::optional<int> exit_code;
  std::string out, err;
};

// A program with one option of each kind.
struct Program {
  CLI::App app;
  double seconds = 45;
  std::string impl;
  std::vector<std::string> files;
  bool quick = false;

  Program() {
    Describe(app, {.name = "try",
                   .answers = "Does it work?",
                   .about = std::string(150, 'a') + " " + std::string(30, 'b'),
                   .examples = {{"./lockstep try --quick", "soon"}},
                   .exit_codes = {{0, "it does"}, {2, "bad usage"}}});
    app.add_option("FILE", files, "what is tried");
    app.add_option("--seconds", seconds, "for the whole run")
        ->type_name("SECONDS")
        ->check(InRange(0.5, 100));
    app.add_option("--impl", impl, "a library")->type_name("LIB.so");
    app.add_flag("-q,--quick", quick, std::string(60, 'x') + " " + std::string(60, 'y'));
  }

  Ended Run(std::vector<const char*> words) {
    words.insert(words.begin(), "lockstep-try");
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Ended ended;
    ended.exit_code = ParseCommandLine(app, static_cast<int>(words.size()), words.data());
    ended.out = ::testing::internal::GetCapturedStdout();
    ended.err = ::testing::internal::GetCapturedStderr();
    return ended;
  }
};

TEST(CommandLine, HelpHasTheAnswerUsageDefaultsUnitsExamplesAndExitCodes) {
  const Ended ended = Program().Run({"--help"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, testing::StartsWith(
                             "Does it work?\n\nusage: ./lockstep try [OPTIONS] [FILE...]\n\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("\n  --seconds SECONDS         for the whole run (default 45)\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n  --impl LIB.so             a library\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n  -q, --quick               x"));
  EXPECT_THAT(ended.out, HasSubstr("\nExamples:\n  ./lockstep try --quick  soon\n"));
  EXPECT_THAT(ended.out, HasSubstr("\nExit codes:\n  0  it does\n  2  bad usage\n"));
}

TEST(CommandLine, NeededFlagsStandInTheUsageAndHaveNoDefault) {
  Program program;
  std::string git = ".";
  program.app.add_option("--git", git, "the repository")->type_name("DIR")->required();
  const std::string help = program.Run({"--help"}).out;
  EXPECT_THAT(help, HasSubstr("usage: ./lockstep try --git DIR [OPTIONS] [FILE...]\n"));
  EXPECT_THAT(help, HasSubstr("  --git DIR                 the repository\n"));
}

TEST(CommandLine, HelpIsWrappedBetweenWords) {
  const std::string help = Program().Run({"-h"}).out;
  EXPECT_THAT(help, HasSubstr(std::string(150, 'a') + "\n" + std::string(30, 'b') + "\n"));
  EXPECT_THAT(help, HasSubstr("  " + std::string(60, 'x') + "\n" + std::string(28, ' ') +
                              std::string(60, 'y') + "\n"));
}

TEST(CommandLine, WordsThatAreInOrderAreTaken) {
  Program program;
  EXPECT_EQ(program.Run({"a", "b", "--seconds", "2.5"}).exit_code, std::nullopt);
  EXPECT_EQ(program.seconds, 2.5);
  EXPECT_THAT(program.files, testing::ElementsAre("a", "b"));
}

TEST(CommandLine, MistakesAreOneLineThatNamesThemAndExit2) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"--seconds", "nan"},
                                             {"--seconds", "inf"},
                                             {"--seconds", "0.4"},
                                             {"--seconds", "5s"},
                                             {"--seconds"},
                                             {"--sedonds\x1b[31m\n", "5"}}) {
    const Ended ended = Program().Run(words);
    SCOPED_TRACE(ended.err);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, testing::StartsWith("lockstep-try: "));
    EXPECT_THAT(ended.err, HasSubstr("--se"));
    EXPECT_THAT(ended.err, testing::EndsWith("; see ./lockstep try --help\n"));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
    EXPECT_THAT(ended.err, Not(HasSubstr("\x1b")));
  }
}

TEST(CommandLine, ComplaintsAreOneLineAndKeepTheirExitCode) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Complain("try", "first\nsecond\x1b", 4), 4);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "lockstep-try: first\\x0asecond\\x1b\n");
}

TEST(CommandLine, ExitCodesFollowFromWhoseMistakeItIs) {
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("")), 2);
  EXPECT_EQ(ExitCodeOf(absl::FailedPreconditionError("")), 4);
  EXPECT_EQ(ExitCodeOf(absl::FailedPreconditionError(""), 1), 1);
  EXPECT_EQ(ExitCodeOf(absl::InternalError(""), 1), 4);
}

TEST(CommandLine, OutFolderThatCannotBeMadeIsTheUsersMistake) {
  const absl::Status status = MakeOutFolder("/dev/null/out");
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--out /dev/null/out: cannot be made: "));
}

}  // namespace
}  // namespace lockstep
