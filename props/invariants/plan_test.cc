// Properties of the sizing, for any plan: small numbers, huge ones, and those beside powers of two.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/cache_plan.h"
#include "lockstep/plan_fit.h"
#include "props/harness/plan_file.h"
#include "props/harness/wide_plan.h"
#include "rapidcheck/gtest.h"

namespace lockstep {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

rc::Gen<uint64_t> Number() {
  const auto near_a_power = rc::gen::apply(
      [](int bits, int offset) { return (uint64_t{1} << bits) + static_cast<uint64_t>(offset); },
      rc::gen::inRange(0, 64), rc::gen::inRange(-2, 3));
  return rc::gen::oneOf(rc::gen::inRange<uint64_t>(0, 40), rc::gen::inRange<uint64_t>(0, 1 << 20),
                        near_a_power, rc::gen::arbitrary<uint64_t>(),
                        rc::gen::element<uint64_t>(0, kMax, kMax - 1));
}

rc::Gen<CacheDeclaration> Declaration() {
  return rc::gen::apply(
      [](int id, int kind, int dtype, bool keyed, uint64_t elements) {
        // Two of the keys are in the table below, one is not.
        const Format format = keyed ? Format(FormatKey{"k" + std::to_string(dtype % 3)})
                                    : Format(static_cast<Dtype>(dtype));
        return CacheDeclaration{.id = "s" + std::to_string(id),
                                .kind = static_cast<CacheKind>(kind),
                                .format = format,
                                .elements = elements};
      },
      rc::gen::inRange(0, 100), rc::gen::inRange(0, 12), rc::gen::inRange(0, 8),
      rc::gen::weightedElement<bool>({{4, false}, {1, true}}), Number());
}

const FormatTable kFormats = {{"k0", Dtype::kF16}, {"k1", Dtype::kU64}};

// Every number of the inputs, to be set and raised one by one. The last six need the optional ones.
std::vector<uint64_t*> Numbers(CacheInputs& inputs) {
  return {&inputs.prefix_snapshot_slots, &inputs.ring_slots,        &inputs.sequence_slots,
          &inputs.carry_verify_slots,    &inputs.carry_table_rows,  &inputs.verify_table_rows,
          &inputs.capture_rows,          &inputs.lookup->sequences, &inputs.lookup->history_tokens,
          &inputs.tree->slots,           &inputs.tree->nodes,       &inputs.drafts->slots,
          &inputs.drafts->positions};
}

CacheInputs AllInputs() {
  CacheInputs inputs;
  inputs.lookup.emplace();
  inputs.tree.emplace();
  inputs.drafts.emplace();
  return inputs;
}

rc::Gen<CacheInputs> Inputs() {
  return rc::gen::map(rc::gen::container<std::vector<uint64_t>>(13, Number()),
                      [](const std::vector<uint64_t>& numbers) {
                        CacheInputs inputs = AllInputs();
                        for (size_t i = 0; i < numbers.size(); ++i) {
                          *Numbers(inputs)[i] = numbers[i];
                        }
                        return inputs;
                      });
}

nlohmann::ordered_json Answer(const absl::StatusOr<std::vector<CacheTerm>>& terms) {
  return terms.ok() ? TermsToJson(*terms) : PlanErrorToJson(terms.status());
}

// Bytes of one declaration; nullopt for an error.
std::optional<uint64_t> Bytes(const CacheDeclaration& declaration, const CacheInputs& inputs) {
  const auto terms = PlanCaches({declaration}, kFormats, inputs);
  if (!terms.ok()) return std::nullopt;
  return terms->empty() ? 0 : terms->front().bytes;
}

RC_GTEST_PROP(Plan, NothingWrapsAndOrderIsKeptAgainstArithmeticIn128Bits, ()) {
  const auto declarations = *rc::gen::container<std::vector<CacheDeclaration>>(Declaration());
  CacheInputs inputs = *Inputs();
  if (*rc::gen::arbitrary<bool>()) inputs.lookup.reset();
  if (*rc::gen::arbitrary<bool>()) inputs.tree.reset();
  if (*rc::gen::arbitrary<bool>()) inputs.drafts.reset();
  RC_ASSERT(Answer(PlanCaches(declarations, kFormats, inputs)).dump() ==
            WidePlan(declarations, kFormats, inputs).dump());
}

RC_GTEST_PROP(Plan, RaisingAnyNumberNeverLowersBytesNorMendsAnOverflow, ()) {
  CacheDeclaration declaration = *Declaration();
  CacheInputs inputs = *Inputs();
  const std::optional<uint64_t> before = Bytes(declaration, inputs);
  std::vector<uint64_t*> numbers = Numbers(inputs);
  numbers.push_back(&declaration.elements);
  uint64_t& raised = *numbers[*rc::gen::inRange<size_t>(0, numbers.size())];
  const uint64_t by = *Number();
  raised = raised > kMax - by ? kMax : raised + by;
  const std::optional<uint64_t> after = Bytes(declaration, inputs);
  // A missing format is an error before and after.
  if (!before.has_value()) RC_ASSERT(!after.has_value());
  if (before.has_value() && after.has_value()) RC_ASSERT(*after >= *before);
}

RC_GTEST_PROP(Plan, BytesAreLinearInElementsAndInEveryCountOfUnits, ()) {
  CacheDeclaration declaration = *Declaration();
  declaration.kind =
      static_cast<CacheKind>(*rc::gen::inRange(static_cast<int>(CacheKind::kPrefixSnapshot),
                                               static_cast<int>(CacheKind::kPromptLookupIndex)));
  declaration.format = Dtype::kF32;
  declaration.elements = *rc::gen::inRange<uint64_t>(0, 1 << 10);
  CacheInputs inputs = *Inputs();
  for (uint64_t* number : Numbers(inputs)) *number = *rc::gen::inRange<uint64_t>(0, 1 << 10);
  const uint64_t bytes = *Bytes(declaration, inputs);
  const uint64_t times = *rc::gen::inRange<uint64_t>(0, 1 << 8);

  CacheDeclaration wider = declaration;
  wider.elements *= times;
  RC_ASSERT(*Bytes(wider, inputs) == times * bytes);

  // The nodes of a tree count twice: as rows and as columns.
  for (uint64_t* number : Numbers(inputs)) {
    const uint64_t was = *number;
    *number *= times;
    const uint64_t scaled = *Bytes(declaration, inputs);
    const bool square = number == &inputs.tree->nodes;
    RC_ASSERT(scaled == bytes || scaled == times * bytes ||
              (square && scaled == times * times * bytes));
    *number = was;
  }
}

RC_GTEST_PROP(Plan, LookupBytesAreLinearInSequences, ()) {
  const CacheDeclaration index{.id = "i",
                               .kind = CacheKind::kPromptLookupIndex,
                               .format = Dtype::kU8,
                               .elements = *rc::gen::inRange<uint64_t>(0, 1000)};
  CacheInputs inputs;
  inputs.lookup = {.sequences = 1, .history_tokens = *rc::gen::inRange<uint64_t>(0, 1 << 20)};
  const uint64_t one = *Bytes(index, inputs);
  inputs.lookup->sequences = *rc::gen::inRange<uint64_t>(0, 1 << 20);
  RC_ASSERT(*Bytes(index, inputs) == inputs.lookup->sequences * one);
}

RC_GTEST_PROP(Plan, AbsentInputsGiveZeroUnitsAndBytes, ()) {
  CacheDeclaration declaration = *Declaration();
  declaration.format = Dtype::kU8;
  const auto terms = PlanCaches({declaration}, {}, CacheInputs());
  RC_ASSERT(terms.ok());
  for (const CacheTerm& term : *terms) RC_ASSERT(term.units == 0 && term.bytes == 0);
}

RC_GTEST_PROP(Plan, WhatIsFittedFitsAndOneMoreDoesNot, ()) {
  CachePlan plan;
  plan.declarations = {{.id = "i",
                        .kind = CacheKind::kPromptLookupIndex,
                        .format = Dtype::kU8,
                        .elements = *rc::gen::inRange<uint64_t>(0, 100)}};
  plan.inputs.lookup = {.sequences = *Number(),
                        .history_tokens = *rc::gen::inRange<uint64_t>(0, 1 << 20)};
  if (*rc::gen::arbitrary<bool>()) {
    plan.shared_cache = {.budget_bytes = *rc::gen::inRange<uint64_t>(6144 * 5, 1 << 30),
                         .max_scopes = *rc::gen::inRange<uint64_t>(1, 6),
                         .key_len = 8};
  }
  const auto input =
      *rc::gen::element(FitInput::kHistoryTokens, FitInput::kSequences, FitInput::kScopes);
  const uint64_t budget = *Number();
  const uint64_t cap = *Number();
  const absl::StatusOr<Fit> fit = FitPlan(plan, input, budget, cap);
  if (!fit.ok()) return;
  RC_ASSERT(fit->value <= cap);
  RC_ASSERT(HostBytes(*EvaluatePlan(fit->plan)) == fit->host_bytes);
  RC_ASSERT(fit->host_bytes <= budget);
  RC_ASSERT(fit->is_cap == (fit->value == cap));
  if (fit->is_cap) return;
  // One more, asked of the evaluator anew.
  CachePlan more = fit->plan;
  if (input == FitInput::kHistoryTokens) ++more.inputs.lookup->history_tokens;
  if (input == FitInput::kSequences) ++more.inputs.lookup->sequences;
  if (input == FitInput::kScopes) {
    const uint64_t share = more.shared_cache->budget_bytes / more.shared_cache->max_scopes;
    ++more.shared_cache->max_scopes;
    if (more.shared_cache->budget_bytes > kMax - share) return;  // no such configuration
    more.shared_cache->budget_bytes += share;
  }
  const auto terms = EvaluatePlan(more);
  // Parentheses: RC_ASSERT evaluates both sides of an || of its own.
  RC_ASSERT((!terms.ok() || HostBytes(*terms) > budget));
}

RC_GTEST_PROP(Plan, AnyBytesAreReadOrRefusedInOneLine, ()) {
  std::string bytes =
      R"({"states":[{"id":"a","kind":"ring_snapshot","format":"{k}","elements":4}],"formats":)"
      R"({"k":"u8"},"inputs":{"prefix_snapshot_slots":1,"ring":[2,3],"carry":[4,5],)"
      R"("verify_table_rows":6,"capture_rows":7,"lookup":{"sequences":1,"history_tokens":2}}})";
  const int edits = *rc::gen::inRange(0, 4);
  for (int i = 0; i < edits; ++i) {
    const size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
    if (*rc::gen::arbitrary<bool>()) {
      bytes[at] = *rc::gen::arbitrary<char>();
    } else {
      bytes.erase(at, *rc::gen::inRange<size_t>(0, 20));
    }
  }
  const absl::StatusOr<PlanFile> file = ParsePlan("p", bytes);
  if (file.ok()) {
    RC_ASSERT(!Answer(EvaluatePlan(file->plan)).empty());
  } else {
    RC_ASSERT(file.status().message().find('\n') == absl::string_view::npos);
  }
}

}  // namespace
}  // namespace lockstep
