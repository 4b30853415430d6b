// Runs a program as a user does, for tests of what it prints and how it exits.

#ifndef LOCKSTEP_PROPS_TESTS_RUN_PROGRAM_H_
#define LOCKSTEP_PROPS_TESTS_RUN_PROGRAM_H_

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace lockstep {

// A folder of its own, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "lockstep_test_XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  std::string Write(const std::string& name, const std::string& contents) const {
    std::ofstream(*this / name, std::ios::binary) << contents;
    return *this / name;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  std::string path_;
};

struct ProgramEnd {
  int exit_code = -1;  // -1: it did not exit by itself
  std::string out;
  std::string err;
};

// Runs a command line of the shell in `folder`.
inline ProgramEnd RunIn(const TemporaryFolder& folder, const std::string& command) {
  const std::string line = "cd '" + (folder / "") + "' && (" + command + ") >.out 2>.err";
  const int status = std::system(line.c_str());
  ProgramEnd end;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  end.out = folder.Read(".out");
  end.err = folder.Read(".err");
  return end;
}

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_TESTS_RUN_PROGRAM_H_
