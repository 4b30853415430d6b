#include "bench/replay/git_trace.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/replay/simple_tokenizer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "props/harness/trace.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A repository in a folder of its own, removed afterwards.
class GitTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep_git_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
    Git("init -q -b main");
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void Git(const std::string& arguments) {
    const std::string command =
        "cd '" + dir_ +
        "' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "
        "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b "
        "GIT_AUTHOR_DATE='2001-01-01T00:00:00Z' GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' git " +
        arguments;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void Commit(const std::string& message) {
    Git("add -A");
    Git("commit -q --allow-empty -m '" + message + "'");
  }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = std::filesystem::path(dir_) / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }

  std::vector<FileEdit> Edits(GitCounts* counts = nullptr, GitOptions options = {}) {
    options.repository = dir_;
    std::vector<FileEdit> edits;
    const auto read = ReadGitEdits(options, [&](const FileEdit& edit) {
      edits.push_back(edit);
      return true;
    });
    EXPECT_TRUE(read.ok()) << read.status();
    if (counts != nullptr && read.ok()) *counts = *read;
    return edits;
  }

  std::string dir_;
};

TEST_F(GitTrace, EditsComeOldestFirstWithTheTextBeforeAndTheMessage) {
  Write("a.txt", "one\n");
  Commit("first\n\nwith a body");
  Write("a.txt", "two\n");
  Commit("second");
  const std::vector<FileEdit> edits = Edits();
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(edits[0].before, "");
  EXPECT_EQ(edits[0].after, "one\n");
  EXPECT_EQ(edits[0].message, "first\n\nwith a body\n");
  EXPECT_EQ(edits[1].before, "one\n");
  EXPECT_EQ(edits[1].after, "two\n");
  EXPECT_EQ(edits[1].path, "a.txt");
  EXPECT_EQ(edits[1].commit.size(), 40u);
}

TEST_F(GitTrace, WhatIsNoEditOfATextIsLeftOutAndCounted) {
  Write("text", "t\n");
  Write("moved", std::string(1000, 'm') + "\n");
  Write("gone", "g\n");
  Write("binary", std::string("a\0b", 3));
  Write("large", std::string(5000, 'x'));
  Write("empty", "");
  std::filesystem::create_symlink("text", dir_ + "/link");
  Commit("all");
  Git("mv moved elsewhere");
  Git("rm -q gone");
  Git("update-index --chmod=+x text");
  Git("commit -q -m changes");
  GitCounts counts;
  const std::vector<FileEdit> edits = Edits(&counts, {.max_file_bytes = 4096});
  ASSERT_EQ(edits.size(), 3u);  // gone, moved, text
  EXPECT_EQ(counts.commits, 2u);
  EXPECT_EQ(counts.edits, 3u);
  EXPECT_EQ(counts.binary, 1u);
  EXPECT_EQ(counts.too_large, 1u);
  EXPECT_EQ(counts.empty, 1u);
  EXPECT_EQ(counts.not_regular, 1u);
  EXPECT_EQ(counts.deleted, 1u);
  EXPECT_EQ(counts.unchanged, 2u);  // the move and the permissions
}

TEST_F(GitTrace, MovedAndEditedFileHasTheTextOfItsOldPathBefore) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "line " + std::to_string(i) + "\n";
  Write("old", text);
  Commit("a");
  std::filesystem::rename(dir_ + "/old", dir_ + "/new");
  Write("new", text + "more\n");
  Commit("b");
  const std::vector<FileEdit> edits = Edits();
  ASSERT_EQ(edits.size(), 2u);
  EXPECT_EQ(edits[1].path, "new");
  EXPECT_EQ(edits[1].before, text);
}

TEST_F(GitTrace, OddPathsAndMergesAreSurvived) {
  Write("a\nb \xff\"c", "x\n");
  Commit("odd");
  Git("checkout -q -b side");
  Write("side", "s\n");
  Commit("side");
  Git("checkout -q main");
  Write("main", "m\n");
  Commit("main");
  Git("merge -q --no-ff -m merge side");
  GitCounts counts;
  EXPECT_EQ(Edits(&counts).size(), 3u);
  EXPECT_EQ(counts.commits, 3u);  // the merge is none of them
  Request request = RequestOf(Edits()[0], TenantBy::kRepository);
  EXPECT_THAT(request.id, HasSubstr(":a\nb \xff"));
  EXPECT_EQ(TraceLine(request).find('\n'), std::string::npos);
}

TEST_F(GitTrace, BoundsKeepTheNewestCommitsAndTheFirstFiles) {
  for (int i = 0; i < 5; ++i) {
    for (const char* name : {"a", "b", "c"}) Write(name, std::string(1, '0' + i) + "\n");
    Commit("c" + std::to_string(i));
  }
  GitCounts counts;
  const auto edits = Edits(&counts, {.max_commits = 2, .max_files = 2});
  ASSERT_EQ(edits.size(), 4u);
  EXPECT_EQ(edits[0].after, "3\n");
  EXPECT_EQ(edits[0].before, "2\n");
  EXPECT_EQ(edits[3].path, "b");
  EXPECT_EQ(counts.past_max_files, 2u);
}

TEST_F(GitTrace, TraceIsReadBackAndTwiceTheSameBytes) {
  Write("core/a.cc", "int main() { return 0; }\n");
  Write("README", "read me\n");
  Commit("start");
  Write("core/a.cc", "int main() { return 1; }\n");
  Commit("change");
  std::string contents[2];
  for (std::string& content : contents) {
    const std::string path = dir_ + "/t.jsonl.zst";
    auto writer = TraceWriter::Open(path);
    ASSERT_TRUE(writer.ok()) << writer.status();
    GitTraceOptions options{.tenant_by = TenantBy::kFolder};
    options.git.repository = dir_;
    const auto counts = WriteGitTrace(options, **writer);
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE((*writer)->Finish().ok());
    std::ifstream file(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(file), {});
    auto reader = TraceReader::Open({path});
    std::vector<Request> requests(4);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(*(*reader)->Next(requests[i]));
    EXPECT_FALSE(*(*reader)->Next(requests[3]));
    std::vector<Token> before;
    SimpleTokenize("int main() { return 0; }\n", before);
    SimpleTokenize("change\n", before);
    EXPECT_EQ(requests[2].prompt, before);
    EXPECT_EQ(requests[1].scope, requests[2].scope);  // core
    EXPECT_NE(requests[0].scope, requests[2].scope);  // README is in no folder
    std::filesystem::remove(path);
  }
  EXPECT_EQ(contents[0], contents[1]);
}

TEST_F(GitTrace, EndsAtTheMostTokens) {
  for (int i = 0; i < 20; ++i) {
    Write("f", "a b c d e f " + std::to_string(i) + "\n");
    Commit("c");
  }
  auto writer = TraceWriter::Open(dir_ + "/t.jsonl");
  ASSERT_TRUE(writer.ok());
  GitTraceOptions options{.max_tokens = 50};
  options.git.repository = dir_;
  const auto counts = WriteGitTrace(options, **writer);
  ASSERT_TRUE(counts.ok());
  EXPECT_TRUE(counts->cut_at_max_tokens);
  EXPECT_LT(counts->prompt_tokens + counts->output_tokens, 80u);
}

TEST_F(GitTrace, UnfinishedTraceLeavesNoFile) {
  {
    ASSERT_TRUE(TraceWriter::Open(dir_ + "/t.jsonl").ok());
  }
  for (const auto& entry : std::filesystem::directory_iterator(dir_)) {
    EXPECT_EQ(entry.path().filename(), ".git");
  }
}

TEST_F(GitTrace, NoRepositoryNoRevisionAndNoCommitAreTheUsersErrors) {
  const auto error = [](GitOptions options) {
    const auto read = ReadGitEdits(options, [](const FileEdit&) { return true; });
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(read.status().message());
  };
  EXPECT_THAT(error({.repository = "/no/such"}), HasSubstr("/no/such"));
  EXPECT_THAT(error({.repository = dir_}), HasSubstr("HEAD"));  // no commit yet
  EXPECT_THAT(error({.repository = dir_, .revision = "--all"}), HasSubstr("no revision"));
  EXPECT_THAT(error({.repository = dir_, .revision = "nope"}), HasSubstr("nope"));
}

}  // namespace
}  // namespace lockstep
