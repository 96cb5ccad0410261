#include "offsets.hpp"

#include <cmath>

#include "linalg/seen_directions.hpp"
#include "rows.hpp"

namespace heft::payload {

StretchMoments& StretchMoments::operator+=(const StretchMoments& other) {
  about_zero.products += other.about_zero.products;
  about_zero.count += other.about_zero.count;
  sum += other.sum;
  return *this;
}

StretchMoments& StretchMoments::operator-=(const StretchMoments& other) {
  about_zero.products -= other.about_zero.products;
  about_zero.count -= other.about_zero.count;
  sum -= other.sum;
  return *this;
}

StretchMoments moments_of(const WrenchSamples& samples, Eigen::Index begin, Eigen::Index size) {
  Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize> rows(size, MotionMoments::kSize);
  rows.leftCols<WrenchSamples::kNumMotion>() = samples.motion.middleRows(begin, size);
  rows.rightCols<6>() = samples.wrench.middleRows(begin, size);
  StretchMoments moments;
  moments.about_zero.products.noalias() = rows.transpose() * rows;
  moments.about_zero.count = static_cast<double>(size);
  moments.sum = rows.colwise().sum().transpose();
  return moments;
}

OffsetInformation& OffsetInformation::operator+=(const OffsetInformation& other) {
  K += other.K, k += other.k, rest += other.rest;
  return *this;
}

Vector6d OffsetInformation::offset() const {
  return seen_inverse(K) * k;
}

Eigen::MatrixXd seen_inverse(const Eigen::MatrixXd& information) {
  constexpr double kRankCut = 1e-10;  // of eigenvalues: sums of a stretch lose more digits than
                                      // those of a log
  return seen_directions(information, kRankCut).inverse();
}

StretchFit::StretchFit(const StretchMoments& moments, const Vector6d& weights) {
  Sums sums;
  add_moments(moments.about_zero, sums);
  const WeightedSums all = weighted(sums, weights);
  g_ = all.b;
  B_ = rows_of(moments.sum.head<WrenchSamples::kNumMotion>()).transpose() * weights.asDiagonal();
  inverse_ = seen_inverse(all.G);
  const Matrix6d counts = (moments.about_zero.count * weights).asDiagonal();
  information_.K = counts - B_.transpose() * inverse_ * B_;
  information_.k = weights.cwiseProduct(moments.sum.tail<6>()) - B_.transpose() * inverse_ * g_;
  information_.rest = all.tau2 - g_.dot(inverse_ * g_);
}

}  // namespace heft::payload
