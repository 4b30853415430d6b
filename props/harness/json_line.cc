#include "props/harness/json_line.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 4> kScopeFields = {"model", "tokenizer", "adapter",
                                                          "tenant"};

uint64_t& ScopeField(ScopeKey& scope, size_t index) {
  uint64_t* const fields[] = {&scope.model, &scope.tokenizer, &scope.adapter, &scope.tenant};
  return *fields[index];
}

const char* Wanted(const JsonTarget& target) {
  struct Visitor {
    const char* operator()(uint64_t*) { return "a whole number"; }
    const char* operator()(bool*) { return "true or false"; }
    const char* operator()(std::string*) { return "a string"; }
    const char* operator()(const TokenArray&) { return "an array of tokens"; }
    const char* operator()(const ScopeArray&) {
      return "an array of four numbers: model, tokenizer, adapter, tenant";
    }
    const char* operator()(const ScopeObject&) {
      return "an object of four numbers: model, tokenizer, adapter, tenant";
    }
  };
  return std::visit(Visitor{}, target);
}

// A name or a number out of the input, made fit for one line of a terminal.
std::string Excerpt(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string excerpt;
  for (const char c : text.substr(0, kMost)) excerpt += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kMost) excerpt += "...";
  return excerpt;
}

}  // namespace

// Receives the parser's events. Only shapes that some target has are followed, so depth is at most
// two and hostile nesting ends at its first bracket.
class JsonLine::Handler {
 public:
  using number_integer_t = Json::number_integer_t;

  explicit Handler(JsonLine& line) : line_(line) {}

  std::string error;

  bool null() { return Refuse("null"); }
  bool binary(Json::binary_t&) { return Refuse("binary"); }
  bool boolean(bool value) {
    bool** const target = depth_ == 1 ? Target<bool*>() : nullptr;
    if (target == nullptr) return Refuse(value ? "true" : "false");
    **target = value;
    return true;
  }
  bool number_unsigned(uint64_t value) {
    if (tokens_ != nullptr && value <= largest_) {
      tokens_->push_back(static_cast<Token>(value));
      return true;
    }
    return Number(value);
  }
  bool number_integer(int64_t value) {
    return Fail(Where(), " is ", value, "; write a whole number that is not negative");
  }
  bool number_float(double, const std::string& text) {
    if (text.find_first_of(".eE") != std::string::npos) {
      return Fail(Where(), " is ", Excerpt(text), "; write it as a whole number, digits only");
    }
    return Fail(Where(), " is ", Excerpt(text),
                "; no number here may be above 18446744073709551615");
  }
  bool string(std::string& value) {
    std::string** const target = depth_ == 1 ? Target<std::string*>() : nullptr;
    if (target == nullptr) return Refuse("a string");
    (*target)->swap(value);
    return true;
  }
  bool start_object(size_t) {
    if (depth_ == 0) return ++depth_, true;
    ScopeObject* const target = depth_ == 1 ? Target<ScopeObject>() : nullptr;
    if (target == nullptr) return Refuse("an object");
    return StartScope(target->scope);
  }
  bool start_array(size_t) {
    if (depth_ == 1) {
      if (const TokenArray* target = Target<TokenArray>()) {
        tokens_ = target->tokens;
        largest_ = target->largest;
        tokens_->clear();
        return ++depth_, true;
      }
      if (const ScopeArray* target = Target<ScopeArray>()) return StartScope(target->scope);
    }
    return Refuse("an array");
  }
  bool key(std::string& name);
  bool end_object() {
    --depth_;
    if (depth_ == 0) return true;
    for (size_t i = 0; i < 4; ++i) {
      if (!scope_seen_[i]) {
        return Fail("\"", name(), "\" lacks \"", kScopeFields[i], "\"; give all four numbers");
      }
    }
    scope_ = nullptr;
    return true;
  }
  bool end_array() {
    --depth_;
    if (scope_ != nullptr && scope_index_ != 4) {
      return Fail("\"", name(), "\" has ", scope_index_, " numbers; give ",
                  Wanted(line_.members_[member_].target));
    }
    scope_ = nullptr;
    tokens_ = nullptr;
    return true;
  }
  bool parse_error(size_t position, const std::string&, const Json::exception& exception) {
    // A number beyond a double's range arrives here, and so is no number at all in the message.
    return Fail("not JSON at byte ", position, " of the line (",
                exception.id == 406 ? "a number out of range" : "cut short or damaged",
                "); write one complete JSON object a line");
  }

 private:
  template <typename T>
  T* Target() {
    return std::get_if<T>(&line_.members_[member_].target);
  }
  std::string_view name() const { return line_.members_[member_].name; }

  template <typename... Parts>
  bool Fail(const Parts&... parts) {
    error.clear();
    (error.append(Text(parts)), ...);
    return false;
  }
  static std::string Text(std::string_view text) { return std::string(text); }
  template <typename T>
    requires std::is_integral_v<T>
  static std::string Text(T value) {
    return std::to_string(value);
  }

  bool Refuse(std::string_view got) {
    if (depth_ == 0) return Fail("the line is ", got, "; write one JSON object a line");
    if (depth_ == 1) {
      return Fail("\"", name(), "\" is ", got, "; write ", Wanted(line_.members_[member_].target));
    }
    return Fail(Where(), " is ", got, "; write a whole number");
  }

  // The number that is being read, as a reader would point at it.
  std::string Where() const {
    if (depth_ == 0) return "the line";
    std::string where = absl::StrCat("\"", std::string(name()), "\"");
    if (tokens_ != nullptr) absl::StrAppend(&where, "[", tokens_->size(), "]");
    if (scope_ != nullptr && in_object_) {
      absl::StrAppend(&where, ".", std::string(kScopeFields[scope_index_]));
    } else if (scope_ != nullptr) {
      absl::StrAppend(&where, "[", scope_index_, "]");
    }
    return where;
  }

  bool Number(uint64_t value) {
    if (depth_ == 0) return Refuse("a number");
    if (tokens_ != nullptr) {
      return Fail(Where(), " is ", value, "; a token here is at most ", largest_);
    }
    if (scope_ != nullptr) {
      if (!in_object_ && scope_index_ == 4) {
        return Fail("\"", name(), "\" has more than four numbers; give ",
                    Wanted(line_.members_[member_].target));
      }
      ScopeField(*scope_, scope_index_) = value;
      if (!in_object_) ++scope_index_;
      return true;
    }
    uint64_t** const target = Target<uint64_t*>();
    if (target == nullptr) return Refuse("a number");
    **target = value;
    return true;
  }

  bool StartScope(ScopeKey* scope) {
    scope_ = scope;
    scope_index_ = 0;
    scope_seen_ = {};
    in_object_ = std::holds_alternative<ScopeObject>(line_.members_[member_].target);
    return ++depth_, true;
  }

  JsonLine& line_;
  int depth_ = 0;  // 1 in the line's object, 2 in an array or object in it
  size_t member_ = 0;
  std::vector<Token>* tokens_ = nullptr;  // not null in an array of tokens
  Token largest_ = 0;
  ScopeKey* scope_ = nullptr;  // not null in a scope
  bool in_object_ = false;     // the scope is an object
  size_t scope_index_ = 0;
  std::array<bool, 4> scope_seen_ = {};
};

bool JsonLine::Handler::key(std::string& name) {
  if (depth_ == 2) {
    const auto* const field = std::find(kScopeFields.begin(), kScopeFields.end(), name);
    scope_index_ = static_cast<size_t>(field - kScopeFields.begin());
    if (field == kScopeFields.end()) {
      return Fail("unknown member \"", Excerpt(name), "\" in \"", this->name(), "\"; remove it");
    }
    if (std::exchange(scope_seen_[scope_index_], true)) {
      return Fail("\"", this->name(), "\" gives \"", name, "\" twice; give it once");
    }
    return true;
  }
  const auto found = std::find_if(line_.members_.begin(), line_.members_.end(),
                                  [&](const Member& m) { return m.name == name; });
  if (found == line_.members_.end()) {
    return Fail("unknown member \"", Excerpt(name), "\"; remove it or correct its name");
  }
  member_ = static_cast<size_t>(found - line_.members_.begin());
  if (line_.seen_[member_]) return Fail("\"", name, "\" is given twice; give it once");
  line_.seen_[member_] = true;
  return true;
}

JsonLine::JsonLine(std::vector<Member> members)
    : members_(std::move(members)), seen_(members_.size()) {}

std::optional<std::string> JsonLine::Parse(std::string_view line) {
  seen_.assign(members_.size(), false);
  Handler handler(*this);
  const bool parsed = Json::sax_parse(line.data(), line.data() + line.size(), &handler);
  if (parsed) return std::nullopt;
  return handler.error;
}

bool JsonLine::has(std::string_view name) const {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].name == name) return seen_[i];
  }
  return false;
}

std::optional<std::string> JsonLine::Missing(const std::vector<std::string_view>& names) const {
  for (const std::string_view name : names) {
    if (!has(name)) return absl::StrCat("\"", std::string(name), "\" is missing; add it");
  }
  return std::nullopt;
}

std::string AtLine(const std::string& name, uint64_t line, std::string_view what) {
  return absl::StrCat(name, ":", line, ": ", std::string(what));
}

}  // namespace lockstep
