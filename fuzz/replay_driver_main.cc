// Runs files through a fuzz target, with any compiler:
// replay_TARGET [--measure SECONDS] ([--optional] FILE-OR-FOLDER)...
//
// With --measure it runs them over and over, and says how often in a second of processor time.
// Every FOLDER has at least a file, but for optional ones, which need not exist.
// Exits with 0 when every input ran, and with 2 when a folder is empty or cannot be read. What an
// input breaks ends the program, after a line that names its file.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fuzz/target.h"
#include "props/harness/input_file.h"
#include "reports/result.h"

namespace {

char running[4096];  // the line that names the input

void NameInput(int signal) {
  const ssize_t ignored = write(STDERR_FILENO, running, std::strlen(running));
  (void)ignored;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int Complain(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return lockstep::kExitBadInput;
}

// What is wrong with the path, or "".
std::string AddFiles(const std::string& path, bool optional, std::vector<std::string>& files) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    if (!optional) files.push_back(path);
    return "";
  }
  const size_t before = files.size();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  if (error) return path + ": cannot be read: " + error.message();
  if (files.size() == before && !optional) {
    return path + ": is empty; a corpus has at least a file";
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  double seconds = 0;
  bool optional = false;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    if (path == "--measure" && i + 1 < argc) {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (path == "--optional") {
      optional = true;
    } else if (std::string wrong = AddFiles(path, std::exchange(optional, false), files);
               !wrong.empty()) {
      return Complain(wrong);
    }
  }
  if (files.empty()) {
    return Complain("usage: replay_TARGET [--measure SECONDS] ([--optional] FILE-OR-FOLDER)...");
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, NameInput);
  }
  std::vector<std::string> inputs;
  for (const std::string& file : files) {
    absl::StatusOr<std::string> bytes = lockstep::ReadInputFile(file);
    if (!bytes.ok()) return Complain(std::string(bytes.status().message()));
    inputs.push_back(*std::move(bytes));
  }
  const auto replay = [&] {
    for (size_t i = 0; i < files.size(); ++i) {
      std::snprintf(running, sizeof(running), "replaying %s\n", files[i].c_str());
      // Of its very size, so that a sanitizer sees one byte read too far.
      const std::vector<uint8_t> bytes(inputs[i].begin(), inputs[i].end());
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
  };
  replay();
  std::printf("%zu inputs replayed\n", files.size());
  if (seconds > 0) {
    const std::clock_t start = std::clock();
    double used = 0;
    size_t executions = 0;
    for (; used < seconds; used = double(std::clock() - start) / CLOCKS_PER_SEC) {
      replay();
      executions += files.size();
    }
    std::printf("%.0f executions a second of processor time (%zu in %.1f s)\n",
                double(executions) / used, executions, used);
  }
  return lockstep::kExitPass;
}
