// Reads poses given as six numbers.
#include <numbers>

#include "heft/payload/options.hpp"

namespace heft {

Result<Eigen::Isometry3d> pose_of(const std::vector<double>& numbers, const std::string& where) {
  if (numbers.size() != 6 || !Eigen::Map<const Eigen::ArrayXd>(numbers.data(), 6).allFinite())
    return Error{where, "is not a pose",
                 "give six numbers: x, y, z in meters, roll, pitch, yaw in radians"};
  return Eigen::Translation3d(numbers[0], numbers[1], numbers[2]) *
         Eigen::Isometry3d(Eigen::AngleAxisd(numbers[5], Eigen::Vector3d::UnitZ()) *
                           Eigen::AngleAxisd(numbers[4], Eigen::Vector3d::UnitY()) *
                           Eigen::AngleAxisd(numbers[3], Eigen::Vector3d::UnitX()));
}

Eigen::Matrix<double, 6, 1> numbers_of(const Eigen::Isometry3d& pose) {
  constexpr double kPi = std::numbers::pi;
  const Eigen::Vector3d zyx = pose.linear().eulerAngles(2, 1, 0);
  double yaw = zyx[0], pitch = zyx[1], roll = zyx[2];
  if (std::abs(pitch) > kPi / 2 + 1e-9) {  // the other branch
    pitch = (pitch > 0 ? 1 : -1) * kPi - pitch;
    yaw -= (yaw > 0 ? 1 : -1) * kPi, roll -= (roll > 0 ? 1 : -1) * kPi;
  }
  Eigen::Matrix<double, 6, 1> numbers;
  numbers << pose.translation(), roll, pitch, yaw;
  return numbers;
}

}  // namespace heft
