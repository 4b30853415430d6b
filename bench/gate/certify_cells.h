// What a certification consists of.

#ifndef LOCKSTEP_BENCH_GATE_CERTIFY_CELLS_H_
#define LOCKSTEP_BENCH_GATE_CERTIFY_CELLS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace lockstep::gate {

struct CertifyCell {
  bool full = false;
  bool noisy = false;
  std::string site = {};  // "" for equal libraries
  int percent = 0;
  int goal = 0;  // gates

  std::string Key() const {
    return absl::StrCat(full ? "full " : "", noisy ? "noisy " : "quiet ",
                        site.empty() ? "equal" : absl::StrCat(site, " ", percent));
  }
};

const std::vector<CertifyCell>& CertifyCells();

// The cell that is furthest from its goal, so that a run that is stopped has some of each; null
// when all are done.
const CertifyCell* NextCell(const std::map<std::string, int>& done);

}  // namespace lockstep::gate

#endif  // LOCKSTEP_BENCH_GATE_CERTIFY_CELLS_H_
