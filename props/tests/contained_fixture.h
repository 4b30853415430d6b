// A library that does what no implementation should, in its child: for the tests of that child.

#ifndef LOCKSTEP_PROPS_TESTS_CONTAINED_FIXTURE_H_
#define LOCKSTEP_PROPS_TESTS_CONTAINED_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "props/harness/contained.h"
#include "props/tests/misbehaving.h"

namespace lockstep {

inline constexpr ScopeKey kScope = {1, 2, 3, 4};
inline constexpr CacheConfig kConfig = {
    .budget_bytes = 1 << 20, .max_scopes = 4, .key_len = kBehave};

// Limits low enough for a test; nothing below comes near them by accident.
inline ContainedOptions TestOptions() {
  ContainedOptions options;
  options.time_limit_per_op = absl::Milliseconds(300);
  options.live_bytes_limit = uint64_t{64} << 20;
  return options;
}

inline std::unique_ptr<ContainedCache> Start(const CacheConfig& config = kConfig,
                                             const ContainedOptions& options = TestOptions(),
                                             const char* library = MISBEHAVING_LIBRARY) {
  auto cache = StartContained({.library = library}, config, options);
  EXPECT_TRUE(cache.ok()) << cache.status();
  return cache.ok() ? *std::move(cache) : nullptr;
}

inline Operation Do(Deed deed) { return Insert(kScope, {deed, 0, 0}); }
inline Operation Ask(Deed deed, uint64_t max_len = 8) {
  return Propose(kScope, {deed, 0, 0}, max_len);
}

// Three harmless operations, then the deed, then one that must not be reached.
inline ChildEnd EndOf(const Operation& op) {
  const std::unique_ptr<ContainedCache> cache = Start();
  std::vector<Operation> ops(5, Do(kBehave));
  ops[3] = op;
  EXPECT_EQ(cache->Run(ops).size(), 3u);
  EXPECT_EQ(cache->end().op_index, 3u);
  EXPECT_TRUE(cache->Run(ops).empty()) << "a child that has ended runs nothing";
  return cache->end();
}

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_TESTS_CONTAINED_FIXTURE_H_
