// Bytes as a moments file with correct size and checksum, because a digest cannot exclude them.
// Bytes that begin with '{' are a description alone, up to the first zero byte, and the numbers
// after it; the header is added.
#include <cmath>
#include <cstring>

#include "files/sha256.hpp"
#include "heft/executor/executor.hpp"
#include "heft/training/training_data.hpp"
#include "host/identification/training/moments_container.hpp"
#include "tests/fuzz/bytes_file.hpp"

namespace heft::fuzz {

namespace {

std::string with_size_and_digest(std::string bytes) {
  constexpr std::size_t kSizeField = 24, kDigestSize = 64;
  const std::uint64_t size = bytes.size() + kDigestSize;
  if (bytes.size() >= kSizeField + sizeof size)
    std::memcpy(bytes.data() + kSizeField, &size, sizeof size);
  Sha256 sha;
  sha.update(bytes.data(), bytes.size());
  return bytes + sha.hex_digest();
}

std::string as_moments_file(std::string_view bytes) {
  if (!bytes.starts_with('{')) return with_size_and_digest(std::string(bytes));
  const std::string_view description = bytes.substr(0, bytes.find('\0'));
  const std::string_view rest = bytes.substr(std::min(description.size() + 1, bytes.size()));
  std::vector<double> numbers(rest.size() / sizeof(double));
  std::memcpy(numbers.data(), rest.data(), numbers.size() * sizeof(double));
  return container_bytes(std::string(description), numbers, false);
}

void require_finite(const Moments& moments) {
  for (const double sum : moments.packed) require(std::isfinite(sum), "sums are finite");
  for (const double rows : moments.num_rows)
    require(rows >= 0 && std::isfinite(rows), "rows are counts");
}

void require_sums(const Moments& total, const std::vector<MomentStretch>& stretches) {
  require_finite(total);
  for (const MomentStretch& stretch : stretches) {
    require_finite(stretch.moments);
    require(stretch.num_samples >= 0, "samples are counted");
  }
}

/// An unfinished sum can be ended, or is refused.
void end(UnfinishedMoments sums) {
  auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  require(is_value(backend), "there is a CPU");
  auto accumulator = MomentAccumulator::resume(std::move(sums), **backend);
  if (!is_value(accumulator)) return;
  require(is_value(accumulator->snapshot()), "a sum that goes on can stop again");
  require(is_value(accumulator->finish()), "a sum that goes on ends");
}

}  // namespace

}  // namespace heft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  const fuzz::BytesFile file(fuzz::as_moments_file({reinterpret_cast<const char*>(data), size}));
  if (auto unfinished = read_unfinished_moments_file(file.path()); fuzz::is_value(unfinished)) {
    fuzz::require_sums(unfinished->sums.total, unfinished->sums.stretches);
    fuzz::end(std::move(unfinished->sums));
  }
  auto training = read_moments_file(file.path());
  if (!fuzz::is_value(training)) return 0;
  fuzz::require_sums(training->moments, training->stretches);
  fuzz::require(fuzz::is_value(add(*training, TrainingData(*training))),
                "a file can be added to itself");
  return 0;
}
