// A planar arm with friction by its textbook equations, sample after sample, to be changed while it
// is watched.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "heft/robot/robot_document.hpp"
#include "watch/watcher.hpp"

namespace heft {

inline constexpr double kRate = 250, kLength1 = 0.5, kCenter1 = 0.3, kCenter2 = 0.2,
                        kGravity = 9.81;
inline constexpr double kMass1 = 3, kMass2 = 2, kInertia1 = 0.06, kInertia2 = 0.02;
inline constexpr double kCoulomb[2] = {1.5, 0.6}, kViscous[2] = {1.2, 0.5}, kNoise[2] = {0.3, 0.1};

inline constexpr const char* kWatchedArm = R"(<robot name="planar">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.3 0 0"/><mass value="3"/>
    <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.06"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.015" iyz="0" izz="0.02"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="100" velocity="9"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="50" velocity="9"/></joint>
</robot>)";

/// What is changed in the arm.
struct ArmChange {
  double payload = 0;  ///< kg at the elbow's link, at 0.4 m
  double friction[2] = {1, 1}, gain[2] = {1, 1}, zero[2] = {0, 0}, external[2] = {0, 0};
};

struct ArmSample {
  double time, q[2], tau[2];
};

class WatchedArm {
 public:
  explicit WatchedArm(unsigned seed = 1, double noise = 1) : generator_(seed), noise_(noise) {}

  ArmSample next(const ArmChange& change = {}) {
    const double t = static_cast<double>(index_++) / kRate;
    const auto joint = [t, this](double a, double w, double b, double v) {
      a *= amplitude, b *= amplitude;
      return std::array<double, 3>{a * std::sin(w * t) + b * std::cos(v * t),
                                   a * w * std::cos(w * t) - b * v * std::sin(v * t),
                                   -a * w * w * std::sin(w * t) - b * v * v * std::cos(v * t)};
    };
    const auto one = joint(1.1, 1.3, 0.5, 3.1), two = joint(0.9, 1.9, 0.6, 2.7);
    const double mass2 = kMass2 + change.payload;
    const double moment2 = kMass2 * kCenter2 + change.payload * 0.4;
    const double m22 = kInertia2 + kMass2 * kCenter2 * kCenter2 + change.payload * 0.16;
    const double coupling = moment2 * kLength1, c2 = std::cos(two[0]);
    const double m12 = m22 + coupling * c2;
    const double m11 = kInertia1 + kMass1 * kCenter1 * kCenter1 + mass2 * kLength1 * kLength1 +
                       m22 + 2 * coupling * c2;
    const double h = -coupling * std::sin(two[0]);
    const double weight2 = moment2 * kGravity * std::cos(one[0] + two[0]);
    double tau[2] = {m11 * one[2] + m12 * two[2] + h * (2 * one[1] * two[1] + two[1] * two[1]) +
                         (kMass1 * kCenter1 + mass2 * kLength1) * kGravity * std::cos(one[0]) +
                         weight2,
                     m12 * one[2] + m22 * two[2] - h * one[1] * one[1] + weight2};
    ArmSample sample{t, {one[0] + change.zero[0], two[0] + change.zero[1]}, {}};
    const double speed[2] = {one[1], two[1]};
    for (int j = 0; j < 2; ++j) {
      tau[j] +=
          change.friction[j] * (kCoulomb[j] * std::tanh(speed[j] / 0.05) + kViscous[j] * speed[j]) -
          change.external[j];
      sample.tau[j] = change.gain[j] * tau[j] + noise_ * kNoise[j] * normal_(generator_);
    }
    return sample;
  }

  double amplitude = 1;  ///< share of the whole motion

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
  double noise_;
  long long index_ = 0;
};

/// The arm as it was identified: without error, and with what the filter leaves of the noise.
inline WatchModel watched_arm_model() {
  auto robot = read_robot_text("planar.urdf", kWatchedArm, "", {.gravity = {0, -kGravity, 0}});
  Setup setup = *make_setup(std::move(*robot));
  const ParameterLayout& layout = setup.plan().layout;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(layout.num_parameters());
  for (int b = 0; b < 2; ++b)
    x.segment<10>(10 * b) = setup.prior.references[static_cast<std::size_t>(b)];
  for (int k = 0; k < layout.num_columns(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    const int joint = column.joints[0] == "shoulder" ? 0 : 1;
    if (column.kind == "coulomb") x[layout.column_index(k)] = kCoulomb[joint];
    if (column.kind == "viscous") x[layout.column_index(k)] = kViscous[joint];
  }
  Eigen::VectorXd rms(2);
  rms << 0.1, 0.035;
  return {.model = setup.model,
          .parameters = x,
          .residual_rms = rms,
          .prior = setup.prior,
          .constraints = setup.constraints,
          .lowpass_hz = 12};
}

inline WatchOptions watched_arm_options() {
  return {.rate_hz = kRate};
}

}  // namespace heft
