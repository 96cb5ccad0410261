#include "local_polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/factorizations.hpp"

namespace heft::payload {

LocalPolynomial::LocalPolynomial(int num_signals, int half_width, int degree)
    : degree_(degree), times_(2 * half_width + 1), values_(2 * half_width + 1, num_signals) {}

int LocalPolynomial::half_width_of(double cutoff_hz, double rate_hz, int degree) {
  const double half_width = ((degree + 1) * rate_hz / (2 * cutoff_hz) + 4.6) / 3.2;
  return std::max(static_cast<int>(std::lround(half_width)), (degree + 2) / 2);
}

bool LocalPolynomial::add(double time, const Eigen::RowVectorXd& values) {
  const Eigen::Index window = times_.size();
  if (size_ == window) {
    times_.head(window - 1) = times_.tail(window - 1).eval();
    values_.topRows(window - 1) = values_.bottomRows(window - 1).eval();
    --size_;
  }
  times_[size_] = time;
  values_.row(size_++) = values;
  if (size_ < window) return false;

  middle_ = times_[window / 2];
  const double span = (times_[window - 1] - times_[0]) / 2;
  Eigen::MatrixXd powers(window, degree_ + 1);
  powers.col(0).setOnes();
  for (int k = 1; k <= degree_; ++k)
    powers.col(k) = powers.col(k - 1).cwiseProduct((times_.array() - middle_).matrix() / span);
  const Eigen::MatrixXd gram = powers.transpose() * powers,
                        coefficients = gram.llt().solve(powers.transpose() * values_);
  fit_ = coefficients.topRows<3>();
  fit_.row(1) /= span;
  fit_.row(2) *= 2 / (span * span);
  return true;
}

}  // namespace heft::payload
