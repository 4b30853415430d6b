#include "props/harness/byte_count.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace lockstep {
namespace {

absl::Status Wrong(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not a number of bytes; write one such as 6144, 64M or 1GiB"));
}

}  // namespace

absl::StatusOr<uint64_t> ParseByteCount(absl::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const absl::string_view number = text.substr(0, digits);
  uint64_t bytes = 0;
  if (number.empty() || !absl::SimpleAtoi(number, &bytes)) return Wrong(text);

  const std::string lower = absl::AsciiStrToLower(text.substr(number.size()));
  absl::string_view unit = lower;
  absl::ConsumePrefix(&unit, " ");
  if (unit.empty()) {
    return number.size() == text.size() ? absl::StatusOr<uint64_t>(bytes) : Wrong(text);
  }
  if (unit == "b") return bytes;
  constexpr absl::string_view kPrefixes = "kmgtpe";
  const size_t prefix = kPrefixes.find(unit[0]);
  unit.remove_prefix(1);
  if (prefix == absl::string_view::npos || !(unit.empty() || unit == "b" || unit == "ib")) {
    return Wrong(text);
  }
  const size_t shift = 10 * (prefix + 1);
  if (bytes > (UINT64_MAX >> shift)) return Wrong(text);
  return bytes << shift;
}

}  // namespace lockstep
