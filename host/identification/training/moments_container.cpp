#include "moments_container.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "files/sha256.hpp"

namespace heft {

namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

constexpr std::size_t kMagicSize = 16, kDigestSize = 64;
constexpr std::uint64_t kByteOrder = 0x0102030405060708;
constexpr std::uint64_t kSwapped = 0x0807060504030201;
constexpr std::size_t kMaxPacked = 1040;  ///< no deflate stream grows by more (RFC 1951: 258 bytes
                                          ///< from 2 bits)

/// The fields of the header after the magic, as in the file.
struct Head {
  std::uint64_t byte_order = kByteOrder;
  std::uint64_t file_size = 0;
  std::uint64_t description_size = 0, packed_description_size = 0;
  std::uint64_t num_numbers = 0, packed_numbers_size = 0;
  std::uint64_t packing = 0;
};
constexpr std::size_t kHeadSize = kMagicSize + sizeof(Head);
static_assert(kHeadSize == 72, "the format is fixed");

std::string packed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string result(size, '\0');
  // fails only without memory, which would have thrown before; better compression takes twice as
  // long for 3 %: most bytes are digits that repeat nowhere
  compress2(reinterpret_cast<Bytef*>(result.data()), &size,
            reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_SPEED);
  result.resize(size);
  return result;
}

/// Returns an empty optional if the stream is damaged or does not unpack to exactly `size` bytes.
std::optional<std::string> unpacked(const std::string& stream, std::size_t size) {
  if (size / kMaxPacked > stream.size()) return std::nullopt;
  std::string result(size, '\0');
  uLongf written = size;
  uLong read = stream.size();
  const int status = uncompress2(reinterpret_cast<Bytef*>(result.data()), &written,
                                 reinterpret_cast<const Bytef*>(stream.data()), &read);
  if (status != Z_OK || written != size || read != stream.size()) return std::nullopt;
  return result;
}

/// Doubles by planes of their bytes, of which the first few repeat.
std::string planes_of(std::string_view doubles) {
  const std::size_t count = doubles.size() / sizeof(double);
  std::string planes(doubles.size(), '\0');
  for (std::size_t k = 0; k < sizeof(double); ++k)
    for (std::size_t i = 0; i < count; ++i) planes[k * count + i] = doubles[i * sizeof(double) + k];
  return planes;
}

std::string doubles_of(const std::string& planes) {
  const std::size_t count = planes.size() / sizeof(double);
  std::string doubles(planes.size(), '\0');
  for (std::size_t k = 0; k < sizeof(double); ++k)
    for (std::size_t i = 0; i < count; ++i) doubles[i * sizeof(double) + k] = planes[k * count + i];
  return doubles;
}

std::size_t padded(std::size_t size) {
  return (size + 7) / 8 * 8;
}

std::string magic() {
  std::string text = kMomentsMagic + std::to_string(kMomentsFormat);
  text.resize(kMagicSize, '\n');
  return text;
}

/// The number behind the magic; -1 if there is none.
int format_of(const std::string& bytes) {
  int format = -1;
  for (std::size_t i = std::strlen(kMomentsMagic);
       i < std::min(bytes.size(), kMagicSize) && bytes[i] != '\n'; ++i) {
    if (bytes[i] < '0' || bytes[i] > '9' || format > 99) return -1;
    format = 10 * std::max(format, 0) + (bytes[i] - '0');
  }
  return format;
}

/// Identifies the file by its first bytes.
Result<Done> check_magic(const std::string& bytes, const std::string& path) {
  const std::string begin = bytes.substr(0, kMagicSize);
  if (bytes.empty())
    return Error{path, "is empty, not a moments file",
                 "copy it again, or regenerate it from the logs"};
  if (begin == magic()) return Done{};
  if (bytes.size() < kMagicSize && magic().starts_with(begin))
    return Error{
        path,
        fmt::format("is truncated: it ends after {} bytes, within its first line", bytes.size()),
        "copy it again, or regenerate it from the logs"};
  const int format = begin.starts_with(kMomentsMagic) ? format_of(bytes) : -1;
  if (format < 0)
    return Error{path, "is not a moments file", "give a file that heft identify --moments wrote"};
  if (format < kMomentsFormat)
    return Error{
        path,
        fmt::format(
            "uses the older format heft-moments-{}; this version of heft reads heft-moments-{}",
            format, kMomentsFormat),
        "regenerate it from the logs: heft identify --moments"};
  if (format > kMomentsFormat)
    return Error{
        path,
        fmt::format(
            "uses the newer format heft-moments-{}; this version of heft reads formats up to "
            "heft-moments-{}",
            format, kMomentsFormat),
        "use the version of heft that wrote it, or a later one"};
  return Error{path, "its first line was altered",
               "copy it again, in binary mode, or regenerate it from the logs"};
}

}  // namespace

std::string container_bytes(const std::string& description, std::span<const double> numbers,
                            bool in_planes) {
  const std::string packed_description = packed(description);
  std::string in_few_bytes;
  std::string_view doubles(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
  if (in_planes) doubles = in_few_bytes = packed(planes_of(doubles));
  Head head{.description_size = description.size(),
            .packed_description_size = packed_description.size(),
            .num_numbers = numbers.size(),
            .packed_numbers_size = doubles.size(),
            .packing = in_planes};
  const std::size_t begin = padded(kHeadSize + packed_description.size());
  head.file_size = begin + doubles.size() + kDigestSize;
  std::string bytes = magic();
  bytes.reserve(head.file_size);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += packed_description;
  bytes.resize(begin, '\0');
  bytes += doubles;
  bytes += sha256_of(bytes);
  return bytes;
}

Result<MomentsContainer> read_container(const std::string& bytes, const std::string& path) {
  HEFT_CHECK(check_magic(bytes, path));
  const char* again = "copy it again, or regenerate it from the logs";
  const auto truncated = [&](const std::string& of) {
    return Error{path, fmt::format("is truncated: it has {} bytes of {}", bytes.size(), of), again};
  };
  Head head;
  if (bytes.size() < kMagicSize + 16)
    return truncated("its header of " + std::to_string(kHeadSize));
  std::memcpy(&head, bytes.data() + kMagicSize, std::min(sizeof head, bytes.size() - kMagicSize));
  if (head.byte_order == kSwapped)
    return Error{path, "has its numbers in the other byte order (big endian)",
                 "regenerate it on a little-endian machine (nearly all are)"};
  if (head.byte_order != kByteOrder) return Error{path, "its header was altered", again};
  if (head.file_size > bytes.size()) return truncated(std::to_string(head.file_size));
  if (head.file_size < bytes.size())
    return Error{path,
                 fmt::format("has {} extra bytes after its end", bytes.size() - head.file_size),
                 again};
  const Error altered{path, "was altered: its checksum does not match", again};
  if (bytes.size() < kHeadSize + kDigestSize) return altered;
  const std::size_t end = bytes.size() - kDigestSize;
  if (bytes.compare(end, kDigestSize, sha256_of({bytes.data(), end})) != 0) return altered;

  // from here on, errors of the writer or malicious files
  const Error odd{path, "does not match its header", "regenerate it from the logs"};
  const std::size_t room = end - kHeadSize;
  if (head.packed_description_size > room || head.packing > 1 ||
      head.description_size > kLargestDescription)
    return odd;
  const std::size_t begin = padded(kHeadSize + head.packed_description_size);
  if (begin > end || head.packed_numbers_size != end - begin) return odd;
  auto description =
      unpacked(bytes.substr(kHeadSize, head.packed_description_size), head.description_size);
  if (!description) return odd;
  return MomentsContainer{.description = std::move(*description),
                          .packed_numbers = bytes.substr(begin, end - begin),
                          .num_numbers = head.num_numbers,
                          .in_planes = head.packing == 1};
}

Result<std::vector<double>> unpack_numbers(const MomentsContainer& container, std::size_t expected,
                                           const std::string& path) {
  const Error odd{
      path,
      fmt::format("has {} numbers, but its description says {}", container.num_numbers, expected),
      "regenerate it from the logs"};
  // checked before allocation: a short description can declare any number
  const std::size_t most = container.packed_numbers.size() * (container.in_planes ? kMaxPacked : 1);
  if (container.num_numbers != expected || expected > most / sizeof(double)) return odd;
  std::vector<double> numbers(expected);
  const std::size_t num_bytes = sizeof(double) * expected;
  if (container.in_planes) {
    const std::optional<std::string> planes = unpacked(container.packed_numbers, num_bytes);
    if (!planes) return odd;
    std::memcpy(numbers.data(), doubles_of(*planes).data(), num_bytes);
  } else {
    if (container.packed_numbers.size() != num_bytes) return odd;
    std::memcpy(numbers.data(), container.packed_numbers.data(), num_bytes);
  }
  for (const double x : numbers)
    if (!std::isfinite(x))
      return Error{path, "has numbers that are not finite", "regenerate it from the logs"};
  return numbers;
}

}  // namespace heft
