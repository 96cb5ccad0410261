// Writes report.html of a design as one self-contained page. Its script draws from the embedded
// design.json and samples.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "design_texts.hpp"
#include "geometry/outlines_json.hpp"
#include "html/page.hpp"
#include "model/poses.hpp"
#include "page_template.hpp"

namespace heft::excite {

namespace {

using Json = nlohmann::ordered_json;
using Eigen::Index;

constexpr Index kMaxSamples = 1000, kMaxPostures = 300;  // drawn

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

double rounded(double value) {
  return std::round(1e5 * value) / 1e5;
}

/// A pose [x, y, z, quaternion x, y, z, w].
Json pose_json(const Eigen::Isometry3d& X) {
  const Eigen::Quaterniond q(X.linear());
  Json pose = Json::array();
  for (int k = 0; k < 3; ++k) pose.push_back(rounded(X.translation()[k]));
  for (int k = 0; k < 4; ++k) pose.push_back(rounded(q.coeffs()[k]));
  return pose;
}

/// Obstacles and the floor as robot_view.js draws them, in base axes: {name, kind, sizes [m],
/// pose}, {name, kind: floor, level}.
Json surroundings(const Design& design) {
  const ClearanceOptions& clearance = design.options.clearance;
  Json list = Json::array();
  for (const Obstacle& obstacle : clearance.obstacles) {
    const Shape& shape = obstacle.shape;
    const char* kind = shape.kind == Shape::Kind::box        ? "box"
                       : shape.kind == Shape::Kind::cylinder ? "cylinder"
                                                             : "sphere";
    list.push_back({{"name", obstacle.name},
                    {"kind", kind},
                    {"size", {shape.size[0], shape.size[1], shape.size[2]}},
                    {"radius", shape.radius},
                    {"length", shape.length},
                    {"pose", pose_json(shape.X_link_shape)}});
  }
  if (design.floor)
    list.push_back({{"name", "floor"}, {"kind", "floor"}, {"level", *design.floor}});
  return list;
}

/// Data for robot_view.js: bodies without ellipsoids, and poses [x, y, z, quaternion x, y, z, w]
/// in base axes.
Json skeleton(const Design& design) {
  Json bodies = Json::array(), postures = Json::array();
  for (const Body& body : design.robot.bodies)
    bodies.push_back({{"name", body.name}, {"parent", body.parent}, {"rotor", body.is_rotor}});
  const MotionSamples& samples = design.samples;
  const Index count = std::min(kMaxPostures, samples.size());
  for (Index i = 0; i < count; ++i) {
    const Index at = count > 1 ? i * (samples.size() - 1) / (count - 1) : 0;
    Json poses = Json::array();
    for (const Eigen::Isometry3d& X :
         body_poses(design.robot, samples.position.row(at).transpose().matrix()))
      poses.push_back(pose_json(X));
    postures.push_back({{"time_s", samples.time[at]}, {"poses", poses}});
  }
  return {{"bodies", bodies}, {"postures", postures}, {"surroundings", surroundings(design)}};
}

}  // namespace

std::string design_page(const Design& design) {
  const MotionSamples& samples = design.samples;
  const Index stride = std::max<Index>(1, (samples.size() + kMaxSamples - 1) / kMaxSamples);
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
  data["skeleton"] = skeleton(design);
  OutlineOptions outlines;
  outlines.package_folders = design.options.clearance.package_folders;
  return filled_page(kDesignPage, "{\"design\":" + design_json(design) + ",\n\"outlines\":" +
                                      outlines_json(outlines_of(design.robot, outlines)) + ",\n" +
                                      data.dump().substr(1));
}

}  // namespace heft::excite
