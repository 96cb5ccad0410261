// Outlines of bodies as the page's script reads them.
#pragma once

#include <string>

#include "geometry/outline.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// {"bodies": [{"low": [3], "step": [3], "vertices": base64, "faces": base64} or null, ..],
/// "missing": [links]}. A vertex is low + step * three unsigned numbers of 16 bits, little endian;
/// a face is three indices of vertices: of 16 bits, or of 32 if there are more than 65536 vertices.
std::string outlines_json(const Outlines& outlines);

/// RFC 4648, with padding.
std::string base64(const std::string& bytes);

}  // namespace heft
#pragma GCC visibility pop
