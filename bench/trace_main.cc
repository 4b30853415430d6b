// lockstep-trace: makes a trace, a realistic workload, out of a git history.

#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/replay/git_trace.h"
#include "nlohmann/json.hpp"
#include "props/harness/progress.h"
#include "reports/command_line.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

struct Flags {
  GitTraceOptions options;
  std::string tenant_by = "repository";
  std::string output;
  bool json = false;
};

CommandHelp Help() {
  return {
      .name = "trace",
      .answers = "How do I get a trace to replay?",
      .about =
          "Makes one out of a git history: each edit of a text file is a request, whose prompt "
          "is the file before and the commit's message, and whose output is the file after. "
          "Merges, deletions, mere moves, links, submodules, binary, empty and very large files "
          "are left out. The tokenizer is a simple one (bench/replay/simple_tokenizer.h); equal "
          "histories give equal traces.",
      .examples = {{"./lockstep trace --git .", "this clone's history"},
                   {"./lockstep trace --git ~/engine -o engine.jsonl.zst", "another's"},
                   {"./lockstep replay engine.jsonl.zst", "then: what the cache saves on it"}},
      .exit_codes = {{0, "written"},
                     {2, "bad usage, no repository, or no edit in it"},
                     {4, "git or the disk failed"}}};
}

void AddFlags(CLI::App& app, Flags& flags) {
  GitOptions& git = flags.options.git;
  Describe(app, Help());
  app.add_option("--git", git.repository, "the repository")->type_name("DIR")->required();
  app.add_option("--revision", git.revision, "whose history")->type_name("COMMIT");
  app.add_option("-o,--output", flags.output, "compressed if it ends in .zst; - is standard output")
      ->type_name("FILE")
      ->default_str("out/trace/NAME.jsonl.zst, NAME being the repository's folder");
  app.add_option("--max-commits", git.max_commits, "the newest commits that are read")
      ->type_name("N")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000}));
  app.add_option("--max-files", git.max_files, "files of one commit that are read")->type_name("N");
  app.add_option("--max-file-bytes", git.max_file_bytes, "larger files are left out")
      ->type_name("BYTES")
      ->check(CLI::Range(uint64_t{1}, uint64_t{2} << 20));
  app.add_option("--max-tokens", flags.options.max_tokens, "the trace ends when it has as many")
      ->type_name("TOKENS");
  app.add_option("--tenant-by", flags.tenant_by,
                 "repository: all requests in one scope; folder: a scope per folder at the top")
      ->type_name("repository|folder")
      ->check(CLI::IsMember({"repository", "folder"}));
  app.add_flag("--json", flags.json, "print what was written as JSON");
}

std::string DefaultOutput(const std::string& repository) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::canonical(repository, error);
  if (folder.filename() == ".git") folder = folder.parent_path();
  const std::string name = folder.filename().string();
  return absl::StrCat("out/trace/", name.empty() ? "repository" : name, ".jsonl.zst");
}

int Fail(const absl::Status& status) {
  return Complain("trace", status.message(), ExitCodeOf(status));
}

Json ToJson(const GitTraceCounts& counts, const std::string& output) {
  const GitCounts& git = counts.git;
  return {{"output", output},
          {"commits", git.commits},
          {"requests", git.edits},
          {"prompt_tokens", counts.prompt_tokens},
          {"output_tokens", counts.output_tokens},
          {"cut_at_max_tokens", counts.cut_at_max_tokens},
          {"left_out",
           {{"deleted", git.deleted},
            {"unchanged", git.unchanged},
            {"not_regular", git.not_regular},
            {"binary", git.binary},
            {"empty", git.empty},
            {"too_large", git.too_large},
            {"past_max_files", git.past_max_files}}}};
}

std::string ToText(const GitTraceCounts& counts, const std::string& output) {
  const Json json = ToJson(counts, output);
  std::string text = absl::StrCat(PrintableLine(output), ": ", WithThousands(counts.git.edits),
                                  " requests from ", WithThousands(counts.git.commits),
                                  " commits, ", WithThousands(counts.prompt_tokens), " prompt and ",
                                  WithThousands(counts.output_tokens), " output tokens\n");
  std::string left_out;
  for (const auto& [what, count] : json["left_out"].items()) {
    if (count.get<uint64_t>() == 0) continue;
    absl::StrAppend(&left_out, left_out.empty() ? "left out: " : ", ",
                    WithThousands(count.get<uint64_t>()), " ", what);
  }
  if (!left_out.empty()) absl::StrAppend(&text, left_out, "\n");
  if (counts.cut_at_max_tokens) absl::StrAppend(&text, "ended at --max-tokens\n");
  return text;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = ParseCommandLine(app, argc, argv)) return *done;
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is an error of ours to report
  if (flags.tenant_by == "folder") flags.options.tenant_by = TenantBy::kFolder;
  if (flags.output.empty()) {
    flags.output = DefaultOutput(flags.options.git.repository);
    std::error_code error;
    std::filesystem::create_directories("out/trace", error);
  }
  auto writer = TraceWriter::Open(flags.output);
  if (!writer.ok()) return Fail(writer.status());
  const absl::StatusOr<GitTraceCounts> counts = WriteGitTrace(flags.options, **writer);
  if (!counts.ok()) return Fail(counts.status());
  if (counts->git.edits == 0) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        flags.options.git.repository, ": no commit edits a text file: there is nothing to write")));
  }
  const absl::Status finished = (*writer)->Finish();
  if (!finished.ok()) return Fail(finished);
  // Where the trace is on standard output, this is not.
  std::ostream& out = flags.output == "-" ? std::cerr : std::cout;
  out << (flags.json
              ? ToJson(*counts, flags.output).dump(2, ' ', false, Json::error_handler_t::replace) +
                    "\n"
              : ToText(*counts, flags.output));
  return kExitPass;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
