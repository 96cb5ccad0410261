// Writes report.html of a payload as one self-contained page. Its script draws from the embedded
// result.json and samples.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller_files.hpp"
#include "html/page.hpp"
#include "page_template.hpp"
#include "sums/sums.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr Eigen::Index kMaxSamples = 2000, kMaxTriangles = 4000;  // drawn

double rounded(double value) {
  return static_cast<double>(static_cast<float>(value));
}

Json column(const Eigen::ArrayXXd& values, Eigen::Index c, Eigen::Index stride) {
  Json json = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); i += stride) json.push_back(rounded(values(i, c)));
  return json;
}

Json corners_json(const Eigen::Matrix3Xd& corners) {
  Json json = Json::array();
  const Eigen::Index triangles = corners.cols() / 3,
                     stride =
                         std::max<Eigen::Index>(1, (triangles + kMaxTriangles - 1) / kMaxTriangles);
  for (Eigen::Index k = 0; k < triangles; k += stride)
    for (int corner = 0; corner < 3; ++corner) {
      const auto p = corners.col(3 * k + corner);
      json.push_back({rounded(p.x()), rounded(p.y()), rounded(p.z())});
    }
  return json;
}

Json covariance_json(const PayloadResult& result) {
  if (!result.answer().is_possible) return nullptr;
  const auto [mass, com, I] = payload::about_com(result.answer().parameters);
  const Eigen::Matrix3d C = (0.5 * I.trace() * Eigen::Matrix3d::Identity() - I) / mass;
  Json json = Json::array();
  for (int row = 0; row < 3; ++row) json.push_back({C(row, 0), C(row, 1), C(row, 2)});
  return json;
}

}  // namespace

std::string payload_page(const PayloadResult& result) {
  const WrenchSamples& samples = result.samples;
  Eigen::ArrayXXd predicted = samples.wrench;
  if (!result.is_by_torques())
    predicted -= payload::residuals_of(samples, result.options.bias, result.answer().parameters);
  const Eigen::Index stride =
      std::max<Eigen::Index>(1, (samples.size() + kMaxSamples - 1) / kMaxSamples);
  Json data;
  data["moves"] = samples.moves;
  data["stride"] = stride;
  const double rate = rate_of(samples);
  data["longest_step"] =
      rate > 0 ? 10 * static_cast<double>(stride) / rate : 2.0 * static_cast<double>(stride);
  data["time"] = Json::array();
  for (Eigen::Index i = 0; i < samples.size(); i += stride) data["time"].push_back(samples.time[i]);
  for (int c = 0; c < 6 && !result.is_by_torques(); ++c) {
    data["measured"].push_back(column(samples.wrench, c, stride));
    data["predicted"].push_back(column(predicted, c, stride));
  }
  data["corners"] = corners_json(result.shape.corners);
  data["covariance"] = covariance_json(result);
  return filled_page(payload::kPayloadPage,
                     "{\"result\":" + payload_json(result) + ",\n" + data.dump().substr(1));
}

}  // namespace heft
