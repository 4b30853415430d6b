// Which way to hash is taken: the one that LOCKSTEP_HASH_PATH names, else the fastest there is.

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "lockstep/hash_paths.h"
#include "lockstep/ngram_key.h"

namespace lockstep {
namespace {

// What the kernel says that the first processor has, which shares no code with the core.
std::set<std::string> ProcessorFlags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

HashPath Fastest() {
  const std::set<std::string> flags = ProcessorFlags();
  if (LOCKSTEP_X86_PATHS == 0) return HashPath::kPlain;
  if (flags.contains("avx512f") && flags.contains("avx512dq")) return HashPath::kAvx512;
  return flags.contains("avx2") ? HashPath::kAvx2 : HashPath::kPlain;
}

// A program that starts with the variable set so, or without it, takes `path`.
void ExpectChoice(const char* variable, HashPath path) {
  if (variable == nullptr) {
    unsetenv("LOCKSTEP_HASH_PATH");
  } else {
    setenv("LOCKSTEP_HASH_PATH", variable, 1);
  }
  EXPECT_EXIT(std::exit(CurrentHashPath() == path ? 0 : 1), testing::ExitedWithCode(0), "")
      << (variable == nullptr ? "no variable" : variable);
}

class HashPathChoiceDeathTest : public testing::Test {
 protected:
  // The program is started anew, so that it chooses anew.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {
    if (before_.empty()) {
      unsetenv("LOCKSTEP_HASH_PATH");
    } else {
      setenv("LOCKSTEP_HASH_PATH", before_.c_str(), 1);
    }
  }

 private:
  std::string before_ =
      std::getenv("LOCKSTEP_HASH_PATH") != nullptr ? std::getenv("LOCKSTEP_HASH_PATH") : "";
};

TEST(HashPath, IsThereWhereTheProcessorHasItsInstructions) {
  const std::set<std::string> flags = ProcessorFlags();
  if (LOCKSTEP_X86_PATHS != 0 && flags.empty()) GTEST_SKIP() << "SKIPPED: no /proc/cpuinfo";
  EXPECT_TRUE(HashPathSupported(HashPath::kPlain));
  EXPECT_EQ(HashPathSupported(HashPath::kAvx2), flags.contains("avx2"));
  EXPECT_EQ(HashPathSupported(HashPath::kAvx512),
            flags.contains("avx512f") && flags.contains("avx512dq"));
}

TEST_F(HashPathChoiceDeathTest, IsTheFastestWithoutAVariableOrWithAnUnknownName) {
  ExpectChoice(nullptr, Fastest());
  ExpectChoice("", Fastest());
  ExpectChoice("avx1024", Fastest());
}

TEST_F(HashPathChoiceDeathTest, IsTheOneThatTheVariableNames) {
  for (const HashPath path : kHashPaths) {
    ExpectChoice(HashPathName(path), HashPathSupported(path) ? path : Fastest());
  }
}

TEST(HashPath, StaysAsItWasSetForTesting) {
  const HashPath before = CurrentHashPath();
  for (const HashPath path : kHashPaths) {
    if (!HashPathSupported(path)) continue;
    SetHashPathForTesting(path);
    EXPECT_EQ(CurrentHashPath(), path);
  }
  SetHashPathForTesting(before);
  EXPECT_EQ(CurrentHashPath(), before);
}

}  // namespace
}  // namespace lockstep
