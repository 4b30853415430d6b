// lockstep-bench: how fast is the cache?

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "bench/environment.h"
#include "bench/protocol.h"
#include "bench/protocol_report.h"
#include "reports/file_hash.h"
#include "reports/result.h"
#include "reports/text.h"

namespace lockstep {
namespace {

struct Flags {
  std::string impl;
  std::string out;
  size_t rounds = 25;
  uint64_t seed = 1;
  bool protocol = false;
  bool json = false;
};

void AddFlags(CLI::App& app, Flags& flags) {
  app.description("How fast is the cache?");
  app.add_flag("--protocol", flags.protocol, "measure what must hold, beside what memory costs");
  app.add_option("--impl", flags.impl, "also measure this shared library, and judge it");
  app.add_option("--rounds", flags.rounds, "of --protocol")->check(CLI::Range(1, 1000));
  app.add_option("--seed", flags.seed, "of the order in which things are measured");
  app.add_option("--out", flags.out, "folder for what is written (default out/bench)");
  app.add_flag("--json", flags.json, "print JSON instead of a table");
}

int Fail(int exit_code, absl::string_view message) {
  std::cerr << "lockstep-bench: " << PrintableLine(std::string(message)) << "\n";
  return exit_code;
}

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
      return kExitBadInput;
    default:
      return kExitHarnessFailed;
  }
}

absl::StatusOr<std::vector<MeasuredImpl>> Implementations(const Flags& flags, Result& result) {
  std::vector<MeasuredImpl> impls = {{"core", OwnCore(), true}};
  const auto plain = LoadLibrary(LOCKSTEP_PLAIN_LIBRARY);
  if (!plain.ok()) return plain.status();
  impls.push_back({"plain_exact", *plain, true});
  result.impl_name = impls.front().functions.impl_name();
  if (flags.impl.empty()) return impls;
  const auto hash = Sha256OfFile(flags.impl);
  if (!hash.ok()) return hash.status();
  const auto library = LoadLibrary(flags.impl);
  if (!library.ok()) return library.status();
  impls.push_back({std::filesystem::path(flags.impl).stem().string(), *library, false});
  result.impl_name = library->impl_name();
  result.impl_path = flags.impl;
  result.impl_sha256 = *hash;
  return impls;
}

nlohmann::ordered_json EnvironmentJson() {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : Environment()) json[name] = value;
  return json;
}

absl::Status Write(const std::string& dir, const Result& result) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat("--out ", dir, ": cannot be made: ", error.message()));
  }
  return WriteResult(result, dir);
}

int Protocol(const Flags& flags, Result result) {
  const absl::Time start = absl::Now();
  const auto impls = Implementations(flags, result);
  if (!impls.ok()) return Fail(ExitCodeOf(impls.status()), impls.status().message());
  const auto rows = RunProtocol(*impls, flags.impl.empty() ? "core" : impls->back().label,
                                {.rounds = flags.rounds, .seed = flags.seed});
  if (!rows.ok()) return Fail(kExitHarnessFailed, rows.status().message());
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  result.seed = flags.seed;
  result.exit_code = AllHold(*rows) ? kExitPass : kExitFloorMissed;
  result.sections["bench"] = {{"rows", ProtocolToJson(*rows)},
                              {"rounds", flags.rounds},
                              {"environment", EnvironmentJson()}};
  const std::string out = flags.out.empty() ? "out/bench" : flags.out;
  const absl::Status written = Write(out, result);
  if (!written.ok() && !flags.out.empty()) return Fail(kExitBadInput, written.message());
  if (flags.json) {
    std::cout << ToJson(result).dump(2) << "\n";
  } else {
    std::cout << RenderProtocol(*rows);
    for (const auto& [name, value] : Environment()) std::cout << name << ": " << value << "\n";
  }
  return result.exit_code;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("", "lockstep-bench");
  AddFlags(app, flags);
  std::string command = "bench";
  for (int i = 1; i < argc; ++i) absl::StrAppend(&command, " ", ShellWord(argv[i]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitPass : kExitBadInput;
  }
  UseHugePages(argv);
  return Protocol(flags, StartResult(command));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
