#include "bench/gate/builds.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bench/gate/command.h"
#include "bench/workload.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::StatusOr<std::string> BuildLibrary(const std::string& source, const std::string& build) {
  // Paths in the code would differ between base and head, and keep ccache from finding anything.
  const std::string flags = absl::StrCat(
      "-falign-functions=64 -falign-loops=32 -ffile-prefix-map=", ShellQuoted(source), "=.");
  absl::StatusOr<std::string> said = RunCommand(
      {"env", "CCACHE_BASEDIR=" + source, "CCACHE_NOHASHDIR=1", "cmake", "-S", source, "-B", build,
       "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=gcc-12",
       "-DCMAKE_CXX_COMPILER=g++-12", "-DLOCKSTEP_HARNESS=OFF", "-DLOCKSTEP_MEASURABLE=ON",
       "-DCMAKE_CXX_FLAGS=" + flags});
  if (!said.ok()) return said.status();
  std::vector<std::string> compile = {"env",
                                      "CCACHE_BASEDIR=" + source,
                                      "CCACHE_NOHASHDIR=1",
                                      "cmake",
                                      "--build",
                                      build,
                                      "--target",
                                      "lockstep"};
  if (const char* jobs = std::getenv("LOCKSTEP_JOBS"); jobs != nullptr) {
    compile.insert(compile.end(), {"-j", jobs});
  }
  said = RunCommand(compile);
  if (!said.ok()) return said.status();
  std::error_code error;
  const fs::path library = fs::canonical(build + "/lib/liblockstep.so", error);
  if (error) return absl::UnavailableError(build + ": the build made no lib/liblockstep.so");
  return library.string();
}

absl::StatusOr<std::string> Relink(const std::string& build, int seed) {
  absl::StatusOr<std::string> commands =
      RunCommand({"ninja", "-C", build, "-t", "commands", "lockstep"});
  if (!commands.ok()) return commands.status();
  std::string link;
  for (const std::string& line : LinesOf(*commands)) {
    if (line.find(" -shared ") != std::string::npos) link = line;
  }
  std::vector<std::string> words;
  std::istringstream stream(link);
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<size_t> objects;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].ends_with(".o")) objects.push_back(i);
  }
  if (objects.empty()) return absl::UnavailableError(build + ": ninja shows no link command");
  Random random(static_cast<uint64_t>(seed));
  for (size_t i = objects.size(); i > 1; --i) {
    std::swap(words[objects[i - 1]], words[objects[random.Below(static_cast<uint32_t>(i))]]);
  }
  const std::string out = absl::StrCat(fs::absolute(build).string(), "/order", seed, ".so");
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "-o") words[i + 1] = out;
  }
  // The command is ": && g++ ... && :", for a shell.
  absl::StatusOr<std::string> said = RunCommand(
      {"sh", "-c", absl::StrCat("cd ", ShellQuoted(build), " && ", absl::StrJoin(words, " "))});
  if (!said.ok()) return said.status();
  return out;
}

}  // namespace lockstep::gate
