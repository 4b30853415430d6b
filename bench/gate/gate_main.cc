// lockstep-gate: did this change make the library slower?

#include <string>

#include "bench/gate/gate_flags.h"
#include "bench/gate/gate_run.h"
#include "bench/gate/measure.h"
#include "reports/command_line.h"
#include "reports/text.h"

namespace {

using lockstep::gate::GateFlags;

lockstep::CommandHelp Help() {
  return {
      .name = "gate",
      .answers = "Did this change make the library slower?",
      .about =
          "Builds the merge-base of --base and head, loads both into one process one after the "
          "other, and times them in turn; or compares two libraries that are there. Libraries that "
          "answer differently are not timed. A change that is meant to cost time says so in its "
          "commit message: Perf-Accept: WORKLOAD reason.",
      .examples = {{"./lockstep gate --base origin/main", "the working tree against its base"},
                   {"./lockstep gate --base v1.0 --head main", "two commits"},
                   {"./lockstep gate --base-lib a.so --head-lib b.so --workloads short",
                    "two libraries, the six workloads of a short gate"},
                   {"./lockstep gate --certify --hours 2", "the gate's own error rates"}},
      .exit_codes = {{0, "not slower"},
                     {1, "different answers: nothing was timed"},
                     {2, "bad usage"},
                     {3, "slower"},
                     {4, "a library does not build or load"},
                     {6, "this machine cannot tell"}}};
}

void AddFlags(CLI::App& app, GateFlags& flags) {
  lockstep::Describe(app, Help());
  auto* base = app.add_option("--base", flags.base, "compare with the merge-base of this and head")
                   ->type_name("COMMIT");
  app.add_option("--head", flags.head, "a commit")
      ->type_name("COMMIT")
      ->default_str("the working tree")
      ->needs(base);
  auto* base_lib = app.add_option("--base-lib", flags.base_lib, "a library instead of --base")
                       ->type_name("LIB.so");
  auto* head_lib = app.add_option("--head-lib", flags.head_lib, "a library instead of --head")
                       ->type_name("LIB.so");
  base_lib->needs(head_lib)->excludes(base);
  head_lib->needs(base_lib);
  app.add_option("--workloads", flags.workloads,
                 "names or parts of names, apart by commas, or `short`: the six of a short gate")
      ->type_name("NAMES")
      ->default_str("all")
      ->delimiter(',');
  app.add_option("--budget-seconds", flags.budget_seconds, "shorten batches to keep to this time")
      ->type_name("SECONDS")
      ->default_str("no limit")
      ->check(lockstep::InRange(10.0, 86400.0));
  app.add_option("--batch-us", flags.batch_us, "length of a batch in microseconds")
      ->type_name("US")
      ->check(CLI::Range(100, 100000));
  app.add_option("--seed", flags.seed, "of orders and inputs; 0 draws one, and the result names it")
      ->type_name("N");
  app.add_flag("--measure-identical", flags.measure_identical,
               "time libraries that are equal too, to see what this machine can tell");
  app.add_flag("--no-instructions", flags.no_instructions, "do without valgrind");
  app.add_flag("--list", flags.list, "name the workloads and exit");
  auto* certify =
      app.add_flag("--certify", flags.certify,
                   "measure the gate itself; goes on where the last run in --out ended");
  certify->excludes(base)->excludes(base_lib);
  app.add_option("--hours", flags.hours, "of --certify, added to --minutes; neither: one hour")
      ->type_name("HOURS")
      ->check(lockstep::InRange(0, 1000))
      ->needs(certify);
  app.add_option("--minutes", flags.minutes, "of --certify")
      ->type_name("MINUTES")
      ->check(lockstep::InRange(0, 60000))
      ->needs(certify);
  app.add_flag("--render", flags.render, "with --certify: only write the certificate again")
      ->needs(certify);
  app.add_option("--out", flags.out, "folder for result.json, summary.md and junit.xml")
      ->type_name("DIR")
      ->default_str("out/gate; with --certify out/gate_certificate");
  app.add_flag("--json", flags.json, "print result.json instead of the tables");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--measure") {
    return lockstep::gate::MeasureMain(argv[2]);
  }
  GateFlags flags;
  flags.command = lockstep::CommandLine("gate", argc, argv);
  CLI::App app;
  AddFlags(app, flags);
  if (const auto done = lockstep::ParseCommandLine(app, argc, argv)) return *done;
  return lockstep::gate::RunGate(flags);
}
