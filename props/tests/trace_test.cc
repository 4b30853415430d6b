#include "props/harness/trace.h"

#include <unistd.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Line(const std::string& id, const std::string& prompt = "1,2") {
  return absl::StrCat("{\"id\":\"", id,
                      "\",\"scope\":{\"model\":1,\"tokenizer\":2,\"adapter\":3,\"tenant\":4},"
                      "\"prompt\":[",
                      prompt, "],\"output\":[3]}\n");
}

std::string Compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

class TraceFiles : public ::testing::Test {
 protected:
  TraceFiles() : dir_(::testing::TempDir() + absl::StrCat("trace_test.", getpid())) {
    std::filesystem::create_directories(dir_);
  }
  ~TraceFiles() override { std::filesystem::remove_all(dir_); }

  std::string Write(const std::string& name, const std::string& contents) {
    std::ofstream(dir_ / name, std::ios::binary) << contents;
    return (dir_ / name).string();
  }

  // The ids of all requests, or the error's message without the folder's name.
  std::string Read(const std::vector<std::string>& paths) {
    auto reader = TraceReader::Open(paths);
    std::string ids;
    absl::Status status = reader.status();
    while (status.ok()) {
      Request request;
      const absl::StatusOr<bool> got = (*reader)->Next(request);
      status = got.status();
      if (!got.ok()) break;
      if (!*got) return ids;
      ids += request.id;
    }
    std::string message(status.message());
    const size_t at = message.find(dir_.string());
    return at == std::string::npos ? message : message.erase(at, dir_.string().size() + 1);
  }

  const std::filesystem::path dir_;
};

TEST_F(TraceFiles, EveryMemberIsRead) {
  const std::string path = Write("t.jsonl", R"({"output":[4294967294,0],"prompt":[],"id":"a\"b",)"
                                            R"("scope":{"tenant":18446744073709551615,"model":1,)"
                                            R"("adapter":3,"tokenizer":2}})");
  auto reader = TraceReader::Open({path});
  ASSERT_TRUE(reader.ok()) << reader.status();
  Request request;
  request.prompt = {7};
  ASSERT_TRUE(*(*reader)->Next(request));
  EXPECT_EQ(request.id, "a\"b");
  EXPECT_EQ(request.scope, (ScopeKey{1, 2, 3, UINT64_MAX}));
  EXPECT_TRUE(request.prompt.empty());
  EXPECT_EQ(request.output, (std::vector<Token>{4294967294, 0}));
  EXPECT_FALSE(*(*reader)->Next(request));
  EXPECT_EQ((*reader)->bytes_read(), (*reader)->bytes_total());
}

TEST_F(TraceFiles, ShardsAreOneStreamPlainOrCompressed) {
  const std::string plain = Write("0.jsonl", Line("a") + Line("b"));
  const std::string frames = Write("1.jsonl.zst", Compressed(Line("c")) + Compressed(Line("d")));
  const std::string no_newline = Write("2.jsonl", Line("e").substr(0, Line("e").size() - 1));
  const std::string misnamed = Write("3.jsonl", Compressed(Line("f")));
  EXPECT_EQ(Read({plain, frames, no_newline, misnamed}), "abcdef");
  EXPECT_EQ(Read({frames, plain}), "cdab");
}

TEST_F(TraceFiles, StandardInputIsReadPlainOrCompressed) {
  for (const std::string& contents : {Line("a") + Line("b"), Compressed(Line("a") + Line("b"))}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], contents.data(), contents.size()),
              static_cast<ssize_t>(contents.size()));
    close(ends[1]);
    const int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    EXPECT_EQ(Read({"-"}), "ab");
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(ends[0]);
  }
  EXPECT_THAT(Read({"-", "-"}), HasSubstr("named twice"));
}

TEST_F(TraceFiles, LinesLongerThanTheBufferAreRead) {
  std::string many = "1";
  for (int i = 0; i < 400'000; ++i) many += ",1234567";
  const std::string path = Write("t.jsonl", Line("a") + Line("b", many) + Line("c"));
  EXPECT_EQ(Read({path}), "abc");
}

TEST_F(TraceFiles, EveryFaultNamesItsLineAndTheRemedy) {
  const std::string good = Line("a");
  const struct {
    std::string contents, message;
  } kCases[] = {
      {"", "t.jsonl:1: the file is empty"},
      {"\n\n", "t.jsonl:1: the file is empty"},
      {good + "\n" + good, "t.jsonl:2: an empty line"},
      {good + good.substr(0, 50), "t.jsonl:2: not JSON"},
      {good + "{}", "t.jsonl:2: \"id\" is missing"},
      {good + Line("b", "-1"), "t.jsonl:2: \"prompt\"[0] is -1; write a whole number"},
      {good + Line("b", "1,2.5"), "t.jsonl:2: \"prompt\"[1] is 2.5"},
      {good + Line("b", "4294967295"), "\"prompt\"[0] is 4294967295; a token here is at most"},
      {good + Line("b", "99999999999999999999"), "\"prompt\"[0] is 99999999999999999999; no"},
      {good + Line("b", "true"), "\"prompt\"[0] is true"},
      {R"({"id":"a","scope":[1,2,3,4],"prompt":[],"output":[]})", "\"scope\" is an array; write"},
      {R"({"id":"a","scope":{"model":1,"model":2}})", "\"scope\" gives \"model\" twice"},
      {R"({"id":"a","scope":{"modal":1}})", "unknown member \"modal\" in \"scope\""},
      {R"({"id":"a","scope":{"model":1}})", "\"scope\" lacks \"tokenizer\""},
      {R"({"id":"a","scope":{"model":-1}})", "\"scope\".model is -1"},
      {R"({"id":7})", "\"id\" is a number; write a string"},
      {R"({"time":7})", "unknown member \"time\""},
      {std::string("\0\0\0\0\0", 5), "t.jsonl:1: not JSON"},
      {Compressed(good + good).substr(0, 60), "t.jsonl:1: the compressed file is cut short"},
      {Compressed(good) + "junk", "t.jsonl:2: the compressed data is damaged"},
  };
  for (const auto& c : kCases) {
    const std::string message = Read({Write("t.jsonl", c.contents)});
    EXPECT_THAT(message, HasSubstr(c.message));
    EXPECT_THAT(message, StartsWith("t.jsonl:"));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_F(TraceFiles, AFaultInALaterShardNamesThatShard) {
  const std::string first = Write("0.jsonl", Line("a") + Line("b"));
  EXPECT_THAT(Read({first, Write("1.jsonl", Line("c") + "{")}), StartsWith("1.jsonl:2: not JSON"));
  EXPECT_THAT(Read({first, Write("2.jsonl", "")}), StartsWith("2.jsonl:1: the file is empty"));
}

TEST_F(TraceFiles, ALineAboveTheLimitIsRefused) {
  const std::string filler(kMaxTraceLineBytes + 1 - Line("").size() + 1, 'x');
  EXPECT_THAT(Read({Write("t.jsonl.zst", Compressed(Line("a") + Line(filler) + Line("c")))}),
              StartsWith("t.jsonl.zst:2: the line is longer than 64 MiB"));
  const std::string fits = filler.substr(1);
  EXPECT_EQ(Read({Write("t.jsonl.zst", Compressed(Line(fits)))}), fits);
}

TEST_F(TraceFiles, MissingFilesAndFoldersAreNamedBeforeAnythingIsRead) {
  const std::string good = Write("t.jsonl", Line("a"));
  for (const std::string& path : {dir_.string(), (dir_ / "none").string()}) {
    const auto reader = TraceReader::Open({good, path});
    EXPECT_EQ(reader.status().code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(reader.status().message()), StartsWith(path));
  }
  EXPECT_THAT(Read({Write("t.jsonl.zst", "plain")}), StartsWith("t.jsonl.zst:1: is named .zst"));
}

TEST(TraceReader, TheSharedTracesAreReadWhole) {
  const std::filesystem::path dir = LOCKSTEP_SOURCE_DIR "/../shared/traces";
  if (!std::filesystem::exists(dir)) GTEST_SKIP() << "SKIPPED: no ../shared/traces";
  uint64_t requests = 0, tokens = 0, json_bytes = 0;
  const absl::Time start = absl::Now();
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    auto reader = TraceReader::Open({entry.path().string()});
    ASSERT_TRUE(reader.ok()) << reader.status();
    Request request;
    for (;;) {
      const absl::StatusOr<bool> got = (*reader)->Next(request);
      ASSERT_TRUE(got.ok()) << got.status();
      if (!*got) break;
      ++requests;
      tokens += request.prompt.size() + request.output.size();
    }
    EXPECT_EQ((*reader)->bytes_read(), (*reader)->bytes_total());
    json_bytes += (*reader)->bytes_read();
  }
  EXPECT_EQ(requests, 9613);  // what `zstd -dc | wc -l` counts
  std::cout << requests << " requests, " << tokens << " tokens, " << json_bytes
            << " compressed bytes in " << absl::FormatDuration(absl::Now() - start) << "\n";
}

}  // namespace
}  // namespace lockstep
