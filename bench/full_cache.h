// A cache of some implementation, full, and questions that it can answer.

#ifndef LOCKSTEP_BENCH_FULL_CACHE_H_
#define LOCKSTEP_BENCH_FULL_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lockstep/c_api.h"
#include "lockstep/geometry.h"
#include "lockstep/types.h"
#include "props/harness/implementation.h"

namespace lockstep {

// What is measured is reached through the C interface, by pointers to functions: our own core too,
// though it is linked into the program.
struct MeasuredImpl {
  std::string label;  // "core", "plain_exact", or a library's name
  CInterface functions;
  bool exact = false;  // known to answer as the specification says: what it does is checked closely
};

lockstep_scope_key ToC(const ScopeKey& key);

// Proposals whose answers are known. Histories lie packed, one key_len after the other: a
// sequence's last tokens were just written, so reading them is no miss in an engine, and none here.
struct Questions {
  std::vector<lockstep_proposal> proposals;
  std::vector<Token> histories;
  std::vector<Token> expected;  // the first token of each draft
  std::vector<Token> out;       // room for kOutBuffers drafts, used in turn

  static constexpr size_t kOutBuffers = 256;

  size_t size() const { return proposals.size(); }

  // Makes this a copy of `count` questions of `all`, which are then in the processor's caches.
  void CopyPart(const Questions& all, size_t begin, size_t count);
};

class FullCache {
 public:
  // Every scope's ring is written once over, with documents of `doc_tokens` that have no text in
  // common, all scopes in rotation.
  //
  // Errors: ResourceExhausted with what the library says when it refuses; DeadlineExceeded where it
  // takes longer than a minute.
  static absl::StatusOr<std::unique_ptr<FullCache>> Make(const MeasuredImpl& impl,
                                                         const CacheConfig& config,
                                                         size_t doc_tokens);
  FullCache(const FullCache&) = delete;
  FullCache& operator=(const FullCache&) = delete;
  ~FullCache();

  const CInterface& functions() const { return functions_; }
  lockstep_cache* get() const { return cache_; }
  const lockstep_scope_key& scope(uint64_t i) const { return scopes_[i]; }
  uint64_t scope_count() const { return config_.max_scopes; }
  const ScopeGeometry& geometry() const { return geometry_; }
  uint64_t key_len() const { return config_.key_len; }
  size_t doc_tokens() const { return doc_tokens_; }

  // Documents inserted under a scope; the next one is FreshDocument(scope, count, doc_tokens).
  uint64_t doc_count(uint64_t scope) const { return doc_counts_[scope]; }
  void CountDocument(uint64_t scope) { ++doc_counts_[scope]; }

  // True when the document is taken.
  bool Insert(uint64_t scope, absl::Span<const Token> doc) {
    return functions_.insert(cache_, &scopes_[scope], doc.data(), doc.size()) == LOCKSTEP_OK;
  }
  uint64_t StoredTokens(uint64_t scope) const {
    return functions_.stored_tokens(cache_, &scopes_[scope]);
  }

  // Keys drawn uniformly over what all rings hold of whole documents, such that the cache answers
  // with the token that follows.
  //
  // Errors: where nine in ten are not answered, FailedPrecondition, or Unavailable of an
  // implementation that need not be exact: another design keeps less, which is no fault.
  absl::StatusOr<Questions> DrawHits(size_t count, size_t max_len, uint64_t seed);

  // Keys that were never inserted; `history_tokens` below key_len makes them too short to look up.
  Questions DrawMisses(size_t count, size_t max_len, size_t history_tokens, uint64_t seed) const;

 private:
  FullCache(const MeasuredImpl& impl, const CacheConfig& config, const ScopeGeometry& geometry,
            size_t doc_tokens, lockstep_cache* cache);

  absl::Status Fill();
  // Documents of a scope that lie wholly in its ring.
  uint64_t LiveDocs(uint64_t scope) const;

  CInterface functions_;
  bool exact_;
  CacheConfig config_;
  ScopeGeometry geometry_;
  size_t doc_tokens_;
  lockstep_cache* cache_;
  std::vector<lockstep_scope_key> scopes_;
  std::vector<uint64_t> doc_counts_;
};

// Asks all questions, each only when the one before is answered, as one sequence would: the next
// question's address depends on that answer. Returns the sum of the first tokens.
uint64_t AskChained(const FullCache& cache, const Questions& questions);

// As AskChained, but a processor may begin with a question while it waits for the one before.
uint64_t AskSingly(const FullCache& cache, const Questions& questions);

// Asks `batch` questions at a time. Requires: batch <= Questions::kOutBuffers.
uint64_t AskInBatches(const FullCache& cache, Questions& questions, size_t batch);

uint64_t SumOf(absl::Span<const Token> tokens);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_FULL_CACHE_H_
