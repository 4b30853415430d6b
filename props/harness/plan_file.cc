#include "props/harness/plan_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/input_file.h"
#include "props/harness/json_document.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;

constexpr absl::string_view kDtypes = "u64, f32, u32, i32, f16, bf16, fp8 or u8";
constexpr std::array<absl::string_view, 8> kInputs = {
    "prefix_snapshot_slots", "ring",   "carry", "verify_table_rows",
    "capture_rows",          "lookup", "tree",  "drafts"};

// A value of the document and the pointer that leads to it.
struct Place {
  const Json* value;
  std::string pointer;
};

// Keeps the first fault; what is read after it does not count.
class PlanReader {
 public:
  explicit PlanReader(absl::string_view name) : name_(name) {}

  absl::StatusOr<PlanFile> Read(const Json& document) {
    PlanFile file;
    CachePlan& plan = file.plan;
    const Place root{&document, ""};
    if (!document.is_object()) Fail(root, "not an object; write {\"states\": [...], ...}");
    if (const auto states = Member(root, "states")) ReadStates(*states, plan.declarations);
    if (const auto formats = Member(root, "formats")) ReadFormats(*formats, plan.formats);
    if (const auto inputs = Member(root, "inputs")) ReadInputs(*inputs, file);
    if (const auto shared = Optional(root, "shared_cache")) {
      plan.shared_cache = {.budget_bytes = Number(*shared, "budget_bytes"),
                           .max_scopes = Number(*shared, "max_scopes"),
                           .key_len = Number(*shared, "key_len")};
      const absl::Status possible = SharedCacheTerm(*plan.shared_cache).status();
      if (!possible.ok()) Fail(*shared, possible.message());
    }
    if (!fault_.ok()) return fault_;
    return file;
  }

 private:
  void Fail(const Place& place, absl::string_view what) {
    if (!fault_.ok()) return;
    const absl::string_view pointer =
        place.pointer.empty() ? absl::string_view("the top") : absl::string_view(place.pointer);
    fault_ = absl::InvalidArgumentError(absl::StrCat(name_, ": at ", pointer, ": ", what));
  }

  // The member, or nothing when there is none or an earlier fault; null counts as none.
  std::optional<Place> Optional(const Place& object, absl::string_view member) {
    if (!fault_.ok()) return std::nullopt;
    if (!object.value->is_object()) {
      Fail(object, "not an object; write {...}");
      return std::nullopt;
    }
    const auto found = object.value->find(std::string(member));
    if (found == object.value->end() || found->is_null()) return std::nullopt;
    return Place{&*found, JsonPointerStep(object.pointer, member)};
  }

  std::optional<Place> Member(const Place& object, absl::string_view member) {
    std::optional<Place> place = Optional(object, member);
    if (!place.has_value()) {
      Fail({nullptr, JsonPointerStep(object.pointer, member)}, "missing; add it");
    }
    return place;
  }

  uint64_t Number(const Place& place) {
    const Json& value = *place.value;
    if (value.is_number_unsigned()) return value.get<uint64_t>();
    if (value.is_number_integer()) {
      Fail(place, "a negative number; write a whole number from 0 to 18446744073709551615");
    } else if (value.is_number_float()) {
      Fail(place, "fractional or too large; write a whole number from 0 to 18446744073709551615");
    } else {
      Fail(place, "not a number; write a whole number");
    }
    return 0;
  }

  uint64_t Number(const Place& object, absl::string_view member) {
    const auto place = Member(object, member);
    return place.has_value() ? Number(*place) : 0;
  }

  std::string Text(const Place& object, absl::string_view member) {
    const auto place = Member(object, member);
    if (!place.has_value()) return "";
    if (place->value->is_string()) return place->value->get<std::string>();
    Fail(*place, "not a string; write one");
    return "";
  }

  std::pair<uint64_t, uint64_t> Pair(const Place& place) {
    if (!place.value->is_array() || place.value->size() != 2) {
      Fail(place, "not an array of two numbers; write [a, b]");
      return {};
    }
    const uint64_t first = Number({&place.value->at(0), JsonPointerStep(place.pointer, "0")});
    return {first, Number({&place.value->at(1), JsonPointerStep(place.pointer, "1")})};
  }

  Format ReadFormat(const Place& state) {
    const std::string text = Text(state, "format");
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
      return FormatKey{text.substr(1, text.size() - 2)};
    }
    const std::optional<Dtype> dtype = DtypeNamed(text);
    if (!dtype.has_value()) {
      Fail({nullptr, JsonPointerStep(state.pointer, "format")},
           absl::StrCat("no format; write ", kDtypes, ", or the {key} of one in \"formats\""));
    }
    return dtype.value_or(Dtype::kU8);
  }

  CacheDeclaration ReadState(const Place& state) {
    CacheDeclaration declaration;
    declaration.id = Text(state, "id");
    const std::optional<CacheKind> kind = CacheKindNamed(Text(state, "kind"));
    if (!kind.has_value() || *kind == CacheKind::kSharedTokenCache) {
      Fail({nullptr, JsonPointerStep(state.pointer, "kind")},
           "no kind of state; see the kinds in core/lockstep/cache_plan.h");
    }
    declaration.kind = kind.value_or(CacheKind::kRecurrent);
    declaration.format = ReadFormat(state);
    declaration.elements = Number(state, "elements");
    return declaration;
  }

  void ReadStates(const Place& states, std::vector<CacheDeclaration>& declarations) {
    if (!states.value->is_array()) return Fail(states, "not an array; write [...]");
    for (const Json& state : *states.value) {
      const std::string index = absl::StrCat(declarations.size());
      declarations.push_back(ReadState({&state, JsonPointerStep(states.pointer, index)}));
    }
  }

  void ReadFormats(const Place& formats, FormatTable& table) {
    if (!formats.value->is_object()) return Fail(formats, "not an object; write {...}");
    for (const auto& [key, value] : formats.value->items()) {
      const std::optional<Dtype> dtype =
          value.is_string() ? DtypeNamed(value.get_ref<const std::string&>()) : std::nullopt;
      if (!dtype.has_value()) {
        return Fail({&value, JsonPointerStep(formats.pointer, key)},
                    absl::StrCat("no dtype; write ", kDtypes));
      }
      table.emplace(key, *dtype);
    }
  }

  void ReadInputs(const Place& place, PlanFile& file) {
    CacheInputs& inputs = file.plan.inputs;
    inputs.prefix_snapshot_slots = Number(place, "prefix_snapshot_slots");
    if (const auto ring = Member(place, "ring")) {
      std::tie(inputs.ring_slots, inputs.sequence_slots) = Pair(*ring);
    }
    if (const auto carry = Member(place, "carry")) {
      std::tie(inputs.carry_verify_slots, inputs.carry_table_rows) = Pair(*carry);
    }
    inputs.verify_table_rows = Number(place, "verify_table_rows");
    inputs.capture_rows = Number(place, "capture_rows");
    if (const auto lookup = Optional(place, "lookup")) {
      inputs.lookup = {.sequences = Number(*lookup, "sequences"),
                       .history_tokens = Number(*lookup, "history_tokens")};
    }
    if (const auto tree = Optional(place, "tree")) {
      const auto [slots, nodes] = Pair(*tree);
      inputs.tree = {.slots = slots, .nodes = nodes};
    }
    if (const auto drafts = Optional(place, "drafts")) {
      const auto [slots, positions] = Pair(*drafts);
      inputs.drafts = {.slots = slots, .positions = positions};
    }
    if (!fault_.ok()) return;
    for (const auto& [key, value] : place.value->items()) {
      if (std::find(kInputs.begin(), kInputs.end(), absl::string_view(key)) == kInputs.end()) {
        file.ignored_inputs.push_back(JsonPointerStep(place.pointer, key));
      }
    }
  }

  absl::string_view name_;
  absl::Status fault_;
};

}  // namespace

absl::StatusOr<PlanFile> ParsePlan(absl::string_view name, absl::string_view bytes) {
  if (bytes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ":1: an empty file; write a plan"));
  }
  const absl::StatusOr<Json> document = ParseJsonDocument(name, bytes);
  if (!document.ok()) return document.status();
  return PlanReader(name).Read(*document);
}

absl::StatusOr<PlanFile> ReadPlanFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadInputFile(path);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() > kMaxPlanFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is larger than ", kMaxPlanFileBytes >> 20, " MiB; is this a plan?"));
  }
  return ParsePlan(path, *bytes);
}

nlohmann::ordered_json TermsToJson(absl::Span<const CacheTerm> terms) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CacheTerm& term : terms) {
    list.push_back({{"state", term.state},
                    {"kind", Name(term.kind)},
                    {"dtype", Name(term.dtype)},
                    {"units", term.units},
                    {"bytes", term.bytes},
                    {"host", term.host}});
  }
  return {{"terms", std::move(list)}};
}

nlohmann::ordered_json PlanErrorToJson(const absl::Status& status) {
  const std::optional<PlanError> error = PlanErrorOf(status);
  if (!error.has_value()) {
    return {{"error", {{"invalid", std::string(status.message())}}}};
  }
  if (!error->missing_format_key.has_value()) {
    return {{"error", {{"overflow", error->state}}}};
  }
  return {{"error",
           {{"missing_format", {{"state", error->state}, {"key", *error->missing_format_key}}}}}};
}

}  // namespace lockstep
