#include "normalized_robot.hpp"

#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "linalg/factorizations.hpp"

namespace heft::identifiability {

namespace {

/// Entries within `angle` of 0 or +-1 become exactly that, if a rotation remains.
Eigen::Matrix3d aligned(const Eigen::Matrix3d& rotation, double angle) {
  Eigen::Matrix3d snapped = rotation;
  for (double& x : snapped.reshaped())
    if (std::abs(x) <= angle)
      x = 0;
    else if (std::abs(x) >= 1 - angle * angle)
      x = std::copysign(1, x);
  for (int i = 0; i < 3; ++i) {
    if (!(snapped.col(i).norm() > 0.5)) return rotation;
    snapped.col(i).normalize();
  }
  const double defect = (snapped.transpose() * snapped - Eigen::Matrix3d::Identity()).norm();
  return defect <= 1e-14 ? snapped : rotation;
}

Eigen::Vector3d aligned(const Eigen::Vector3d& axis, double angle) {
  Eigen::Vector3d snapped = axis;
  for (double& x : snapped)
    if (std::abs(x) <= angle) x = 0;
  return snapped.normalized();
}

double median_distance(const Robot& robot) {
  std::vector<double> distances;
  for (const Body& body : robot.bodies)
    if (const double d = body.X_parent_body.translation().norm(); d > 0) distances.push_back(d);
  return distances.empty() ? 1 : median(std::move(distances));
}

Result<Done> check_body(const Robot& robot, int index) {
  const Body& body = robot.bodies[index];
  const std::string where = robot.source + (robot.source.empty() ? "" : ": ") + "body " + body.name;
  if (body.parent >= index)
    return Error{where, "comes before the body that carries it",
                 "order bodies from the base outward"};
  const Eigen::Matrix3d R = body.X_parent_body.linear();
  if (!((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() <= 1e-9) ||
      !(R.determinant() > 0) || !body.X_parent_body.translation().allFinite())
    return Error{where, "its pose is not a rotation and a finite translation",
                 "correct the joint's origin"};
  if (body.type == JointType::rigid) return Done{};
  if (!(std::abs(body.axis.norm() - 1) <= 1e-9))
    return Error{where, "its axis is not a unit vector", "correct the joint's axis"};
  if (!std::isfinite(body.ratio) || !std::isfinite(body.offset) || !std::isfinite(body.pitch))
    return Error{where, "ratio, offset or pitch is not a finite number", "correct the joint"};
  if (body.coordinate < 0 || body.coordinate >= robot.num_coordinates())
    return Error{where, "moves with a coordinate that the robot does not have", "name its joint"};
  return Done{};
}

Result<Done> check(const Robot& robot, const ObserveOptions& options) {
  if (robot.bodies.empty())
    return Error{robot.source, "the robot has no moving body", "make at least one joint movable"};
  if (std::none_of(robot.bodies.begin(), robot.bodies.end(),
                   [](const Body& b) { return b.has_parameters; }))
    return Error{robot.source, "no body has parameters to identify",
                 "give at least one moving link an <inertial>"};
  if (robot.floating_base &&
      (robot.bodies[0].type != JointType::rigid || robot.bodies[0].parent >= 0))
    return Error{robot.source, "the first body of a floating base is not its root",
                 "put the root link first"};
  if (!(options.tolerance > 0) || !(options.tolerance < 0.1))
    return Error{"tolerance", "must be between 0 and 0.1", "the default is 1e-9"};
  if (!(options.alignment >= 0) || !(options.alignment < 0.1))
    return Error{"alignment", "must be at least 0 and below 0.1 rad", "the default is 1e-5"};
  if (!robot.gravity.allFinite())
    return Error{robot.source, "gravity is not finite", "give it in m/s^2"};
  for (int i = 0; i < robot.num_bodies(); ++i) HEFT_CHECK(check_body(robot, i));
  return Done{};
}

}  // namespace

Result<NormalizedRobot> normalized(const Robot& robot, const ObserveOptions& options) {
  HEFT_CHECK(check(robot, options));
  NormalizedRobot result{robot, median_distance(robot)};
  const double length = result.length;
  for (Body& body : result.robot.bodies) {
    body.X_parent_body.linear() =
        aligned(Eigen::Matrix3d(body.X_parent_body.linear()), options.alignment);
    body.X_parent_body.translation() /= length;
    body.axis = aligned(body.axis, options.alignment);
    body.pitch /= length;
    // a slide of ratio meters per unit of its coordinate is ratio / length units of length
    if (body.type == JointType::prismatic) {
      body.ratio /= length;
      body.offset /= length;
    }
  }
  const double magnitude = robot.gravity.norm();
  if (options.gravity && magnitude > 0)
    result.robot.gravity = aligned(Eigen::Vector3d(robot.gravity / magnitude), options.alignment);
  else
    result.robot.gravity.setZero();
  return result;
}

bool is_restricted(const Body& body) {
  return !body.has_parameters || body.symmetric;
}

int length_power(int parameter) {
  return parameter == core::kMass ? 0 : parameter <= core::kMcz ? 1 : 2;
}

std::vector<ObservedParameter> parameters_of(const Robot& robot, int index) {
  const Body& body = robot.bodies[index];
  std::vector<ObservedParameter> parameters;
  const auto append = [&](const std::string& name, const char* unit, const Vector10& direction) {
    parameters.push_back({.body = index,
                          .name = name,
                          .label = name + "_" + body.name,
                          .unit = unit,
                          .direction = direction});
  };
  if (!body.has_parameters) return parameters;
  if (!body.symmetric) {
    for (int k = 0; k < core::kNumParameters; ++k)
      append(core::kParameterNames[k], core::kParameterUnits[k], Vector10::Unit(k));
    return parameters;
  }
  const Eigen::Vector3d& a = body.axis;
  Vector10 first_moment = Vector10::Zero(), transverse = Vector10::Zero(), axial = Vector10::Zero();
  first_moment.segment<3>(core::kMcx) = a;
  axial.tail<6>() << a.x() * a.x(), a.x() * a.y(), a.y() * a.y(), a.x() * a.z(), a.y() * a.z(),
      a.z() * a.z();
  transverse.tail<6>() << 1, 0, 1, 0, 0, 1;
  transverse -= axial;
  append("m", "kg", Vector10::Unit(core::kMass));
  append("mc_axial", "kg m", first_moment);
  append("I_perp", "kg m^2", transverse);
  append("I_axial", "kg m^2", axial);
  return parameters;
}

}  // namespace heft::identifiability
