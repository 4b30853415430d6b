#include "props/harness/transcript.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"
#include "props/harness/input_file.h"
#include "props/harness/json_line.h"

namespace lockstep {
namespace {

// Beyond these a tiny scope is not tiny, and a damaged file would ask for all memory there is.
constexpr uint64_t kMaxTinySlots = uint64_t{1} << 20;
constexpr uint64_t kMaxTinyRingTokens = uint64_t{1} << 20;
constexpr uint64_t kMaxTinyFirstPosition = uint64_t{1} << 63;

absl::Status Fault(const std::string& name, uint64_t line, std::string_view what) {
  return absl::InvalidArgumentError(AtLine(name, line, what));
}

// The first line of a transcript.
class HeaderReader {
 public:
  std::optional<std::string> Parse(std::string_view text, Transcript& transcript) {
    if (auto wrong = line_.Parse(text)) return wrong;
    if (auto wrong = line_.Missing({"transcript"})) {
      return *wrong + ": the first line is the configuration and begins {\"transcript\":1,";
    }
    if (version_ != 1) {
      return absl::StrCat("\"transcript\" is ", version_, "; only version 1 is known");
    }
    const bool tiny = line_.has("duplicate_limit") || line_.has("first_position");
    return tiny ? ReadTiny(transcript) : ReadConfig(transcript);
  }

 private:
  std::optional<std::string> ReadConfig(Transcript& transcript) {
    if (auto wrong = line_.Missing({"budget_bytes", "max_scopes", "key_len"})) return wrong;
    transcript.sequence.config = config_;
    if (line_.has("slots")) transcript.slots = tiny_.slots;
    if (line_.has("ring_tokens")) transcript.ring_tokens = tiny_.ring_tokens;
    if (line_.has("scope_bytes")) transcript.scope_bytes = scope_bytes_;
    return std::nullopt;
  }

  std::optional<std::string> ReadTiny(Transcript& transcript) {
    for (const std::string_view name : {"budget_bytes", "scope_bytes"}) {
      if (line_.has(name)) {
        return absl::StrCat("\"", std::string(name),
                            "\" does not go with \"duplicate_limit\" and \"first_position\", which "
                            "describe a tiny scope; remove one or the other");
      }
    }
    if (auto wrong = line_.Missing({"slots", "ring_tokens", "key_len", "max_scopes",
                                    "duplicate_limit", "first_position"})) {
      return wrong;
    }
    tiny_.key_len = config_.key_len;
    tiny_.max_scopes = config_.max_scopes;
    if (!std::has_single_bit(tiny_.slots) || tiny_.slots > kMaxTinySlots) {
      return absl::StrCat("\"slots\" is ", tiny_.slots, "; give a power of two up to ",
                          kMaxTinySlots);
    }
    if (tiny_.ring_tokens < 3 || tiny_.ring_tokens > kMaxTinyRingTokens) {
      return absl::StrCat("\"ring_tokens\" is ", tiny_.ring_tokens, "; give 3 to ",
                          kMaxTinyRingTokens);
    }
    if (tiny_.key_len < 1 || tiny_.key_len >= tiny_.ring_tokens - 1) {
      return absl::StrCat("\"key_len\" is ", tiny_.key_len, "; give 1 to ring_tokens - 2");
    }
    if (tiny_.max_scopes < 1) return "\"max_scopes\" is 0; give at least 1";
    if (duplicate_limit_ < 1 || duplicate_limit_ > UINT32_MAX) {
      return absl::StrCat("\"duplicate_limit\" is ", duplicate_limit_, "; give 1 to ", UINT32_MAX);
    }
    tiny_.duplicate_limit = static_cast<uint32_t>(duplicate_limit_);
    if (tiny_.first_position < 1 || tiny_.first_position > kMaxTinyFirstPosition) {
      return absl::StrCat("\"first_position\" is ", tiny_.first_position, "; give 1 to ",
                          kMaxTinyFirstPosition);
    }
    transcript.sequence.tiny = tiny_;
    transcript.slots = tiny_.slots;
    transcript.ring_tokens = tiny_.ring_tokens;
    return std::nullopt;
  }

  uint64_t version_ = 0, scope_bytes_ = 0, duplicate_limit_ = 0;
  CacheConfig config_;
  ModelOptions tiny_;
  JsonLine line_{{{"transcript", &version_},
                  {"budget_bytes", &config_.budget_bytes},
                  {"max_scopes", &config_.max_scopes},
                  {"key_len", &config_.key_len},
                  {"slots", &tiny_.slots},
                  {"ring_tokens", &tiny_.ring_tokens},
                  {"scope_bytes", &scope_bytes_},
                  {"duplicate_limit", &duplicate_limit_},
                  {"first_position", &tiny_.first_position}}};
};

// Every later line.
class CallReader {
 public:
  std::optional<std::string> Parse(std::string_view text, Transcript& transcript) {
    refused_ = batched_ = false;
    if (auto wrong = line_.Parse(text)) return wrong;
    if (auto wrong = line_.Missing({"op", "scope"})) return wrong;
    if (op_name_ != "insert" && op_name_ != "propose") {
      return "\"op\" is neither \"insert\" nor \"propose\"; write one of them";
    }
    const bool insert = op_name_ == "insert";
    if (auto wrong = insert ? CheckInsert() : CheckProposal(transcript)) return wrong;

    Operation op;
    op.kind = insert ? Operation::Kind::kInsert : Operation::Kind::kPropose;
    op.scope = scope_;
    op.tokens = insert ? tokens_ : history_;
    op.max_len = insert ? 0 : max_len_;
    op.batched = batched_;
    transcript.sequence.ops.push_back(std::move(op));

    Expectation expected;
    expected.refused = refused_;
    if (line_.has("draft")) expected.draft = draft_;
    if (line_.has("stored_tokens")) expected.stored_tokens = stored_tokens_;
    if (line_.has("scopes")) expected.scope_count = scopes_;
    transcript.expectations.push_back(std::move(expected));
    return std::nullopt;
  }

 private:
  std::optional<std::string> CheckInsert() {
    for (const std::string_view name : {"history", "max_len", "draft", "batched"}) {
      if (line_.has(name)) return Misplaced(name, "insert");
    }
    return line_.Missing({"tokens"});
  }

  std::optional<std::string> CheckProposal(const Transcript& transcript) {
    for (const std::string_view name : {"tokens", "refused"}) {
      if (line_.has(name)) return Misplaced(name, "propose");
    }
    const std::vector<Operation>& before = transcript.sequence.ops;
    if (batched_ && (before.empty() || before.back().kind != Operation::Kind::kPropose)) {
      return "\"batched\" is true, but the line before is no proposal; remove it";
    }
    if (line_.has("draft") && draft_.size() > max_len_) {
      return absl::StrCat("\"draft\" has ", draft_.size(), " tokens, more than \"max_len\" ",
                          max_len_, "; correct one of them");
    }
    return line_.Missing({"history", "max_len"});
  }

  static std::string Misplaced(std::string_view name, std::string_view op) {
    return absl::StrCat("\"", std::string(name), "\" does not belong to \"", std::string(op),
                        "\"; remove it");
  }

  std::string op_name_;
  ScopeKey scope_;
  std::vector<Token> tokens_, history_, draft_;
  uint64_t max_len_ = 0, stored_tokens_ = 0, scopes_ = 0;
  bool refused_ = false, batched_ = false;
  JsonLine line_{{{"op", &op_name_},
                  {"scope", ScopeArray{&scope_}},
                  {"tokens", TokenArray{&tokens_, kReservedToken}},
                  {"history", TokenArray{&history_, kReservedToken}},
                  {"max_len", &max_len_},
                  {"draft", TokenArray{&draft_, kReservedToken}},
                  {"stored_tokens", &stored_tokens_},
                  {"scopes", &scopes_},
                  {"refused", &refused_},
                  {"batched", &batched_}}};
};

}  // namespace

absl::StatusOr<Transcript> ReadTranscript(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadInputFile(path);
  if (!text.ok()) return text.status();
  return ParseTranscript(path, *text);
}

absl::StatusOr<Transcript> ParseTranscript(const std::string& name, std::string_view text) {
  if (text.empty()) return Fault(name, 1, "the file is empty; a transcript has a first line");
  Transcript transcript;
  transcript.sequence.name = name;
  HeaderReader header;
  CallReader call;
  uint64_t blank_line = 0;
  for (uint64_t line = 1; !text.empty(); ++line) {
    const std::string_view one = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    // Blank lines at the end do no harm; between others, something is missing.
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) {
      if (blank_line == 0) blank_line = line;
      continue;
    }
    if (blank_line != 0) {
      return Fault(name, blank_line, "an empty line; remove it, or put back what was there");
    }
    const auto wrong = line == 1 ? header.Parse(one, transcript) : call.Parse(one, transcript);
    if (wrong) return Fault(name, line, *wrong);
    if (line > 1) transcript.lines.push_back(line);
  }
  if (blank_line == 1) return Fault(name, 1, "an empty line; a transcript has a first line");
  return transcript;
}

std::optional<std::string> Disagreement(const Expectation& expected, const Operation& op,
                                        const Answer& answer) {
  if (op.kind == Operation::Kind::kInsert) {
    if (expected.refused && answer.status != LOCKSTEP_INVALID_ARGUMENT) {
      return absl::StrCat("insert: expected to be refused as an invalid argument, got status ",
                          static_cast<int>(answer.status));
    }
    const bool reserved =
        std::find(op.tokens.begin(), op.tokens.end(), kReservedToken) != op.tokens.end();
    if (!expected.refused && !reserved && answer.status != LOCKSTEP_OK) {
      return absl::StrCat("insert: expected to succeed, got status ",
                          static_cast<int>(answer.status), " (", answer.error, ")");
    }
  }
  if (expected.draft &&
      (answer.written != expected.draft->size() || answer.draft != *expected.draft)) {
    return absl::StrCat("draft: expected ", DescribeTokens(*expected.draft), ", got ",
                        answer.written == answer.draft.size()
                            ? DescribeTokens(answer.draft)
                            : absl::StrCat("a count of ", answer.written));
  }
  if (!answer.observed) return std::nullopt;
  if (expected.stored_tokens && answer.stored_tokens != *expected.stored_tokens) {
    return absl::StrCat("stored_tokens: expected ", *expected.stored_tokens, ", got ",
                        answer.stored_tokens);
  }
  if (expected.scope_count && answer.scope_count != *expected.scope_count) {
    return absl::StrCat("scopes: expected ", *expected.scope_count, ", got ", answer.scope_count);
  }
  return std::nullopt;
}

}  // namespace lockstep
