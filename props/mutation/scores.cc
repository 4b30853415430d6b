#include "props/mutation/scores.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reports/text.h"

namespace lockstep::mutation {
namespace {

using Json = nlohmann::ordered_json;

bool Caught(const Judged& j) { return j.outcome && !j.outcome->caught_by.empty(); }
bool Survived(const Judged& j) {
  return j.outcome && j.outcome->caught_by.empty() && j.listed_as.empty() && !j.same_code;
}

// Lines of a source file around a mutant, as a diff.
std::string Diff(const std::string& source, const Mutant& mutant) {
  std::ifstream in(source + "/" + mutant.file);
  std::string text, diff;
  const unsigned last = mutant.line + static_cast<unsigned>(std::count(
                                          mutant.original.begin(), mutant.original.end(), '\n'));
  unsigned offset = 0, number = 1;
  std::string before, changed;
  unsigned changed_at = 0;
  for (std::string line; std::getline(in, line); ++number) {
    if (number + 2 >= mutant.line && number < mutant.line) {
      absl::StrAppend(&before, "  ", line, "\n");
    } else if (number >= mutant.line && number <= last) {
      if (changed.empty()) changed_at = offset;
      absl::StrAppend(&changed, line, "\n");
    } else if (number > last && number <= last + 2) {
      absl::StrAppend(&text, "  ", line, "\n");
    }
    offset += static_cast<unsigned>(line.size()) + 1;
  }
  Mutant here = mutant;
  here.offset -= changed_at;
  if (here.offset + here.length > changed.size()) return before + text;
  const auto marked = [](const std::string& lines, const char* mark) {
    std::string out;
    for (size_t at = 0; at < lines.size();) {
      const size_t end = std::min(lines.find('\n', at), lines.size());
      absl::StrAppend(&out, mark, lines.substr(at, end - at), "\n");
      at = end + 1;
    }
    return out;
  };
  return absl::StrCat(before, marked(changed, "- "), marked(Apply(changed, here), "+ "), text);
}

template <typename Key>
Json Rows(const std::vector<Judged>& all, const Key& key) {
  std::map<std::string, std::vector<Judged>> groups;
  for (const Judged& j : all) groups[key(j)].push_back(j);
  Json rows = Json::array();
  for (const auto& [name, group] : groups) {
    const Scores s = ScoreOf(group, 0);
    rows.push_back({{"name", name},
                    {"mutants", s.all},
                    {"judged", s.judged},
                    {"caught", s.caught},
                    {"survived", s.survived},
                    {"same_code", s.same_code},
                    {"listed_equivalent", s.listed_equivalent},
                    {"listed_speed", s.listed_speed}});
  }
  return rows;
}

// For each check of verify: mutants that it found, and those that no other check found. Unit tests
// come first, so these are what they let through.
Json Checkers(const std::vector<Judged>& all) {
  std::map<std::string, std::pair<size_t, size_t>> counts;
  for (const Judged& j : all) {
    if (!Caught(j)) continue;
    if (j.outcome->caught_by == "unit tests") ++counts["unit tests"].first;
    for (const std::string& check : j.outcome->checks) {
      ++counts[check].first;
      if (j.outcome->checks.size() == 1) ++counts[check].second;
    }
  }
  Json rows = Json::array();
  for (const auto& [name, count] : counts) {
    Json row = {{"name", name}, {"caught", count.first}};
    if (name != "unit tests") row["alone"] = count.second;
    rows.push_back(row);
  }
  return rows;
}

std::string Table(const Json& rows) {
  if (rows.empty()) return "";
  std::string head = "|", rule = "|", body;
  for (const auto& [name, value] : rows.front().items()) {
    absl::StrAppend(&head, " ", name, " |");
    absl::StrAppend(&rule, value.is_number() ? "---:|" : "---|");
  }
  for (const Json& row : rows) {
    absl::StrAppend(&body, "|");
    for (const auto& [name, value] : rows.front().items()) {
      absl::StrAppend(&body, " ",
                      !row.contains(name)     ? ""
                      : row[name].is_string() ? EscapeMarkdown(row[name].get<std::string>())
                                              : row[name].dump(),
                      " |");
    }
    absl::StrAppend(&body, "\n");
  }
  return absl::StrCat(head, "\n", rule, "\n", body, "\n");
}

}  // namespace

Scores ScoreOf(const std::vector<Judged>& all, size_t not_compiling) {
  Scores s{.all = all.size(), .not_compiling = not_compiling};
  for (const Judged& j : all) {
    if (!j.outcome) continue;
    ++s.judged;
    s.caught += Caught(j);
    s.crashed += Caught(j) && j.outcome->how == "crashed";
    s.hung += Caught(j) && j.outcome->how == "hung";
    s.listed_and_caught += Caught(j) && !j.listed_as.empty();
    s.survived += Survived(j);
    if (Caught(j) || Survived(j)) continue;
    if (j.same_code) {
      ++s.same_code;
    } else {
      ++(j.listed_as == "speed" ? s.listed_speed : s.listed_equivalent);
    }
  }
  return s;
}

Json MutationSection(const std::string& source, const std::vector<Judged>& all, const Scores& s) {
  Json survivors = Json::array(), apart = Json::array(), stale = Json::array();
  for (const Judged& j : all) {
    if (Survived(j)) {
      survivors.push_back({{"key", j.key},
                           {"file", j.mutant.file},
                           {"line", j.mutant.line},
                           {"function", j.mutant.function},
                           {"kind", j.mutant.kind},
                           {"original", j.mutant.original},
                           {"replacement", j.mutant.replacement},
                           {"diff", Diff(source, j.mutant)}});
    }
    if (Caught(j) && j.outcome->how != "failed") {
      apart.push_back({{"key", j.key}, {"line", j.mutant.line}, {"how", j.outcome->how}});
    }
    if (Caught(j) && !j.listed_as.empty()) stale.push_back(j.key);
  }
  return {{"mutants", s.all},
          {"not_compiling", s.not_compiling},
          {"judged", s.judged},
          {"caught", s.caught},
          {"crashed", s.crashed},
          {"hung", s.hung},
          {"survived", s.survived},
          {"same_code", s.same_code},
          {"listed_equivalent", s.listed_equivalent},
          {"listed_speed", s.listed_speed},
          {"score", s.share()},
          {"files", Rows(all, [](const Judged& j) { return j.mutant.file; })},
          {"kinds", Rows(all, [](const Judged& j) { return j.mutant.kind; })},
          {"checkers", Checkers(all)},
          {"survivors", survivors},
          {"crashed_or_hung", apart},
          {"listed_and_caught", stale}};
}

std::string RenderMutation(const Json& m) {
  std::string text = absl::StrFormat(
      "%d of %d mutants judged: %d caught (%d by a crash, %d by hanging), %d survived; %d with "
      "the original's machine code, %d listed as equivalent, %d that only cost speed; %d did not "
      "compile. Score %.1f %%.\n\n",
      m["judged"].get<size_t>(), m["mutants"].get<size_t>(), m["caught"].get<size_t>(),
      m["crashed"].get<size_t>(), m["hung"].get<size_t>(), m["survived"].get<size_t>(),
      m["same_code"].get<size_t>(), m["listed_equivalent"].get<size_t>(),
      m["listed_speed"].get<size_t>(), m["not_compiling"].get<size_t>(),
      100 * m["score"].get<double>());
  absl::StrAppend(&text, Table(m["files"]), Table(m["kinds"]), Table(m["checkers"]));
  for (const Json& survivor : m["survivors"]) {
    absl::StrAppend(&text, "survivor: ", survivor["file"].get<std::string>(), ":",
                    survivor["line"].get<unsigned>(), " ",
                    PrintableLine(survivor["key"].get<std::string>()), "\n\n```diff\n",
                    survivor["diff"].get<std::string>(), "```\n\n");
  }
  for (const Json& key : m["listed_and_caught"]) {
    absl::StrAppend(&text, "listed in props/equivalent.txt, and caught: remove its line: ",
                    PrintableLine(key.get<std::string>()), "\n");
  }
  return text;
}

}  // namespace lockstep::mutation
