#include "skeleton.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <optional>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

// where the page looks from first: robot_view.js
constexpr double kAzimuth = -0.9, kElevation = 0.35;

/// Axes of the picture, right and up.
Eigen::Matrix<double, 2, 3> picture_axes() {
  const double ca = std::cos(kAzimuth), sa = std::sin(kAzimuth), ce = std::cos(kElevation),
               se = std::sin(kElevation);
  return Eigen::Matrix<double, 2, 3>{{-sa, ca, 0}, {-se * ca, -se * sa, ce}};
}

struct MassEllipsoid {
  double mass;
  Eigen::Vector3d center;
  Eigen::Matrix3d shape;
};

std::optional<MassEllipsoid> ellipsoid_of(const BodyParameters& parameters) {
  const double mass = parameters[core::kMass];
  if (!(mass > 0)) return {};
  const Eigen::Vector3d com = parameters.segment<3>(core::kMcx) / mass;
  const Eigen::Matrix3d covariance =
      pseudo_inertia(parameters).topLeftCorner<3, 3>() / mass - com * com.transpose();
  const double least = SymmetricEigen<3>(covariance).eigenvalues()[0];
  if (!(least >= -1e-12 * covariance.trace())) return {};
  return MassEllipsoid{mass, com, 5 * covariance};
}

Json vector_json(const Eigen::Vector3d& v) {
  return {v[0], v[1], v[2]};
}

Json ellipsoid_json(const BodyParameters& parameters) {
  const auto ellipsoid = ellipsoid_of(parameters);
  if (!ellipsoid) return {};
  const Eigen::Matrix3d& shape = ellipsoid->shape;
  return {
      {"mass", ellipsoid->mass},
      {"centre", vector_json(ellipsoid->center)},
      {"shape", {shape(0, 0), shape(0, 1), shape(0, 2), shape(1, 1), shape(1, 2), shape(2, 2)}}};
}

/// Rounds to micrometers and millionths of a turn, sufficient for a picture.
Json pose_json(const Eigen::Isometry3d& X) {
  const auto rounded = [](double value) { return std::round(1e6 * value) / 1e6; };
  const Eigen::Quaterniond q(X.linear());
  Json pose = Json::array();
  for (int k = 0; k < 3; ++k) pose.push_back(rounded(X.translation()[k]));
  for (int k = 0; k < 4; ++k) pose.push_back(rounded(q.coeffs()[k]));
  return pose;
}

/// Points and forces in base axes, to micrometers and millinewtons.
Json feet_json(const std::vector<FootTraces>& feet, const std::vector<Eigen::Isometry3d>& poses,
               const std::vector<Eigen::Vector3d>& forces) {
  Json list = Json::array();
  for (std::size_t f = 0; f < feet.size(); ++f) {
    const Eigen::Isometry3d& X = poses[static_cast<std::size_t>(feet[f].body)];
    const Eigen::Vector3d point = X * feet[f].point;
    const Eigen::Vector3d force = X.linear() * feet[f].R_body_frame * forces[f];
    if (!force.allFinite()) {
      list.push_back(nullptr);
      continue;
    }
    Json numbers = Json::array();
    for (int k = 0; k < 3; ++k) numbers.push_back(std::round(1e6 * point[k]) / 1e6);
    for (int k = 0; k < 3; ++k) numbers.push_back(std::round(1e3 * force[k]) / 1e3);
    list.push_back(std::move(numbers));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json bodies_json(const Robot& robot,
                                   const std::vector<BodyParameters>& identified,
                                   const std::vector<BodyParameters>& prior) {
  Json bodies = Json::array();
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const Body& body = robot.bodies[i];
    bodies.push_back({{"name", body.name},
                      {"parent", body.parent},
                      {"axis", body.type == JointType::rigid ? Json() : vector_json(body.axis)},
                      {"rotor", body.is_rotor},
                      {"identified", ellipsoid_json(identified[i])},
                      {"prior", ellipsoid_json(prior[i])}});
  }
  return bodies;
}

double overlap_in_view(const Robot& robot, const std::vector<BodyParameters>& bodies,
                       const std::vector<Eigen::Isometry3d>& poses) {
  const Eigen::Matrix<double, 2, 3> P = picture_axes();
  std::vector<Eigen::Vector2d> centers;
  std::vector<Eigen::Matrix2d> shapes;
  for (int i = 0; i < robot.num_bodies(); ++i) {
    const auto ellipsoid = robot.bodies[i].is_rotor ? std::nullopt : ellipsoid_of(bodies[i]);
    if (!ellipsoid) continue;
    const Eigen::Matrix<double, 2, 3> PR = P * poses[i].linear();
    centers.emplace_back(P * (poses[i] * ellipsoid->center));
    shapes.emplace_back(PR * ellipsoid->shape * PR.transpose());
  }
  double overlap = 0;
  for (std::size_t i = 0; i < centers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Eigen::Vector2d d = centers[i] - centers[j];
      const Eigen::Matrix2d S = shapes[i] + shapes[j];
      // two point masses have no shape and hide nothing
      if (const double determinant = S.determinant(); determinant > 0)
        overlap += std::exp(-0.5 * d.dot(S.inverse() * d));
    }
  return overlap;
}

nlohmann::ordered_json skeleton_json(const Robot& robot,
                                     const std::vector<BodyParameters>& identified,
                                     const std::vector<BodyParameters>& prior,
                                     const std::vector<Posture>& postures,
                                     const std::vector<FootTraces>& feet) {
  Json list = Json::array();
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto add = [&](const Json& time_s, const Posture& posture) {
    const std::vector<Eigen::Isometry3d> poses = body_poses(robot, posture.position);
    if (const double overlap = overlap_in_view(robot, identified, poses); overlap < least) {
      least = overlap;
      best = list.size();
    }
    Json rows = Json::array();
    for (const Eigen::Isometry3d& X : poses) rows.push_back(pose_json(X));
    list.push_back({{"time_s", time_s}, {"poses", rows}});
    if (!feet.empty() && posture.forces.size() == feet.size())
      list.back()["feet"] = feet_json(feet, poses, posture.forces);
  };
  for (const Posture& posture : postures) add(posture.time_s, posture);
  if (postures.empty()) add(nullptr, {});
  Json json{
      {"bodies", bodies_json(robot, identified, prior)}, {"postures", list}, {"posture", best}};
  for (const FootTraces& foot : feet) json["feet"].push_back(foot.name);
  return json;
}

}  // namespace heft
