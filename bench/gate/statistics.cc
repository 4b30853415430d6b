#include "bench/gate/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace lockstep::gate {
namespace {

// How often each sum of a subset of `ranks` occurs, over all subsets, as a share of them.
std::vector<double> SubsetSums(const std::vector<uint64_t>& ranks) {
  const uint64_t total = std::accumulate(ranks.begin(), ranks.end(), uint64_t{0});
  std::vector<double> share(total + 1, 0);
  share[0] = 1;
  uint64_t highest = 0;
  for (const uint64_t rank : ranks) {
    for (uint64_t sum = highest + rank + 1; sum-- > 0;) {
      const double without = sum <= highest ? share[sum] : 0;
      const double with = sum >= rank ? share[sum - rank] : 0;
      share[sum] = (without + with) / 2;
    }
    highest += rank;
  }
  return share;
}

double LogBinomial(size_t n, size_t k) {
  return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
         std::lgamma(static_cast<double>(n - k) + 1);
}

// P(X >= events) for a binomial X.
double UpperTail(size_t events, size_t trials, double rate) {
  if (events == 0 || rate >= 1) return 1;
  if (rate <= 0) return 0;
  double sum = 0;
  for (size_t k = events; k <= trials; ++k) {
    sum += std::exp(LogBinomial(trials, k) + static_cast<double>(k) * std::log(rate) +
                    static_cast<double>(trials - k) * std::log1p(-rate));
  }
  return std::min(1.0, sum);
}

// The rate at which UpperTail, which grows with it, is `tail`.
double RateOfUpperTail(size_t events, size_t trials, double tail) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (UpperTail(events, trials, middle) < tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double SignedRankP(const std::vector<double>& values, double centre) {
  std::vector<double> distances;
  for (const double value : values) {
    if (value != centre) distances.push_back(value - centre);
  }
  std::sort(distances.begin(), distances.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  // Twice the ranks, so that the mean of two is a whole number.
  std::vector<uint64_t> ranks(distances.size());
  uint64_t above = 0;
  for (size_t i = 0; i < distances.size();) {
    size_t end = i;
    while (end < distances.size() && std::abs(distances[end]) == std::abs(distances[i])) ++end;
    for (size_t j = i; j < end; ++j) {
      ranks[j] = i + 1 + end;
      if (distances[j] > 0) above += ranks[j];
    }
    i = end;
  }
  const std::vector<double> share = SubsetSums(ranks);
  return std::min(
      1.0, std::accumulate(share.begin() + static_cast<std::ptrdiff_t>(above), share.end(), 0.0));
}

Interval SignedRankInterval(const std::vector<double>& values, double confidence) {
  std::vector<double> averages;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  std::vector<uint64_t> ranks(values.size());
  std::iota(ranks.begin(), ranks.end(), uint64_t{1});
  const std::vector<double> share = SubsetSums(ranks);
  size_t cut = 0;  // averages left out at either end
  double tail = share[0];
  while (tail <= (1 - confidence) / 2) tail += share[++cut];
  if (cut == 0) return {averages.front(), averages.back()};
  return {averages[cut - 1], averages[averages.size() - cut]};
}

std::vector<double> HolmAdjusted(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double running = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    running = std::max(running, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = running;
  }
  return adjusted;
}

Interval ExactRateBounds(size_t events, size_t trials, double confidence) {
  const double tail = (1 - confidence) / 2;
  Interval bounds = {0, 1};
  if (events > 0) bounds.low = RateOfUpperTail(events, trials, tail);
  if (events < trials) bounds.high = RateOfUpperTail(events + 1, trials, 1 - tail);
  return bounds;
}

}  // namespace lockstep::gate
