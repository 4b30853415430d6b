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

// An environment variable as it was, or as it was not, is put back.
class KeptVariable {
 public:
  explicit KeptVariable(const char* name) : name_(name) {
    const char* value = std::getenv(name);
    was_set_ = value != nullptr;
    if (was_set_) value_ = value;
  }
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;
  ~KeptVariable() {
    if (was_set_) {
      setenv(name_, value_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  const std::string& Value() const { return value_; }

 private:
  const char* name_;
  bool was_set_ = false;
  std::string value_;
};

class HashPathChoiceDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    // The program is started anew, so that it chooses anew.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // What Debian's GoogleTest then reads of its flags is a vector that it fills without the
    // address sanitizer's annotations and we read with them.
    setenv("ASAN_OPTIONS", (asan_options_.Value() + ":detect_container_overflow=0").c_str(), 1);
  }

 private:
  KeptVariable hash_path_{"LOCKSTEP_HASH_PATH"};
  KeptVariable asan_options_{"ASAN_OPTIONS"};
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
