#include "props/harness/implementation.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "props/harness/exact_judge.h"
#include "props/harness/interpreter.h"

namespace lockstep {
namespace {

constexpr CacheConfig kSmall = {.budget_bytes = 2 * 6144, .max_scopes = 2, .key_len = 2};
constexpr ScopeKey kScope = {1, 2, 3, 4};

std::string LoadError(const std::string& path) {
  return std::string(LoadLibrary(path).status().message());
}

TEST(OwnCore, AnswersThroughTheHandle) {
  CreateResult created = CreateCache(OwnCore(), kSmall);
  ASSERT_EQ(created.status, LOCKSTEP_OK) << created.error;
  const std::vector<Token> doc = {1, 2, 3, 4};
  EXPECT_EQ(created.cache->Insert(kScope, doc.data(), doc.size()), LOCKSTEP_OK);
  EXPECT_EQ(created.cache->StoredTokens(kScope), 5u);
  EXPECT_EQ(created.cache->ScopeCount(), 1u);
  Token out[8];
  EXPECT_EQ(created.cache->Propose(kScope, doc.data(), 2, out, 8), 2u);
  EXPECT_EQ(out[0], 3u);
}

TEST(CreateCache, RefusedConfigurationLeavesNoCacheAndSaysWhy) {
  const CreateResult created = CreateCache(OwnCore(), {.budget_bytes = 1, .max_scopes = 0});
  EXPECT_EQ(created.status, LOCKSTEP_INVALID_ARGUMENT);
  EXPECT_EQ(created.cache, nullptr);
  EXPECT_FALSE(created.left_pointer);
  EXPECT_FALSE(created.changed_config);
  EXPECT_NE(created.error, "");
}

TEST(CreateCache, OkWithoutACacheIsAnInternalError) {
  CInterface functions = OwnCore();
  functions.create = [](const lockstep_config*, lockstep_cache**) { return LOCKSTEP_OK; };
  const CreateResult created = CreateCache(functions, kSmall);
  EXPECT_EQ(created.status, LOCKSTEP_INTERNAL);
  EXPECT_EQ(created.cache, nullptr);
}

TEST(CreateCache, FailureThatLeavesAPointerIsSeen) {
  CInterface functions = OwnCore();
  functions.create = [](const lockstep_config*, lockstep_cache**) {
    return LOCKSTEP_INVALID_ARGUMENT;
  };
  functions.last_error = []() -> const char* { return nullptr; };
  const CreateResult created = CreateCache(functions, kSmall);
  EXPECT_TRUE(created.left_pointer);
  EXPECT_EQ(created.error, "");
}

TEST(LoadLibrary, OwnSharedLibraryIsAnotherThanTheCoreLinkedIn) {
  const absl::StatusOr<CInterface> loaded = LoadLibrary(OWN_LIBRARY);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_NE(loaded->create, OwnCore().create);
  EXPECT_NE(loaded->propose_batch, nullptr);
}

TEST(LoadLibrary, TwoPrivateCopiesOfOnePathAreTwoLibraries) {
  const absl::StatusOr<CInterface> shared = LoadLibrary(OWN_LIBRARY);
  const absl::StatusOr<CInterface> a = LoadLibrary(OWN_LIBRARY, /*private_copy=*/true);
  const absl::StatusOr<CInterface> b = LoadLibrary(OWN_LIBRARY, /*private_copy=*/true);
  ASSERT_TRUE(shared.ok() && a.ok() && b.ok()) << a.status() << b.status();
  EXPECT_NE(a->create, b->create);
  EXPECT_NE(a->create, shared->create);
  EXPECT_TRUE(CreateCache(*a, kSmall).cache != nullptr && CreateCache(*b, kSmall).cache != nullptr);
}

TEST(LoadLibrary, UnusablePathsAreNamedInOneLine) {
  for (const char* path : {"/no/such/library.so", "/", "/dev/null"}) {
    EXPECT_EQ(LoadLibrary(path).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(LoadError(path).rfind(path, 0), 0u) << LoadError(path);
    EXPECT_EQ(LoadError(path).find('\n'), std::string::npos);
  }
}

TEST(LoadLibrary, JunkIsRefused) {
  const std::string path = testing::TempDir() + "/junk.so";
  std::ofstream(path) << "\x7f"
                         "ELF and then nothing of the kind";
  EXPECT_NE(LoadError(path).find("cannot be loaded"), std::string::npos) << LoadError(path);
  std::remove(path.c_str());
}

TEST(LoadLibrary, LibraryOfSomethingElseIsToldWhatItLacks) {
  const std::string error = LoadError("/lib/x86_64-linux-gnu/libm.so.6");
  EXPECT_NE(error.find("lacks lockstep_abi_version, lockstep_impl_name"), std::string::npos)
      << error;
  EXPECT_EQ(error.find("propose_batch"), std::string::npos) << error;
}

TEST(TinyCache, EqualsTheModelNearTheLastPositions) {
  for (const uint64_t first : {uint64_t{1}, (uint64_t{1} << 32) - 5, (uint64_t{1} << 63) - 5}) {
    const ModelOptions options = {.slots = 4,
                                  .ring_tokens = 8,
                                  .key_len = 1,
                                  .max_scopes = 2,
                                  .duplicate_limit = 2,
                                  .first_position = first};
    const std::unique_ptr<CacheHandle> cache = MakeTinyCache(options);
    ExactJudge judge(options);
    std::vector<Operation> ops;
    for (uint64_t i = 0; i < 200; ++i) {
      const ScopeKey scope = {i % 3, 0, 0, 0};
      const Token a = static_cast<Token>(i * i % 3);
      const Token b = static_cast<Token>(i / 2 % 2);
      ops.push_back(Insert(scope, {a, b, a, 2, b}));
      ops.push_back(Propose(scope, {b}, i % 7));
      ops.push_back(Propose({(i + 1) % 3, 0, 0, 0}, {a}, 5));
    }
    const std::optional<Finding> finding = RunBeside(*cache, judge, ops);
    EXPECT_FALSE(finding.has_value()) << finding->what << " at " << finding->op_index;
  }
}

}  // namespace
}  // namespace lockstep
