// Memory between two inaccessible pages, so that one byte too far is a fault at once.

#ifndef LOCKSTEP_PROPS_HARNESS_GUARDED_AREA_H_
#define LOCKSTEP_PROPS_HARNESS_GUARDED_AREA_H_

#include <cstddef>

namespace lockstep {

class GuardedArea {
 public:
  GuardedArea() = default;
  GuardedArea(const GuardedArea&) = delete;
  GuardedArea& operator=(const GuardedArea&) = delete;
  ~GuardedArea();

  // Makes room for at least `bytes`; what the area held is lost when it has to grow.
  void Reserve(size_t bytes);

  // The first usable byte, just past an inaccessible page, and the end, which is another.
  char* begin() const { return begin_; }
  char* end() const { return begin_ + bytes_; }

  // Whether `address` is in the page before or after the usable bytes. Safe in a signal handler.
  bool GuardsBefore(const void* address) const;
  bool GuardsAfter(const void* address) const;

 private:
  char* begin_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_GUARDED_AREA_H_
