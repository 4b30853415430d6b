#include "props/harness/byte_source.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "props/harness/input_file.h"

namespace lockstep {
namespace {

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

// A file descriptor whose first bytes can be looked at before they are read.
class PlainSource : public ByteSource {
 public:
  PlainSource(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~PlainSource() override { close(fd_); }
  PlainSource(const PlainSource&) = delete;
  PlainSource& operator=(const PlainSource&) = delete;

  // The first bytes, as many as there are up to the length of the magic number.
  absl::StatusOr<std::string_view> Peek() {
    while (peeked_.size() < kZstdMagic.size()) {
      char buffer[kZstdMagic.size()];
      const absl::StatusOr<size_t> got = ReadFile(buffer, kZstdMagic.size() - peeked_.size());
      if (!got.ok()) return got.status();
      if (*got == 0) break;
      peeked_.append(buffer, *got);
    }
    return std::string_view(peeked_);
  }

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    if (given_ < peeked_.size()) {
      const size_t count = std::min(size, peeked_.size() - given_);
      std::memcpy(out, peeked_.data() + given_, count);
      given_ += count;
      return count;
    }
    return ReadFile(out, size);
  }

  uint64_t bytes_read() const override { return bytes_read_; }

 private:
  absl::StatusOr<size_t> ReadFile(char* out, size_t size) {
    ssize_t got;
    do {
      got = read(fd_, out, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return CannotRead(path_, errno);
    bytes_read_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }

  std::string path_;
  int fd_;
  std::string peeked_;
  size_t given_ = 0;
  uint64_t bytes_read_ = 0;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<PlainSource> file)
      : file_(std::move(file)), stream_(ZSTD_createDStream()), buffer_(ZSTD_DStreamInSize()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  absl::StatusOr<size_t> Read(char* out, size_t size) override {
    ZSTD_outBuffer target = {out, size, 0};
    while (target.pos == 0) {
      // A full output buffer may have left decompressed bytes inside; they come before more input.
      if (input_.pos == input_.size && !output_pending_) {
        const absl::StatusOr<size_t> got = file_->Read(buffer_.data(), buffer_.size());
        if (!got.ok()) return got.status();
        if (*got == 0) return AtEnd();
        input_ = {buffer_.data(), *got, 0};
      }
      const size_t left = ZSTD_decompressStream(stream_, &target, &input_);
      if (ZSTD_isError(left)) {
        return absl::InvalidArgumentError(
            absl::StrCat("the compressed data is damaged (zstd: ", ZSTD_getErrorName(left),
                         "); copy or compress the file again"));
      }
      frame_open_ = left != 0;
      output_pending_ = target.pos == target.size && frame_open_;
    }
    return target.pos;
  }

  uint64_t bytes_read() const override { return file_->bytes_read(); }

 private:
  absl::StatusOr<size_t> AtEnd() const {
    if (!frame_open_) return 0;
    return absl::InvalidArgumentError(
        "the compressed file is cut short; copy or compress it again");
  }

  std::unique_ptr<PlainSource> file_;
  ZSTD_DStream* stream_;
  std::vector<char> buffer_;
  ZSTD_inBuffer input_ = {nullptr, 0, 0};
  bool frame_open_ = false;
  bool output_pending_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path) {
  const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path, errno);
  auto file = std::make_unique<PlainSource>(path, fd);
  const absl::StatusOr<std::string_view> first = file->Peek();
  if (!first.ok()) return first.status();
  if (*first == kZstdMagic) {
    return std::unique_ptr<ByteSource>(std::make_unique<ZstdSource>(std::move(file)));
  }
  if (absl::EndsWith(path, ".zst") && !first->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":1: is named .zst but does not begin as zstd does; rename it, or compress it"));
  }
  return std::unique_ptr<ByteSource>(std::move(file));
}

}  // namespace lockstep
