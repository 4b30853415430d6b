#include "props/harness/json_document.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;

// Follows the parser and remembers the first member that an object has twice: the parser itself
// would silently keep the last.
class DuplicateFinder {
 public:
  void Observe(Json::parse_event_t event, const Json& parsed) {
    if (!pointer_.empty()) return;
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        levels_.push_back({.is_array = event == Json::parse_event_t::array_start});
        break;
      case Json::parse_event_t::key:
        levels_.back().key = parsed.get_ref<const std::string&>();
        if (!levels_.back().keys.insert(levels_.back().key).second) pointer_ = Pointer();
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        levels_.pop_back();
        NextElement();
        break;
      case Json::parse_event_t::value:
        NextElement();
        break;
    }
  }

  // Of the first member given twice; empty when there is none.
  const std::string& pointer() const { return pointer_; }

 private:
  struct Level {
    bool is_array = false;
    size_t index = 0;  // of an array's next element
    std::string key = {};
    std::set<std::string> keys = {};
  };

  void NextElement() {
    if (!levels_.empty() && levels_.back().is_array) ++levels_.back().index;
  }

  std::string Pointer() const {
    std::string pointer;
    for (const Level& level : levels_) {
      pointer = JsonPointerStep(pointer, level.is_array ? absl::StrCat(level.index) : level.key);
    }
    return pointer;
  }

  std::vector<Level> levels_;
  std::string pointer_;
};

size_t LineOf(absl::string_view bytes, size_t position) {
  const auto end = bytes.begin() + static_cast<ptrdiff_t>(std::min(position, bytes.size()));
  return 1 + static_cast<size_t>(std::count(bytes.begin(), end, '\n'));
}

}  // namespace

std::string JsonPointerStep(absl::string_view pointer, absl::string_view token) {
  constexpr size_t kMost = 40;
  std::string step = absl::StrCat(pointer, "/");
  for (const char c : token.substr(0, kMost)) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  if (token.size() > kMost) step += "...";
  return step;
}

absl::StatusOr<Json> ParseJsonDocument(absl::string_view name, absl::string_view bytes) try {
  DuplicateFinder duplicates;
  Json document =
      Json::parse(bytes.begin(), bytes.end(), [&](int, Json::parse_event_t event, Json& parsed) {
        duplicates.Observe(event, parsed);
        return true;
      });
  if (duplicates.pointer().empty()) return document;
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": at ", duplicates.pointer(), ": given twice; give it once"));
} catch (const Json::parse_error& error) {
  // `byte` is the one after the last that was read, a line's end included.
  const size_t position = error.byte == 0 ? 0 : error.byte - 1;
  const bool ended = position >= bytes.size();
  return absl::InvalidArgumentError(absl::StrCat(
      name, ":", LineOf(bytes, position), ": not JSON at byte ", position, " (",
      ended ? "the file ends too soon" : "damaged or mistyped", "); correct it there"));
} catch (const Json::out_of_range&) {
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ":1: a number is beyond any range; no number may be above "
                   "18446744073709551615"));
}

}  // namespace lockstep
