#include "props/harness/trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/byte_source.h"
#include "props/harness/input_file.h"
#include "props/harness/json_line.h"

namespace lockstep {
namespace {

// Cuts a source into lines, each of which it holds whole.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The next line without its end, valid until the next call; nullopt at the end.
  //
  // Errors: those of the source; InvalidArgument for a line above kMaxTraceLineBytes.
  absl::StatusOr<std::optional<std::string_view>> Next() {
    size_t searched = begin_;
    for (;;) {
      const void* const found = std::memchr(buffer_.data() + searched, '\n', size_ - searched);
      const size_t end =
          found == nullptr ? size_
                           : static_cast<size_t>(static_cast<const char*>(found) - buffer_.data());
      if (end - begin_ > kMaxTraceLineBytes) {
        return absl::InvalidArgumentError(
            absl::StrCat("the line is longer than ", kMaxTraceLineBytes >> 20,
                         " MiB; split the request, or check that this is a trace"));
      }
      if (found != nullptr) return Take(end, 1);
      searched = size_ - begin_;  // where it will be when the line has moved to the front
      const absl::StatusOr<size_t> got = Fill();
      if (!got.ok()) return got.status();
      if (*got > 0) continue;
      if (size_ == 0) return std::nullopt;
      return Take(size_, 0);
    }
  }

  uint64_t bytes_read() const { return source_->bytes_read(); }

 private:
  std::optional<std::string_view> Take(size_t end, size_t separator) {
    const std::string_view line(buffer_.data() + begin_, end - begin_);
    begin_ = end + separator;
    return line;
  }

  // Moves the begun line to the front and reads on behind it.
  absl::StatusOr<size_t> Fill() {
    if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, size_ - begin_);
    size_ -= begin_;
    begin_ = 0;
    constexpr size_t kChunkBytes = size_t{1} << 18;
    if (buffer_.size() - size_ < kChunkBytes) buffer_.resize(2 * buffer_.size() + kChunkBytes);
    const absl::StatusOr<size_t> got =
        source_->Read(buffer_.data() + size_, buffer_.size() - size_);
    if (got.ok()) size_ += *got;
    return got;
  }

  std::unique_ptr<ByteSource> source_;
  std::string buffer_;
  size_t begin_ = 0;  // of the line to come
  size_t size_ = 0;   // bytes of the buffer in use
};

class JsonTraceReader : public TraceReader {
 public:
  JsonTraceReader(std::vector<std::string> paths, uint64_t bytes_total)
      : paths_(std::move(paths)), bytes_total_(bytes_total) {}

  absl::StatusOr<bool> Next(Request& request) override {
    for (;;) {
      if (lines_ == nullptr) {
        if (next_path_ == paths_.size()) return false;
        absl::StatusOr<std::unique_ptr<ByteSource>> source = ByteSource::Open(paths_[next_path_]);
        if (!source.ok()) return source.status();
        lines_ = std::make_unique<LineReader>(*std::move(source));
        line_ = blank_line_ = requests_ = 0;
        ++next_path_;
      }
      ++line_;
      const absl::StatusOr<std::optional<std::string_view>> text = lines_->Next();
      if (!text.ok()) return Located(text.status());
      if (!text->has_value()) {
        if (requests_ == 0) return Fault(1, "the file is empty; a trace has a request a line");
        bytes_before_ += lines_->bytes_read();
        lines_ = nullptr;
        continue;
      }
      // Blank lines at the end do no harm; between others, a request is missing.
      if ((*text)->find_first_not_of(" \t\r") == std::string_view::npos) {
        if (blank_line_ == 0) blank_line_ = line_;
        continue;
      }
      if (blank_line_ != 0) return Fault(blank_line_, "an empty line; remove it");
      if (auto wrong = Parse(**text, request)) return Fault(line_, *wrong);
      ++requests_;
      return true;
    }
  }

  uint64_t bytes_read() const override {
    return bytes_before_ + (lines_ != nullptr ? lines_->bytes_read() : 0);
  }
  uint64_t bytes_total() const override { return bytes_total_; }

 private:
  std::optional<std::string> Parse(std::string_view text, Request& request) {
    std::swap(request, request_);  // so that the caller's memory is what the parser fills
    auto wrong = parser_.Parse(text);
    if (!wrong) wrong = parser_.Missing({"id", "scope", "prompt", "output"});
    std::swap(request, request_);
    return wrong;
  }

  absl::Status Fault(uint64_t line, std::string_view what) const {
    return absl::InvalidArgumentError(AtLine(Name(), line, what));
  }
  // Errors in the bytes get the line they were met at; a file that cannot be read has no lines.
  absl::Status Located(const absl::Status& status) const {
    if (!absl::IsInvalidArgument(status)) return status;
    return Fault(line_, std::string(status.message()));
  }
  std::string Name() const {
    const std::string& path = paths_[next_path_ - 1];
    return path == "-" ? "standard input" : path;
  }

  std::vector<std::string> paths_;
  uint64_t bytes_total_;
  size_t next_path_ = 0;
  std::unique_ptr<LineReader> lines_;  // of the file before next_path_; null between files
  uint64_t line_ = 0;
  uint64_t blank_line_ = 0;
  uint64_t requests_ = 0;  // of this file
  uint64_t bytes_before_ = 0;
  Request request_;
  JsonLine parser_{{{"id", &request_.id},
                    {"scope", ScopeObject{&request_.scope}},
                    {"prompt", TokenArray{&request_.prompt, kReservedToken - 1}},
                    {"output", TokenArray{&request_.output, kReservedToken - 1}}}};
};

}  // namespace

absl::StatusOr<std::unique_ptr<TraceReader>> TraceReader::Open(std::vector<std::string> paths) {
  if (paths.empty()) return absl::InvalidArgumentError("no trace is named; name at least one");
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    return absl::InvalidArgumentError("standard input is named twice; it can be read once");
  }
  uint64_t bytes_total = 0;
  bool known = true;
  for (const std::string& path : paths) {
    struct stat info = {};
    const bool ok = path == "-" ? fstat(STDIN_FILENO, &info) == 0
                                : stat(path.c_str(), &info) == 0 && access(path.c_str(), R_OK) == 0;
    if (!ok) return CannotRead(path, errno);
    if (S_ISDIR(info.st_mode)) return CannotRead(path, EISDIR);
    known = known && S_ISREG(info.st_mode);
    bytes_total += static_cast<uint64_t>(info.st_size);
  }
  return std::unique_ptr<TraceReader>(
      std::make_unique<JsonTraceReader>(std::move(paths), known ? bytes_total : 0));
}

}  // namespace lockstep
