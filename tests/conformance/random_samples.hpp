// Random samples for a plan, and the oracle's results for them.
#pragma once

#include <vector>

#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"
#include "tests/oracle/motion.hpp"
#include "tests/oracle/newton_euler.hpp"

namespace heft::testing {

struct RandomSamples {
  Samples samples;
  std::vector<oracle::Motion> motions;
};

/// Motions, torques and weights (some rows dropped) of `count` samples, all independent.
inline RandomSamples random_samples(const RegressorPlan& plan, int count, std::uint64_t seed) {
  oracle::Random random(seed);
  const int n = plan.robot.num_coordinates(), m = plan.num_channels();
  RandomSamples result;
  Samples& s = result.samples;
  s.time.setLinSpaced(count, 0, 0.001 * (count - 1));
  s.position.resize(count, n), s.velocity.resize(count, n), s.acceleration.resize(count, n);
  s.torque.setZero(count, m), s.weight.setOnes(count, m), s.signal.resize(count, plan.num_signals);
  if (plan.robot.floating_base) s.base_motion.resize(count, 9);
  for (int t = 0; t < count; ++t) {
    const oracle::Motion motion = oracle::random_motion(plan.robot, random);
    s.position.row(t) = motion.q.transpose();
    s.velocity.row(t) = motion.qd.transpose();
    s.acceleration.row(t) = motion.qdd.transpose();
    if (plan.robot.floating_base)
      s.base_motion.row(t) << motion.base_angular_velocity.transpose(),
          motion.base_angular_acceleration.transpose(), motion.base_specific_force.transpose();
    for (int c = 0; c < m; ++c) {
      s.weight(t, c) = random.uniform() < 0.1 ? 0 : 1;
      s.torque(t, c) = s.weight(t, c) * 10 * random.normal();
    }
    for (int k = 0; k < plan.num_signals; ++k) s.signal(t, k) = random.normal();
    result.motions.push_back(motion);
  }
  return result;
}

/// Viscous, Coulomb (sign and tanh), offset, inertia and spring on every joint and one signal
/// shared by two channels.
inline std::vector<Column> columns_of_every_kind(const Robot& robot,
                                                 const std::vector<Channel>& channels) {
  using core::Feature;
  std::vector<Column> columns;
  const int first = static_cast<int>(channels.size()) - robot.num_coordinates();
  const Feature features[] = {Feature::one,          Feature::position,      Feature::velocity,
                              Feature::acceleration, Feature::sign_velocity, Feature::tanh_velocity,
                              Feature::signal};
  for (int k = 0; k < robot.num_coordinates(); ++k)
    for (const Feature feature : features) {
      Column column;
      column.name = std::to_string(static_cast<int>(feature)) + " " + std::to_string(k);
      const bool is_signal = feature == Feature::signal;
      column.terms = {{first + k, feature, is_signal ? 0 : k, 0.3}};
      if (is_signal && k > 0) column.terms.push_back({first + k - 1, feature, 1, 1.0});
      columns.push_back(column);
    }
  return columns;
}

/// What of the motion a column term adds to its row.
inline double feature_of(const ColumnTerm& term, const Samples& s, int t) {
  using core::Feature;
  switch (term.feature) {
    case Feature::one:
      return 1;
    case Feature::position:
      return s.position(t, term.source);
    case Feature::velocity:
      return s.velocity(t, term.source);
    case Feature::acceleration:
      return s.acceleration(t, term.source);
    case Feature::sign_velocity:
      return s.velocity(t, term.source) > 0 ? 1 : s.velocity(t, term.source) < 0 ? -1 : 0;
    case Feature::tanh_velocity:
      return std::tanh(s.velocity(t, term.source) / term.width);
    case Feature::signal:
      return s.signal(t, term.source);
  }
  return 0;
}

/// Dense rows of sample t, bodies and columns: num_channels x num_parameters.
inline Eigen::MatrixXd oracle_rows(const RegressorPlan& plan, const RandomSamples& data, int t) {
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(plan.num_channels(), plan.layout.num_parameters());
  Y.leftCols(core::kNumParameters * plan.layout.num_bodies()) =
      oracle::newton_euler_regressor(plan.robot, data.motions[t]);
  for (int j = 0; j < plan.layout.num_columns(); ++j)
    for (const ColumnTerm& term : plan.layout.columns[j].terms)
      Y(term.channel, plan.layout.column_index(j)) += feature_of(term, data.samples, t);
  return Y;
}

}  // namespace heft::testing
