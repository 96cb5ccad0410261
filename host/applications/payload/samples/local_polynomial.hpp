// Values and two derivatives of signals in the middle of the newest samples, from a least-squares
// polynomial (Savitzky and Golay) at arbitrary stamps.
#pragma once

#include <Eigen/Core>

namespace heft::payload {

class LocalPolynomial {
 public:
  /// Windows of 2 half_width + 1 samples; degree at most 2 half_width, at least 2.
  LocalPolynomial(int num_signals, int half_width, int degree);

  /// Returns the half-width of the window that passes about half the power at `cutoff_hz` [Schafer
  /// 2011, What is a Savitzky-Golay filter?]: f_c = rate / 2 (degree + 1) / (3.2 half_width - 4.6).
  static int half_width_of(double cutoff_hz, double rate_hz, int degree);

  void restart() { size_ = 0; }

  /// Adds the newest sample, later than all before it. Returns true once the window is full.
  bool add(double time, const Eigen::RowVectorXd& values);

  /// Time of the middle sample, and one row each for values, first and second derivatives.
  double time() const { return middle_; }
  const Eigen::Matrix<double, 3, Eigen::Dynamic>& fit() const { return fit_; }

 private:
  int degree_;
  Eigen::Index size_ = 0;  ///< samples since the restart, at most one window
  Eigen::VectorXd times_;  ///< oldest first
  Eigen::MatrixXd values_;
  double middle_ = 0;
  Eigen::Matrix<double, 3, Eigen::Dynamic> fit_;
};

}  // namespace heft::payload
