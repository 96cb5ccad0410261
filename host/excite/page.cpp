// report.html of a design: one page that needs nothing else. Its script draws from design.json and the samples in it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "html/page.hpp"
#include "output.hpp"
#include "page_template.hpp"

namespace heft::excite {

namespace {

using Json = nlohmann::ordered_json;
using Eigen::Index;

constexpr Index kMostSamples = 1000;  // drawn

Json columns(const Eigen::ArrayXXd& values, Index stride) {
  Json json = Json::array();
  for (Index k = 0; k < values.cols(); ++k) {
    Json column = Json::array();
    for (Index i = 0; i < values.rows(); i += stride) {
      const double value = static_cast<double>(static_cast<float>(values(i, k)));
      column.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    }
    json.push_back(column);
  }
  return json;
}

}  // namespace

std::string design_page(const Design& design) {
  const MotionSamples& samples = design.samples;
  const Index stride = std::max<Index>(1, (samples.size() + kMostSamples - 1) / kMostSamples);
  Json data;
  data["joints"] = Json::array();
  for (const Coordinate& joint : design.robot.coordinates)
    data["joints"].push_back({{"name", joint.name}, {"angle", joint.is_angle}});
  data["time"] = Json::array();
  for (Index i = 0; i < samples.size(); i += stride) data["time"].push_back(samples.time[i]);
  data["position"] = columns(samples.position, stride);
  data["velocity"] = columns(samples.velocity, stride);
  data["acceleration"] = columns(samples.acceleration, stride);
  data["jerk"] = columns(samples.jerk, stride);
  data["torque"] = columns(design.torque, stride);
  data["torque_deviation"] = columns(design.torque_deviation, stride);
  return filled_page(kDesignPage, "{\"design\":" + design_json(design) + ",\n" + data.dump().substr(1));
}

}  // namespace heft::excite
