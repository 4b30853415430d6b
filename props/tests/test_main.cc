#include <optional>

#include "gmock/gmock.h"
#include "props/harness/contained.h"

int main(int argc, char** argv) {
  if (const std::optional<int> code = lockstep::ContainedMain(argc, argv)) return *code;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
