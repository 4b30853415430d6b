// Which room may include what. The table below is the architecture; a file that includes against an
// arrow is named.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace {

namespace fs = std::filesystem;

// Files whose path matches `files` may include, of what stands in quotes, only what matches
// `allowed`; and of anything at all, nothing that matches `forbidden`. Every rule that matches
// applies.
struct Rule {
  std::string files;
  std::string allowed;
  std::string forbidden = "-";
};

const std::vector<Rule> kRules = {
    {"core/lockstep/.*", "absl/.*|lockstep/.*", ".*nlohmann.*|.*zstd.*|.*CLI.*"},
    {"core/lockstep/types\\..*", "absl/.*"},
    {"core/lockstep/c_api\\.h", "-"},
    {"core/lockstep/geometry\\..*", ".*", "lockstep/(?!types|geometry|explained_status).*"},
    {"core/lockstep/ngram_key\\..*", ".*", "lockstep/(geometry|scope|token_cache|c_api).*"},
    {"core/lockstep/scope.*", ".*", "lockstep/(token_cache|c_api).*"},
    {"core/lockstep/(?!token_cache|c_api).*", ".*", "lockstep/(token_cache|c_api).*"},
    {"core/lockstep/(cache_plan|plan_fit|own_history)\\..*", ".*", "lockstep/(scope|ngram_key).*"},
    {"core/tests/.*", ".*", "(props|fuzz|bench|reports)/.*"},
    {"reports/.*", "absl/.*|nlohmann/.*|reports/.*|gtest/.*|gmock/.*|CLI/.*"},
    {"reports/[^/]*", ".*", "(gtest|gmock)/.*"},
    {"props/harness/.*", "absl/.*|nlohmann/.*|lockstep/.*|props/harness/.*|reports/.*",
     "(gtest|gmock|rapidcheck|benchmark)[./].*|.*[Ff]uzz.*"},
    {"props/designs/.*", "lockstep/c_api\\.h|[a-z_]+/[a-z_]+\\.h|[a-z_]+\\.h",
     "(absl|core|fuzz|bench|reports|corpus)/.*|lockstep/(?!c_api).*"},
    {"core/measuring/.*", "absl/.*|lockstep/.*|measuring/.*"},
    {"bench/.*", ".*", "(fuzz|rapidcheck)[./].*|props/(?!harness|designs|tests/run_program\\.h).*"},
    {"bench/(?!([a-z]+/)?tests/).*", ".*", "(gtest|gmock)[./].*|props/tests/.*"},
    {"fuzz/.*", ".*", "bench/.*|rapidcheck.*"},
    {"props/.*", ".*", "(fuzz|bench)/.*"},
};

// The models may share types and geometry with the core, also by way of what they include.
const std::vector<std::string> kModels = {
    "props/harness/exact_model.cc", "props/harness/sound_model.cc", "props/harness/sound_judge.cc"};
const std::string kNotForModels = "lockstep/(?!types\\.h|geometry\\.h|c_api\\.h).*";

bool Matches(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(pattern, std::regex::ECMAScript));
}

struct Include {
  std::string path;
  bool quoted = false;
};

std::vector<Include> IncludesIn(std::istream& source) {
  static const std::regex kInclude("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"].*");
  std::vector<Include> includes;
  std::smatch match;
  for (std::string line; std::getline(source, line);) {
    if (std::regex_match(line, match, kInclude)) includes.push_back({match[2], match[1] == "\""});
  }
  return includes;
}

// What is wrong with the includes of `path`, a line each.
std::vector<std::string> FaultsOf(const std::string& path, const std::vector<Include>& includes) {
  std::vector<std::string> faults;
  for (const Rule& rule : kRules) {
    if (!Matches(path, rule.files)) continue;
    for (const Include& include : includes) {
      if ((include.quoted && !Matches(include.path, rule.allowed)) ||
          Matches(include.path, rule.forbidden)) {
        faults.push_back(path + " includes " + include.path + ", against the rule for " +
                         rule.files);
      }
    }
  }
  return faults;
}

// Every source and header of the rooms, by its path from the root.
std::map<std::string, std::vector<Include>> AllIncludes() {
  std::map<std::string, std::vector<Include>> all;
  const fs::path root = LOCKSTEP_SOURCE_DIR;
  for (const char* room : {"core", "props", "fuzz", "bench", "reports"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".c") continue;
      std::ifstream source(entry.path());
      all[fs::relative(entry.path(), root).string()] = IncludesIn(source);
    }
  }
  return all;
}

// What a file includes of this project, directly or by way of others.
std::set<std::string> ReachableFrom(const std::string& path,
                                    const std::map<std::string, std::vector<Include>>& all) {
  std::set<std::string> reached;
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    const auto it = all.find(next.starts_with("lockstep/") ? "core/" + next : next);
    if (it == all.end()) continue;
    for (const Include& include : it->second) {
      if (include.quoted && reached.insert(include.path).second) open.push_back(include.path);
    }
  }
  return reached;
}

TEST(IncludeArrows, EveryFileIncludesAlongThem) {
  const std::map<std::string, std::vector<Include>> all = AllIncludes();
  EXPECT_GT(all.size(), 50u);
  for (const auto& [path, includes] : all) {
    for (const std::string& fault : FaultsOf(path, includes)) ADD_FAILURE() << fault;
  }
}

TEST(IncludeArrows, ModelsShareOnlyTypesAndGeometryWithTheCore) {
  const std::map<std::string, std::vector<Include>> all = AllIncludes();
  ASSERT_TRUE(all.contains(kModels[0]));
  for (const std::string& model : kModels) {
    for (const std::string& path : ReachableFrom(model, all)) {
      EXPECT_FALSE(Matches(path, kNotForModels)) << model << " reaches " << path;
    }
  }
}

TEST(IncludeArrows, IncludesAgainstThemAreSeen) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"core/lockstep/scope.cc", "#include \"reports/result.h\""},
      {"core/lockstep/scope.cc", "#include \"lockstep/token_cache.h\""},
      {"core/lockstep/geometry.cc", "#include \"lockstep/ngram_key.h\""},
      {"core/lockstep/scope.h", "#include <nlohmann/json.hpp>"},
      {"core/lockstep/c_api.h", "  #  include \"lockstep/types.h\""},
      {"reports/summary.cc", "#include \"lockstep/types.h\""},
      {"reports/summary.cc", "#include \"props/harness/judge.h\""},
      {"props/harness/judge.cc", "#include \"gtest/gtest.h\""},
      {"props/harness/judge.cc", "#include <rapidcheck.h>"},
      {"props/harness/judge.cc", "#include \"fuzz/target.h\""},
      {"props/harness/judge.cc", "#include <fuzzer/FuzzedDataProvider.h>"},
      {"props/designs/plain_exact/scope.cc", "#include \"lockstep/types.h\""},
      {"props/designs/plain_exact/scope.cc", "#include \"absl/status/status.h\""},
      {"props/invariants/i1.cc", "#include \"bench/workload.h\""},
      {"bench/replay.cc", "#include \"gtest/gtest.h\""},
      {"bench/tests/replay_test.cc", "#include \"fuzz/codec.h\""}};
  for (const auto& [path, line] : wrong) {
    std::istringstream source("// A file.\n" + line + "\n");
    EXPECT_EQ(FaultsOf(path, IncludesIn(source)).empty(), false) << path << ": " << line;
  }
  EXPECT_TRUE(Matches("lockstep/scope.h", kNotForModels));
  EXPECT_FALSE(Matches("lockstep/geometry.h", kNotForModels));
}

}  // namespace
