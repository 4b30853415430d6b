#include "props/mutation/tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "props/mutation/process.h"
#include "reports/file_hash.h"
#include "reports/result.h"

namespace lockstep::mutation {
namespace {

namespace fs = std::filesystem;

constexpr int kMostPasses = 12;
constexpr absl::Duration kBuildLimit = absl::Minutes(40);

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

absl::Status Run(const Tree& tree, const std::vector<std::string>& argv, const std::string& dir,
                 const std::string& log_name) {
  const std::string log = absl::StrCat(tree.dir, "/", log_name);
  const Ended ended = RunProgram(argv, dir, log, {}, kBuildLimit);
  if (ended.exit_code == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(argv[0], " failed: see ", log));
}

struct Listed {
  std::vector<Mutant> mutants;
  std::map<std::pair<std::string, unsigned>, unsigned> id_by_line;  // of the planted file
};

Listed ReadMutants(const std::string& path) {
  Listed listed;
  for (const auto& m : nlohmann::json::parse(ReadAll(path))) {
    Mutant mutant{.id = m.at("id"),
                  .file = m.at("file"),
                  .function = m.at("function"),
                  .kind = m.at("kind"),
                  .original = m.at("original"),
                  .replacement = m.at("replacement"),
                  .line = m.at("line"),
                  .offset = m.at("offset"),
                  .length = m.at("length")};
    for (const unsigned line : m.at("planted_lines")) {
      listed.id_by_line[{mutant.file, line}] = mutant.id;
    }
    listed.mutants.push_back(std::move(mutant));
  }
  return listed;
}

// Every file of the project, the planted ones in place of their originals. What has not changed is
// not written, so that it is not built again.
absl::Status CopyTree(const Tree& tree) {
  const std::string list = tree.dir + "/files.log";
  if (RunProgram({"git", "ls-files", "-co", "--exclude-standard"}, tree.source, list, {},
                 absl::Minutes(1))
          .exit_code != 0) {
    return absl::InternalError(absl::StrCat(tree.source, ": git ls-files failed: see ", list));
  }
  std::error_code error;
  for (const absl::string_view name : absl::StrSplit(ReadAll(list), '\n', absl::SkipEmpty())) {
    const fs::path relative = std::string(name);
    const fs::path planted = fs::path(tree.dir) / "planted" / relative;
    const fs::path from = fs::exists(planted) ? planted : fs::path(tree.source) / relative;
    const fs::path to = fs::path(tree.root()) / relative;
    if (!fs::is_regular_file(from) || (fs::exists(to) && ReadAll(from) == ReadAll(to))) continue;
    fs::create_directories(to.parent_path(), error);
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    if (error) return absl::InternalError(absl::StrCat(to.string(), ": ", error.message()));
  }
  return absl::OkStatus();
}

// The mutants in whose text the compiler found errors. An error between two texts is of the one
// before it.
std::set<unsigned> Broken(const std::string& log, const Listed& listed) {
  static const std::regex error(
      R"((core/lockstep/[a-z0-9_]+\.(?:cc|h)):(\d+):\d+: +(?:error:|required from))");
  std::set<unsigned> broken;
  for (std::sregex_iterator at(log.begin(), log.end(), error), end; at != end; ++at) {
    const std::pair<std::string, unsigned> place = {
        (*at)[1].str(), static_cast<unsigned>(std::stoul((*at)[2].str()))};
    auto after = listed.id_by_line.upper_bound(place);
    if (after == listed.id_by_line.begin()) continue;
    --after;
    if (after->first.first == place.first) broken.insert(after->second);
  }
  return broken;
}

// Plants all but `drop` and builds the core; the mutants that it fails for are added to `drop`.
absl::StatusOr<Listed> PlantOnce(const Tree& tree, std::set<unsigned>& drop, bool& built) {
  std::string ids;
  for (const unsigned id : drop) absl::StrAppend(&ids, id, "\n");
  if (absl::Status s = WriteFileAtomically(tree.dir + "/drop", ids); !s.ok()) return s;
  const std::string planted = tree.dir + "/planted";
  absl::Status status =
      Run(tree, {tree.planter, tree.source, planted, tree.dir + "/drop"}, ".", "plant.log");
  if (!status.ok()) return status;
  if (status = CopyTree(tree); !status.ok()) return status;
  status = Run(tree, {"cmake", "--preset", "release", "-DCMAKE_CXX_FLAGS=-w"}, tree.root(),
               "configure.log");
  if (!status.ok()) return status;
  Listed listed = ReadMutants(planted + "/mutants.json");
  status = Run(
      tree,
      {"ninja", "-C", "build/release", "-k", "0", "-j", absl::StrCat(tree.jobs), "lockstep_core"},
      tree.root(), "build.log");
  built = status.ok();
  if (built) return listed;
  const std::set<unsigned> broken = Broken(ReadAll(tree.dir + "/build.log"), listed);
  const size_t before = drop.size();
  drop.insert(broken.begin(), broken.end());
  if (drop.size() == before) return status;  // it fails for another reason
  return listed;
}

// What a mutant is judged by: with another core, test or harness it has to be judged anew.
absl::StatusOr<std::string> Fingerprint(const Tree& tree) {
  std::string all;
  for (const char* name : {"core_test", "allocation_test", "planned_memory_test", "harness_test",
                           "properties_test", "lockstep-verify"}) {
    const auto hash = Sha256OfFile(tree.program(name));
    if (!hash.ok()) return hash.status();
    absl::StrAppend(&all, *hash, "\n");
  }
  const std::string path = tree.dir + "/judges";
  if (absl::Status s = WriteFileAtomically(path, all); !s.ok()) return s;
  return Sha256OfFile(path);
}

}  // namespace

absl::StatusOr<PlantedMutants> PrepareTree(const Tree& tree,
                                           absl::FunctionRef<void(const std::string&)> say) {
  std::error_code error;
  fs::create_directories(tree.root(), error);
  if (error) return absl::InternalError(absl::StrCat(tree.root(), ": ", error.message()));
  std::set<unsigned> drop;
  bool built = false;
  std::optional<Listed> listed;
  for (int pass = 1; !built; ++pass) {
    say(absl::StrCat("planting, pass ", pass, ", ", drop.size(), " left out"));
    if (pass > kMostPasses) {
      return absl::InternalError(
          absl::StrCat("the mutants do not compile: see ", tree.dir, "/build.log"));
    }
    auto once = PlantOnce(tree, drop, built);
    if (!once.ok()) return once.status();
    listed = *std::move(once);
  }
  say("building the tests and verify");
  absl::Status status = Run(tree,
                            {"ninja", "-C", "build/release", "-j", absl::StrCat(tree.jobs),
                             "core_test", "allocation_test", "planned_memory_test", "harness_test",
                             "properties_test", "lockstep_verify"},
                            tree.root(), "build.log");
  if (!status.ok()) return status;
  PlantedMutants planted{.mutants = {}, .not_compiling = drop.size(), .fingerprint = {}};
  for (Mutant& m : listed->mutants) {
    if (drop.count(m.id) == 0) planted.mutants.push_back(std::move(m));
  }
  auto fingerprint = Fingerprint(tree);
  if (!fingerprint.ok()) return fingerprint.status();
  planted.fingerprint = *fingerprint;
  return planted;
}

}  // namespace lockstep::mutation
