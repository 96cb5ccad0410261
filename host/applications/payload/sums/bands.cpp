#include "bands.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "rows.hpp"
#include "samples/filtering.hpp"

namespace heft::payload {

namespace {

constexpr double kLongest = 15;  // of a window, in 1 / B: 3 s at 5 Hz
constexpr double kMoves = 4;     // as many times the power a coefficient that lies above is motion,
                                 // not noise

using Rows18 = Eigen::Matrix<double, Eigen::Dynamic, MotionMoments::kSize>;

/// n x count, orthonormal over n evenly spaced times, column k of degree k. Every column is made
/// orthogonal twice, since the recurrence of three terms alone loses it from degree 2 sqrt(n) on.
Eigen::MatrixXd polynomials(Eigen::Index n, Eigen::Index count) {
  Eigen::MatrixXd Q(n, count);
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(n, -1, 1);
  Q.col(0).setConstant(1 / std::sqrt(static_cast<double>(n)));
  for (Eigen::Index k = 1; k < count; ++k) {
    Eigen::VectorXd q = t.cwiseProduct(Q.col(k - 1));
    for (int pass = 0; pass < 2; ++pass)
      q -= Q.leftCols(k) * (Q.leftCols(k).transpose() * q).eval();
    Q.col(k) = q.normalized();
  }
  return Q;
}

/// Motion and wrench of all samples after removing unknown offsets.
Rows18 centered_rows(const WrenchSamples& samples, BiasKind bias) {
  Rows18 rows(samples.size(), MotionMoments::kSize);
  rows.leftCols<WrenchSamples::kNumMotion>() = samples.motion;
  rows.rightCols<6>() = samples.wrench;
  remove_offsets(samples, bias, rows);
  return rows;
}

void append(const Eigen::Ref<const Rows18>& rows, int window, Band& band) {
  const Eigen::Index size = band.size();
  band.rows.conservativeResize(size + rows.rows(), Eigen::NoChange);
  band.rows.bottomRows(rows.rows()) = rows;
  band.windows.insert(band.windows.end(), static_cast<std::size_t>(rows.rows()), window);
}

/// Sum of squares of the tensor's columns, per coefficient.
double tensor_power(const Band& band) {
  double power = 0;
  for (const Matrix10d& G : band.sums().G) power += G.diagonal().tail<6>().sum();
  return power / static_cast<double>(band.size());
}

}  // namespace

Sums Band::sums() const {
  MotionMoments moments;
  moments.products.noalias() = rows.transpose() * rows;
  moments.count = static_cast<double>(rows.rows());
  Sums sums;
  add_moments(moments, sums);
  return sums;
}

Eigen::ArrayXXd Band::residuals(const BodyParameters& x) const {
  Eigen::ArrayXXd left = rows.rightCols<6>();
  for (Eigen::Index i = 0; i < size(); ++i)
    left.row(i) -= (rows_of(rows.row(i)) * x).transpose().array();
  return left;
}

std::optional<Bands> bands_of(const WrenchSamples& samples, BiasKind bias, double band_hz) {
  const double rate = samples.moves ? filter_rate(samples) : 0;
  if (!(rate > 0) || !(band_hz > 0)) return {};
  const Rows18 rows = centered_rows(samples, bias);
  Bands bands;
  bands.num_offsets = num_offsets(samples, bias);
  Band above;
  std::map<std::pair<Eigen::Index, Eigen::Index>, Eigen::MatrixXd> made;
  for (const WrenchSamples::Segment& segment : samples.segments) {
    const double length = band_hz * static_cast<double>(segment.size) / rate;
    const auto num_windows =
        std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::ceil(length / kLongest - 1e-9)));
    for (Eigen::Index window = 0; window < num_windows; ++window) {
      const Eigen::Index begin = segment.size * window / num_windows,
                         size = segment.size * (window + 1) / num_windows - begin;
      const auto half =
          static_cast<Eigen::Index>(std::ceil(band_hz * static_cast<double>(size) / rate - 1e-9));
      const Eigen::Index count = std::min(4 * half, size);
      if (half < 1 || count < 2 * half) continue;
      Eigen::MatrixXd& Q = made[{size, count}];
      if (Q.size() == 0) Q = polynomials(size, count);
      const Rows18 coefficients = Q.transpose() * rows.middleRows(segment.begin + begin, size);
      append(coefficients.topRows(half), bands.num_windows, bands.fitted);
      append(coefficients.middleRows(half, half), bands.num_windows, bands.beside);
      append(coefficients.bottomRows(count - 2 * half), bands.num_windows, above);
      ++bands.num_windows;
    }
  }
  if (bands.num_windows == 0) return {};
  if (above.size() >= bands.beside.size() &&
      tensor_power(bands.beside) > kMoves * tensor_power(above)) {
    append(bands.beside.rows, 0, bands.fitted);
    std::copy(bands.beside.windows.begin(), bands.beside.windows.end(),
              bands.fitted.windows.end() - bands.beside.size());
    bands.beside = std::move(above);
  }
  return bands;
}

}  // namespace heft::payload
