#include "base_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random_stream.hpp"

namespace heft {

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kRamp = 0.04;  // time in which a foot takes up its load [s]

/// 1 while t / period, modulo 1, is in [first, last], with ramps inside this interval.
double within(double t, double period, double first, double last) {
  double since = std::fmod(t, period) - first * period;
  if (since < 0) since += period;
  const double left = (last - first) * period - since;
  const double s = std::clamp(std::min(since, left) / kRamp, 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

}  // namespace

double BaseReference::Wave::at(double t, int order) const {
  double value = 0;
  for (std::size_t k = 0; k < size.size(); ++k)
    value += size[k] * std::pow(w[k], order) *
             std::sin(w[k] * t + phase[k] + order * std::numbers::pi / 2);
  return value;
}

BaseReference::BaseReference(const SimulatedBase& base, std::uint64_t seed) {
  constexpr double kSlowest = 0.3;  // [Hz]
  RandomStream random(seed);
  const auto draw = [&](double size) {
    Wave wave;
    for (std::size_t k = 0; k < wave.size.size(); ++k) {
      const auto harmonic = static_cast<double>(k + 1);
      wave.size[k] = size * random.uniform(0.5, 1) / harmonic;
      wave.w[k] = kTwoPi * kSlowest * harmonic * random.uniform(0.9, 1.1);
      wave.phase[k] = kTwoPi * random.uniform();
    }
    return wave;
  };
  for (Wave& wave : place_) wave = draw(base.sway);
  for (Wave& wave : angle_) wave = draw(base.tilt);
}

Eigen::Matrix3d BaseReference::orientation(double t) const {
  return (Eigen::AngleAxisd(angle_[2].at(t, 0), Eigen::Vector3d::UnitZ()) *
          Eigen::AngleAxisd(angle_[1].at(t, 0), Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(angle_[0].at(t, 0), Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

Eigen::Vector3d BaseReference::angular_velocity(double t) const {
  const Eigen::AngleAxisd yaw(angle_[2].at(t, 0), Eigen::Vector3d::UnitZ());
  const Eigen::AngleAxisd pitch(angle_[1].at(t, 0), Eigen::Vector3d::UnitY());
  return angle_[2].at(t, 1) * Eigen::Vector3d::UnitZ() +
         yaw * (angle_[1].at(t, 1) * Eigen::Vector3d::UnitY() +
                pitch * Eigen::Vector3d(angle_[0].at(t, 1), 0, 0));
}

BaseTarget BaseReference::at(double t) const {
  constexpr double kStep = 1e-4;
  BaseTarget target;
  for (int k = 0; k < 3; ++k) {
    const Wave& wave = place_[static_cast<std::size_t>(k)];
    target.position[k] = wave.at(t, 0);
    target.velocity[k] = wave.at(t, 1);
    target.acceleration[k] = wave.at(t, 2);
  }
  target.orientation = orientation(t);
  target.angular_velocity = angular_velocity(t);
  target.angular_acceleration =
      (angular_velocity(t + kStep) - angular_velocity(t - kStep)) / (2 * kStep);
  return target;
}

std::vector<double> foot_loads(Gait gait, const std::vector<int>& group, double t) {
  constexpr double kStep = 0.8, kTrot = 0.6, kHop = 1.2, kShift = 2.5;  // periods [s]
  const auto count = static_cast<double>(group.size());
  std::vector<double> loads(group.size(), 0);
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const double place = static_cast<double>(k) / count;
    const double shift = 0.6 + 0.4 * std::sin(kTwoPi * (t / kShift + place));
    switch (gait) {
      case Gait::stance:
        loads[k] = shift;
        break;
      case Gait::step: {  // in its turn, a foot is in the air for the middle half
        const double first = place + 0.75 / count, last = place + 1 + 0.25 / count;
        loads[k] = shift * within(t, count * kStep, first, last);
        break;
      }
      case Gait::trot: {
        const double first = 0.5 * group[k];
        loads[k] = within(t, kTrot, first, first + 0.6);
        break;
      }
      case Gait::flight:  // the feet land one after the other within 40 ms
        loads[k] = shift * within(t, kHop, 0.03 * place, 0.88 + 0.03 * place);
        break;
      case Gait::hung:
      case Gait::mounted:
        break;
    }
  }
  return loads;
}

}  // namespace heft
