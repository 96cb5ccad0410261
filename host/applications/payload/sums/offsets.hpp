// Information of samples about a sensor's offset b with an unknown body x; several stretches may
// share an offset, each with its own body. FORMULAS 8. With channel weights W, rows Y and wrench w
// of a sample,
//
//   min over x  sum |Y x + b - w|_W^2  =  rest - 2 k'b + b'K b
//                                         K = n W - B' A^+ B,  k = W sum w - B' A^+ g
//
//   A = sum Y'W Y      B = sum Y'W      g = sum Y'W w      rest = sum w'W w - g' A^+ g
//
// K, k and rest of stretches that share b add up.
#pragma once

#include "motion_moments.hpp"

namespace heft::payload {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// First and second moments of samples about zero; additive.
struct StretchMoments {
  MotionMoments about_zero;
  MotionMoments::Vector sum = MotionMoments::Vector::Zero();

  StretchMoments& operator+=(const StretchMoments& other);
  StretchMoments& operator-=(const StretchMoments& other);
};

/// Moments of samples begin, .., begin + size - 1.
StretchMoments moments_of(const WrenchSamples& samples, Eigen::Index begin, Eigen::Index size);

struct OffsetInformation {
  Matrix6d K = Matrix6d::Zero();
  Vector6d k = Vector6d::Zero();
  double rest = 0;

  OffsetInformation& operator+=(const OffsetInformation& other);

  /// Returns the offset where K determines it, otherwise zero.
  Vector6d offset() const;
  /// Returns the smallest sum of squares over body and offset.
  double least() const { return rest - k.dot(offset()); }
};

/// One stretch, with least squares over its body.
class StretchFit {
 public:
  StretchFit(const StretchMoments& moments, const Vector6d& weights);

  const OffsetInformation& information() const { return information_; }

  /// Returns the best body for this offset; zero in directions that the rows do not determine.
  BodyParameters body(const Vector6d& offset) const { return inverse_ * (g_ - B_ * offset); }

 private:
  Matrix10d inverse_;  ///< A^+
  Eigen::Matrix<double, 10, 6> B_;
  BodyParameters g_;
  OffsetInformation information_;
};

/// Computed over the directions that the sums of a stretch determine.
Eigen::MatrixXd seen_inverse(const Eigen::MatrixXd& information);

}  // namespace heft::payload
