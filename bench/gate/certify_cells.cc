#include "bench/gate/certify_cells.h"

#include "bench/gate/slowdowns.h"

namespace lockstep::gate {

const std::vector<CertifyCell>& CertifyCells() {
  static const std::vector<CertifyCell> cells = [] {
    std::vector<CertifyCell> all = {{.goal = 100}, {.noisy = true, .goal = 30}};
    for (const Site& site : Sites()) {
      for (const int percent : {2, 3, 5}) {
        all.push_back({.site = site.name, .percent = percent, .goal = percent == 2 ? 10 : 20});
        all.push_back(
            {.noisy = true, .site = site.name, .percent = percent, .goal = percent == 2 ? 5 : 10});
      }
    }
    all.push_back({.full = true, .goal = 5});
    return all;
  }();
  return cells;
}

const CertifyCell* NextCell(const std::map<std::string, int>& done) {
  const CertifyCell* next = nullptr;
  double least = 1;
  for (const CertifyCell& cell : CertifyCells()) {
    const auto it = done.find(cell.Key());
    const double share = it == done.end() ? 0 : static_cast<double>(it->second) / cell.goal;
    if (share < least) {
      least = share;
      next = &cell;
    }
  }
  return next;
}

}  // namespace lockstep::gate
