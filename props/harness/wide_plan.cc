#include "props/harness/wide_plan.h"

#include <array>
#include <cstdint>
#include <limits>
#include <variant>

#include "absl/numeric/int128.h"
#include "props/harness/plan_file.h"

namespace lockstep {
namespace {

using Wide = absl::uint128;

// One term in 128 bits, written down from the contract's table; `fits` is false when a step
// leaves 64.
class WideTerm {
 public:
  WideTerm(const CacheDeclaration& declaration, uint64_t dtype_bytes, const CacheInputs& in) {
    const Wide unit = Keep(Wide(declaration.elements) * dtype_bytes);
    units = Keep(Units(declaration.kind, in));
    if (declaration.kind != CacheKind::kPromptLookupIndex) {
      bytes = Keep(units * unit);
    } else if (in.lookup.has_value()) {
      bytes = Keep(Table(in.lookup->history_tokens, unit) * in.lookup->sequences);
    }
  }

  Wide units = 0;
  Wide bytes = 0;
  bool fits = true;

 private:
  Wide Keep(Wide value) {
    if (value <= std::numeric_limits<uint64_t>::max()) return value;
    fits = false;
    return 0;
  }

  Wide Units(CacheKind kind, const CacheInputs& in) {
    switch (kind) {
      case CacheKind::kPrefixSnapshot:
        return in.prefix_snapshot_slots;
      case CacheKind::kRingSnapshot:
        return Wide(in.ring_slots) * in.sequence_slots;
      case CacheKind::kCarryStash:
        return in.carry_verify_slots;
      case CacheKind::kCarryTable:
        return in.carry_table_rows;
      case CacheKind::kVerifyTable:
      case CacheKind::kAcceptStash:
        return in.verify_table_rows;
      case CacheKind::kHiddenCapture:
        return in.capture_rows;
      case CacheKind::kTokenTreeMask:
        return in.tree ? Keep(Wide(in.tree->slots) * in.tree->nodes) * in.tree->nodes : 0;
      case CacheKind::kDraftTokens:
        return in.drafts ? Wide(in.drafts->slots) * in.drafts->positions : 0;
      case CacheKind::kPromptLookupIndex:
        return in.lookup ? Wide(in.lookup->sequences) * in.lookup->history_tokens : 0;
      default:
        return 0;
    }
  }

  Wide Table(Wide entries, Wide entry_bytes) {
    if (entries == 0) return 0;
    Wide buckets = 4;
    if (entries >= 4) buckets = 8;
    if (entries >= 8) {
      const Wide least = Keep(entries * 8) / 7;
      while (buckets < least) buckets *= 2;
    }
    return Keep(Keep(buckets * Keep(entry_bytes + 1)) + 16);
  }
};

}  // namespace

nlohmann::ordered_json WidePlan(const std::vector<CacheDeclaration>& declarations,
                                const FormatTable& formats, const CacheInputs& inputs) {
  constexpr std::array<uint64_t, 8> kDtypeBytes = {8, 4, 4, 4, 2, 2, 1, 1};
  std::vector<CacheTerm> terms;
  for (const CacheDeclaration& declaration : declarations) {
    const bool cache = declaration.kind > CacheKind::kPagedKv;
    if (!cache) continue;
    Dtype dtype = Dtype::kU8;
    if (const auto* key = std::get_if<FormatKey>(&declaration.format)) {
      if (!formats.contains(key->name)) {
        return {{"error", {{"missing_format", {{"state", declaration.id}, {"key", key->name}}}}}};
      }
      dtype = formats.at(key->name);
    } else {
      dtype = std::get<Dtype>(declaration.format);
    }
    const WideTerm term(declaration, kDtypeBytes.at(static_cast<size_t>(dtype)), inputs);
    if (!term.fits) return {{"error", {{"overflow", declaration.id}}}};
    terms.push_back({.state = declaration.id,
                     .kind = declaration.kind,
                     .dtype = dtype,
                     .units = static_cast<uint64_t>(term.units),
                     .bytes = static_cast<uint64_t>(term.bytes),
                     .host = declaration.kind == CacheKind::kPromptLookupIndex});
  }
  return TermsToJson(terms);
}

}  // namespace lockstep
