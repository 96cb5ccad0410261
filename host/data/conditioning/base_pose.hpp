// Poses of the base: checks of single rows, and the motion that an IMU in the same frame would
// measure.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <string>

#include "conditioning/log_columns.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"

namespace heft {

/// Checks that the options of a base fit together. Errors: a wrong number of columns, a pose
/// without a stated order of its quaternion, source pose without columns or with those of an IMU.
Result<Done> check_base_source(const BaseSource& base);

/// Rows with poses, in the order of time.
class BasePoseRows {
 public:
  explicit BasePoseRows(const LogColumns& columns)
      : position_(columns.first_base_position), quaternion_(columns.first_base_quaternion) {}

  /// Scales the quaternion of one row to norm one and chooses its sign to be closest to the row
  /// before, so that the components can be filtered. Leaves rows with NaN unchanged. Errors at
  /// `place()`: a quaternion whose norm differs from one by more than rounding; a pose that jumps.
  Result<Done> apply(double time, std::vector<double>& values,
                     const std::function<std::string()>& place);

 private:
  int position_, quaternion_;
  bool is_known_ = false;
  double time_ = 0;
  Eigen::Vector3d last_position_ = Eigen::Vector3d::Zero();
  Eigen::Vector4d last_quaternion_ = Eigen::Vector4d::Zero();
};

/// Scales every row of quaternions, rows x 4, to norm one.
Eigen::ArrayXXd normalized(const Eigen::ArrayXXd& quaternion);

/// Returns w, wd, a - g of a frame in its own axes, rows x 9, from its position, rows x 3 [m], and
/// normalized quaternion x, y, z, w, rows x 4, at a uniform `period` [s]. With R from the
/// quaternion p: w = 2 conj(p) dp/dt, a - g = R' (d2x/dt2 - gravity).
Eigen::ArrayXXd motion_of_poses(const Eigen::ArrayXXd& position, const Eigen::ArrayXXd& quaternion,
                                double period, const Eigen::Vector3d& gravity);

/// Converts w, wd, a - g of a frame at X_root_frame, rows x 9, to those of the root:
///   w = R w_f,   wd = R wd_f,   u = R u_f - wd x p - w x (w x p)
void carry_to_root(const Eigen::Isometry3d& X_root_frame, Eigen::ArrayXXd& motion);

/// Returns the quaternions of the root from those of the frame.
Eigen::ArrayXXd root_orientation(const Eigen::Isometry3d& X_root_frame,
                                 const Eigen::ArrayXXd& quaternion);

}  // namespace heft
