// The reader of result files: any bytes are read or refused, and what is read is written and read
// back the same.

#include <string>

#include "fuzz/target.h"
#include "reports/result.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;  // NOLINT: an entry point of a few lines
  const auto* const text = reinterpret_cast<const char*>(data);
  const auto json = nlohmann::ordered_json::parse(text, text + size, nullptr, false);
  if (json.is_discarded()) return 0;
  const absl::StatusOr<Result> result = ResultFromJson("r", json);
  if (!result.ok()) {
    const std::string message(result.status().message());
    fuzz::Require(message.starts_with("r:"), "results: a refusal without its place");
    return 0;
  }
  const nlohmann::ordered_json written = ToJson(*result);
  const absl::StatusOr<Result> again = ResultFromJson("r", written);
  fuzz::Require(again.ok(), "results: what was written is refused");
  fuzz::Require(ToJson(*again) == written, "results: another result");
  return 0;
}
