// Logs of a planar arm from its textbook equations, with one fault each, and the resulting doubts.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "heft/identify/identify.hpp"
#include "heft/log/arrays.hpp"
#include "heft/report/report.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

inline constexpr double kLength1 = 0.5, kCenter1 = 0.3, kCenter2 = 0.2, kGravity = 9.81;
inline constexpr double kMass1 = 3, kMass2 = 2, kInertia1 = 0.06,
                        kInertia2 = 0.02;  // about the centers of mass, axis z

// what the file believes is 20 % off
inline constexpr const char* kArm = R"(<robot name="planar">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.3 0 0"/><mass value="3.6"/>
    <inertia ixx="0.03" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.07"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.2 0 0"/><mass value="1.7"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.024"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="100" velocity="9"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="50" velocity="9"/></joint>
</robot>)";

/// Columns t, two positions, two torques: 30 s at 250 Hz with noise of 1 % of the torque, or of
/// that times `noise`. `inertia` is added to what the elbow turns, in both torques alike.
inline Eigen::ArrayXXd recorded(double phase, double noise = 1, double inertia = 0) {
  Eigen::ArrayXXd log(7500, 5);
  std::mt19937 generator(static_cast<unsigned>(1000 * phase) + 1);
  std::normal_distribution<double> normal;
  for (Eigen::Index i = 0; i < log.rows(); ++i) {
    const double t = 0.004 * static_cast<double>(i);
    // q = a sin(w t + p) + b cos(v t), and its derivatives
    const auto joint = [t](double a, double w, double p, double b, double v) {
      return Eigen::Vector3d(a * std::sin(w * t + p) + b * std::cos(v * t),
                             a * w * std::cos(w * t + p) - b * v * std::sin(v * t),
                             -a * w * w * std::sin(w * t + p) - b * v * v * std::cos(v * t));
    };
    const Eigen::Vector3d one = joint(1.1, 1.3, phase, 0.5, 3.1),
                          two = joint(0.9, 1.9, 2 * phase, 0.6, 2.7);
    const double m22 = kInertia2 + kMass2 * kCenter2 * kCenter2 + inertia,
                 coupling = kMass2 * kLength1 * kCenter2;
    const double m12 = m22 + coupling * std::cos(two[0]);
    const double m11 = kInertia1 + kMass1 * kCenter1 * kCenter1 + kMass2 * kLength1 * kLength1 +
                       m22 + 2 * coupling * std::cos(two[0]);
    const double h = -coupling * std::sin(two[0]);
    const double weight2 = kMass2 * kCenter2 * kGravity * std::cos(one[0] + two[0]);
    const double tau1 = m11 * one[2] + m12 * two[2] + h * (2 * one[1] * two[1] + two[1] * two[1]) +
                        (kMass1 * kCenter1 + kMass2 * kLength1) * kGravity * std::cos(one[0]) +
                        weight2;
    const double tau2 = m12 * one[2] + m22 * two[2] - h * one[1] * one[1] + weight2;
    log.row(i) << t, one[0], two[0], tau1 + 0.1 * noise * normal(generator),
        tau2 + 0.03 * noise * normal(generator);
  }
  return log;
}

inline Log as_log(const Eigen::ArrayXXd& log, const std::string& name) {
  const auto columns = [&](Eigen::Index first, Eigen::Index count) {
    return ArrayView(&log(0, first), log.rows(), count, 1, log.rows());
  };
  return array_log(name, columns(0, 1), columns(1, 2), columns(3, 2));
}

class PlanarArm : public ::testing::Test {
 protected:
  PlanarArm() {
    request_.setup =
        *make_setup(*read_robot_text("planar.urdf", kArm, "", {.gravity = {0, -kGravity, 0}}));
    request_.gathering.conditioning.lowpass_hz = 15;
    request_.estimation.uncertainty.bootstrap = 0;
  }

  Identification identified() {
    request_.training_logs = {as_log(train_, "train")};
    if (another_.size() > 0) request_.training_logs.push_back(as_log(another_, "another"));
    request_.validation_logs = {as_log(held_out_, "held out")};
    auto result = identify(request_);
    EXPECT_TRUE(result) << result.error().message();
    return std::move(*result);
  }

  template <class Fault>
  void put(const Fault& fault) {
    fault(train_);
    fault(held_out_);
  }

  static std::vector<std::string> serious(const Identification& result) {
    std::vector<std::string> ids;
    for (const Doubt& doubt : doubts_about(result))
      if (doubt.serious) ids.push_back(doubt.id + " " + doubt.joint);
    return ids;
  }

  static std::string first_serious(const Identification& result) {
    const auto ids = serious(result);
    return ids.empty() ? "none" : ids.front();
  }

  static const Doubt* find(const std::vector<Doubt>& doubts, const std::string& id) {
    for (const Doubt& doubt : doubts)
      if (doubt.id == id) return &doubt;
    return nullptr;
  }

  IdentifyRequest request_;
  Eigen::ArrayXXd another_;  // a second training log, if it is one
  Eigen::ArrayXXd train_ = recorded(0.3), held_out_ = recorded(1.4);
};

}  // namespace heft
