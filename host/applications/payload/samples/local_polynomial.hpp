// Values and two derivatives of signals in the middle of the newest samples, by a polynomial of
// least squares through them (Savitzky and Golay), at stamps as they come.
#pragma once

#include <Eigen/Core>

namespace heft::payload {

class LocalPolynomial {
 public:
  /// Windows of 2 half_width + 1 samples; degree at most 2 half_width, at least 2.
  LocalPolynomial(int num_signals, int half_width, int degree);

  /// Half the window that lets through about half the power at `cutoff_hz` [Schafer 2011, What is a
  /// Savitzky-Golay filter?]: f_c = rate / 2 (degree + 1) / (3.2 half_width - 4.6).
  static int half_width_of(double cutoff_hz, double rate_hz, int degree);

  void restart() { size_ = 0; }

  /// The newest sample; later than those before it. True once the window is full.
  bool add(double time, const Eigen::RowVectorXd& values);

  /// Of the sample in the middle: its time; a row each of values and their first and second
  /// derivatives.
  double time() const { return middle_; }
  const Eigen::Matrix<double, 3, Eigen::Dynamic>& fit() const { return fit_; }

 private:
  int degree_;
  Eigen::Index size_ = 0;  ///< samples since the restart, at most a window
  Eigen::VectorXd times_;  ///< oldest first
  Eigen::MatrixXd values_;
  double middle_ = 0;
  Eigen::Matrix<double, 3, Eigen::Dynamic> fit_;
};

}  // namespace heft::payload
