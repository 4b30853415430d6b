#include "lockstep/cache_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "lockstep/geometry.h"

namespace lockstep {
namespace {

constexpr absl::string_view kStatePayload = "lockstep/plan/state";
constexpr absl::string_view kMissingKeyPayload = "lockstep/plan/missing_format_key";

constexpr std::array<const char*, 13> kKindNames = {
    "recurrent",         "paged_kv",        "prefix_snapshot", "ring_snapshot",
    "carry_stash",       "carry_table",     "verify_table",    "accept_stash",
    "hidden_capture",    "token_tree_mask", "draft_tokens",    "prompt_lookup_index",
    "shared_token_cache"};

struct DtypeRow {
  const char* name;
  uint64_t bytes;
};
constexpr std::array<DtypeRow, 8> kDtypes = {{{"u64", 8},
                                              {"f32", 4},
                                              {"u32", 4},
                                              {"i32", 4},
                                              {"f16", 2},
                                              {"bf16", 2},
                                              {"fp8", 1},
                                              {"u8", 1}}};

// A number that may have outgrown 64 bits; once it has, so has all that is made of it.
class Checked {
 public:
  constexpr Checked(uint64_t value) : value_(value) {}  // NOLINT: numbers convert

  friend Checked operator*(Checked a, Checked b) {
    Checked product = a;
    const bool wrapped = __builtin_mul_overflow(a.value_, b.value_, &product.value_);
    product.overflowed_ = wrapped || a.overflowed_ || b.overflowed_;
    return product;
  }
  friend Checked operator+(Checked a, uint64_t b) {
    Checked sum = a;
    const bool wrapped = __builtin_add_overflow(a.value_, b, &sum.value_);
    sum.overflowed_ = wrapped || a.overflowed_;
    return sum;
  }

  absl::StatusOr<uint64_t> Get(absl::string_view what) const {
    if (!overflowed_) return value_;
    return absl::OutOfRangeError(absl::StrCat(what, " do not fit 64 bits"));
  }

 private:
  uint64_t value_;
  bool overflowed_ = false;
};

absl::Status InState(const absl::Status& status, const std::string& state) {
  absl::Status named(status.code(), absl::StrCat("state \"", state, "\": ", status.message()));
  named.SetPayload(kStatePayload, absl::Cord(state));
  return named;
}

absl::StatusOr<Dtype> Resolve(const Format& format, const FormatTable& formats) {
  if (const Dtype* dtype = std::get_if<Dtype>(&format)) return *dtype;
  const std::string& key = std::get<FormatKey>(format).name;
  if (const auto it = formats.find(key); it != formats.end()) return it->second;
  return absl::NotFoundError(absl::StrCat("formats has no \"", key, "\": add it"));
}

absl::Status MissingFormat(const absl::Status& status, const CacheDeclaration& declaration) {
  absl::Status named = InState(status, declaration.id);
  named.SetPayload(kMissingKeyPayload, absl::Cord(std::get<FormatKey>(declaration.format).name));
  return named;
}

absl::StatusOr<uint64_t> LookupIndexBytes(uint64_t entry_bytes, const CacheInputs& inputs,
                                          const PlanOptions& options) {
  if (!inputs.lookup.has_value()) return 0;
  const absl::StatusOr<uint64_t> table =
      HashTableBytes(inputs.lookup->history_tokens, entry_bytes, options.group_width);
  if (!table.ok()) return table.status();
  return (Checked(inputs.lookup->sequences) * *table).Get("bytes of all its lookup tables");
}

// What follows the format: the unit's bytes, the units, the bytes.
absl::Status Measure(const CacheDeclaration& declaration, const CacheInputs& inputs,
                     const PlanOptions& options, CacheTerm& term) {
  const absl::StatusOr<uint64_t> unit_bytes =
      (Checked(declaration.elements) * DtypeBytes(term.dtype)).Get("bytes of one unit");
  if (!unit_bytes.ok()) return unit_bytes.status();
  const absl::StatusOr<uint64_t> units = UnitsOf(declaration.kind, inputs);
  if (!units.ok()) return units.status();
  const absl::StatusOr<uint64_t> bytes = declaration.kind == CacheKind::kPromptLookupIndex
                                             ? LookupIndexBytes(*unit_bytes, inputs, options)
                                             : (Checked(*units) * *unit_bytes).Get("bytes");
  if (!bytes.ok()) return bytes.status();
  term.units = *units;
  term.bytes = *bytes;
  return absl::OkStatus();
}

absl::uint128 SumBytes(absl::Span<const CacheTerm> terms, bool host) {
  absl::uint128 sum = 0;
  for (const CacheTerm& term : terms) {
    if (term.host == host) sum += term.bytes;
  }
  return sum;
}

}  // namespace

const char* Name(CacheKind kind) { return kKindNames[static_cast<size_t>(kind)]; }
const char* Name(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].name; }
uint64_t DtypeBytes(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].bytes; }

std::optional<CacheKind> CacheKindNamed(absl::string_view name) {
  const auto it = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (it == kKindNames.end()) return std::nullopt;
  return static_cast<CacheKind>(it - kKindNames.begin());
}

std::optional<Dtype> DtypeNamed(absl::string_view name) {
  const auto it = std::find_if(kDtypes.begin(), kDtypes.end(),
                               [name](const auto& dtype) { return dtype.name == name; });
  if (it == kDtypes.end()) return std::nullopt;
  return static_cast<Dtype>(it - kDtypes.begin());
}

bool IsCache(CacheKind kind) {
  return kind != CacheKind::kRecurrent && kind != CacheKind::kPagedKv;
}

bool InHostMemory(CacheKind kind) {
  return kind == CacheKind::kPromptLookupIndex || kind == CacheKind::kSharedTokenCache;
}

absl::StatusOr<uint64_t> UnitsOf(CacheKind kind, const CacheInputs& inputs) {
  constexpr absl::string_view kUnits = "units";
  switch (kind) {
    case CacheKind::kRecurrent:
    case CacheKind::kPagedKv:
    case CacheKind::kSharedTokenCache:
      return 0;
    case CacheKind::kPrefixSnapshot:
      return inputs.prefix_snapshot_slots;
    case CacheKind::kRingSnapshot:
      return (Checked(inputs.ring_slots) * inputs.sequence_slots).Get(kUnits);
    case CacheKind::kCarryStash:
      return inputs.carry_verify_slots;
    case CacheKind::kCarryTable:
      return inputs.carry_table_rows;
    case CacheKind::kVerifyTable:
    case CacheKind::kAcceptStash:
      return inputs.verify_table_rows;
    case CacheKind::kHiddenCapture:
      return inputs.capture_rows;
    case CacheKind::kTokenTreeMask:
      if (!inputs.tree.has_value()) return 0;
      return (Checked(inputs.tree->slots) * inputs.tree->nodes * inputs.tree->nodes).Get(kUnits);
    case CacheKind::kDraftTokens:
      if (!inputs.drafts.has_value()) return 0;
      return (Checked(inputs.drafts->slots) * inputs.drafts->positions).Get(kUnits);
    case CacheKind::kPromptLookupIndex:
      if (!inputs.lookup.has_value()) return 0;
      return (Checked(inputs.lookup->sequences) * inputs.lookup->history_tokens).Get(kUnits);
  }
  return absl::InvalidArgumentError("no such kind of cache");
}

absl::StatusOr<uint64_t> HashTableBytes(uint64_t entries, uint64_t entry_bytes,
                                        uint64_t group_width) {
  if (entries == 0) return 0;
  // At most seven in eight buckets are ever full.
  const absl::StatusOr<uint64_t> eightfold = (Checked(entries) * 8).Get("buckets of a table");
  if (!eightfold.ok()) return eightfold.status();
  // 2^64 / 7 is below 2^63, so the next power of two exists.
  const uint64_t buckets = entries < 4 ? 4 : std::max(uint64_t{8}, std::bit_ceil(*eightfold / 7));
  return (Checked(buckets) * (Checked(entry_bytes) + 1) + group_width).Get("bytes of a table");
}

absl::StatusOr<std::vector<CacheTerm>> PlanCaches(absl::Span<const CacheDeclaration> declarations,
                                                  const FormatTable& formats,
                                                  const CacheInputs& inputs,
                                                  const PlanOptions& options) {
  std::vector<CacheTerm> terms;
  for (const CacheDeclaration& declaration : declarations) {
    if (!IsCache(declaration.kind)) continue;
    const absl::StatusOr<Dtype> dtype = Resolve(declaration.format, formats);
    if (!dtype.ok()) return MissingFormat(dtype.status(), declaration);
    CacheTerm term{.state = declaration.id,
                   .kind = declaration.kind,
                   .dtype = *dtype,
                   .host = InHostMemory(declaration.kind)};
    const absl::Status measured = Measure(declaration, inputs, options, term);
    if (!measured.ok()) return InState(measured, declaration.id);
    terms.push_back(std::move(term));
  }
  return terms;
}

absl::StatusOr<CacheTerm> SharedCacheTerm(const CacheConfig& config) {
  const absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry(config);
  if (!geometry.ok()) return geometry.status();
  // A product that is at most budget_bytes.
  return CacheTerm{.state = Name(CacheKind::kSharedTokenCache),
                   .kind = CacheKind::kSharedTokenCache,
                   .dtype = Dtype::kU8,
                   .units = config.max_scopes,
                   .bytes = config.max_scopes * geometry->scope_bytes,
                   .host = InHostMemory(CacheKind::kSharedTokenCache)};
}

absl::uint128 HostBytes(absl::Span<const CacheTerm> terms) { return SumBytes(terms, true); }
absl::uint128 DeviceBytes(absl::Span<const CacheTerm> terms) { return SumBytes(terms, false); }

std::optional<PlanError> PlanErrorOf(const absl::Status& status) {
  const absl::optional<absl::Cord> state = status.GetPayload(kStatePayload);
  if (!state.has_value()) return std::nullopt;
  PlanError error{.state = std::string(*state)};
  if (const absl::optional<absl::Cord> key = status.GetPayload(kMissingKeyPayload)) {
    error.missing_format_key = std::string(*key);
  }
  return error;
}

}  // namespace lockstep
