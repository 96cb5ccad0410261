// The independent route to identifiability: the oracle's regressor for many random motions, and its
// rank by SVD.
//
// Columns are those of observe(): ten per body with parameters, four per symmetric body (m,
// mc_axial, I_perp, I_axial), built here from their definitions.
#pragma once

#include <algorithm>
#include <cmath>

#include "heft/observe/observe.hpp"
#include "linalg/factorizations.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/newton_euler.hpp"

namespace heft::sampled {

struct Experiment {
  bool gravity = true;
  bool uncounted_base = false;
  bool at_rest = false;

  ObserveOptions options() const {
    ObserveOptions options;
    options.gravity = gravity;
    options.base = uncounted_base ? BaseMotion::uncounted : BaseMotion::as_modeled;
    options.static_only = at_rest;
    return options;
  }
};

/// From the parameters of observe() to the oracle's ten columns per body.
inline Eigen::MatrixXd parameter_map(const Robot& robot) {
  std::vector<Eigen::VectorXd> columns;
  const int rows = oracle::num_columns(robot);
  int first = 0;
  for (const Body& body : robot.bodies) {
    if (!body.has_parameters) continue;
    const auto add = [&](const BodyParameters& direction) {
      columns.emplace_back(Eigen::VectorXd::Zero(rows));
      columns.back().segment<10>(first) = direction;
    };
    if (!body.symmetric) {
      for (int k = 0; k < 10; ++k) add(BodyParameters::Unit(k));
    } else {
      const Eigen::Vector3d a = body.axis;
      const Eigen::Matrix3d axial = a * a.transpose(), perp = Eigen::Matrix3d::Identity() - axial;
      const auto tensor = [](const Eigen::Matrix3d& I) {
        BodyParameters pi = BodyParameters::Zero();
        pi.tail<6>() << I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
        return pi;
      };
      BodyParameters first_moment = BodyParameters::Zero();
      first_moment.segment<3>(1) = a;
      add(BodyParameters::Unit(0));
      add(first_moment);
      add(tensor(perp));
      add(tensor(axial));
    }
    first += 10;
  }
  Eigen::MatrixXd map(rows, columns.size());
  for (Eigen::Index j = 0; j < map.cols(); ++j) map.col(j) = columns[j];
  return map;
}

/// All measured rows of `num_samples` random motions, rows of length one.
inline Eigen::MatrixXd regressor(Robot robot, const Experiment& experiment, int num_samples,
                                 std::uint64_t seed) {
  if (!experiment.gravity) robot.gravity.setZero();
  const Eigen::MatrixXd map = parameter_map(robot);
  oracle::Random random(seed);
  const bool moves = robot.floating_base || experiment.uncounted_base;
  const int skipped = robot.floating_base && experiment.uncounted_base ? 6 : 0;
  const int per_sample = oracle::num_channels(robot) - skipped;
  Eigen::MatrixXd stacked(num_samples * per_sample, map.cols());
  for (int s = 0; s < num_samples; ++s) {
    oracle::Motion motion = oracle::random_motion(robot, random);
    // terms of like size show more digits than accelerations a hundred times the rest
    motion.qd /= 3;
    motion.qdd /= 10;
    if (moves) {
      motion.base_angular_velocity = random.normal3();
      motion.base_angular_acceleration = random.normal3();
      motion.base_specific_force = random.normal3();
    }
    if (experiment.at_rest) {
      motion.qd.setZero();
      motion.qdd.setZero();
      motion.base_angular_velocity.setZero();
      motion.base_angular_acceleration.setZero();
      if (moves && !experiment.gravity) motion.base_specific_force.setZero();
    }
    const Eigen::MatrixXd Y = oracle::newton_euler_regressor(robot, motion) * map;
    stacked.middleRows(s * per_sample, per_sample) = Y.bottomRows(per_sample);
  }
  for (Eigen::Index i = 0; i < stacked.rows(); ++i)
    if (const double length = stacked.row(i).norm(); length > 1e-12) stacked.row(i) /= length;
  return stacked;
}

/// Columns of rows of length one that are shorter are rounding: the oracle's own, and that of sums
/// of ten columns.
inline constexpr double kShortestColumn = 1e-11;

struct Rank {
  int rank = 0;
  double gap = 0;  ///< first singular value that counts as zero over the last that does not
};

/// Rank after scaling columns to length one. Rounding of long double rows to double leaves singular
/// values of eps |Y|; anything above `tolerance` of the largest is a direction.
inline Rank numerical_rank(Eigen::MatrixXd Y, double tolerance = 1e-11) {
  for (Eigen::Index j = 0; j < Y.cols(); ++j)
    if (const double length = Y.col(j).norm(); length > kShortestColumn)
      Y.col(j) /= length;
    else
      Y.col(j).setZero();
  const Eigen::MatrixXd R =
      Eigen::HouseholderQR<Eigen::MatrixXd>(Y).matrixQR().topRows(std::min(Y.rows(), Y.cols()));
  const Eigen::VectorXd sigma =
      Eigen::JacobiSVD<Eigen::MatrixXd>(R.triangularView<Eigen::Upper>().toDenseMatrix())
          .singularValues();
  Rank result;
  while (result.rank < sigma.size() && sigma[result.rank] > tolerance * sigma[0]) ++result.rank;
  if (result.rank > 0 && result.rank < sigma.size())
    result.gap = sigma[result.rank] / sigma[result.rank - 1];
  return result;
}

/// Largest entry of Y Z, columns of Y and then of Z scaled to length one; columns of Y shorter than
/// rounding are zero. NaN if anything is.
inline double leak(Eigen::MatrixXd Y, Eigen::MatrixXd Z) {
  for (Eigen::Index j = 0; j < Y.cols(); ++j) {
    const double length = Y.col(j).norm();
    if (length <= kShortestColumn) {
      Y.col(j).setZero();
    } else {
      Y.col(j) /= length;
      Z.row(j) *= length;
    }
  }
  return oracle::largest_entry(Y * Z.colwise().normalized());
}

}  // namespace heft::sampled
