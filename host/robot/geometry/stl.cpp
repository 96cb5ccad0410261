// Converts STL to a form that Assimp reads reliably: reports truncated files, invalid numbers and
// missing triangles, and drops parts that Assimp rejects (missing or invalid normals, bytes after
// the last triangle). A binary file has 80 arbitrary bytes, a count, and 50 bytes per triangle; its
// length identifies it even if the header begins with "solid". A text file is recognized by "vertex
// x y z".
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/text.hpp"
#include "geometry/mesh.hpp"

namespace heft {

namespace {

static_assert(std::endian::native == std::endian::little,
              "the count of a binary STL is read as it lies in memory");

constexpr std::size_t kHeader = 84, kTriangle = 50;

std::size_t announced_triangles(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + kHeader - sizeof count, sizeof count);
  return count;
}

bool is_binary(std::string_view bytes) {
  if (bytes.size() < kHeader) return false;
  const std::size_t begin = std::min(bytes.find_first_not_of(kBlanks), bytes.size());
  const bool text =
      bytes.substr(begin).starts_with("solid") && bytes.find("facet") != std::string_view::npos;
  return bytes.size() == kHeader + kTriangle * announced_triangles(bytes) || !text;
}

Result<std::string> whole_binary(const std::string& path, std::string_view bytes) {
  const std::size_t count = announced_triangles(bytes),
                    there = (bytes.size() - kHeader) / kTriangle;
  if (count == 0) return Error{path, "has no triangles", "export the mesh again"};
  if (there < count)
    return Error{path,
                 fmt::format("is truncated: the triangle count is {} in its header, {} in the file",
                             count, there),
                 "export the mesh again"};
  return std::string(bytes.substr(0, kHeader + kTriangle * count));
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool is_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  return failure == std::errc() && end == word.data() + word.size();
}

// one solid of the same corners, with a normal for every triangle
Result<std::string> plain_text(const std::string& path, std::string_view text) {
  std::string plain = "solid mesh\n";
  std::size_t num_corners = 0;
  while (!text.empty()) {
    if (next_word(text) != "vertex") continue;
    if (num_corners % 3 == 0) plain += "facet normal 0 0 0\nouter loop\n";
    plain += "vertex";
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = next_word(text);
      if (!is_number(word))
        return Error{path, fmt::format("'{}' after 'vertex' is not a number", word),
                     "export the mesh again"};
      plain.append(" ").append(word);
    }
    plain += '\n';
    if (++num_corners % 3 == 0) plain += "endloop\nendfacet\n";
  }
  if (num_corners == 0) return Error{path, "has no triangles", "export the mesh again"};
  if (num_corners % 3 != 0)
    return Error{path, "has a triangle without three vertices", "export the mesh again"};
  return plain + "endsolid mesh\n";
}

}  // namespace

Result<std::string> plain_stl(const std::string& path, const std::string& bytes) {
  return is_binary(bytes) ? whole_binary(path, bytes) : plain_text(path, bytes);
}

}  // namespace heft
