// Second moments of motion and wrench, from which the sums of every method follow. The rows of
// samples.hpp are linear in the twelve numbers of a motion, so Y'Y, Y'w and w'w are linear in the
// moments of those twelve and the six of the wrench.
#pragma once

#include <Eigen/Core>

#include "heft/payload/samples.hpp"
#include "sums.hpp"

namespace heft::payload {

struct MotionMoments {
  static constexpr int kSize = WrenchSamples::kNumMotion + 6;
  using Vector = Eigen::Matrix<double, kSize, 1>;
  using Matrix = Eigen::Matrix<double, kSize, kSize>;

  Matrix products = Matrix::Zero();  ///< sum of (motion, wrench)(motion, wrench)'
  double count = 0;                  ///< samples
};

/// Adds the products of `moments` to G, b, wrench2, force_dot_u and u_dot_u, and their count.
void add_moments(const MotionMoments& moments, Sums& sums);

/// Returns tr(Y'Y) over all six rows.
double regressor_norm2(const MotionMoments& moments);

}  // namespace heft::payload
