#include <algorithm>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "props/harness/codec.h"
#include "props/harness/exact_model.h"
#include "props/harness/input_file.h"

namespace lockstep {
namespace {

// A change of the codec that makes old inputs mean something else shows here.
TEST(Seeds, EachShowsTheSituationThatItIsNamedAfter) {
  const std::filesystem::path dir = LOCKSTEP_SOURCE_DIR "/corpus/cache_exact";
  size_t wrapped = 0;
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    std::string name = std::string("tiny ") + SituationName(static_cast<Situation>(i));
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    const absl::StatusOr<std::string> bytes = ReadInputFile((dir / name).string());
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const DecodedInput input =
        Decode({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
    EXPECT_TRUE(input.tiny);
    ExactModel model(input.options);
    for (const Operation& op : input.sequence.ops) model.Apply(op);
    EXPECT_GT(model.situations().of[i], 0) << name;
    wrapped += model.situations().of[static_cast<size_t>(Situation::kRingWrapped)] > 0;
  }
  EXPECT_GE(wrapped, static_cast<size_t>(Situation::kCount) / 5);
}

}  // namespace
}  // namespace lockstep
