// Writes a motion for controllers: a table, a ROS 2 message, and JSON with its coefficients.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

#include "design_texts.hpp"
#include "files/csv_name.hpp"

namespace heft::excite {

namespace {

using Eigen::Index;
using Json = nlohmann::ordered_json;

/// Twelve digits: rounding is smaller than the margin of designs from their limits.
constexpr const char* kNumber = "{:.12g}";

void put(std::string& text, double value) {
  fmt::format_to(std::back_inserter(text), fmt::runtime(kNumber), value);
}

void put_list(std::string& text, const Eigen::ArrayXXd& values, Index row) {
  text += "[";
  for (Index k = 0; k < values.cols(); ++k) {
    if (k > 0) text += ", ";
    put(text, values(row, k));
  }
  text += "]";
}

Json rows_json(const Eigen::ArrayXXd& values) {
  Json json = Json::array();
  for (Index i = 0; i < values.rows(); ++i) {
    Json row = Json::array();
    for (Index k = 0; k < values.cols(); ++k) row.push_back(values(i, k));
    json.push_back(row);
  }
  return json;
}

}  // namespace

std::string trajectory_csv(const Robot& robot, const MotionSamples& samples) {
  std::string text = "t";
  for (const char* stem : {"q_", "qd_", "qdd_"})
    for (const Coordinate& joint : robot.coordinates) text += "," + csv_name(stem + joint.name);
  text += "\n";
  for (Index i = 0; i < samples.size(); ++i) {
    put(text, samples.time[i]);
    for (const Eigen::ArrayXXd* values :
         {&samples.position, &samples.velocity, &samples.acceleration})
      for (Index k = 0; k < values->cols(); ++k) {
        text += ",";
        put(text, (*values)(i, k));
      }
    text += "\n";
  }
  return text;
}

std::string trajectory_ros2(const Robot& robot, const MotionSamples& samples) {
  std::string text =
      "# trajectory_msgs/msg/JointTrajectory; go to the first point slowly, then\n"
      "# ros2 topic pub --once /joint_trajectory_controller/joint_trajectory "
      "trajectory_msgs/msg/JointTrajectory \"$(cat "
      "trajectory.ros2.yaml)\"\njoint_names:\n";
  for (const Coordinate& joint : robot.coordinates) text += "  - " + Json(joint.name).dump() + "\n";
  text += "points:\n";
  for (Index i = 0; i < samples.size(); ++i) {
    text += "  - positions: ";
    put_list(text, samples.position, i);
    text += "\n    velocities: ";
    put_list(text, samples.velocity, i);
    text += "\n    accelerations: ";
    put_list(text, samples.acceleration, i);
    const auto nanoseconds = static_cast<long long>(std::llround(1e9 * samples.time[i]));
    text += fmt::format("\n    time_from_start: {{sec: {}, nanosec: {}}}\n",
                        nanoseconds / 1000000000, nanoseconds % 1000000000);
  }
  return text;
}

std::string trajectory_json(const Design& design) {
  const MotionSamples& samples = design.samples;
  Json json = {
      {"schema", "heft-trajectory-1"}, {"robot", design.robot.name}, {"joints", Json::array()}};
  for (const Coordinate& joint : design.robot.coordinates) json["joints"].push_back(joint.name);
  if (design.motion) {
    const MotionShape& shape = design.motion->shape;
    const Eigen::ArrayXXd coefficients = design.motion->coefficients.array();
    Json motion = {{"kind", enum_name(shape.kind)}, {"duration_s", shape.duration}};
    if (shape.is_spline())
      motion["intervals"] = shape.intervals, motion["degree"] = 5;
    else
      motion["harmonics"] = shape.harmonics,
      motion["frequency"] = 2 * std::numbers::pi / shape.duration;
    motion["coefficients"] = rows_json(coefficients);
    json["motion"] = motion;
  }
  json["t"] = std::vector<double>(samples.time.data(), samples.time.data() + samples.size());
  json["q"] = rows_json(samples.position);
  json["qd"] = rows_json(samples.velocity);
  json["qdd"] = rows_json(samples.acceleration);
  json["tau"] = rows_json(design.torque);
  return json.dump() + "\n";
}

}  // namespace heft::excite
