// Libraries whose objects stand in another order.

#include <string>
#include <vector>

#include "bench/gate/builds.h"
#include "bench/gate/identical.h"
#include "bench/gate/loaded_library.h"
#include "gtest/gtest.h"
#include "props/tests/run_program.h"

namespace lockstep::gate {
namespace {

TEST(Relink, FiveOrdersAreFiveLibrariesThatLoad) {
  const TemporaryFolder folder;
  const std::string build = folder / "build";
  const absl::StatusOr<std::string> library = BuildLibrary(LOCKSTEP_SOURCE_DIR, build);
  ASSERT_TRUE(library.ok()) << library.status();
  std::vector<std::string> made = {*library};
  for (int order = 1; order <= 5; ++order) {
    const absl::StatusOr<std::string> relinked = Relink(build, order);
    ASSERT_TRUE(relinked.ok()) << relinked.status();
    EXPECT_TRUE(LoadCopy(*relinked).ok());
    for (const std::string& other : made) {
      const absl::StatusOr<bool> identical = IdenticalWhenLoaded(*relinked, other);
      ASSERT_TRUE(identical.ok());
      EXPECT_FALSE(*identical) << *relinked << " " << other;
    }
    made.push_back(*relinked);
  }
  const absl::StatusOr<std::string> again = BuildLibrary(LOCKSTEP_SOURCE_DIR, build);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *library);
}

}  // namespace
}  // namespace lockstep::gate
