// The memory of one scope: asked for once, zero before it is touched, on huge pages where it is
// large.

#ifndef LOCKSTEP_SCOPE_MEMORY_H_
#define LOCKSTEP_SCOPE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lockstep {

// Blocks of this size and above start on a boundary of it. A slot is read at random: on pages of
// 4 KiB nearly every read would also miss the processor's table of pages.
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

class ScopeMemory {
 public:
  ScopeMemory() = default;
  ScopeMemory(ScopeMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ScopeMemory& operator=(ScopeMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ScopeMemory();

  // `bytes` zero bytes, aligned for any integer; data() is null when there is no memory.
  //
  // Cost: a large block costs nothing until a page of it is touched.
  static ScopeMemory Allocate(size_t bytes);

  void* data() const { return data_; }
  size_t size_bytes() const { return bytes_; }

 private:
  ScopeMemory(void* data, size_t bytes) : data_(data), bytes_(bytes) {}

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_SCOPE_MEMORY_H_
