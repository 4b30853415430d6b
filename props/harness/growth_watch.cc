#include <algorithm>

#include "absl/strings/str_cat.h"
#include "props/harness/memory_checks.h"

namespace lockstep {
namespace {

// The early stretch begins when caches are full and ends well before half: something that doubles
// when it is full does so between any moment and 2.1 times that.
constexpr double kEarlyBegin = 0.125;
constexpr double kEarlyEnd = 0.375;
constexpr double kLateBegin = 0.8;
constexpr size_t kFewestSamples = 16;

struct Series {
  const char* name;
  int64_t MemorySample::* value;
  int64_t slack_bytes;  // less than this is not called growth
};
// What the allocator counts is exact, but containers may come to need more room late and once. The
// pages of a whole process waver.
constexpr Series kSeries[] = {
    {"live bytes", &MemorySample::live_bytes, int64_t{16} << 10},
    {"bytes mapped", &MemorySample::mapped_bytes, int64_t{64} << 10},
    {"private bytes in memory", &MemorySample::private_bytes, int64_t{1} << 20},
    {"bytes of address space", &MemorySample::virtual_bytes, int64_t{2} << 20},
};

}  // namespace

std::optional<std::string> GrowthWatch::Judge() const {
  if (samples_.size() < kFewestSamples) return std::nullopt;
  const auto at = [&](double part) {
    return samples_.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(samples_.size()));
  };
  for (const Series& series : kSeries) {
    const auto less = [&](const MemorySample& a, const MemorySample& b) {
      return a.*series.value < b.*series.value;
    };
    const int64_t early = (*std::max_element(at(kEarlyBegin), at(kEarlyEnd), less)).*series.value;
    const int64_t late = (*std::min_element(at(kLateBegin), samples_.end(), less)).*series.value;
    if (late <= early + series.slack_bytes) continue;
    return absl::StrCat(series.name, " grew from at most ", early, " to at least ", late);
  }
  return std::nullopt;
}

}  // namespace lockstep
