// The six rows of one sample: the coefficients of the payload's ten parameters in force and torque
// (samples.hpp).
#pragma once

#include "heft/payload/samples.hpp"

namespace heft::payload {

using Rows = Eigen::Matrix<double, 6, core::kNumParameters>;

using MotionNumbers = Eigen::Matrix<double, WrenchSamples::kNumMotion, 1>;

/// In the order of WrenchSamples::Motion: u = a - g, wd and the six products of w.
inline MotionNumbers motion_numbers(const Eigen::Vector3d& w, const Eigen::Vector3d& wd,
                                    const Eigen::Vector3d& u) {
  MotionNumbers motion;
  motion << u, wd, w.x() * w.x(), w.x() * w.y(), w.y() * w.y(), w.x() * w.z(), w.y() * w.z(),
      w.z() * w.z();
  return motion;
}

/// `motion`: the twelve numbers of a sample, WrenchSamples::Motion. The rows are linear in them, so
/// the rows of a mean are the mean of rows.
template <class Motion>
Rows rows_of(const Motion& motion) {
  using S = WrenchSamples;
  const double ux = motion[S::kUx], uy = motion[S::kUy], uz = motion[S::kUz];
  const double dx = motion[S::kWdx], dy = motion[S::kWdy], dz = motion[S::kWdz];
  const double xx = motion[S::kWwxx], xy = motion[S::kWwxy], yy = motion[S::kWwyy];
  const double xz = motion[S::kWwxz], yz = motion[S::kWwyz], zz = motion[S::kWwzz];
  Rows Y;
  // columns m, h (three), then Ixx Ixy Iyy Ixz Iyz Izz
  Y << ux, -yy - zz, xy - dz, xz + dy, 0, 0, 0, 0, 0, 0,      //
      uy, xy + dz, -xx - zz, yz - dx, 0, 0, 0, 0, 0, 0,       //
      uz, xz - dy, yz + dx, -xx - yy, 0, 0, 0, 0, 0, 0,       //
      0, 0, uz, -uy, dx, dy - xz, -yz, dz + xy, yy - zz, yz,  //
      0, -uz, 0, ux, xz, dx + yz, dy, zz - xx, dz - xy, -xz,  //
      0, uy, -ux, 0, -xy, xx - yy, xy, dx - yz, dy + xz, dz;
  return Y;
}

}  // namespace heft::payload
