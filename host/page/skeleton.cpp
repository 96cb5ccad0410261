#include "skeleton.hpp"

#include <Eigen/Eigenvalues>

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

/// Pose of a body in its parent with its coordinate at zero.
Eigen::Isometry3d pose_at_zero(const Body& body) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (body.type == JointType::revolute || body.type == JointType::helical)
    motion.linear() = Eigen::AngleAxisd(body.offset, body.axis).toRotationMatrix();
  if (body.type == JointType::prismatic) motion.translation() = body.offset * body.axis;
  if (body.type == JointType::helical) motion.translation() = body.pitch * body.offset * body.axis;
  return body.X_parent_body * motion;
}

Json vector_json(const Eigen::Vector3d& v) {
  return {v[0], v[1], v[2]};
}

Json ellipsoid_json(const Eigen::Isometry3d& X_base_body, const BodyParameters& parameters) {
  const double mass = parameters[core::kMass];
  if (!(mass > 0)) return {};
  const Eigen::Vector3d com = parameters.segment<3>(core::kMcx) / mass;
  const Eigen::Matrix3d covariance =
      pseudo_inertia(parameters).topLeftCorner<3, 3>() / mass - com * com.transpose();
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvalues()[0];
  if (!(least >= -1e-12 * covariance.trace())) return {};
  const Eigen::Matrix3d R = X_base_body.linear();
  const Eigen::Matrix3d shape = 5 * R * covariance * R.transpose();
  return {{"mass", mass},
          {"centre", vector_json(X_base_body * com)},
          {"shape", {shape(0, 0), shape(0, 1), shape(0, 2), shape(1, 1), shape(1, 2), shape(2, 2)}}};
}

}  // namespace

nlohmann::ordered_json skeleton_json(const Robot& robot, const std::vector<BodyParameters>& identified,
                                     const std::vector<BodyParameters>& prior) {
  std::vector<Eigen::Isometry3d> X_base_body;
  Json bodies = Json::array();
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const Body& body = robot.bodies[i];
    const Eigen::Isometry3d X_base_parent =
        body.parent < 0 ? Eigen::Isometry3d::Identity() : X_base_body[body.parent];
    X_base_body.push_back(X_base_parent * pose_at_zero(body));
    const Eigen::Isometry3d& X = X_base_body.back();
    const bool moves = body.type != JointType::rigid;
    bodies.push_back({{"name", body.name},
                      {"parent", body.parent},
                      {"origin", vector_json(X.translation())},
                      {"axis", moves ? vector_json(X.linear() * body.axis) : Json()},
                      {"rotor", body.is_rotor},
                      {"identified", ellipsoid_json(X, identified[i])},
                      {"prior", ellipsoid_json(X, prior[i])}});
  }
  return bodies;
}

}  // namespace heft
