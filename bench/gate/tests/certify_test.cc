#include "bench/gate/certify.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "bench/gate/certify_cells.h"
#include "bench/gate/certify_records.h"
#include "gtest/gtest.h"

namespace lockstep::gate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Certification : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "certify_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
    records_ = dir_ + "/records.jsonl";
  }
  void TearDown() override { fs::remove_all(dir_); }

  void Gate(const std::string& site, int percent, int exit_code, double ratio = 0) const {
    ASSERT_TRUE(AppendRecord(records_, {{"kind", "gate"},
                                        {"cell", "quiet " + site},
                                        {"site", site},
                                        {"percent", percent},
                                        {"started", "2026-01-02T03:04:05Z"},
                                        {"seconds", 10},
                                        {"exit_code", exit_code},
                                        {"verdict", "SLOWER: x"},
                                        {"rows", {{"resent/cache", {{"ratio", ratio}}}}}})
                    .ok());
  }
  std::string dir_;
  std::string records_;
};

TEST_F(Certification, ALineThatWasCutLosesNothingElse) {
  Gate("", 0, 0);
  std::ofstream(records_, std::ios::app) << R"({"kind":"gate","cell":"quiet eq)";
  Gate("", 0, 0);
  EXPECT_EQ(ReadRecords(records_).size(), 2U);
}

TEST_F(Certification, CountsWhatIsFlaggedMissedAndFalse) {
  ASSERT_TRUE(
      AppendRecord(records_, {{"kind", "run"}, {"machine", "M"}, {"commit", "c0ffee"}}).ok());
  ASSERT_TRUE(AppendRecord(records_, {{"kind", "calibration"},
                                      {"site", "dedup loop"},
                                      {"percent", 3},
                                      {"searched", 0.0299},
                                      {"measured", 0.028},
                                      {"target", "resent/cache"}})
                  .ok());
  for (int i = 0; i < 9; ++i) Gate("", 0, 0);
  Gate("", 0, 3);
  Gate("dedup loop", 3, 3, 0.02);
  Gate("dedup loop", 3, 6, 0.03);
  Gate("dedup loop", 3, 3, 0.04);
  const absl::StatusOr<Certificate> c = RenderCertificate(records_);
  ASSERT_TRUE(c.ok());
  const Json& equal = c->json["groups"]["short gate, no neighbour, equal libraries"];
  EXPECT_EQ(equal["gates"], 10);
  EXPECT_EQ(equal["flagged"], 1);
  EXPECT_NEAR(equal["flagged_bounds"][1].get<double>(), 0.4450, 5e-5);  // as in the tables
  const Json& slower = c->json["groups"]["short gate, no neighbour, 3 % slower"];
  EXPECT_EQ(slower["flagged"], 2);
  EXPECT_EQ(slower["inconclusive"], 1);
  // The figure that the search ended with stands nowhere.
  EXPECT_NE(c->markdown.find("| 3 % | +2.80 % | +3.00 % |"), std::string::npos) << c->markdown;
  EXPECT_EQ(c->markdown.find("2.99"), std::string::npos);
  EXPECT_NE(c->markdown.find("False alarms:\n\n- 2026-01-02T03:04:05Z: SLOWER: x"),
            std::string::npos);
  EXPECT_NE(c->markdown.find("on M, at commit c0ffee"), std::string::npos);
}

TEST_F(Certification, NothingMeasuredIsNoCertificate) {
  EXPECT_FALSE(RenderCertificate(records_).ok());
}

TEST(NextCell, TakesTheOneFurthestFromItsGoalUntilAllAreDone) {
  std::map<std::string, int> done;
  int gates = 0;
  while (const CertifyCell* cell = NextCell(done)) {
    ++done[cell->Key()];
    ASSERT_LT(++gates, 10000);
  }
  for (const CertifyCell& cell : CertifyCells()) EXPECT_EQ(done[cell.Key()], cell.goal);
}

}  // namespace
}  // namespace lockstep::gate
