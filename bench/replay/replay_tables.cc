// What a person reads.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/replay/replay_report.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

uint64_t Saved(const ReplayCounts& counts, uint64_t steps) { return counts.output_tokens - steps; }

std::string Percent(uint64_t part, uint64_t whole) {
  return absl::StrFormat("%.1f %%", 100 * Ratio(part, whole));
}

std::string Mebibytes(uint64_t bytes) {
  return absl::StrFormat("%.2f MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string Rounded(double value, int decimals) {
  const std::string text = absl::StrFormat("%.*f", decimals, value);
  const size_t dot = std::min(text.find('.'), text.size());
  return WithThousands(std::stoull(text.substr(0, dot))) + text.substr(dot);
}

std::string RenderSettings(const ReplaySettings& settings, const std::string& impl_name) {
  return absl::StrCat(Mebibytes(settings.cache.budget_bytes), " in ", settings.cache.max_scopes,
                      settings.cache.max_scopes == 1 ? " scope" : " scopes", ", key of ",
                      settings.cache.key_len, ", drafts of up to ", settings.max_draft, ", ",
                      Name(settings.policy), " policy; ", PrintableLine(impl_name), "\n");
}

std::string RenderSteps(const ReplayCounts& all) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.AddRow({"", "steps", "tokens/step", "steps saved", ""});
  const auto add = [&](const char* name, uint64_t steps) {
    table.AddRow({name, WithThousands(steps), Rounded(Ratio(all.output_tokens, steps), 3),
                  WithThousands(Saved(all, steps)), Percent(Saved(all, steps), all.output_tokens)});
  };
  add("no cache", all.output_tokens);
  add("own history", all.steps_own_only);
  add("and shared cache", all.decode.steps);
  return table.Render();
}

std::string RenderDrafts(const ReplayCounts& all) {
  TextTable table(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.AddRow({"", "drafts", "tokens", "accepted", "", "wasted"});
  const auto add = [&](const char* name, const SourceCounts& source) {
    table.AddRow({name, WithThousands(source.drafts), WithThousands(source.drafted),
                  WithThousands(source.accepted), Percent(source.accepted, source.drafted),
                  WithThousands(source.wasted())});
  };
  add("from own history", all.decode.own);
  add("from shared cache", all.decode.shared);
  return table.Render();
}

std::string RenderLatencies(const ReplayCounts& all) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  table.AddRow({"", "median", "p99", "max"});
  const auto add = [&](const char* name, const LatencySummary& latency, int decimals) {
    table.AddRow({name, Rounded(latency.median, decimals), Rounded(latency.p99, decimals),
                  Rounded(latency.max, decimals)});
  };
  add("insert ns/token", all.insert_ns_per_token, 1);
  add("propose ns/call", all.propose_ns_per_call, 0);
  return table.Render();
}

std::string RenderScopes(const ReplayReport& replay) {
  std::vector<Align> columns(21, Align::kRight);
  columns[0] = Align::kLeft;
  TextTable table(columns);
  table.AddRow({"scope",    "requests",   "prompt",     "output",   "own steps",     "steps",
                "tok/step", "saved",      "own drafts", "accepted", "shared drafts", "accepted",
                "wasted",   "drops",      "live",       "MiB",      "insert ns/tok", "p99",
                "max",      "propose ns", "p99",        "max"});
  const auto add = [&](const std::string& name, const ReplayCounts& counts) {
    const LatencySummary insert = counts.insert_ns_per_token;
    const LatencySummary propose = counts.propose_ns_per_call;
    const DecodeCounts& decode = counts.decode;
    table.AddRow({name,
                  WithThousands(counts.requests),
                  WithThousands(counts.prompt_tokens),
                  WithThousands(counts.output_tokens),
                  WithThousands(counts.steps_own_only),
                  WithThousands(decode.steps),
                  Rounded(counts.tokens_per_step(), 3),
                  Percent(counts.steps_saved(), counts.output_tokens),
                  WithThousands(decode.own.drafts),
                  Percent(decode.own.accepted, decode.own.drafted),
                  WithThousands(decode.shared.drafts),
                  Percent(decode.shared.accepted, decode.shared.drafted),
                  WithThousands(decode.own.wasted() + decode.shared.wasted()),
                  WithThousands(counts.scope_drops),
                  WithThousands(counts.live_tokens),
                  Rounded(static_cast<double>(counts.bytes) / (1 << 20), 2),
                  Rounded(insert.median, 1),
                  Rounded(insert.p99, 1),
                  Rounded(insert.max, 1),
                  Rounded(propose.median, 0),
                  Rounded(propose.p99, 0),
                  Rounded(propose.max, 0)});
  };
  for (const ReplayReport::ScopeRow& row : replay.scopes) {
    add(absl::StrCat(row.scope.model, "/", row.scope.tokenizer, "/", row.scope.adapter, "/",
                     row.scope.tenant),
        row.counts);
  }
  if (replay.other_scopes.requests > 0) add("all others", replay.other_scopes);
  add("all", replay.all);
  return table.Render();
}

}  // namespace

std::string RenderReplay(const std::string& trace, const std::string& impl_name,
                         const ReplayReport& replay) {
  const ReplayCounts& all = replay.all;
  std::string text = absl::StrCat(
      PrintableLine(trace), ": ", WithThousands(all.requests), " requests, ",
      WithThousands(all.prompt_tokens), " prompt and ", WithThousands(all.output_tokens),
      " output tokens\n", RenderSettings(replay.settings, impl_name), "\n", RenderSteps(all), "\n",
      RenderDrafts(all), "\n", RenderLatencies(all), "\n", WithThousands(all.scope_drops),
      " scope drops; at the end ", WithThousands(all.live_tokens), " live tokens in ",
      WithThousands(all.bytes), " bytes (", Mebibytes(all.bytes), ")\n");
  if (replay.scopes.size() > 1) absl::StrAppend(&text, "\n", RenderScopes(replay));
  return text;
}

std::string RenderSweep(const std::string& trace, const std::string& impl_name,
                        const std::vector<ReplayReport>& replays) {
  TextTable table(std::vector<Align>(15, Align::kRight));
  table.AddRow({"budget", "scopes", "key", "draft", "policy", "own steps", "steps", "tok/step",
                "saved", "shared drafts", "accepted", "wasted", "drops", "insert ns/tok",
                "propose ns"});
  for (const ReplayReport& replay : replays) {
    const ReplaySettings& settings = replay.settings;
    const ReplayCounts& all = replay.all;
    const DecodeCounts& decode = all.decode;
    table.AddRow({Mebibytes(settings.cache.budget_bytes), WithThousands(settings.cache.max_scopes),
                  WithThousands(settings.cache.key_len), WithThousands(settings.max_draft),
                  Name(settings.policy), WithThousands(all.steps_own_only),
                  WithThousands(decode.steps), Rounded(all.tokens_per_step(), 3),
                  Percent(all.steps_saved(), all.output_tokens),
                  WithThousands(decode.shared.drafts),
                  Percent(decode.shared.accepted, decode.shared.drafted),
                  WithThousands(decode.own.wasted() + decode.shared.wasted()),
                  WithThousands(all.scope_drops), Rounded(all.insert_ns_per_token.median, 1),
                  Rounded(all.propose_ns_per_call.median, 0)});
  }
  const ReplayCounts& first = replays.front().all;
  return absl::StrCat(PrintableLine(trace), ": ", WithThousands(first.requests), " requests, ",
                      WithThousands(first.prompt_tokens), " prompt and ",
                      WithThousands(first.output_tokens), " output tokens; ",
                      PrintableLine(impl_name), "\n\n", table.Render());
}

}  // namespace lockstep
