#include "bench/replay/trace_writer.h"

#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace lockstep {
namespace {

constexpr int kCompressionLevel = 19;  // traces are written once and read often

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class FileTraceWriter : public TraceWriter {
 public:
  FileTraceWriter(std::string path, std::string aside, std::FILE* file)
      : path_(std::move(path)), aside_(std::move(aside)), file_(file) {
    if (!absl::EndsWith(path_, ".zst")) return;
    compressor_.reset(ZSTD_createCCtx());
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1);
    buffer_.resize(ZSTD_CStreamOutSize());
  }

  ~FileTraceWriter() override {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    unlink(aside_.c_str());
  }

  absl::Status Write(const Request& request) override {
    const std::string line = TraceLine(request);
    if (line.size() > kMaxTraceLineBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("request \"", request.id, "\" takes a line of ", line.size(),
                       " bytes; at most ", kMaxTraceLineBytes, " can be read again"));
    }
    return Put(line + "\n", ZSTD_e_continue);
  }

  absl::Status Finish() override {
    if (absl::Status put = Put("", ZSTD_e_end); !put.ok()) return put;
    if (std::fflush(file_) != 0) return Failed();
    if (file_ == stdout) return absl::OkStatus();
    const bool written = fsync(fileno(file_)) == 0;
    const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (written && closed && std::rename(aside_.c_str(), path_.c_str()) == 0) {
      return absl::OkStatus();
    }
    const absl::Status failed = Failed();
    unlink(aside_.c_str());
    return failed;
  }

 private:
  absl::Status Put(std::string_view text, ZSTD_EndDirective directive) {
    if (compressor_ == nullptr) return PutBytes(text.data(), text.size());
    ZSTD_inBuffer in{.src = text.data(), .size = text.size(), .pos = 0};
    for (;;) {
      ZSTD_outBuffer out{.dst = buffer_.data(), .size = buffer_.size(), .pos = 0};
      const size_t left = ZSTD_compressStream2(compressor_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0U) {
        return absl::InternalError(absl::StrCat(path_, ": zstd: ", ZSTD_getErrorName(left)));
      }
      if (absl::Status put = PutBytes(buffer_.data(), out.pos); !put.ok()) return put;
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return absl::OkStatus();
    }
  }

  absl::Status PutBytes(const char* bytes, size_t size) {
    return std::fwrite(bytes, 1, size, file_) == size ? absl::OkStatus() : Failed();
  }

  absl::Status Failed() const {
    return absl::InternalError(
        absl::StrCat(path_, ": cannot be written (", std::generic_category().message(errno), ")"));
  }

  std::string path_;
  std::string aside_;
  std::FILE* file_;  // null when finished
  std::unique_ptr<ZSTD_CCtx, FreeContext> compressor_;
  std::vector<char> buffer_;
};

void AppendTokens(std::string& line, const std::vector<Token>& tokens) {
  line += '[';
  for (size_t i = 0; i < tokens.size(); ++i) absl::StrAppend(&line, i == 0 ? "" : ",", tokens[i]);
  line += ']';
}

}  // namespace

std::string TraceLine(const Request& request) {
  using Json = nlohmann::json;
  const ScopeKey& scope = request.scope;
  std::string line = absl::StrCat(
      "{\"id\":", Json(request.id).dump(-1, ' ', false, Json::error_handler_t::replace),
      ",\"scope\":{\"model\":", scope.model, ",\"tokenizer\":", scope.tokenizer,
      ",\"adapter\":", scope.adapter, ",\"tenant\":", scope.tenant, "},\"prompt\":");
  AppendTokens(line, request.prompt);
  line += ",\"output\":";
  AppendTokens(line, request.output);
  line += '}';
  return line;
}

absl::StatusOr<std::unique_ptr<TraceWriter>> TraceWriter::Open(const std::string& path) {
  if (path == "-") {
    return std::unique_ptr<TraceWriter>(std::make_unique<FileTraceWriter>(path, "", stdout));
  }
  const std::string aside = absl::StrCat(path, ".", getpid(), ".part");
  std::FILE* const file = std::fopen(aside.c_str(), "wbxe");
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be written (",
                                            std::generic_category().message(errno),
                                            "); name another file"));
  }
  return std::unique_ptr<TraceWriter>(std::make_unique<FileTraceWriter>(path, aside, file));
}

}  // namespace lockstep
