// Terms of the point-mass problem in the form of its kernels: norms by factors of their squares,
// limits as squares, and rows of points (FORMULAS 8).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "linalg/factorizations.hpp"
#include "payload/point_kernels.hpp"
#include "payload/point_masses.hpp"

namespace heft::payload::point_terms {

inline constexpr double kLeast = 1e-13;  ///< relative to |b|: smaller residuals are rounding errors

using Vector10d = BodyParameters;
using Vector11d = Eigen::Matrix<double, 11, 1>;

/// Returns R with R'R = gram.
inline Matrix11d root_of(const Matrix11d& gram) {
  const Eigen::LDLT<Matrix11d> factor(gram);
  const Matrix11d half =
      Matrix11d(factor.matrixL()) * factor.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal();
  return (factor.transpositionsP().transpose() * half).transpose();
}

/// One norm |A x - b| by a factor of its square, which avoids cancellation: |R x - c|, with G =
/// R'R, h = R'c. R is stored by rows and by columns for the kernels.
struct Norm {
  Eigen::Matrix<double, 11, kStride, Eigen::RowMajor> by_rows;
  Eigen::Matrix<double, kStride, 10> by_columns;
  Vector11d c = Vector11d::Zero();
  Eigen::Matrix<double, 10, 10, Eigen::RowMajor> G;  ///< stored like H
  Vector10d h;
  double least = 1e-300;
  bool exists = false;

  Norm(const Matrix11d& gram, const Vector10d& scale) {
    const Matrix11d root = root_of(gram);
    by_rows.setZero(), by_columns.setZero();
    by_rows.leftCols<10>() = by_columns.topRows<11>() = root.leftCols<10>() * scale.asDiagonal();
    c = root.col(10);
    G = scale.asDiagonal() * gram.topLeftCorner<10, 10>() * scale.asDiagonal();
    h = scale.cwiseProduct(gram.col(10).head<10>());
    least += kLeast * c.norm();
    exists = gram.diagonal().maxCoeff() > 0;
  }
  auto R() const { return by_columns.topRows<11>(); }
  Vector11d times(const PointKernels& kernels, const Vector10d& x) const {
    double u[kStride];
    kernels.combine(10, kStride, by_columns.data(), x.data(), u);
    return Eigen::Map<const Vector11d>(u);
  }
  Vector10d transposed_times(const PointKernels& kernels, const Vector11d& u) const {
    double y[kStride];
    kernels.combine(11, kStride, by_rows.data(), u.data(), y);
    return Eigen::Map<const Vector10d>(y);
  }
  Vector11d residual(const PointKernels& kernels, const Vector10d& x) const {
    return times(kernels, x) - c;
  }
  /// Direction of a residual; zero for rounding errors.
  double size(const Vector11d& r) const { return std::max(r.norm(), least); }
};

/// Scaled B, with rows padded to a whole number of packs and aligned to them.
class PointRows {
 public:
  void put(const Eigen::Matrix<double, 10, Eigen::Dynamic>& B, const Vector10d& scale) {
    const std::ptrdiff_t count = B.cols();
    n_ = (count + kMaxPointLanes - 1) / kMaxPointLanes * kMaxPointLanes;
    memory_.assign(static_cast<std::size_t>(10 * n_ + kMaxPointLanes), 0.0);
    void* at = memory_.data();
    std::size_t space = memory_.size() * sizeof(double);
    rows_ = static_cast<double*>(std::align(kMaxPointLanes * sizeof(double),
                                            static_cast<std::size_t>(10 * n_) * sizeof(double), at,
                                            space));
    for (int k = 0; k < 10; ++k)
      for (std::ptrdiff_t i = 0; i < count; ++i) rows_[k * n_ + i] = scale[k] * B(k, i);
  }
  std::ptrdiff_t padded() const { return n_; }
  const double* data() const { return rows_; }

 private:
  std::vector<double> memory_;
  double* rows_ = nullptr;
  std::ptrdiff_t n_ = 0;
};

/// 10 x 10 or 11 x 11 matrix in the kernels' layout.
struct Small : Eigen::Matrix<double, 11, kStride, Eigen::RowMajor> {
  Small() { setZero(); }
  auto topLeft() { return topLeftCorner<10, 10>(); }
  auto topLeft() const { return topLeftCorner<10, 10>(); }
};

/// Two stacked norms |F x - f| in the kernels' layout: by rows and by columns.
struct Factor {
  static constexpr int kRows = 24;  ///< 11 and 11, zero-padded
  using Residual = Eigen::Matrix<double, kRows, 1>;

  Eigen::Matrix<double, kRows, kStride, Eigen::RowMajor> by_rows;
  Eigen::Matrix<double, kRows, 10> by_columns;
  Residual f = Residual::Zero();

  Factor() { by_rows.setZero(), by_columns.setZero(); }
  void put(int k, const Eigen::Matrix<double, 11, 10>& R, const Vector11d& c) {
    by_rows.block<11, 10>(11 * k, 0) = by_columns.block<11, 10>(11 * k, 0) = R;
    f.segment<11>(11 * k) = c;
  }
  Residual times(const PointKernels& kernels, const Vector10d& x) const {
    Residual u;
    kernels.combine(10, kRows, by_columns.data(), x.data(), u.data());
    return u;
  }
  Vector10d transposed_times(const PointKernels& kernels, const Residual& u) const {
    double y[kStride];
    kernels.combine(kRows, kStride, by_rows.data(), u.data(), y);
    return Eigen::Map<const Vector10d>(y);
  }
};

/// A limit as squares: rho / 2 (t - p)^2 with t = row'x + nu / rho and p the nearest allowed value;
/// its slope rho (t - p) is the next nu.
struct Limit {
  Vector10d row;
  double lower, upper, multiplier = 0;

  double missed(double value, double weight) const {
    const double t = value + multiplier / weight;
    return t - std::clamp(t, lower, upper);
  }
  double penalty(const Vector10d& x, double weight) const {
    const double by = missed(row.dot(x), weight);
    return 0.5 * weight * by * by;
  }
  /// Returns the violation by x, relative to the terms of the row.
  double violation(const Vector10d& x) const {
    const double value = row.dot(x), size = std::max(row.cwiseProduct(x).cwiseAbs().sum(), 1e-300);
    return std::max({lower - value, value - upper, 0.0}) / size;
  }
};

}  // namespace heft::payload::point_terms
