#include "fuzz/fuzzer_log.h"

#include "gtest/gtest.h"

namespace lockstep::fuzz {
namespace {

TEST(ReadPulse, TheLastLineCountsAndNewInputsAddUp) {
  const Pulse pulse = ReadPulse(
      "INFO: seed corpus: files: 42\n"
      "#43\tINITED cov: 100 ft: 200 corp: 40/2000b exec/s: 0 rss: 40Mb\n"
      "#99\tNEW    cov: 101 ft: 210 corp: 41/2010b lim: 512 exec/s: 5 rss: 40Mb L: 9/9 MS: 1\n"
      "#300\tpulse  cov: 101 ft: 210 corp: 41/2010b lim: 512 exec/s: 150 rss: 40Mb\n");
  EXPECT_EQ(pulse.executions, 300);
  EXPECT_EQ(pulse.coverage, 101);
  EXPECT_EQ(pulse.features, 210);
  EXPECT_EQ(pulse.corpus, 41);
  EXPECT_EQ(pulse.executions_per_second, 150);
  EXPECT_EQ(pulse.new_inputs, 1);
}

TEST(ReadModules, ALibraryWithCoverageIsASecondOne) {
  EXPECT_EQ(ReadModules("INFO: Seed: 1\nINFO: Loaded 2 modules   (900 inline 8-bit counters)\n"),
            2);
  EXPECT_EQ(ReadModules("no such line\n"), 0);
}

TEST(ReadSignature, OurOwnLineGoesFirst) {
  EXPECT_EQ(ReadSignature("INFO: x\nlockstep finding: I6: a key\noperation 3: no draft\n"
                          "==1== ERROR: libFuzzer: deadly signal\n"),
            "I6: a key");
}

TEST(ReadSignature, ASanitizersReportIsItsKindAndOurFirstFunction) {
  EXPECT_EQ(ReadSignature("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50 at\n"
                          "    #0 0x5 in memset (/a/fuzz+0x1)\n"
                          "    #1 0x6 in lockstep::Scope::Insert(int) /b/scope.cc:3:4\n"),
            "AddressSanitizer: heap-buffer-overflow in lockstep::Scope::Insert");
  EXPECT_EQ(ReadSignature("==7== ERROR: libFuzzer: timeout after 11 seconds\n"),
            "libFuzzer: timeout");
  EXPECT_EQ(ReadSignature("Done 100 runs in 1 second(s)\n"), "");
}

}  // namespace
}  // namespace lockstep::fuzz
