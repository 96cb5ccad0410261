// A tool of a few point masses on a moving sensor: its wrench from Newton's law for every mass,
// without code shared with Heft.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "base/random_stream.hpp"
#include "heft/payload/samples.hpp"

namespace heft::payload_test {

struct PointMass {
  double mass;
  Eigen::Vector3d at;
};

inline const std::vector<PointMass> kTool = {{0.7, {0.02, 0.01, 0.08}},
                                             {0.3, {-0.05, 0.03, 0.12}},
                                             {0.2, {0.01, -0.06, 0.02}},
                                             {0.1, {0.04, 0.05, -0.03}}};

inline BodyParameters truth_of(const std::vector<PointMass>& tool = kTool) {
  BodyParameters sum = BodyParameters::Zero();
  for (const auto& [m, p] : tool) {
    const Eigen::Matrix3d I =
        m * (p.squaredNorm() * Eigen::Matrix3d::Identity() - p * p.transpose());
    BodyParameters x;
    x << m, m * p, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
    sum += x;
  }
  return sum;
}

/// Arrays of one row a sample, as logs have them.
struct Record {
  Eigen::ArrayXd time;
  Eigen::ArrayXXd w, wd, a, g, wrench;
};

/// Turns and shakes for `seconds` at 100 Hz; gravity is carried along by integrating dg/dt = -w x g
/// in fine steps.
inline Record shaken(double seconds, const std::vector<PointMass>& tool = kTool) {
  constexpr double kRate = 100;
  constexpr int kSteps = 20;
  const auto n = static_cast<Eigen::Index>(seconds * kRate);
  Record record{Eigen::ArrayXd(n),     Eigen::ArrayXXd(n, 3), Eigen::ArrayXXd(n, 3),
                Eigen::ArrayXXd(n, 3), Eigen::ArrayXXd(n, 3), Eigen::ArrayXXd(n, 6)};
  const auto w_at = [](double t) {
    return Eigen::Vector3d(2 * std::sin(1.3 * t), 1.5 * std::cos(2.1 * t), std::sin(2.9 * t));
  };
  Eigen::Vector3d g(0, 0, -9.81);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / kRate;
    const Eigen::Vector3d w = w_at(t);
    const Eigen::Vector3d wd(2.6 * std::cos(1.3 * t), -3.15 * std::sin(2.1 * t),
                             2.9 * std::cos(2.9 * t));
    const Eigen::Vector3d a(1.2 * std::sin(3.1 * t), 0.8 * std::cos(2.3 * t),
                            1.5 * std::sin(1.7 * t));
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = force;
    for (const PointMass& point : tool) {
      const Eigen::Vector3d pull =
          point.mass * (a - g + wd.cross(point.at) + w.cross(w.cross(point.at)));
      force += pull, torque += point.at.cross(pull);
    }
    record.time[i] = t;
    record.w.row(i) = w.transpose(), record.wd.row(i) = wd.transpose(),
    record.a.row(i) = a.transpose();
    record.g.row(i) = g.transpose();
    record.wrench.row(i) << force.transpose().array(), torque.transpose().array();
    for (int k = 0; k < kSteps; ++k) {
      const Eigen::Vector3d middle = w_at(t + (k + 0.5) / (kRate * kSteps));
      g = (Eigen::AngleAxisd(-middle.norm() / (kRate * kSteps), middle.normalized()) * g).eval();
    }
  }
  return record;
}

/// Noise as of a good sensor: 0.1 N, 5 mN m, accelerations of 0.5 rad/s^2 and 0.05 m/s^2.
inline Record with_noise(Record record, std::uint64_t seed) {
  RandomStream random(seed);
  const auto shake = [&](Eigen::ArrayXXd& columns, Eigen::Index first, double sd) {
    for (Eigen::Index i = 0; i < columns.rows(); ++i)
      for (Eigen::Index k = first; k < first + 3; ++k) columns(i, k) += sd * random.normal();
  };
  shake(record.wd, 0, 0.5), shake(record.a, 0, 0.05), shake(record.wrench, 0, 0.1),
      shake(record.wrench, 3, 0.005);
  return record;
}

inline WrenchSamples samples_of(const Record& record) {
  return *make_wrench_samples(record.time, record.w, record.wd, record.a - record.g, record.wrench);
}

}  // namespace heft::payload_test
