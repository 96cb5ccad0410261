#include "fourier_trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random_stream.hpp"
#include "heft/core/fourier.hpp"
#include "usable_limits.hpp"

namespace heft {

namespace {

constexpr double kPeriod = 10;        ///< [s]; fast harmonics excite inertia, slow ones gravity
constexpr double kLimitMargin = 0.9;  ///< of the joint's range
constexpr double kOnFeet = 0.25;      ///< the same for robots that stand on their feet
constexpr double kFreeRange = std::numbers::pi;

}  // namespace

FourierTrajectory::FourierTrajectory(const Robot& robot, const SimulateOptions& options)
    : base_frequency_(2 * std::numbers::pi / kPeriod),
      center_(robot.num_coordinates()),
      sine_(robot.num_coordinates(), options.harmonics),
      cosine_(robot.num_coordinates(), options.harmonics) {
  RandomStream random(options.trajectory_seed);
  const bool stands =
      robot.floating_base && options.base.gait != Gait::hung && options.base.gait != Gait::mounted;
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    for (int h = 0; h < options.harmonics; ++h) {
      sine_(k, h) = random.normal();
      cosine_(k, h) = random.normal();
    }
    // amplitudes bound the motion: sum of |a_h| for position, of h w |a_h| for velocity
    const Coordinate& joint = robot.coordinates[k];
    const bool is_free = !has_usable_range(joint);
    const double share = stands ? kOnFeet : kLimitMargin;
    const double range =
        is_free ? (stands ? kOnFeet : 1) * kFreeRange : 0.5 * share * (joint.upper - joint.lower);
    center_[k] = is_free ? 0 : 0.5 * (joint.upper + joint.lower);
    const double speed = options.speed * usable_velocity(joint);
    double position_bound = 0, velocity_bound = 0;
    for (int h = 0; h < options.harmonics; ++h) {
      const double amplitude = std::hypot(sine_(k, h), cosine_(k, h));
      position_bound += amplitude;
      velocity_bound += (h + 1) * base_frequency_ * amplitude;
    }
    const double scale = std::min(range / position_bound, speed / velocity_bound);
    sine_.row(k) *= scale;
    cosine_.row(k) *= scale;
  }
}

void FourierTrajectory::at(double t, Eigen::VectorXd& q, Eigen::VectorXd& qd,
                           Eigen::VectorXd& qdd) const {
  q = center_;
  qd.setZero(q.size());
  qdd.setZero(q.size());
  for (int h = 0; h < sine_.cols(); ++h) {
    const double w = (h + 1) * base_frequency_;
    const double s = std::sin(w * t), c = std::cos(w * t);
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      const auto term = core::fourier_term(sine_(k, h), cosine_(k, h), w, s, c);
      q[k] += term.position;
      qd[k] += term.velocity;
      qdd[k] += term.acceleration;
    }
  }
}

}  // namespace heft
