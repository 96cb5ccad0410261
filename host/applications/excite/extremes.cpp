#include "extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace heft::excite {

namespace {

constexpr int kPolynomialDegree = 5;
using Bernstein = std::array<double, kPolynomialDegree + 1>;

/// Extremes of the Taylor polynomial sum_k derivatives[k] / k! s^k for s from 0 to `length`, of
/// degree five at most.
Bernstein bernstein_of(const std::array<double, kPolynomialDegree + 1>& derivatives,
                       double length) {
  std::array<double, kPolynomialDegree + 1> powers{};
  double factor = 1;
  for (int k = 0; k <= kPolynomialDegree; ++k) {
    powers[k] = derivatives[k] * factor;
    factor *= length / (k + 1);
  }
  constexpr int kBinomial[] = {1, 5, 10, 10, 5, 1};
  Bernstein b{};
  for (int j = 0; j <= kPolynomialDegree; ++j) {
    double choose = 1;  // of j over k
    for (int k = 0; k <= j; ++k) {
      b[j] += choose / kBinomial[k] * powers[k];
      choose *= static_cast<double>(j - k) / (k + 1);
    }
  }
  return b;
}

struct Piece {
  Bernstein b;
  double begin, length;
};

/// de Casteljau at one half.
void halve(const Piece& whole, Piece& left, Piece& right) {
  Bernstein row = whole.b;
  for (int level = 0; level <= kPolynomialDegree; ++level) {
    left.b[level] = row[0];
    right.b[kPolynomialDegree - level] = row[kPolynomialDegree - level];
    for (int j = 0; j < kPolynomialDegree - level; ++j) row[j] = 0.5 * (row[j] + row[j + 1]);
  }
  left.begin = whole.begin;
  left.length = right.length = 0.5 * whole.length;
  right.begin = whole.begin + left.length;
}

Extreme bound_of_pieces(std::vector<Piece> pieces, double size) {
  Extreme reached{-std::numeric_limits<double>::infinity(), 0};
  const double tolerance = 1e-10 * size;
  const auto visit = [&](const Piece& piece) {
    if (piece.b.front() > reached.value) reached = {piece.b.front(), piece.begin};
    if (piece.b.back() > reached.value) reached = {piece.b.back(), piece.begin + piece.length};
  };
  for (const Piece& piece : pieces) visit(piece);
  while (!pieces.empty()) {
    const Piece piece = pieces.back();
    pieces.pop_back();
    if (*std::max_element(piece.b.begin(), piece.b.end()) <= reached.value + tolerance) continue;
    Piece left, right;
    halve(piece, left, right);
    visit(left);
    visit(right);
    pieces.push_back(left);
    pieces.push_back(right);
  }
  reached.value += tolerance;
  return reached;
}

Extreme spline_bound(const CoefficientMotion& motion, int coordinate, int order, int sign) {
  const MotionShape& shape = motion.shape;
  std::vector<Piece> pieces;
  double size = 0;
  for (int i = 0; i < shape.intervals; ++i) {
    const double begin = i * shape.interval();
    // the derivatives at the knot from its right side: times are rounded, knots are exact
    const double inside = begin + 1e-9 * shape.interval();
    std::array<double, kPolynomialDegree + 1> derivatives{};
    for (int k = 0; order + k <= kPolynomialDegree; ++k)
      derivatives[k] = sign * motion.at(inside, order + k)[coordinate];
    const Piece piece{bernstein_of(derivatives, shape.interval()), begin, shape.interval()};
    for (const double b : piece.b) size = std::max(size, std::abs(b));
    pieces.push_back(piece);
  }
  Extreme bound = bound_of_pieces(std::move(pieces), size);
  bound.value += 1e-9 * size;  // of `inside`
  return bound;
}

/// Sine and cosine amplitudes of every harmonic and the mean, from samples of the series itself.
struct Series {
  double mean = 0;
  std::vector<double> sine, cosine;
};

Series series_of(const CoefficientMotion& motion, int coordinate) {
  const int harmonics = motion.shape.harmonics, points = 4 * harmonics;
  Series series{0, std::vector<double>(harmonics), std::vector<double>(harmonics)};
  for (int i = 0; i < points; ++i) {
    const double q = motion.at(motion.shape.duration * i / points, 0)[coordinate] / points;
    series.mean += q;
    for (int h = 1; h <= harmonics; ++h) {
      const double angle = 2 * std::numbers::pi * h * i / points;
      series.sine[h - 1] += 2 * q * std::sin(angle);
      series.cosine[h - 1] += 2 * q * std::cos(angle);
    }
  }
  return series;
}

double largest_of(const Series& series, double w, int order) {
  double sum = 0;
  for (std::size_t h = 1; h <= series.sine.size(); ++h)
    sum += std::pow(static_cast<double>(h) * w, order) *
           std::hypot(series.sine[h - 1], series.cosine[h - 1]);
  return sum;
}

Extreme fourier_bound(const CoefficientMotion& motion, int coordinate, int order, int sign) {
  const MotionShape& shape = motion.shape;
  const Series series = series_of(motion, coordinate);
  const int num_samples = 2000 * shape.harmonics;
  const double step = shape.duration / num_samples, w = 2 * std::numbers::pi / shape.duration;
  Extreme reached{-std::numeric_limits<double>::infinity(), 0};
  for (int i = 0; i < num_samples; ++i) {
    double value = order == 0 ? series.mean : 0;
    for (int h = 1; h <= shape.harmonics; ++h) {
      const double angle = h * w * i * step + order * std::numbers::pi / 2;
      value += std::pow(h * w, order) *
               (series.sine[h - 1] * std::sin(angle) + series.cosine[h - 1] * std::cos(angle));
    }
    if (sign * value > reached.value) reached = {sign * value, i * step};
  }
  reached.value += step * step / 8 * largest_of(series, w, order + 2);
  return reached;
}

}  // namespace

Extreme upper_bound(const CoefficientMotion& motion, int coordinate, int order, int sign) {
  return motion.shape.is_spline() ? spline_bound(motion, coordinate, order, sign)
                                  : fourier_bound(motion, coordinate, order, sign);
}

double largest_derivative(const CoefficientMotion& motion, int coordinate, int order) {
  if (motion.shape.is_spline()) return 0;
  return largest_of(series_of(motion, coordinate), 2 * std::numbers::pi / motion.shape.duration,
                    order);
}

}  // namespace heft::excite
