// The gate over commits of a clone of the real core: what it says of each kind of change.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "props/tests/run_program.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHash = "core/lockstep/ngram_key.cc";
constexpr const char* kHashCall =
    "  TheChoice().function.load(std::memory_order_relaxed)(tokens, count, key_len, layout, slots, "
    "tags);\n";

class GateOverBuilds : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(LOCKSTEP_SOURCE_DIR "/core", folder_ / "core", fs::copy_options::recursive);
    fs::copy_file(LOCKSTEP_SOURCE_DIR "/CMakeLists.txt", folder_ / "CMakeLists.txt");
    folder_.Write(".gitignore", "build\nout\n.out\n.err\n");
    ASSERT_EQ(RunIn(folder_, "git init -q . && git config user.email a@b && git config user.name a")
                  .exit_code,
              0);
    Commit("the core");
  }

  void Commit(const std::string& message) const {
    const ProgramEnd end = RunIn(folder_, "git add -A && git commit -qm '" + message + "'");
    ASSERT_EQ(end.exit_code, 0) << end.err;
  }
  void Replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = folder_.Read(file);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file << " has no " << from;
    folder_.Write(file, text.replace(at, from.size(), to));
  }
  // The keys are hashed one and a half times.
  void SlowDown() const {
    Replace(kHash, kHashCall,
            "  const auto hash = TheChoice().function.load(std::memory_order_relaxed);\n"
            "  hash(tokens, count / 2, key_len, layout, slots, tags);\n"
            "  hash(tokens, count, key_len, layout, slots, tags);\n");
  }
  ProgramEnd Gate(const std::string& args) const {
    return RunIn(folder_, GATE_PROGRAM " --seed 1 --out out " + args);
  }
  // Nothing but the clone itself, and nothing in it but what was there.
  void ExpectNothingLeft() const {
    const std::string list = RunIn(folder_, "git worktree list").out;
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 1) << list;
    EXPECT_EQ(RunIn(folder_, "git status --porcelain").out, "");
  }
  TemporaryFolder folder_;
};

TEST_F(GateOverBuilds, ACommentInTheCoreBuildsTheSameLibraryAndPassesUnmeasured) {
  Replace(kHash, "#include \"lockstep/ngram_key.h\"",
          "// A line more.\n\n#include \"lockstep/ngram_key.h\"");
  Commit("comment");
  const ProgramEnd end = Gate("--base HEAD~1");
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_TRUE(end.out.starts_with("**SAME: what is loaded of both libraries is equal")) << end.out;
  ExpectNothingLeft();
}

TEST_F(GateOverBuilds, ASlowdownIsSlowerAndItsReversalFasterAndAnAcceptedOnePasses) {
  SlowDown();
  Commit("slow");
  const std::string only = " --workloads key_hash/small --batch-us 300";
  const ProgramEnd slower = Gate("--base HEAD~1" + only);
  EXPECT_EQ(slower.exit_code, 3) << slower.out << slower.err;
  EXPECT_TRUE(slower.out.starts_with("**SLOWER: key_hash/small")) << slower.out;
  ExpectNothingLeft();

  ASSERT_EQ(RunIn(folder_, "git revert --no-edit HEAD").exit_code, 0);
  const ProgramEnd faster = Gate("--base HEAD~1" + only);
  EXPECT_EQ(faster.exit_code, 0) << faster.out << faster.err;
  EXPECT_TRUE(faster.out.starts_with("**FASTER: key_hash/small")) << faster.out;

  ASSERT_EQ(RunIn(folder_,
                  "git reset -q --hard HEAD~1 && git commit -q --amend -m 'slow\n\n"
                  "Perf-Accept: key_hash it is needed twice'")
                .exit_code,
            0);
  // Of two commits, from another working tree.
  ASSERT_EQ(RunIn(folder_, "git branch slow && git checkout -q HEAD~1").exit_code, 0);
  const ProgramEnd accepted = Gate("--base HEAD --head slow" + only);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.out << accepted.err;
  EXPECT_NE(accepted.out.find("accepted: key_hash/small"), std::string::npos) << accepted.out;
  EXPECT_NE(accepted.out.find("it is needed twice"), std::string::npos) << accepted.out;
  ExpectNothingLeft();
}

TEST_F(GateOverBuilds, AWorkloadWhoseSymbolTheBaseLacksIsNew) {
  Replace("core/measuring/measure_api.cc", "void lockstep_hash_keys(",
          "[[maybe_unused]] static void other(");
  Replace("core/measuring/measure_api.cc", "int lockstep_use_hash_path",
          "[[maybe_unused]] static int another");
  Commit("no hooks");
  ASSERT_EQ(RunIn(folder_, "git revert --no-edit HEAD").exit_code, 0);
  const ProgramEnd end = Gate(
      "--base HEAD~1 --no-instructions --batch-us 100 --workloads key_hash/small,resent/small");
  EXPECT_TRUE(end.exit_code == 0 || end.exit_code == 6) << end.exit_code << end.out << end.err;
  EXPECT_NE(end.out.find("| key_hash/small | | | | | new |"), std::string::npos) << end.out;
}

TEST_F(GateOverBuilds, OtherAnswersAreSaidBeforeAnyTiming) {
  Replace("core/lockstep/scope.cc", "from[copied] != kReservedToken", "from[copied] % 7 != 3");
  const ProgramEnd end = Gate("--base HEAD --workloads propose_hit/small");
  EXPECT_EQ(end.exit_code, 1) << end.out << end.err;
  EXPECT_TRUE(end.out.starts_with("**DIFFERENT ANSWERS, nothing was timed: propose_hit/small"))
      << end.out;
  EXPECT_NE(end.out.find("the working tree is dirty"), std::string::npos);
}

TEST_F(GateOverBuilds, ABaseOrAHeadThatDoesNotBuildIsFour) {
  folder_.Write("core/lockstep/scope.cc", "broken");
  const ProgramEnd head = Gate("--base HEAD");
  EXPECT_EQ(head.exit_code, 4);
  EXPECT_NE(head.err.find("head does not build"), std::string::npos) << head.err;
  EXPECT_NE(head.err.find("scope.cc"), std::string::npos) << head.err;
  Commit("broken");
  ASSERT_EQ(RunIn(folder_, "git revert --no-edit HEAD").exit_code, 0);
  const ProgramEnd base = Gate("--base HEAD~1");
  EXPECT_EQ(base.exit_code, 4);
  EXPECT_NE(base.err.find("the base, "), std::string::npos) << base.err;
  ExpectNothingLeft();
}

}  // namespace
}  // namespace lockstep::gate
