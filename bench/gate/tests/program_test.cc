// The program, as a user runs it.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

struct Said {
  int code;
  std::string said;
};

Said Shell(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "re");
  Said run = {-1, ""};
  if (pipe == nullptr) return run;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    run.said.append(buffer, n);
  }
  const int status = pclose(pipe);
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

class GateProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "gate_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override { fs::remove_all(dir_); }

  Said Gate(const std::string& args) const {
    return Shell("cd " + dir_ + " && " GATE_PROGRAM " --seed 1 --batch-us 200 --out out " + args);
  }
  // A repository whose library does not compile, so that a build would be noticed.
  void MakeRepository() const {
    const Said run =
        Shell("cd " + dir_ +
              " && git init -q . && git config user.email a@b && git config user.name a"
              " && mkdir core && echo 'project(x)' > CMakeLists.txt"
              " && echo broken > core/a.cc && echo out > .gitignore && git add -A"
              " && git commit -qm one && echo text > README.md && git add -A"
              " && git commit -qm two");
    ASSERT_EQ(run.code, 0) << run.said;
  }
  std::string dir_;
};

TEST_F(GateProgram, IdenticalLibrariesPassUnmeasured) {
  const Said run = Gate("--base-lib " OWN_LIBRARY " --head-lib " OWN_LIBRARY);
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.said.find("**SAME: what is loaded"), std::string::npos) << run.said;
}

TEST_F(GateProgram, DifferentAnswersAreSaidBeforeAnyTiming) {
  const Said run =
      Gate("--workloads propose_hit/small --base-lib " OWN_LIBRARY " --head-lib " WRONG_LIBRARY);
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.said.find("**DIFFERENT ANSWERS, nothing was timed: propose_hit/small"),
            std::string::npos)
      << run.said;
}

TEST_F(GateProgram, ExtraWorkIsFlagged) {
  const Said run = Gate("--workloads propose_hit/small --no-instructions --base-lib " OWN_LIBRARY
                        " --head-lib " SLOW_LIBRARY);
  EXPECT_EQ(run.code, 3) << run.said;
  EXPECT_NE(run.said.find("**SLOWER: propose_hit/small"), std::string::npos) << run.said;
  EXPECT_TRUE(fs::exists(dir_ + "/out/result.json"));
  EXPECT_TRUE(fs::exists(dir_ + "/out/junit.xml"));
}

TEST_F(GateProgram, DocumentsAlonePassWithoutABuild) {
  MakeRepository();
  const Said run = Gate("--base HEAD~1 --head HEAD");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.said.find("**SAME: nothing that the library is built from"), std::string::npos)
      << run.said;
  EXPECT_FALSE(fs::exists(dir_ + "/build"));
}

TEST_F(GateProgram, ABaseThatDoesNotBuildIsFour) {
  MakeRepository();
  std::ofstream(dir_ + "/core/a.cc") << "changed";
  const Said run = Gate("--base HEAD");
  EXPECT_EQ(run.code, 4);
  EXPECT_NE(run.said.find("does not build"), std::string::npos) << run.said;
}

TEST_F(GateProgram, AFileThatLeftTheCoreIsAChange) {
  MakeRepository();
  ASSERT_EQ(Shell("cd " + dir_ + " && mkdir bench && git mv core/a.cc bench/a.cc").code, 0);
  EXPECT_EQ(Gate("--base HEAD").code, 4);  // built, which fails
}

TEST_F(GateProgram, ADirtyTreeIsSaid) {
  MakeRepository();
  std::ofstream(dir_ + "/README.md") << "changed";
  const Said run = Gate("--base HEAD");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.said.find("the working tree is dirty"), std::string::npos) << run.said;
}

TEST_F(GateProgram, LeavesNothingInTheCloneAlsoWhenInterrupted) {
  MakeRepository();
  std::ofstream(dir_ + "/.gitignore", std::ios::app) << "build\n";
  std::ofstream(dir_ + "/CMakeLists.txt") << "project(x)\nexecute_process(COMMAND sleep 60)\n";
  ASSERT_EQ(Shell("cd " + dir_ + " && git commit -qam three").code, 0);
  std::ofstream(dir_ + "/core/a.cc") << "changed";
  // The signal goes to all of the group, as the terminal's does.
  const Said run =
      Shell("cd " + dir_ + " && timeout -s INT 2 " GATE_PROGRAM " --out out --base HEAD");
  EXPECT_EQ(run.code, 124);
  const Said left = Shell("cd " + dir_ + " && git worktree list && git status --porcelain");
  EXPECT_EQ(std::count(left.said.begin(), left.said.end(), '\n'), 2) << left.said;
  EXPECT_NE(left.said.find("\n M core/a.cc\n"), std::string::npos) << left.said;
  EXPECT_TRUE(fs::exists(dir_ + "/build/gate/src_base/core/a.cc"));
}

TEST_F(GateProgram, TwoAtATimeInOneCloneAreRefused) {
  MakeRepository();
  std::ofstream(dir_ + "/core/a.cc") << "changed";
  const Said run = Shell("cd " + dir_ +
                         " && mkdir -p build/gate && flock build/gate/.lock " GATE_PROGRAM
                         " --out out --base HEAD");
  EXPECT_EQ(run.code, 4);
  EXPECT_NE(run.said.find("another gate is at work"), std::string::npos) << run.said;
}

TEST_F(GateProgram, AnUnknownWorkloadIsAnsweredWithTheirNames) {
  const Said run = Gate("--workloads nonsense --base-lib a --head-lib b");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.said.find("there are short, key_hash/small,"), std::string::npos) << run.said;
}

TEST_F(GateProgram, BadUsageIsTwo) {
  EXPECT_EQ(Gate("").code, 2);
  EXPECT_EQ(Gate("--certify --hours nan").code, 2);
  EXPECT_EQ(Gate("--base HEAD").code, 2);  // in no clone
  EXPECT_EQ(Gate("--base HEAD --base-lib a --head-lib b").code, 2);
  MakeRepository();
  EXPECT_EQ(Gate("--base nonsense").code, 2);
}

TEST_F(GateProgram, ALibraryThatDoesNotLoadIsFour) {
  EXPECT_EQ(Gate("--base-lib /dev/null --head-lib " OWN_LIBRARY).code, 4);
}

}  // namespace
}  // namespace lockstep::gate
