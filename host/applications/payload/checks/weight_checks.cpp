#include "sample_checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "linalg/factorizations.hpp"
#include "methods/intervals.hpp"
#include "methods/methods.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"
#include "sums/rows.hpp"

namespace heft::payload {

namespace {

constexpr int kMissing = 4;               // mass and first moment whose weight is missing
constexpr double kWithinReach = 1.5;      // [m]
constexpr double kClearlyLess = 0.8;      // of the inertial mass
constexpr double kHalfExplained = 0.5;    // of the force residual of one body, at most
constexpr double kChanceOfWeight = 20;    // log-likelihood gain that noise rarely reaches
constexpr Eigen::Index kLongEnough = 50;  // samples

using Matrix14 =
    Eigen::Matrix<double, core::kNumParameters + kMissing, core::kNumParameters + kMissing>;
using Vector14 = Eigen::Matrix<double, core::kNumParameters + kMissing, 1>;

/// Rows of a body and of weight alone, with the wrench: bias-free and low-passed.
struct WeightRows {
  Eigen::ArrayXXd motion, weight,
      wrench;  ///< weight: rows of a body without acceleration

  Eigen::Matrix<double, 6, core::kNumParameters + kMissing> at(Eigen::Index i) const {
    Eigen::Matrix<double, 6, core::kNumParameters + kMissing> rows;
    rows << rows_of(motion.row(i)), rows_of(weight.row(i)).leftCols<kMissing>();
    return rows;
  }
};

/// 1 / s^2 of force and of torque.
Vector6d weights_of(const Eigen::ArrayXXd& residuals) {
  const auto n = 3 * static_cast<double>(residuals.rows());
  Vector6d weights;
  weights.head<3>().setConstant(n / std::max(residuals.leftCols(3).square().sum(), 1e-300));
  weights.tail<3>().setConstant(n / std::max(residuals.rightCols(3).square().sum(), 1e-300));
  return weights;
}

Eigen::ArrayXXd residuals_of_both(const WeightRows& rows, const Vector14& x) {
  Eigen::ArrayXXd left = rows.wrench;
  for (Eigen::Index i = 0; i < left.rows(); ++i)
    left.row(i) -= (rows.at(i) * x).transpose().array();
  return left;
}

/// Body and missing weight by least squares.
Vector14 fit_both(const WeightRows& rows, Eigen::ArrayXXd& left) {
  constexpr int kPasses = 3;
  Vector14 x = Vector14::Zero();
  for (int pass = 0; pass < kPasses; ++pass) {
    const Vector6d weights = weights_of(left);
    Matrix14 G = Matrix14::Zero();
    Vector14 b = Vector14::Zero();
    for (Eigen::Index i = 0; i < left.rows(); ++i) {
      const auto Y = rows.at(i);
      const auto WY = (weights.asDiagonal() * Y).eval();
      G += Y.transpose() * WY;
      b += WY.transpose() * rows.wrench.row(i).matrix().transpose();
    }
    x = seen_inverse(G) * b;
    left = residuals_of_both(rows, x);
  }
  return x;
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_weight(const WrenchSamples& samples,
                                              const PayloadOptions& options) {
  if (!samples.moves || samples.size() < kLongEnough || samples.gravity.rows() != samples.size())
    return {};
  WrenchSamples still = samples;  // the motion of a body without acceleration
  still.motion.setZero();
  still.motion.leftCols<3>() = -samples.gravity;
  const auto slow = slow_samples(samples, options.lowpass_hz),
             slow_still = slow_samples(still, options.lowpass_hz);
  if (!slow || !slow_still) return {};
  const BiasKind bias = options.bias == BiasKind::none ? BiasKind::constant : options.bias;
  const auto one = least_squares_of(sums_of(slow->samples, bias));
  if (!one) return {};
  WeightRows rows{slow->samples.motion, slow_still->samples.motion, slow->samples.wrench};
  for (Eigen::ArrayXXd* columns : {&rows.motion, &rows.weight, &rows.wrench})
    remove_offsets(slow->samples, bias, *columns);
  Eigen::ArrayXXd left = residuals_of(slow->samples, bias, one->x);
  const double before = left.leftCols(3).square().sum();
  const Vector14 x = fit_both(rows, left);
  const double behind = left.leftCols(3).square().sum();
  const double inertia = x[core::kMass], weight = inertia + x[core::kNumParameters];
  // a torque with the wrong unit or reference point is not a missing weight
  const double reach =
      std::max(x.segment<3>(core::kMcx).norm(), (x.segment<3>(core::kMcx) + x.tail<3>()).norm());
  if (!(reach < kWithinReach * inertia)) return {};
  if (!(inertia > 0) || !(weight < kClearlyLess * inertia) || !(behind < kHalfExplained * before))
    return {};
  const double independent =
      3 * static_cast<double>(left.rows()) /
      std::max(slow->autocorrelation, autocorrelation_samples(slow->samples, left));
  if (0.5 * independent * std::log(before / std::max(behind, 1e-300)) < kChanceOfWeight) return {};
  return {
      {"weight-compensated", true,
       "the force follows gravity like that of " + number_text(weight, 3) +
           " kg and accelerations like that of " + number_text(inertia, 3) +
           " kg: the controller subtracts the weight of a configured payload",
       "set the controller's payload to zero, or log the raw wrench of the sensor, and record again"}};
}

}  // namespace heft::payload
