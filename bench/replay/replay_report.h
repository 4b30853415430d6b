// A replay as a person, a spreadsheet and a program read it.

#ifndef LOCKSTEP_BENCH_REPLAY_REPLAY_REPORT_H_
#define LOCKSTEP_BENCH_REPLAY_REPLAY_REPORT_H_

#include <memory>
#include <string>
#include <vector>

#include "bench/replay/replay.h"
#include "nlohmann/json.hpp"

namespace lockstep {

// The name of a trace: the file's, without folder, shard number and extensions, so that
// "x/edit_aider.0.jsonl.zst" is "edit_aider". Several names are joined by "+", each once.
std::string TraceName(const std::vector<std::string>& paths);

// One header and one row a replay, with line ends. First the columns of golden/replay.csv:
// trace,budget_bytes,max_scopes,key_len,max_draft,requests,prompt_tokens,output_tokens,
// steps_own_only,steps,own_drafts,shared_drafts,drafted_tokens,own_accepted,shared_accepted
std::string CsvHeader();
std::string CsvRow(const std::string& trace, const ReplayReport& replay);

// Settings, counts and latencies, in all and per scope.
nlohmann::ordered_json ReplayToJson(const std::string& trace, const ReplayReport& replay);

// What one replay says, in all and, where there are several, per scope.
std::string RenderReplay(const std::string& trace, const std::string& impl_name,
                         const ReplayReport& replay);

// One line a replay.
std::string RenderSweep(const std::string& trace, const std::string& impl_name,
                        const std::vector<ReplayReport>& replays);

const char* Name(DraftPolicy policy);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_REPLAY_REPORT_H_
