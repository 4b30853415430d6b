// lockstep-gate: did this change make the library slower?

#include <cmath>
#include <string>

#include "CLI/CLI.hpp"
#include "bench/gate/gate_flags.h"
#include "bench/gate/gate_run.h"
#include "bench/gate/measure.h"
#include "reports/result.h"

namespace {

using lockstep::gate::GateFlags;

void AddFlags(CLI::App& app, GateFlags& flags) {
  app.description(
      "Did this change make the library slower? Builds the merge-base of --base and head, loads "
      "both\ninto one process after the other, and times them in turn; or compares two libraries "
      "that are there.\nA line `Perf-Accept: WORKLOAD REASON` in a message of head's commits "
      "accepts "
      "a loss.\nExit codes: 0 not slower; 1 different answers, nothing timed; 2 bad usage; "
      "3 slower; 4 a library does\nnot build or load; 6 this machine cannot tell.");
  auto* base = app.add_option("--base", flags.base, "the commit that head is compared with");
  app.add_option("--head", flags.head, "a commit (default: the working tree)")->needs(base);
  auto* base_lib = app.add_option("--base-lib", flags.base_lib, "a library instead of --base");
  auto* head_lib = app.add_option("--head-lib", flags.head_lib, "a library instead of --head");
  base_lib->needs(head_lib)->excludes(base);
  head_lib->needs(base_lib);
  app.add_option("--workloads", flags.workloads,
                 "names or parts of names, or `short`: the six of a short gate (default: all)")
      ->delimiter(',');
  app.add_option("--budget-seconds", flags.budget_seconds, "shorten batches to keep to this time")
      ->check(CLI::Range(10.0, 86400.0));
  app.add_option("--batch-us", flags.batch_us, "length of a batch in microseconds")
      ->check(CLI::Range(100, 100000))
      ->capture_default_str();
  app.add_option("--seed", flags.seed, "of orders and inputs (default: random, printed)");
  app.add_flag("--measure-identical", flags.measure_identical,
               "time libraries that are equal too, to see what this machine can tell");
  app.add_flag("--no-instructions", flags.no_instructions, "do without valgrind");
  app.add_flag("--list", flags.list, "name the workloads and exit");
  app.add_flag("--json", flags.json, "print the result as JSON");
  app.add_option("--out", flags.out, "folder of result.json, summary.md and junit.xml")
      ->capture_default_str();
  auto* certify =
      app.add_flag("--certify", flags.certify,
                   "measure the gate itself; goes on where the last run in --out ended");
  certify->excludes(base)->excludes(base_lib);
  app.add_option("--hours", flags.hours, "of --certify (default: 1)")
      ->needs(certify)
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--minutes", flags.minutes, "of --certify")
      ->needs(certify)
      ->check(CLI::Range(0.0, 60000.0));
  app.add_flag("--render", flags.render, "with --certify: only write the certificate again")
      ->needs(certify);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--measure") {
    return lockstep::gate::MeasureMain(argv[2]);
  }
  GateFlags flags;
  CLI::App app("", "lockstep-gate");
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
    for (const double number : {flags.budget_seconds, flags.hours, flags.minutes}) {
      if (std::isnan(number)) throw CLI::ValidationError("nan", "is not a number");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lockstep::kExitPass : lockstep::kExitBadInput;
  }
  return lockstep::gate::RunGate(flags);
}
