// What samples say of a sensor's offset b when the body x is anybody's: several stretches may share
// an offset, each with a body of its own. FORMULAS 8. With W the weights of channels, Y and w rows
// and wrench of a sample,
//
//   min over x  sum |Y x + b - w|_W^2  =  rest - 2 k'b + b'K b
//                                         K = n W - B' A^+ B,  k = W sum w - B' A^+ g
//
//   A = sum Y'W Y      B = sum Y'W      g = sum Y'W w      rest = sum w'W w - g' A^+ g
//
// and K, k and rest of stretches that share b add up.
#pragma once

#include "motion_moments.hpp"

namespace heft::payload {

using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// First and second moments of samples about zero; they add up.
struct StretchMoments {
  MotionMoments about_zero;
  MotionMoments::Vector sum = MotionMoments::Vector::Zero();

  StretchMoments& operator+=(const StretchMoments& other);
  StretchMoments& operator-=(const StretchMoments& other);
};

/// Of samples begin, .., begin + size - 1.
StretchMoments moments_of(const WrenchSamples& samples, Eigen::Index begin, Eigen::Index size);

struct OffsetInformation {
  Matrix6d K = Matrix6d::Zero();
  Vector6d k = Vector6d::Zero();
  double rest = 0;

  OffsetInformation& operator+=(const OffsetInformation& other);

  /// The offset where K tells it, zero where not.
  Vector6d offset() const;
  /// Least sum of squares over body and offset.
  double least() const { return rest - k.dot(offset()); }
};

/// One stretch, and the least squares over its body.
class StretchFit {
 public:
  StretchFit(const StretchMoments& moments, const Vector6d& weights);

  const OffsetInformation& information() const { return information_; }

  /// The body that fits best with this offset; zero where the rows leave it open.
  BodyParameters body(const Vector6d& offset) const { return inverse_ * (g_ - B_ * offset); }

 private:
  Matrix10d inverse_;  ///< A^+
  Eigen::Matrix<double, 10, 6> B_;
  BodyParameters g_;
  OffsetInformation information_;
};

/// Over the directions that the sums of a stretch see.
Eigen::MatrixXd seen_inverse(const Eigen::MatrixXd& information);

}  // namespace heft::payload
