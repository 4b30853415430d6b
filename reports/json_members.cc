#include "reports/json_members.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "reports/json_count.h"
#include "reports/text.h"

namespace lockstep {

using Json = nlohmann::ordered_json;

bool IsRows(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_object(); });
}

const Json& Section(const Result& result, const char* key) {
  static const Json* const kNone = new Json(Json::array());
  const auto it = result.sections.find(key);
  return it == result.sections.end() ? *kNone : *it;
}

const Json& MemberOf(const Json& object, const char* key) {
  static const Json* const kNull = new Json();
  if (!object.is_object()) return *kNull;
  const auto it = object.find(key);
  return it == object.end() ? *kNull : *it;
}

std::string TextOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string TextOf(const Json& object, const char* key) {
  const Json& member = MemberOf(object, key);
  return member.is_null() ? "" : TextOf(member);
}

std::string CountTextOf(const Json& value) {
  const std::optional<uint64_t> count = CountOf(value);
  return count ? WithThousands(*count) : TextOf(value);
}

std::string CountTextOf(const Json& object, const char* key) {
  const Json& member = MemberOf(object, key);
  return member.is_null() ? "?" : CountTextOf(member);
}

std::string FindingOrigin(const Json& finding) {
  std::string origin = absl::StrCat("found by ", TextOf(finding, "found_by"));
  if (!TextOf(finding, "transcript").empty() && finding.contains("ops")) {
    absl::StrAppend(&origin, "; ", CountTextOf(finding, "ops"), " operations, ",
                    CountTextOf(finding, "tokens"), " tokens");
  }
  return origin;
}

std::vector<std::string> FindingCommands(const Result& result, const Json& finding) {
  const std::string transcript = TextOf(finding, "transcript");
  if (transcript.empty()) return {};
  std::string flags;
  if (!result.impl_path.empty()) absl::StrAppend(&flags, " --impl ", ShellWord(result.impl_path));
  if (result.level == "sound") absl::StrAppend(&flags, " --level sound");
  return {absl::StrCat("./lockstep verify", flags, " --transcript ", ShellWord(transcript)),
          absl::StrCat("./lockstep explain ", ShellWord(transcript), flags)};
}

}  // namespace lockstep
