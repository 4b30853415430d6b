#include "reports/result.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "reports/file_hash.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A folder of this test's own, gone afterwards.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "lockstep-result-XXXXXX") {
    std::string name = path_.string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void Write(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

Result FullResult() {
  Result result;
  result.command = "verify --seconds 45";
  result.commit = "0123456789abcdef";
  result.impl_name = "some library";
  result.impl_path = "./libsome.so";
  result.impl_sha256 = std::string(64, 'a');
  result.level = "exact";
  result.machine = "a processor, 2 cores";
  result.started = "2001-02-03T04:05:06Z";
  result.seconds = 44.25;
  result.seed = std::numeric_limits<uint64_t>::max();
  result.exit_code = kExitBrokenPromise;
  result.sections["invariants"] = Json::array({{{"id", "I1"}, {"verdict", "broken"}}});
  result.sections["findings"] = Json::array({{{"what", "a draft of nothing"}}});
  result.sections["classes"] = {{"ring wrapped", std::numeric_limits<uint64_t>::max()}};
  result.sections["a later section"] = 17;
  return result;
}

std::string ErrorOf(Json json) {
  const absl::StatusOr<Result> result = ResultFromJson("r.json", json);
  return result.ok() ? "" : std::string(result.status().message());
}

Json With(const std::string& pointer, Json value) {
  Json json = ToJson(FullResult());
  json[Json::json_pointer(pointer)] = std::move(value);
  return json;
}

TEST(ResultFormat, EnvelopeHasTheseMembersInThisOrder) {
  const Json json = ToJson(Result());
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"format_version", "command", "commit", "impl_name",
                                            "impl_path", "impl_sha256", "level", "machine",
                                            "started", "seconds", "seed", "verdict", "exit_code"}));
}

TEST(ResultFormat, EnvelopeAndSectionsAreSpelledThus) {
  EXPECT_EQ(ToJson(FullResult()).dump(),
            R"({"format_version":1,"command":"verify --seconds 45","commit":"0123456789abcdef",)"
            R"("impl_name":"some library","impl_path":"./libsome.so","impl_sha256":")" +
                std::string(64, 'a') +
                R"(","level":"exact","machine":"a processor, 2 cores",)"
                R"("started":"2001-02-03T04:05:06Z","seconds":44.25,"seed":18446744073709551615,)"
                R"("verdict":"broken promise","exit_code":1,)"
                R"("invariants":[{"id":"I1","verdict":"broken"}],)"
                R"("findings":[{"what":"a draft of nothing"}],)"
                R"("classes":{"ring wrapped":18446744073709551615},"a later section":17})");
}

TEST(ResultFormat, WrittenResultIsReadBackWhole) {
  const Folder folder;
  ASSERT_TRUE(WriteResult(FullResult(), folder / "new/folder").ok());
  const absl::StatusOr<Result> read = ReadResult(folder / "new/folder/result.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToJson(*read), ToJson(FullResult()));
  EXPECT_EQ(read->seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(read->sections["classes"]["ring wrapped"], std::numeric_limits<uint64_t>::max());
}

TEST(ResultFormat, SeedsKeepAllTheirBits) {
  const Folder folder;
  for (const uint64_t seed : {uint64_t{0}, (uint64_t{1} << 53) + 1, (uint64_t{1} << 63) + 1,
                              std::numeric_limits<uint64_t>::max() - 1}) {
    Result result;
    result.seed = seed;
    ASSERT_TRUE(WriteResult(result, folder.path()).ok());
    EXPECT_EQ(ReadResult(folder / "result.json")->seed, seed);
  }
}

TEST(ResultFormat, TextsThatAreNoUtf8AreReplaced) {
  const Folder folder;
  Result result;
  result.impl_name = "a\xff\xfe";
  ASSERT_TRUE(WriteResult(result, folder.path()).ok());
  EXPECT_EQ(ReadResult(folder / "result.json")->impl_name, "a\ufffd\ufffd");
}

TEST(ResultFormat, EachMemberMissingIsNamed) {
  const Json whole = ToJson(Result());
  for (const auto& [key, value] : whole.items()) {
    Json json = whole;
    json.erase(key);
    const std::string error = ErrorOf(json);
    EXPECT_TRUE(error.starts_with("r.json: at /" + key + ": ")) << error;
  }
}

TEST(ResultFormat, EachMemberOfAnotherTypeIsNamed) {
  const Json whole = ToJson(Result());
  for (const auto& [key, value] : whole.items()) {
    for (const Json& wrong :
         {Json(nullptr), Json::array(), Json(-1), Json(value.is_string() ? Json(1) : Json("1"))}) {
      const std::string error = ErrorOf(With("/" + key, wrong));
      EXPECT_TRUE(error.starts_with("r.json: at /" + key + ": ")) << error;
    }
  }
}

TEST(ResultFormat, ValuesThatCannotBeAreNamed) {
  EXPECT_EQ(ErrorOf(With("/format_version", 2)),
            "r.json: at /format_version: is 2, and this program reads 1");
  EXPECT_EQ(ErrorOf(With("/exit_code", 7)), "r.json: at /exit_code: must be from 0 to 6");
  EXPECT_EQ(ErrorOf(With("/seed", 0.5)), "r.json: at /seed: must be an integer from 0 to 2^64 - 1");
  EXPECT_EQ(ErrorOf(With("/verdict", "pass")),
            "r.json: at /verdict: must be \"broken promise\", which is what exit code 1 means");
}

TEST(ResultFormat, SectionsOfAnotherShapeAreNamedByPointer) {
  EXPECT_EQ(ErrorOf(With("/invariants", Json::object())),
            "r.json: at /invariants: must be an array");
  EXPECT_EQ(ErrorOf(With("/findings", Json::array({Json::object(), 1}))),
            "r.json: at /findings/1: must be an object");
  EXPECT_EQ(ErrorOf(With("/classes", Json::array())), "r.json: at /classes: must be an object");
  EXPECT_EQ(ErrorOf(With("/classes", {{"a/b", -1}})),
            "r.json: at /classes/a~1b: must be a count from 0 to 2^64 - 1");
}

TEST(ResultFormat, WhatIsNoObjectIsNamed) {
  EXPECT_EQ(ErrorOf(Json::array()), "r.json: at the top: must be an object");
}

TEST(ReadResult, FilesThatAreNoResultsAreNamed) {
  const Folder folder;
  Write(folder / "empty", "");
  Write(folder / "cut", R"({"format_version":1,)");
  Write(folder / "junk", std::string("\x00\xff\x7f", 3));
  Write(folder / "huge", R"({"format_version":1e999})");
  Write(folder / "deep", std::string(100000, '['));
  for (const char* name : {"empty", "cut", "junk", "huge", "deep"}) {
    const std::string path = folder / name;
    const absl::StatusOr<Result> result = ReadResult(path);
    ASSERT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_TRUE(result.status().message().find(path + ": is not JSON: ") == 0) << result.status();
    EXPECT_EQ(result.status().message().find('\n'), absl::string_view::npos) << result.status();
  }
  EXPECT_EQ(ReadResult(folder.path()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadResult(folder / "absent").status().code(), absl::StatusCode::kNotFound);
}

TEST(WriteFileAtomically, ReplacesTheFileAndLeavesNothingAside) {
  const Folder folder;
  ASSERT_TRUE(WriteFileAtomically(folder / "f", "one").ok());
  ASSERT_TRUE(WriteFileAtomically(folder / "f", std::string("t\0wo", 4)).ok());
  EXPECT_EQ(Contents(folder / "f"), std::string("t\0wo", 4));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteFileAtomically, FolderThatCannotBeWrittenIsNamed) {
  const Folder folder;
  Write(folder / "file", "");
  for (const std::string& path : {folder / "file/f", folder / "absent/f"}) {
    const absl::Status status = WriteFileAtomically(path, "x");
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.message().find(path + ": cannot be written: "), 0u) << status;
  }
  EXPECT_FALSE(WriteResult(Result(), folder / "file").ok());
  EXPECT_FALSE(WriteResult(Result(), folder / "file/below").ok());
}

TEST(WriteFileAtomically, FullDiskLeavesTheOldFile) {
  const Folder folder;
  Write(folder / "f", "old");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 1000;
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = WriteFileAtomically(folder / "f", std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status.message(), folder / "f" + ": cannot be written: File too large");
  EXPECT_EQ(Contents(folder / "f"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteFileAtomically, FolderInTheFilesPlaceStays) {
  const Folder folder;
  fs::create_directory(folder / "f");
  EXPECT_FALSE(WriteFileAtomically(folder / "f", "x").ok());
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(ExitCodes, TheWorseOneWins) {
  const std::vector<int> by_weight = {4, 2, 1, 3, 5, 6, 0};
  for (size_t a = 0; a < by_weight.size(); ++a) {
    for (size_t b = a; b < by_weight.size(); ++b) {
      EXPECT_EQ(WorseExitCode(by_weight[a], by_weight[b]), by_weight[a]);
      EXPECT_EQ(WorseExitCode(by_weight[b], by_weight[a]), by_weight[a]);
    }
  }
  EXPECT_EQ(WorseExitCode(0, 77), 77);
}

TEST(StartResult, SaysWhereAndWhen) {
  setenv("LOCKSTEP_COMMIT", "abc", 1);
  const Result result = StartResult("verify");
  unsetenv("LOCKSTEP_COMMIT");
  EXPECT_EQ(result.command, "verify");
  EXPECT_EQ(result.commit, "abc");
  EXPECT_NE(result.machine.find(" cores, Linux "), std::string::npos) << result.machine;
  ASSERT_EQ(result.started.size(), 20u) << result.started;
  EXPECT_EQ(result.started.back(), 'Z');
  EXPECT_EQ(StartResult("verify").commit, "");
}

TEST(Sha256OfFile, GivesTheDigestsOfTheStandard) {
  const Folder folder;
  Write(folder / "abc", "abc");
  Write(folder / "million", std::string(1000000, 'a'));
  EXPECT_EQ(*Sha256OfFile(folder / "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(*Sha256OfFile(folder / "million"),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(Sha256OfFile(folder / "absent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Sha256OfFile(folder.path()).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace lockstep
