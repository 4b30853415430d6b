// A stream of bytes out of a file, decompressed on the way where it is compressed with zstd.

#ifndef LOCKSTEP_PROPS_HARNESS_BYTE_SOURCE_H_
#define LOCKSTEP_PROPS_HARNESS_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

class ByteSource {
 public:
  // "-" is standard input. The first bytes say whether the file is compressed, not its name; but a
  // file named .zst that is not is an error.
  //
  // Errors: NotFound, see CannotRead.
  static absl::StatusOr<std::unique_ptr<ByteSource>> Open(const std::string& path);
  virtual ~ByteSource() = default;

  // Reads up to `size` bytes into `out`; 0 means the end.
  //
  // Errors: NotFound when reading fails; InvalidArgument "what is wrong; what to do" for bytes that
  //         zstd refuses and for a compressed file that was cut short.
  virtual absl::StatusOr<size_t> Read(char* out, size_t size) = 0;

  // Bytes of the file read so far, before decompression.
  virtual uint64_t bytes_read() const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_HARNESS_BYTE_SOURCE_H_
