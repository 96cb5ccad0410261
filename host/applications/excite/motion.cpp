#include "heft/excite/options.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number_text.hpp"
#include "heft/core/motion_view.hpp"
#include "heft/core/spline.hpp"
#include "linalg/factorizations.hpp"

namespace heft {

namespace {

/// Values of the quintic B-splines that are nonzero in one interval, or of their derivatives with
/// respect to u.
std::vector<double> spline_values(double u, int order) {
  std::vector<double> basis = {1.0};
  for (int degree = 1; degree <= core::kSplineDegree - order; ++degree) {  // Cox and de Boor, as
                                                                           // core/spline.hpp
    std::vector<double> raised(degree + 1, 0.0);
    for (int r = 0; r <= degree; ++r) {
      if (r > 0) raised[r] += (u + degree - r) * basis[r - 1] / degree;
      if (r < degree) raised[r] += (r + 1 - u) * basis[r] / degree;
    }
    basis = raised;
  }
  for (int k = 0; k < order; ++k) {  // the derivative is the lower spline of differences of control
                                     // points
    std::vector<double> wider(basis.size() + 1, 0.0);
    for (std::size_t r = 0; r < basis.size(); ++r) wider[r] -= basis[r], wider[r + 1] += basis[r];
    basis = wider;
  }
  return basis;
}

/// Index of the coefficient of control point i.
int coefficient_of(const MotionShape& shape, int i) {
  if (shape.kind == ExcitationMotion::poses)  // the first posture is held at knot 0, the next at
                                              // knot kPoseIntervals ..
    return std::min((i + 1) / MotionShape::kPoseIntervals, shape.num_coefficients() - 1);
  return std::clamp(i - (core::kSplineDegree - 1), 0, shape.num_coefficients() - 1);
}

BasisRow spline_row(const MotionShape& shape, double time, int order) {
  const double knots =
      std::clamp(time / shape.interval(), 0.0, static_cast<double>(shape.intervals));
  const int interval = std::min(static_cast<int>(knots), shape.intervals - 1);
  const std::vector<double> values = spline_values(knots - interval, order);
  const double scale = std::pow(shape.interval(), -order);
  BasisRow row{.first = coefficient_of(shape, interval)};
  row.values.assign(coefficient_of(shape, interval + core::kSplineDegree) - row.first + 1, 0.0);
  for (int r = 0; r <= core::kSplineDegree; ++r)
    row.values[coefficient_of(shape, interval + r) - row.first] += scale * values[r];
  return row;
}

/// Orthonormal basis of the combinations of 1, sin, cos, sin, .. that are at rest at time 0.
Eigen::MatrixXd series_at_rest(int harmonics) {
  Eigen::MatrixXd conditions = Eigen::MatrixXd::Zero(2 * harmonics + 1, 3);
  for (int h = 1; h <= harmonics; ++h) {
    conditions(2 * h - 1, 0) = h;
    conditions(2 * h, 1) = h * h;
    conditions(2 * h - 1, 2) = h * h * h;
  }
  const Eigen::MatrixXd Q = conditions.householderQr().householderQ();
  return Q.rightCols(2 * harmonics - 2);
}

BasisRow fourier_row(const MotionShape& shape, double time, int order) {
  const double w = 2 * std::numbers::pi / shape.duration;
  Eigen::VectorXd terms = Eigen::VectorXd::Zero(2 * shape.harmonics + 1);
  terms[0] = order == 0 ? 1 : 0;
  for (int h = 1; h <= shape.harmonics; ++h) {
    const double scale = std::pow(h * w, order), quarter = order * std::numbers::pi / 2;
    terms[2 * h - 1] = scale * std::sin(h * w * time + quarter);
    terms[2 * h] = scale * std::cos(h * w * time + quarter);
  }
  if (shape.kind == ExcitationMotion::fourier_rest)
    terms = Eigen::VectorXd(series_at_rest(shape.harmonics).transpose() * terms);
  return {.first = 0, .values = {terms.data(), terms.data() + terms.size()}};
}

}  // namespace

void MotionShape::choose(int intervals_or_harmonics) {
  if (!is_spline()) {
    harmonics = intervals_or_harmonics > 0 ? intervals_or_harmonics : 5;
  } else if (intervals_or_harmonics > 0) {
    intervals = intervals_or_harmonics;
  } else {
    intervals = static_cast<int>(std::min(std::max(12.0, 2 * duration), 1000.0));  // 12 of nan
    if (kind == ExcitationMotion::poses) intervals -= intervals % kPoseIntervals;
  }
}

int MotionShape::num_coefficients() const {
  switch (kind) {
    case ExcitationMotion::spline:
      return intervals + core::kSplineDegree - 2 * (core::kSplineDegree - 1);
    case ExcitationMotion::poses:
      return intervals / kPoseIntervals + 1;
    case ExcitationMotion::fourier:
      return 2 * harmonics + 1;
    case ExcitationMotion::fourier_rest:
      return 2 * harmonics - 2;
  }
  return 0;
}

bool MotionShape::is_at_rest(double time) const {
  const double edge = 1e-9 * duration;
  if (kind != ExcitationMotion::poses)
    return is_spline() && (time <= edge || time >= duration - edge);
  const BasisRow row = basis_row(*this, time, 0);  // at rest between equal control points: one
                                                   // coefficient counts
  return std::count_if(row.values.begin(), row.values.end(), [](double x) { return x > 1e-12; }) ==
         1;
}

Result<Done> check_shape(const MotionShape& shape) {
  if (shape.kind == ExcitationMotion::spline && (shape.intervals < 6 || shape.intervals > 1000))
    return Error{"--intervals", std::to_string(shape.intervals) + " is out of range",
                 "give 6 to 1000; 20 to 40 suit ten seconds"};
  if (shape.kind == ExcitationMotion::poses &&
      (shape.intervals < MotionShape::kPoseIntervals || shape.intervals > 6000 ||
       shape.intervals % MotionShape::kPoseIntervals != 0))
    return Error{
        "--intervals",
        std::to_string(shape.intervals) + " is out of range or not a whole number of steps",
        "give a multiple of " + std::to_string(MotionShape::kPoseIntervals) +
            ", the number of intervals from one posture to the next, up to 6000"};
  const int least = shape.kind == ExcitationMotion::fourier_rest ? 3 : 1;
  if (!shape.is_spline() && (shape.harmonics < least || shape.harmonics > 100))
    return Error{
        "--intervals",
        std::to_string(shape.harmonics) + " harmonics of a Fourier series are out of range",
        "give " + std::to_string(least) + " to 100; about 5 suit ten seconds"};
  if (!(shape.duration > 0) || shape.duration > 3600)
    return Error{"--duration", number_text(shape.duration) + " s is out of range",
                 "give a duration above 0 and at most 3600 s"};
  return Done{};
}

BasisRow basis_row(const MotionShape& shape, double time, int order) {
  return shape.is_spline() ? spline_row(shape, time, order) : fourier_row(shape, time, order);
}

Eigen::VectorXd CoefficientMotion::at(double time, int order) const {
  const BasisRow row = basis_row(shape, time, order);
  Eigen::VectorXd value = Eigen::VectorXd::Zero(num_coordinates());
  for (std::size_t i = 0; i < row.values.size(); ++i)
    value += row.values[i] * coefficients.row(row.first + static_cast<Eigen::Index>(i)).transpose();
  return value;
}

}  // namespace heft
