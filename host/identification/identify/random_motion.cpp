#include "random_motion.hpp"

#include <numbers>

#include "base/random_stream.hpp"

namespace heft {

Samples random_motion(const Robot& robot) {
  constexpr int kStates = 400;
  constexpr double kFastest = 3, kStrongest = 10;  // [rad/s], [rad/s^2]
  RandomStream random(1);
  const auto fill = [&](Eigen::ArrayXXd& array, int columns, double size) {
    array.resize(kStates, columns);
    for (double& value : array.reshaped()) value = random.uniform(-size, size);
  };
  const int n = robot.num_coordinates();
  Samples samples;
  samples.time = Eigen::ArrayXd::LinSpaced(kStates, 0, 1);
  fill(samples.position, n, std::numbers::pi);
  fill(samples.velocity, n, kFastest);
  fill(samples.acceleration, n, kStrongest);
  if (robot.floating_base) fill(samples.base_motion, 9, kStrongest);
  return samples;
}

}  // namespace heft
