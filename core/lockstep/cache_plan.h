// How many bytes the caches of a serving engine will take, before any of them is made.
//
// A declaration says what one unit of a cache holds; the inputs say how many units there are. All
// arithmetic is checked: a product or sum that does not fit 64 bits is an error naming the state,
// never a wrap.

#ifndef LOCKSTEP_CACHE_PLAN_H_
#define LOCKSTEP_CACHE_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lockstep/types.h"

namespace lockstep {

enum class CacheKind : uint8_t {
  kRecurrent,  // not a cache: gives no term
  kPagedKv,    // not a cache: gives no term
  kPrefixSnapshot,
  kRingSnapshot,
  kCarryStash,
  kCarryTable,
  kVerifyTable,
  kAcceptStash,
  kHiddenCapture,
  kTokenTreeMask,
  kDraftTokens,
  kPromptLookupIndex,
  kSharedTokenCache,  // the term of SharedCacheTerm(); never declared
};

enum class Dtype : uint8_t { kU64, kF32, kU32, kI32, kF16, kBf16, kFp8, kU8 };

// The names that plan files use: "prefix_snapshot", "bf16", ... Nullopt for any other name.
const char* Name(CacheKind kind);
const char* Name(Dtype dtype);
std::optional<CacheKind> CacheKindNamed(absl::string_view name);
std::optional<Dtype> DtypeNamed(absl::string_view name);

uint64_t DtypeBytes(Dtype dtype);
bool IsCache(CacheKind kind);       // false for kRecurrent and kPagedKv
bool InHostMemory(CacheKind kind);  // the prompt-lookup index and the shared token cache

// The key of a format that is looked up in a FormatTable.
struct FormatKey {
  std::string name;
  friend bool operator==(const FormatKey&, const FormatKey&) = default;
};
using Format = std::variant<Dtype, FormatKey>;
using FormatTable = std::map<std::string, Dtype>;

struct CacheDeclaration {
  std::string id = {};
  CacheKind kind = CacheKind::kRecurrent;
  Format format = Dtype::kU8;
  uint64_t elements = 0;  // per unit; per entry of the prompt-lookup index
};

struct LookupInputs {
  uint64_t sequences = 0;
  uint64_t history_tokens = 0;  // per sequence
};
struct TreeInputs {
  uint64_t slots = 0;
  uint64_t nodes = 0;
};
struct DraftInputs {
  uint64_t slots = 0;
  uint64_t positions = 0;
};

// What an engine's operator chose. Absent inputs give 0 units and 0 bytes.
struct CacheInputs {
  uint64_t prefix_snapshot_slots = 0;
  uint64_t ring_slots = 0;      // per sequence slot
  uint64_t sequence_slots = 0;  // of the ring snapshots
  uint64_t carry_verify_slots = 0;
  uint64_t carry_table_rows = 0;
  uint64_t verify_table_rows = 0;
  uint64_t capture_rows = 0;
  std::optional<LookupInputs> lookup = std::nullopt;
  std::optional<TreeInputs> tree = std::nullopt;
  std::optional<DraftInputs> drafts = std::nullopt;
};

// One line of a plan.
struct CacheTerm {
  std::string state = {};
  CacheKind kind = CacheKind::kRecurrent;
  Dtype dtype = Dtype::kU8;
  uint64_t units = 0;
  uint64_t bytes = 0;
  bool host = false;  // host memory; else the device's

  friend bool operator==(const CacheTerm&, const CacheTerm&) = default;
};

// Control bytes that a hash table keeps past its buckets: one SIMD group.
inline constexpr uint64_t kGroupWidthX86 = 16;
inline constexpr uint64_t kGroupWidthAarch64 = 8;

struct PlanOptions {
  uint64_t group_width = kGroupWidthX86;  // control bytes
};

// One term per declaration that is a cache, in the order given.
//
// Errors: of the first faulty declaration; within one its format comes first, then its unit's
//         bytes, its units, its bytes. NotFound when its format's key is not in `formats`,
//         OutOfRange when a number does not fit 64 bits: the unit's own bytes, and one lookup
//         table's bytes, even where there are 0 units. PlanErrorOf() tells which state and key.
absl::StatusOr<std::vector<CacheTerm>> PlanCaches(absl::Span<const CacheDeclaration> declarations,
                                                  const FormatTable& formats,
                                                  const CacheInputs& inputs,
                                                  const PlanOptions& options = {});

// The units of one cache; 0 for a kind that is not a cache and for kSharedTokenCache.
//
// Errors: OutOfRange when they do not fit 64 bits.
absl::StatusOr<uint64_t> UnitsOf(CacheKind kind, const CacheInputs& inputs);

// Bytes that an open-addressing table asks for when it has grown to `entries` one at a time: 4
// buckets below 4 entries, 8 below 8, else the next power of two at or above entries * 8 / 7; each
// bucket an entry and a control byte, and one more group of control bytes. 0 entries take 0 bytes.
//
// Errors: OutOfRange when the bytes, or a number on the way to them, do not fit 64 bits.
absl::StatusOr<uint64_t> HashTableBytes(uint64_t entries, uint64_t entry_bytes,
                                        uint64_t group_width = kGroupWidthX86);

// The shared token cache as a term: max_scopes units of scope_bytes, from the geometry that a
// SharedTokenCache allocates by. What it takes when all its scopes exist, small bookkeeping aside.
//
// Errors: InvalidArgument as ComputeGeometry.
absl::StatusOr<CacheTerm> SharedCacheTerm(const CacheConfig& config);

// Sums over terms; these cannot overflow 128 bits in any plan that fits in memory.
absl::uint128 HostBytes(absl::Span<const CacheTerm> terms);
absl::uint128 DeviceBytes(absl::Span<const CacheTerm> terms);

// What PlanCaches found wrong: a missing format key, else an overflow.
struct PlanError {
  std::string state = {};
  std::optional<std::string> missing_format_key = std::nullopt;

  friend bool operator==(const PlanError&, const PlanError&) = default;
};
// Nullopt for a status that is not one of PlanCaches.
std::optional<PlanError> PlanErrorOf(const absl::Status& status);

}  // namespace lockstep

#endif  // LOCKSTEP_CACHE_PLAN_H_
