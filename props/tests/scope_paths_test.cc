// Scopes of every shape, on every hash path, against the exact model.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/ngram_key.h"
#include "lockstep/scope.h"
#include "props/tests/model_check.h"

namespace lockstep {
namespace {

class OnEveryHashPath : public testing::TestWithParam<HashPath> {
 protected:
  void SetUp() override {
    if (!HashPathSupported(GetParam())) GTEST_SKIP() << "this processor lacks it";
    SetHashPathForTesting(GetParam());
  }
  void TearDown() override { SetHashPathForTesting(before_); }

 private:
  HashPath before_ = CurrentHashPath();
};

INSTANTIATE_TEST_SUITE_P(, OnEveryHashPath, testing::ValuesIn(kHashPaths),
                         [](const auto& path) { return std::string(HashPathName(path.param)); });

TEST_P(OnEveryHashPath, TinyScopesAnswerAsTheModel) {
  std::mt19937_64 shapes(1);
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    ModelOptions options;
    options.slots = uint64_t{1} << shapes() % 6;
    options.ring_tokens = 4 + shapes() % 40;
    options.key_len = 1 + shapes() % std::min<uint64_t>(options.ring_tokens - 2, 6);
    options.max_scopes = 1 + shapes() % 2;
    options.duplicate_limit = static_cast<uint32_t>(1 + shapes() % 5);
    const uint64_t starts[] = {1, 1, (uint64_t{1} << 32) - 40, (uint64_t{1} << 63) - 40};
    options.first_position = starts[shapes() % 4];
    const auto cache = MakeTinyCache(options);
    ASSERT_EQ(DifferenceFromModel(*cache, options, RandomOps{}, 120, seed), "");
  }
}

TEST_P(OnEveryHashPath, DocumentsOfManyBlocksAnswerAsTheModel) {
  std::mt19937_64 shapes(2);
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ModelOptions options;
    options.slots = uint64_t{1} << (6 + shapes() % 5);
    options.ring_tokens = 1024 + shapes() % 2000;
    options.key_len = 1 + shapes() % (seed % 4 == 0 ? 70 : 10);
    options.max_scopes = 2;
    const auto cache = MakeTinyCache(options);
    const RandomOps shape{.scopes = 2, .alphabet = 4, .longest = 3000, .max_draft = 4000};
    ASSERT_EQ(DifferenceFromModel(*cache, options, shape, 60, seed), "");
  }
}

}  // namespace
}  // namespace lockstep
