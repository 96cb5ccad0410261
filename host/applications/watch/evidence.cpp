#include "evidence.hpp"

#include <cmath>

namespace heft::watch {

namespace {

/// Lower Cholesky factor of ridge 1 + A / divisor.
struct Factor {
  double L[kMostSizes][kMostSizes] = {};
  int size;

  Factor(const double* sums, int num_sizes, double ridge, double divisor) : size(num_sizes) {
    for (int i = 0, k = 0; i < size; ++i)
      for (int j = 0; j <= i; ++j, ++k) {
        double rest = sums[k] / divisor + (i == j ? ridge : 0);
        for (int m = 0; m < j; ++m) rest -= L[i][m] * L[j][m];
        L[i][j] = i == j ? std::sqrt(rest) : rest / L[j][j];
      }
  }

  void forward(double* x) const {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < i; ++j) x[i] -= L[i][j] * x[j];
      x[i] /= L[i][i];
    }
  }
  void backward(double* x) const {
    for (int i = size - 1; i >= 0; --i) {
      for (int j = i + 1; j < size; ++j) x[i] -= L[j][i] * x[j];
      x[i] /= L[i][i];
    }
  }
};

const double* products_of(const double* sums, int num_sizes) {
  return sums + num_sizes * (num_sizes + 1) / 2;
}

/// Log likelihood ratio of the estimate, no longer than `radius`.
double small_change(const double* sums, int num_sizes, const double* estimate, double radius) {
  double length = 0;
  for (int i = 0; i < num_sizes; ++i) length += estimate[i] * estimate[i];
  length = std::sqrt(length);
  const double share = length > radius ? radius / length : 1;
  const double* const g = products_of(sums, num_sizes);
  double linear = 0, square = 0;
  for (int i = 0, k = 0; i < num_sizes; ++i) {
    linear += g[i] * estimate[i];
    for (int j = 0; j <= i; ++j, ++k)
      square += (i == j ? 1 : 2) * sums[k] * estimate[i] * estimate[j];
  }
  return std::fmax(0, share * linear - 0.5 * share * share * square);
}

}  // namespace

Evidence evidence_of(const double* sums, int num_sizes, double inflation, double radius) {
  const Factor factor(sums, num_sizes, 1, inflation);
  const double* const g = products_of(sums, num_sizes);
  Evidence evidence;
  for (int i = 0; i < num_sizes; ++i) evidence.size[i] = g[i] / inflation;
  factor.forward(evidence.size);
  for (int i = 0; i < num_sizes; ++i) {
    evidence.explained += evidence.size[i] * evidence.size[i];
    evidence.log_e -= std::log(factor.L[i][i]);
  }
  evidence.log_e += 0.5 * evidence.explained;
  factor.backward(evidence.size);
  evidence.log_e -= small_change(sums, num_sizes, evidence.size, radius) / inflation;
  for (int k = 0; k < num_sizes; ++k) {
    double unit[kMostSizes] = {}, variance = 0;
    unit[k] = 1;
    factor.forward(unit);
    for (int i = k; i < num_sizes; ++i) variance += unit[i] * unit[i];
    evidence.deviation[k] = std::sqrt(variance);
  }
  return evidence;
}

void newton_step(const double* sums, int num_sizes, double ridge, double* step) {
  const Factor factor(sums, num_sizes, ridge, 1);
  for (int i = 0; i < num_sizes; ++i) step[i] = products_of(sums, num_sizes)[i];
  factor.forward(step);
  factor.backward(step);
}

}  // namespace heft::watch
