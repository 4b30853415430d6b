// Runs files through a fuzz target, with any compiler: replay_TARGET FILE-OR-FOLDER...
//
// Exits with 0 when every input ran, and with 2 when a folder is empty or cannot be read. What an
// input breaks ends the program, after a line that names its file.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
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

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  const std::vector<std::string> paths(argv + 1, argv + argc);
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
    if (error) return Complain(path + ": cannot be read: " + error.message());
    if (files.size() == before) return Complain(path + ": is empty; a corpus has at least a file");
  }
  if (files.empty()) return Complain("usage: replay_TARGET FILE-OR-FOLDER...");
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, NameInput);
  }
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> bytes = lockstep::ReadInputFile(file);
    if (!bytes.ok()) return Complain(std::string(bytes.status().message()));
    std::snprintf(running, sizeof(running), "replaying %s\n", file.c_str());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
  }
  std::printf("%zu inputs replayed\n", files.size());
  return lockstep::kExitPass;
}
