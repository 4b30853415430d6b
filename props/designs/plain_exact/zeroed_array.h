// A fixed array of zeros whose pages cost nothing until they are written.

#ifndef PROPS_DESIGNS_PLAIN_EXACT_ZEROED_ARRAY_H_
#define PROPS_DESIGNS_PLAIN_EXACT_ZEROED_ARRAY_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace plain_exact {

// `T` is a plain integer. calloc and not std::vector: a large array comes from the kernel already
// zero, so a scope of many megabytes takes only the memory that its documents fill.
template <typename T>
class ZeroedArray {
 public:
  // Throws std::bad_alloc when there is no memory.
  explicit ZeroedArray(uint64_t size)
      : data_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ~ZeroedArray() { std::free(data_); }

  ZeroedArray(const ZeroedArray&) = delete;
  ZeroedArray& operator=(const ZeroedArray&) = delete;

  T& operator[](uint64_t index) { return data_[index]; }
  const T& operator[](uint64_t index) const { return data_[index]; }
  uint64_t size() const { return size_; }

  void Zero() { std::memset(data_, 0, size_ * sizeof(T)); }

 private:
  T* data_;
  uint64_t size_;
};

}  // namespace plain_exact

#endif  // PROPS_DESIGNS_PLAIN_EXACT_ZEROED_ARRAY_H_
