#include "geometry/outlines_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kSteps = 65535;

void append_number(std::uint32_t number, int num_bytes, std::string& bytes) {
  for (int k = 0; k < num_bytes; ++k) bytes.push_back(static_cast<char>(number >> 8 * k & 0xff));
}

Json outline_json(const Outline& outline) {
  if (outline.faces.cols() == 0) return {};
  const Eigen::Vector3f low = outline.vertices.rowwise().minCoeff();
  const Eigen::Vector3f step = (outline.vertices.rowwise().maxCoeff() - low) / kSteps;
  std::string vertices, faces;
  for (const auto& vertex : outline.vertices.colwise())
    for (int axis = 0; axis < 3; ++axis) {
      const float place = step[axis] > 0 ? std::round((vertex[axis] - low[axis]) / step[axis]) : 0;
      append_number(static_cast<std::uint32_t>(std::clamp<float>(place, 0, kSteps)), 2, vertices);
    }
  const int index_bytes = outline.vertices.cols() > kSteps + 1 ? 4 : 2;
  for (const auto& face : outline.faces.colwise())
    for (int k = 0; k < 3; ++k)
      append_number(static_cast<std::uint32_t>(face[k]), index_bytes, faces);
  return {{"low", {low[0], low[1], low[2]}},
          {"step", {step[0], step[1], step[2]}},
          {"vertices", base64(vertices)},
          {"faces", base64(faces)}};
}

}  // namespace

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text.push_back(i <= count ? kDigits[group >> 6 * (3 - i) & 63] : '=');
  }
  return text;
}

std::string outlines_json(const Outlines& outlines) {
  Json bodies = Json::array();
  for (const Outline& outline : outlines.bodies) bodies.push_back(outline_json(outline));
  return Json{{"bodies", bodies}, {"missing", outlines.missing}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heft
