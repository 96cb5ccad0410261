// Smooth random trajectories with exact derivatives: every coordinate is a short Fourier series
//   q(t) = c + sum_h A_h sin(2 pi f h t + phase_h),   sum_h |A_h| <= amplitude,
// and a floating base moves with such series for w (wd is their derivative) and a - g.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/oracle/motion.hpp"
#include "tests/oracle/random.hpp"

namespace heft::oracle {

struct FourierMotionOptions {
  int num_harmonics = 5;
  double frequency = 0.2;        ///< of the first harmonic [Hz]
  double angle_amplitude = 1;    ///< [rad]; together with the random center |q| <= 1.5 amplitudes
  double slide_amplitude = 0.2;  ///< [m]
  double base_angular_velocity = 1;     ///< amplitude [rad/s], floating base only
  double base_linear_acceleration = 2;  ///< amplitude about the mean -gravity [m/s^2], floating
                                        ///< base only
};

/// One scalar series.
class FourierSeries {
 public:
  FourierSeries(double center, double amplitude, const FourierMotionOptions& options,
                Random& random)
      : center_(center), omega_(2 * std::acos(-1.0) * options.frequency) {
    double sum = 0;
    for (int h = 0; h < options.num_harmonics; ++h) {
      amplitudes_.push_back(random.uniform(0.1, 1) / (h + 1));
      phases_.push_back(random.uniform(0, 2 * std::acos(-1.0)));
      sum += amplitudes_.back();
    }
    for (double& a : amplitudes_) a *= amplitude / sum;
  }

  double value(double t) const { return center_ + derivative(0, t); }
  double first_derivative(double t) const { return derivative(1, t); }
  double second_derivative(double t) const { return derivative(2, t); }

 private:
  // the order-th derivative of a sine is the sine a quarter turn per order ahead
  double derivative(int order, double t) const {
    double sum = 0;
    for (std::size_t h = 0; h < amplitudes_.size(); ++h) {
      const double omega = omega_ * static_cast<double>(h + 1);
      sum += amplitudes_[h] * std::pow(omega, order) *
             std::sin(omega * t + phases_[h] + order * std::acos(0.0));
    }
    return sum;
  }

  double center_;
  double omega_;
  std::vector<double> amplitudes_, phases_;
};

class FourierMotion {
 public:
  FourierMotion(const Robot& robot, std::uint64_t seed, const FourierMotionOptions& options = {})
      : robot_(robot) {
    Random random(seed);
    for (const Coordinate& coordinate : robot.coordinates) {
      const double amplitude =
          coordinate.is_angle ? options.angle_amplitude : options.slide_amplitude;
      coordinates_.emplace_back(random.uniform(-0.5, 0.5) * amplitude, amplitude, options, random);
    }
    if (!robot.floating_base) return;
    for (int i = 0; i < 3; ++i)
      angular_.emplace_back(0, options.base_angular_velocity, options, random);
    for (int i = 0; i < 3; ++i)
      linear_.emplace_back(-robot.gravity[i], options.base_linear_acceleration, options, random);
  }

  /// The state at time t [s].
  Motion at(double t) const {
    const int n = robot_.num_coordinates();
    Motion motion =
        motion_on_standing_base(robot_, Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n));
    for (int k = 0; k < n; ++k) {
      motion.q[k] = coordinates_[k].value(t);
      motion.qd[k] = coordinates_[k].first_derivative(t);
      motion.qdd[k] = coordinates_[k].second_derivative(t);
    }
    if (robot_.floating_base) {
      for (int i = 0; i < 3; ++i) {
        motion.base_angular_velocity[i] = angular_[i].value(t);
        motion.base_angular_acceleration[i] = angular_[i].first_derivative(t);
        motion.base_specific_force[i] = linear_[i].value(t);
      }
    }
    return motion;
  }

 private:
  Robot robot_;
  std::vector<FourierSeries> coordinates_, angular_, linear_;
};

}  // namespace heft::oracle
