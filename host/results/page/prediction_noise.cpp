#include "prediction_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "uncertainty/quantiles.hpp"

namespace heft {

namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Standard error of the sum of correlated differences.
double standard_error_of_sum(const std::vector<double>& d) {
  const double count = static_cast<double>(d.size()), mean = sum(d) / count;
  double squares = 0, products = 0;
  for (std::size_t k = 0; k < d.size(); ++k) {
    squares += (d[k] - mean) * (d[k] - mean);
    if (k > 0) products += (d[k] - mean) * (d[k - 1] - mean);
  }
  const double rho = squares > 0 ? std::clamp(products / squares, 0.0, 0.9) : 0;
  return std::sqrt(count / (count - 1) * squares * (1 + rho) / (1 - rho));
}

bool same_torques(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(x, y); });
}

/// Standard error of r^2, errors and torques varying together.
double standard_error_of_ratio(const BlockErrors& blocks) {
  const double torque2 = sum(blocks.torque2), ratio = sum(blocks.error2) / torque2;
  std::vector<double> d;
  for (std::size_t k = 0; k < blocks.error2.size(); ++k)
    d.push_back(blocks.error2[k] - ratio * blocks.torque2[k]);
  return standard_error_of_sum(d) / torque2;
}

}  // namespace

bool PredictionDifference::is_more_than_noise() const {
  return std::abs(difference) > threshold * standard_error;
}

PredictionDifference prediction_difference(const BlockErrors& a, const BlockErrors& b) {
  PredictionDifference result;
  result.difference = sum(b.error2) / sum(b.torque2) - sum(a.error2) / sum(a.torque2);
  result.paired = same_torques(a.torque2, b.torque2);
  result.threshold =
      student_quantile(0.975, static_cast<double>(std::min(a.error2.size(), b.error2.size()) - 1));
  if (result.paired) {
    std::vector<double> d;
    for (std::size_t k = 0; k < a.error2.size(); ++k) d.push_back(b.error2[k] - a.error2[k]);
    result.standard_error = standard_error_of_sum(d) / sum(a.torque2);
  } else {
    result.standard_error = std::hypot(standard_error_of_ratio(a), standard_error_of_ratio(b));
  }
  return result;
}

}  // namespace heft
