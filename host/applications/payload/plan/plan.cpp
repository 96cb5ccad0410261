#include "payload/plan.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/random_stream.hpp"
#include "checks/diagnose.hpp"
#include "clearance/collision_model.hpp"
#include "clearance/min_clearance.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/rotation_between.hpp"
#include "model/poses.hpp"
#include "robot/link_place.hpp"

namespace heft {

namespace {

using FixedMatrix10 = Eigen::Matrix<double, 10, 10>;

constexpr int kOnSphere = 200, kOfRobot = 3000;
constexpr double kAsGood = 1e-3;       // of a logarithm: candidates that are worth the same
constexpr double kWorthTheWay = 0.05;  // the same on a robot, where shorter moves are preferred
constexpr double kUnknownMass = 100, kUnknownMoment = 10, kUnknownForce = 1000,
                 kUnknownTorque = 100;
constexpr double kTold = 1e-2;  // share of the earlier volume that counts as determined

/// Variance of m, h, b_f, b_n before any pose.
FixedMatrix10 anything() {
  Eigen::Matrix<double, 10, 1> sd;
  sd << kUnknownMass, kUnknownMoment, kUnknownMoment, kUnknownMoment, kUnknownForce, kUnknownForce,
      kUnknownForce, kUnknownTorque, kUnknownTorque, kUnknownTorque;
  return sd.cwiseAbs2().asDiagonal();
}

/// Rows of f and n in m, h, b_f, b_n, in units of their noise.
Eigen::Matrix<double, 6, 10> rows_at(const Eigen::Vector3d& g, const PlanOptions& options) {
  Eigen::Matrix<double, 6, 10> rows = Eigen::Matrix<double, 6, 10>::Zero();
  rows.block<3, 1>(0, 0) = -g;
  rows.block<3, 3>(0, 4).setIdentity();
  rows.block<3, 3>(3, 1) << 0, -g.z(), g.y(), g.z(), 0, -g.x(), -g.y(), g.x(), 0;
  rows.block<3, 3>(3, 7).setIdentity();
  rows.topRows(3) /= options.force_noise, rows.bottomRows(3) /= options.torque_noise;
  return rows;
}

/// The covariance after one more pose.
FixedMatrix10 after(const FixedMatrix10& C, const Eigen::Matrix<double, 6, 10>& rows) {
  const Eigen::Matrix<double, 6, 6> S =
      rows * C * rows.transpose() + Eigen::Matrix<double, 6, 6>::Identity();
  FixedMatrix10 smaller = C - C * rows.transpose() * S.ldlt().solve(rows * C);
  return 0.5 * (smaller + smaller.transpose());
}

/// Log volume of the remaining uncertainty of mass and first moment.
double log_volume(const FixedMatrix10& C) {
  Eigen::Matrix4d part = C.topLeftCorner<4, 4>();
  return std::log(std::max(part.determinant(), std::numeric_limits<double>::min()));
}

PoseKnowledge knowledge(const FixedMatrix10& C, int num_directions, const PlanOptions& options) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  PoseKnowledge known{.num_directions = num_directions};
  const double mass_sd = std::sqrt(C(0, 0));
  known.mass_sd = mass_sd < kTold * kUnknownMass ? mass_sd : kInfinity;
  int num_told = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double sd = std::sqrt(C(1 + axis, 1 + axis));
    known.com_sd[axis] = sd < kTold * kUnknownMoment ? sd / options.mass : kInfinity;
    num_told += std::isfinite(known.com_sd[axis]);
  }
  if (num_directions < 2)
    known.tells =
        "nothing yet: with an unknown offset one direction of gravity "
        "determines neither mass nor center of mass";
  else if (num_directions == 2 || num_told < 3)
    known.tells =
        "the mass, and the center of mass except along the difference of the two directions";
  else
    known.tells = "mass, center of mass and all six offsets";
  return known;
}

struct Candidate {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  Eigen::VectorXd position;
};

/// Limits of a robot's coordinates.
struct Limits {
  Eigen::VectorXd lower, upper;

  explicit Limits(const Robot& robot)
      : lower(robot.num_coordinates()), upper(robot.num_coordinates()) {
    for (int c = 0; c < robot.num_coordinates(); ++c) {
      const Coordinate& joint = robot.coordinates[static_cast<std::size_t>(c)];
      lower[c] = std::isfinite(joint.lower) ? joint.lower : -std::numbers::pi;
      upper[c] = std::isfinite(joint.upper) ? joint.upper : std::numbers::pi;
    }
  }
};

/// Collision model between the links of a robot; empty if there are no shapes. Unreadable shapes
/// are an error only if collisions were requested.
class LinksApart {
 public:
  explicit LinksApart(const Robot& robot)
      : model_(make_collision_model(robot, {}, Limits(robot).lower, Limits(robot).upper)) {}

  bool are_looked_at() const { return model_ && !model_->pairs.empty(); }
  /// Distance of the closest pair [m], if all pairs keep their clearance.
  std::optional<double> keeping_apart(const Eigen::VectorXd& position) const {
    const ClearanceFound found =
        sample_clearance(*model_, Eigen::VectorXd::Zero(1), position.transpose().array());
    for (std::size_t p = 0; p < model_->pairs.size(); ++p)
      if (found.pairs[p].value < model_->pairs[p].wanted) return {};
    return found.least.value;
  }

 private:
  Result<CollisionModel> model_;
};

/// Directions: the six axes first, then even coverage of the sphere.
std::vector<Candidate> on_sphere(double gravity) {
  std::vector<Candidate> found;
  for (int axis : {2, 0, 1})
    for (const double sign : {-1.0, 1.0}) {
      Candidate candidate;
      candidate.gravity[axis] = sign * gravity;
      found.push_back(candidate);
    }
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int k = 0; k < kOnSphere; ++k) {
    const double z = 1 - 2 * (k + 0.5) / kOnSphere, r = std::sqrt(1 - z * z);
    found.push_back(
        {gravity * Eigen::Vector3d(r * std::cos(golden * k), r * std::sin(golden * k), z), {}});
  }
  return found;
}

/// Postures within the limits of the joints.
Result<std::vector<Candidate>> of_robot(const SensorOnLink& on_link, const SensorOptions& sensor) {
  HEFT_TRY(place, find_link(on_link.robot, on_link.link, "--sensor-link " + on_link.link));
  const Robot& robot = on_link.robot;
  const auto [lower, upper] = Limits(robot);
  const double size = robot.gravity.norm();
  const double scale = sensor.gravity && size > 0 ? *sensor.gravity / size : 1;
  RandomStream random(1);
  std::vector<Candidate> found;
  for (int k = 0; k < kOfRobot; ++k) {
    Candidate candidate{
        {}, Eigen::VectorXd::Zero(robot.num_coordinates()).cwiseMax(lower).cwiseMin(upper)};
    for (int c = 0; k > 0 && c < robot.num_coordinates(); ++c)
      candidate.position[c] = lower[c] + (upper[c] - lower[c]) * random.uniform();
    const auto poses = body_poses(robot, candidate.position);
    const Eigen::Isometry3d X =
        poses[static_cast<std::size_t>(place.body)] * place.X_body_link * sensor.mounting;
    candidate.gravity = scale * (X.linear().transpose() * robot.gravity);
    found.push_back(std::move(candidate));
  }
  return found;
}

/// An orientation of the sensor with this direction of gravity, in a world whose z points up.
Eigen::Matrix3d orientation(const Eigen::Vector3d& gravity) {
  return rotation_between(gravity, -Eigen::Vector3d::UnitZ());
}

/// The candidate that leaves the smallest uncertainty; among equals, the one nearest to the
/// previous posture, otherwise the first.
std::size_t best_of(const std::vector<Candidate>& candidates, const FixedMatrix10& C,
                    const Eigen::VectorXd& before, const PlanOptions& options) {
  std::size_t best = 0;
  std::vector<double> left;
  double least = std::numeric_limits<double>::infinity(), nearest = least;
  for (const Candidate& candidate : candidates) {
    left.push_back(log_volume(after(C, rows_at(candidate.gravity, options))));
    least = std::min(least, left.back());
  }
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const double tolerance = before.size() > 0 ? kWorthTheWay : kAsGood;
    if (left[k] > least + tolerance) continue;
    const double distance = before.size() > 0 ? (candidates[k].position - before).squaredNorm() : 0;
    if (distance < nearest) nearest = distance, best = k;
  }
  return best;
}

}  // namespace

Result<PosePlan> plan_poses(const WrenchSamples& taken, const PlanOptions& options,
                            const std::optional<SensorOnLink>& robot, const SensorOptions& sensor) {
  if (taken.size() > 0 && (taken.moves || taken.is_oriented_by_force))
    return Error{"--plan",
                 taken.moves ? "is for poses at rest, but the log contains motion"
                             : "needs the orientation of each pose",
                 "give a log of poses with r11..r33 or gx..gz, or no log"};
  if (options.num_poses < 1 || !(options.mass > 0) || !(options.force_noise > 0) ||
      !(options.torque_noise > 0))
    return Error{"--plan", "needs a positive number of poses, mass and noise",
                 "give positive numbers"};
  std::vector<Candidate> candidates = on_sphere(options.gravity);
  PosePlan plan{.options = options, .num_taken = static_cast<int>(taken.size())};
  Eigen::VectorXd before;
  if (robot) {
    HEFT_TRY(postures, of_robot(*robot, sensor));
    candidates = std::move(postures);
    before = candidates.front().position;
    for (const Coordinate& coordinate : robot->robot.coordinates)
      plan.coordinates.push_back(coordinate.name);
  }
  FixedMatrix10 C = anything();
  for (Eigen::Index i = 0; i < taken.size(); ++i)
    C = after(C, rows_at(taken.gravity.row(i).transpose(), options));
  Eigen::ArrayXXd directions(taken.size() + options.num_poses, 3);
  if (taken.size() > 0) directions.topRows(taken.size()) = taken.gravity;
  const auto num_so_far = [&](Eigen::Index n) {
    if (n == 0) return 0;
    const auto made = make_pose_samples(directions.topRows(n), Eigen::ArrayXXd::Zero(n, 6));
    return made ? payload::num_directions(*made) : 0;
  };
  plan.now = knowledge(C, num_so_far(taken.size()), options);
  std::optional<LinksApart> links;
  if (robot) links.emplace(robot->robot);
  for (int k = 0; k < options.num_poses; ++k) {
    std::size_t at = best_of(candidates, C, before, options);
    std::optional<double> clearance;
    while (links && links->are_looked_at() &&
           !(clearance = links->keeping_apart(candidates[at].position))) {
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(at));
      if (candidates.empty())
        return Error{robot->robot.source, "has links that collide in all postures",
                     "check its collision shapes; heft excite names the links"};
      at = best_of(candidates, C, before, options);
    }
    const Candidate best = candidates[at];
    C = after(C, rows_at(best.gravity, options));
    directions.row(taken.size() + k) = best.gravity.transpose();
    before = best.position;
    plan.poses.push_back({best.gravity, orientation(best.gravity), best.position, clearance,
                          knowledge(C, num_so_far(taken.size() + k + 1), options)});
  }
  return plan;
}

}  // namespace heft
