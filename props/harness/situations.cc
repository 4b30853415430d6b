#include <cstddef>
#include <iterator>

#include "props/harness/exact_model.h"

namespace lockstep {
namespace {

constexpr const char* kNames[] = {
    "short document",
    "document refused",
    "tail cut",
    "scope made",
    "scope dropped",
    "scope made again",
    "ring wrapped",
    "run started",
    "run resumed",
    "run cut",
    "run ended by document",
    "duplicates broken",
    "duplicates broken one short of the limit",
    "nothing written",
    "slot taken over",
    "slot refreshed",
    "stale slot refused",
    "stale match refused",
    "oldest position found",
    "oldest position missed by one",
    "foreign key refused",
    "propose: absent scope",
    "propose: short history",
    "propose: max_len 0",
    "propose: reserved token in key",
    "propose: miss",
    "draft ended by run",
    "draft ended by max_len",
    "scope kept by a proposal",
    "scope kept by an insert",
};
static_assert(std::size(kNames) == static_cast<size_t>(Situation::kCount));

}  // namespace

const char* SituationName(Situation situation) { return kNames[static_cast<size_t>(situation)]; }

void SituationCounts::Add(const SituationCounts& other) {
  for (size_t i = 0; i < std::size(of); ++i) of[i] += other.of[i];
}

}  // namespace lockstep
