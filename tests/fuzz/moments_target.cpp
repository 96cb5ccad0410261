// Bytes as a moments file whose checksum is right: what a digest cannot keep out. Bytes that begin with '{' are
// a header alone, up to the first zero byte, and the numbers after it: the length is put in front.
#include <cmath>

#include "files/sha256.hpp"
#include "heft/training/training_data.hpp"
#include "tests/fuzz/bytes_file.hpp"

namespace heft::fuzz {

namespace {

std::string with_digest(std::string bytes) {
  Sha256 sha;
  sha.update(bytes.data(), bytes.size());
  return bytes + sha.hex_digest();
}

std::string as_moments_file(std::string_view bytes) {
  if (!bytes.starts_with('{')) return with_digest(std::string(bytes));
  const std::string_view header = bytes.substr(0, bytes.find('\0'));
  const std::string_view numbers = bytes.substr(std::min(header.size() + 1, bytes.size()));
  return with_digest("heft-moments-1\n" + std::to_string(header.size()) + "\n" + std::string(header) +
                     std::string(numbers));
}

void require_finite(const Moments& moments) {
  for (const double sum : moments.packed) require(std::isfinite(sum), "sums are finite");
  for (const double rows : moments.num_rows) require(rows >= 0 && std::isfinite(rows), "rows are counts");
}

}  // namespace

}  // namespace heft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  const fuzz::BytesFile file(fuzz::as_moments_file({reinterpret_cast<const char*>(data), size}));
  auto training = read_moments_file(file.path());
  if (!fuzz::is_value(training)) return 0;
  fuzz::require_finite(training->moments);
  for (const MomentStretch& stretch : training->stretches) {
    fuzz::require_finite(stretch.moments);
    fuzz::require(stretch.num_samples >= 0, "samples are counted");
  }
  fuzz::require(fuzz::is_value(add(*training, TrainingData(*training))), "a file can be added to itself");
  return 0;
}
