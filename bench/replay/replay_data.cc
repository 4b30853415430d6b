// What spreadsheets and programs read.

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "bench/replay/replay_report.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const LatencySummary& latency) {
  return {{"median", latency.median}, {"p99", latency.p99}, {"max", latency.max}};
}

Json ToJson(const SourceCounts& source) {
  return {{"drafts", source.drafts},
          {"drafted_tokens", source.drafted},
          {"accepted_tokens", source.accepted},
          {"wasted_tokens", source.wasted()}};
}

Json ToJson(const ReplayCounts& counts) {
  return {{"requests", counts.requests},
          {"prompt_tokens", counts.prompt_tokens},
          {"output_tokens", counts.output_tokens},
          {"steps_no_cache", counts.output_tokens},
          {"steps_own_only", counts.steps_own_only},
          {"steps", counts.decode.steps},
          {"tokens_per_step", counts.tokens_per_step()},
          {"steps_saved", counts.steps_saved()},
          {"own", ToJson(counts.decode.own)},
          {"shared", ToJson(counts.decode.shared)},
          {"scope_drops", counts.scope_drops},
          {"live_tokens", counts.live_tokens},
          {"bytes", counts.bytes},
          {"insert_ns_per_token", ToJson(counts.insert_ns_per_token)},
          {"propose_ns_per_call", ToJson(counts.propose_ns_per_call)}};
}

Json ToJson(const ScopeKey& scope) {
  return {{"model", scope.model},
          {"tokenizer", scope.tokenizer},
          {"adapter", scope.adapter},
          {"tenant", scope.tenant}};
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string BaseName(std::string_view path) {
  if (path == "-") return "-";
  const size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  for (const std::string_view extension : {".zst", ".jsonl"}) {
    if (path.ends_with(extension)) path.remove_suffix(extension.size());
  }
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == path.size()) return std::string(path);
  const bool shard = path.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return std::string(shard ? path.substr(0, dot) : path);
}

}  // namespace

const char* Name(DraftPolicy policy) { return policy == DraftPolicy::kPlain ? "plain" : "engine"; }

std::string TraceName(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name = BaseName(path);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return absl::StrJoin(names, "+");
}

std::string CsvHeader() {
  return "trace,budget_bytes,max_scopes,key_len,max_draft,requests,prompt_tokens,output_tokens,"
         "steps_own_only,steps,own_drafts,shared_drafts,drafted_tokens,own_accepted,"
         "shared_accepted,policy,own_drafted,shared_drafted,wasted_tokens,scope_drops,live_tokens,"
         "bytes,insert_ns_median,insert_ns_p99,insert_ns_max,propose_ns_median,propose_ns_p99,"
         "propose_ns_max\n";
}

std::string CsvRow(const std::string& trace, const ReplayReport& replay) {
  const ReplaySettings& settings = replay.settings;
  const ReplayCounts& all = replay.all;
  const SourceCounts& own = all.decode.own;
  const SourceCounts& shared = all.decode.shared;
  const LatencySummary insert = all.insert_ns_per_token;
  const LatencySummary propose = all.propose_ns_per_call;
  std::string row = CsvCell(trace);
  for (const uint64_t value :
       {settings.cache.budget_bytes, settings.cache.max_scopes, settings.cache.key_len,
        settings.max_draft, all.requests, all.prompt_tokens, all.output_tokens, all.steps_own_only,
        all.decode.steps, own.drafts, shared.drafts, own.drafted + shared.drafted, own.accepted,
        shared.accepted}) {
    absl::StrAppend(&row, ",", value);
  }
  absl::StrAppend(&row, ",", Name(settings.policy));
  for (const uint64_t value : {own.drafted, shared.drafted, own.wasted() + shared.wasted(),
                               all.scope_drops, all.live_tokens, all.bytes}) {
    absl::StrAppend(&row, ",", value);
  }
  for (const double value : {insert.median, insert.p99, insert.max}) {
    absl::StrAppendFormat(&row, ",%.3f", value);
  }
  for (const double value : {propose.median, propose.p99, propose.max}) {
    absl::StrAppendFormat(&row, ",%.0f", value);
  }
  return row + "\n";
}

Json ReplayToJson(const std::string& trace, const ReplayReport& replay) {
  const ReplaySettings& settings = replay.settings;
  Json json = {{"trace", trace},
               {"budget_bytes", settings.cache.budget_bytes},
               {"max_scopes", settings.cache.max_scopes},
               {"key_len", settings.cache.key_len},
               {"max_draft", settings.max_draft},
               {"policy", Name(settings.policy)},
               {"all", ToJson(replay.all)},
               {"scopes", Json::array()}};
  for (const ReplayReport::ScopeRow& row : replay.scopes) {
    Json scope = {{"scope", ToJson(row.scope)}};
    scope.update(ToJson(row.counts));
    json["scopes"].push_back(std::move(scope));
  }
  if (replay.other_scopes.requests > 0) json["other_scopes"] = ToJson(replay.other_scopes);
  return json;
}

}  // namespace lockstep
