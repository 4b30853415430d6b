// lockstep-bench: how fast is the cache?

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "benchmark/benchmark.h"
#include "reports/result.h"

namespace {

struct Flags {
  std::string filter = ".";
  std::string out_dir;
  double min_time_seconds = 0.5;
  int repetitions = 1;
  bool json = false;
  bool list = false;
};

// Google Benchmark takes its settings from a command line only.
std::vector<std::string> BenchmarkArguments(const Flags& flags) {
  std::vector<std::string> args = {
      "lockstep-bench", "--benchmark_filter=" + flags.filter,
      "--benchmark_min_time=" + std::to_string(flags.min_time_seconds),
      "--benchmark_repetitions=" + std::to_string(flags.repetitions),
      std::string("--benchmark_format=") + (flags.json ? "json" : "console")};
  if (flags.repetitions > 1) args.push_back("--benchmark_enable_random_interleaving=true");
  if (flags.list) args.push_back("--benchmark_list_tests=true");
  if (!flags.out_dir.empty()) {
    args.push_back("--benchmark_out=" + flags.out_dir + "/bench.json");
    args.push_back("--benchmark_out_format=json");
  }
  return args;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("How fast is the cache? Measures the key hash, insert and propose.",
               "lockstep-bench");
  app.add_option("--filter", flags.filter, "run the benchmarks whose name matches this expression");
  app.add_option("--min-time", flags.min_time_seconds, "least seconds for each benchmark")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repetitions", flags.repetitions, "measure each so often, in random order")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--out", flags.out_dir, "also write DIR/bench.json")->type_name("DIR");
  app.add_flag("--json", flags.json, "print Google Benchmark's JSON instead of a table");
  app.add_flag("--list", flags.list, "name the benchmarks and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lockstep::kExitPass : lockstep::kExitBadInput;
  }
  if (!flags.out_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(flags.out_dir, error);
    if (error) {
      std::fprintf(stderr, "lockstep-bench: --out %s: %s; name a directory that can be written\n",
                   flags.out_dir.c_str(), error.message().c_str());
      return lockstep::kExitBadInput;
    }
  }
  std::vector<std::string> args = BenchmarkArguments(flags);
  std::vector<char*> argv_out;
  for (std::string& arg : args) argv_out.push_back(arg.data());
  int argc_out = static_cast<int>(argv_out.size());
  benchmark::Initialize(&argc_out, argv_out.data());
  if (benchmark::RunSpecifiedBenchmarks() == 0) {
    std::fprintf(stderr, "lockstep-bench: --filter %s matches no benchmark; see --list\n",
                 flags.filter.c_str());
    return lockstep::kExitBadInput;
  }
  benchmark::Shutdown();
  return lockstep::kExitPass;
}
