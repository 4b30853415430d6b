#include "bench/gate/certify_records.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"

namespace lockstep::gate {

std::vector<nlohmann::ordered_json> ReadRecords(const std::string& path) {
  std::vector<nlohmann::ordered_json> records;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    nlohmann::ordered_json record = nlohmann::ordered_json::parse(line, nullptr, false);
    if (record.is_object()) records.push_back(std::move(record));
  }
  return records;
}

absl::Status AppendRecord(const std::string& path, const nlohmann::ordered_json& record) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  std::string line = record.dump() + "\n";
  const off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
  char last = '\n';
  if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') line.insert(0, "\n");
  const bool written = size >= 0 &&
                       write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
                       fsync(fd) == 0;
  if (fd >= 0) close(fd);
  if (!written) return absl::UnavailableError(absl::StrCat(path, ": cannot be written"));
  return absl::OkStatus();
}

}  // namespace lockstep::gate
