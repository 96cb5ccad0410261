#include "base_pose.hpp"

#include <fmt/format.h>

#include <cmath>

#include "heft/signal/smoother.hpp"

namespace heft {

namespace {

constexpr double kUnitNorm = 1e-2;     ///< norms of quaternions written with few digits
constexpr double kJump = 0.1;          ///< [m] from row to row, if the speed exceeds
constexpr double kJumpSpeed = 20;      ///< [m/s]
constexpr double kJumpAngle = 0.3;     ///< [rad] from row to row, if the speed exceeds
constexpr double kJumpTurnSpeed = 50;  ///< [rad/s]

Result<Done> check_count(const char* option, const std::vector<std::string>& names,
                         std::size_t count, const char* what) {
  if (names.empty() || names.size() == count) return Done{};
  return Error{option, fmt::format("names {} columns instead of {}", names.size(), count),
               std::string("name ") + what};
}

Eigen::Quaterniond quaternion_at(const Eigen::ArrayXXd& quaternion, Eigen::Index row) {
  return Eigen::Quaterniond(quaternion(row, 3), quaternion(row, 0), quaternion(row, 1),
                            quaternion(row, 2));
}

Eigen::ArrayXXd slope(const Eigen::ArrayXXd& values, double period) {
  Eigen::ArrayXXd slopes(values.rows(), values.cols());
  Eigen::ArrayXd column;
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    differentiate(values.col(k), period, column);
    slopes.col(k) = column;
  }
  return slopes;
}

}  // namespace

Result<Done> check_base_source(const BaseSource& base) {
  HEFT_CHECK(check_count("base.gyro", base.gyro, 3, "those of x, y and z [rad/s]"));
  HEFT_CHECK(check_count("base.accel", base.accel, 3, "those of x, y and z [m/s^2]"));
  HEFT_CHECK(check_count("base.pose", base.pose, 7, "x, y, z [m] and the four of the quaternion"));
  if (!base.pose.empty() && base.quaternion == PoseQuaternion::unstated)
    return Error{
        "base.quaternion", "the order of the quaternion in base.pose is not stated",
        "write xyzw if its scalar part is the last of the four columns, wxyz if it is the first"};
  if (base.source == BaseMeasurement::imu) return Done{};
  if (base.pose.empty())
    return Error{"base.pose", "source pose needs seven columns",
                 "name x, y, z [m] and the four of the quaternion"};
  if (!base.gyro.empty() || !base.accel.empty())
    return Error{
        "base.source", "pose does not use gyro and accel",
        "remove them, or set source: imu; pose then gives only the direction of the world"};
  if (base.bias || base.rotation)
    return Error{base.bias ? "base.bias" : "base.rotation", "belongs to an IMU, but source is pose",
                 "remove it, or set source: imu"};
  return Done{};
}

Result<Done> BasePoseRows::apply(double time, std::vector<double>& values,
                                 const std::function<std::string()>& place) {
  if (quaternion_ < 0) return Done{};
  const Eigen::Map<const Eigen::Vector3d> position(&values[static_cast<std::size_t>(position_)]);
  Eigen::Map<Eigen::Vector4d> quaternion(&values[static_cast<std::size_t>(quaternion_)]);
  if (position.hasNaN() || quaternion.hasNaN()) {
    is_known_ = false;
    return Done{};
  }
  const double norm = quaternion.norm();
  if (!(std::abs(norm - 1) <= kUnitNorm))
    return Error{place(),
                 fmt::format("the quaternion of the base has norm {:.4g} instead of 1", norm),
                 "check the columns of base.pose: position first, then the four of the quaternion"};
  quaternion /= norm;
  if (is_known_) {
    if (quaternion.dot(last_quaternion_) < 0) quaternion = -quaternion;
    const double step = time - time_, moved = (position - last_position_).norm();
    const double turned = 2 * (quaternion - last_quaternion_).norm();
    if (moved > std::max(kJump, kJumpSpeed * step))
      return Error{place(), fmt::format("the base jumps by {:.3g} m in {:.3g} s", moved, step),
                   "exclude the time of the jump (log.exclude), or use an IMU (base.source: imu)"};
    if (turned > std::max(kJumpAngle, kJumpTurnSpeed * step))
      return Error{
          place(), fmt::format("the base turns by {:.3g} rad in {:.3g} s", turned, step),
          "exclude the time of the jump (log.exclude); if every row jumps, check the order "
          "of the columns (base.quaternion)"};
  }
  is_known_ = true;
  time_ = time;
  last_position_ = position;
  last_quaternion_ = quaternion;
  return Done{};
}

Eigen::ArrayXXd normalized(const Eigen::ArrayXXd& quaternion) {
  const Eigen::ArrayXd norm = quaternion.square().rowwise().sum().sqrt();
  return quaternion.colwise() / norm;
}

Eigen::ArrayXXd motion_of_poses(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& quaternion,
                                double period, const Eigen::Vector3d& gravity) {
  const Eigen::ArrayXXd rate = slope(quaternion, period);
  const Eigen::ArrayXXd acceleration = slope(slope(position, period), period);
  Eigen::ArrayXXd motion(position.rows(), 9);
  for (Eigen::Index i = 0; i < motion.rows(); ++i) {
    const Eigen::Quaterniond p = quaternion_at(quaternion, i);
    const Eigen::Vector3d w = 2 * (p.conjugate() * quaternion_at(rate, i)).vec();
    const Eigen::Vector3d a = acceleration.row(i).transpose().matrix() - gravity;
    motion.row(i).head<3>() = w.transpose().array();
    motion.row(i).tail<3>() = (p.conjugate() * a).transpose().array();
  }
  motion.middleCols<3>(3) = slope(motion.leftCols<3>(), period);
  return motion;
}

void carry_to_root(const Eigen::Isometry3d& X_root_frame, Eigen::ArrayXXd& motion) {
  const Eigen::Matrix3d R = X_root_frame.linear();
  const Eigen::Vector3d p = X_root_frame.translation();
  for (Eigen::Index i = 0; i < motion.rows(); ++i) {
    const Eigen::Matrix<double, 9, 1> at_frame = motion.row(i).transpose();
    const Eigen::Vector3d w = R * at_frame.head<3>(), wd = R * at_frame.segment<3>(3);
    const Eigen::Vector3d u = R * at_frame.tail<3>() - wd.cross(p) - w.cross(w.cross(p));
    motion.row(i) << w.transpose().array(), wd.transpose().array(), u.transpose().array();
  }
}

Eigen::ArrayXXd root_orientation(const Eigen::Isometry3d& X_root_frame,
                                 const Eigen::ArrayXXd& quaternion) {
  const Eigen::Quaterniond frame_to_root(X_root_frame.linear().transpose());
  Eigen::ArrayXXd orientation(quaternion.rows(), 4);
  for (Eigen::Index i = 0; i < quaternion.rows(); ++i)
    orientation.row(i) =
        (quaternion_at(quaternion, i) * frame_to_root).coeffs().transpose().array();
  return orientation;
}

}  // namespace heft
