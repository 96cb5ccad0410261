// Outlines of bodies in the format that the page's script reads.
#pragma once

#include <string>

#include "geometry/outline.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns {"bodies": [{"low": [3], "step": [3], "vertices": base64, "faces": base64} or null, ..],
/// "missing": [links]}. A vertex is low + step * three unsigned 16-bit numbers, little endian; a
/// face is three vertex indices with 16 bits, or 32 bits if there are more than 65536 vertices.
std::string outlines_json(const Outlines& outlines);

/// Returns the bytes in base64 with padding (RFC 4648).
std::string base64(const std::string& bytes);

}  // namespace heft
#pragma GCC visibility pop
