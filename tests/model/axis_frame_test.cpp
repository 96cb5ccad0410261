// Rotations onto axes of every direction, especially those near z and -z, measured in long double.
#include "host/dynamics/model/axis_frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/motion.hpp"

namespace heft {
namespace {

using oracle::Matrix3r;
using oracle::Vector3r;

constexpr long double kFrameTolerance = 10 * std::numeric_limits<double>::epsilon();

void expect_rotation_onto(const Eigen::Vector3d& axis) {
  const Matrix3r R = rotation_onto(axis).cast<long double>();
  EXPECT_LE(oracle::largest_difference(R.transpose() * R, Matrix3r::Identity()), kFrameTolerance)
      << axis.transpose();
  EXPECT_LE(oracle::largest_difference(R.col(2), oracle::exact_direction(axis)), kFrameTolerance)
      << axis.transpose();
  EXPECT_GT(R.determinant(), 0) << axis.transpose();
}

TEST(RotationOnto, IsExactHoweverNearToThePoles) {
  for (double sine = 1; sine > 1e-18; sine *= 0.3)
    for (double azimuth = 0; azimuth < 6; azimuth += 0.7)
      for (const double pole : {1.0, -1.0})
        expect_rotation_onto(
            Eigen::Vector3d(sine * std::cos(azimuth), sine * std::sin(azimuth), pole).normalized());
}

TEST(RotationOnto, KeepsZerosOfAlignedAxes) {
  for (int i = 0; i < 3; ++i)
    for (const double sign : {1.0, -1.0}) {
      const Eigen::Vector3d axis = sign * Eigen::Vector3d::Unit(i);
      expect_rotation_onto(axis);
      const Eigen::Matrix3d R = rotation_onto(axis);
      for (const double entry : R.reshaped())
        EXPECT_LE(std::min(std::abs(entry), std::abs(std::abs(entry) - 1)), 2.3e-16)
            << axis.transpose();
    }
}

}  // namespace
}  // namespace heft
