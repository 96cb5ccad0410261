// An oracle for filters: the Butterworth low-pass as one difference equation, in long double,
// forward and backward.
//
// Poles of the analogue prototype go through the bilinear transform one by one; their product is
// the denominator. Ends are odd reflections of 3 (order + 1) samples, and the filter starts as if
// the first of them had always been.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace heft::testing {

class DirectLowpass {
 public:
  using Real = long double;

  /// `cutoff` as a share of the sampling rate.
  DirectLowpass(int order, Real cutoff) : order_(order) {
    const Real pi = std::numbers::pi_v<Real>, warped = std::tan(pi * cutoff);
    std::vector<std::complex<Real>> a = {1};
    for (int k = 0; k < order; ++k) {
      const std::complex<Real> s =
          warped * std::polar(Real(1), pi * (2 * k + 1 + order) / (2 * order));
      const std::complex<Real> z = (Real(1) + s) / (Real(1) - s);
      a.push_back(0);
      for (std::size_t i = a.size() - 1; i > 0; --i) a[i] -= z * a[i - 1];
    }
    Real sum = 0;
    for (const std::complex<Real>& x : a) {
      a_.push_back(x.real());
      sum += x.real();
    }
    b_ = {1};  // (1 + z^-1)^order, of unit gain at rest
    for (int k = 0; k < order; ++k) {
      b_.push_back(0);
      for (std::size_t i = b_.size() - 1; i > 0; --i) b_[i] += b_[i - 1];
    }
    for (Real& x : b_) x *= sum / std::pow(Real(2), Real(order));
  }

  std::vector<Real> operator()(const std::vector<Real>& signal) const {
    const int n = static_cast<int>(signal.size()), padding = 3 * (order_ + 1);
    std::vector<Real> x;
    for (int k = padding; k > 0; --k) x.push_back(2 * signal.front() - signal[k]);
    x.insert(x.end(), signal.begin(), signal.end());
    for (int k = 1; k <= padding; ++k) x.push_back(2 * signal.back() - signal[n - 1 - k]);
    for (int direction = 0; direction < 2; ++direction) {
      x = one_way(x);
      std::reverse(x.begin(), x.end());
    }
    return {x.begin() + padding, x.begin() + padding + n};
  }

 private:
  std::vector<Real> one_way(const std::vector<Real>& x) const {
    std::vector<Real> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = b_[0] * x[i];
      for (std::size_t k = 1; k < a_.size(); ++k)
        y[i] += b_[k] * (k <= i ? x[i - k] : x[0]) - a_[k] * (k <= i ? y[i - k] : x[0]);
    }
    return y;
  }

  int order_;
  std::vector<Real> a_, b_;
};

}  // namespace heft::testing
