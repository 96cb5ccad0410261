// parse_stl. A binary file is 80 bytes of anything, a count, and 50 bytes a triangle (normal, three corners,
// two bytes unused), little-endian floats; its length gives it away even where the header says "solid". A
// text file is told by its words "vertex x y z".
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "geometry/mesh.hpp"

namespace heft {

namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is read as it lies in memory");

constexpr std::size_t kHeader = 84, kNormal = 12, kTriangle = 50;

bool is_binary(const std::string& bytes) {
  if (bytes.size() < kHeader) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  const bool text = std::string_view(bytes).substr(0, 5) == "solid" &&
                    std::string_view(bytes).find("facet") != std::string_view::npos;
  return bytes.size() == kHeader + kTriangle * std::size_t{count} || !text;
}

Result<Mesh> read_binary(const std::string& path, const std::string& bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  if (bytes.size() < kHeader + kTriangle * std::size_t{count})
    return Error{path,
                 fmt::format("is cut off: {} triangles announced, {} there", count,
                             (bytes.size() - kHeader) / kTriangle),
                 "export the mesh again"};
  Mesh mesh;
  mesh.corners.resize(3, 3 * Eigen::Index{count});
  Eigen::Matrix3f corners;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::memcpy(corners.data(), bytes.data() + kHeader + kTriangle * k + kNormal, sizeof corners);
    mesh.corners.middleCols<3>(3 * Eigen::Index{k}) = corners.cast<double>();
  }
  return mesh;
}

std::string_view next_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

Result<Mesh> read_text(const std::string& path, std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    if (next_word(text) != "vertex") continue;
    for (int axis = 0; axis < 3; ++axis) {
      std::string_view word = next_word(text);
      if (word.starts_with('+')) word.remove_prefix(1);
      double value = 0;
      const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (failure != std::errc() || end != word.data() + word.size())
        return Error{path, fmt::format("'{}' after 'vertex' is not a number", word), "export the mesh again"};
      numbers.push_back(value);
    }
  }
  if (numbers.size() % 9 != 0)
    return Error{path, "holds a triangle without three corners", "export the mesh again"};
  Mesh mesh;
  mesh.corners =
      Eigen::Map<const Eigen::Matrix3Xd>(numbers.data(), 3, static_cast<Eigen::Index>(numbers.size() / 3));
  return mesh;
}

}  // namespace

Result<Mesh> parse_stl(const std::string& path, const std::string& bytes) {
  return is_binary(bytes) ? read_binary(path, bytes) : read_text(path, bytes);
}

}  // namespace heft
