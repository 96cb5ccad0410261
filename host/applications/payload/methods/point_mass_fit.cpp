#include "point_mass_fit.hpp"

#include <cmath>

#include "base/number_text.hpp"
#include "payload/point_masses.hpp"
#include "sums/rows.hpp"

namespace heft::payload {

namespace {

constexpr double kCertified = 1e-7;  // relative gap
constexpr double kKept = 1e-6;       // relative to the terms of a limit's row

/// |a|^2 + |wd|^2 + |w|^2 / 0.25
double dynamism(const WrenchSamples& samples, Eigen::Index i) {
  using S = WrenchSamples;
  const auto m = samples.motion.row(i);
  double a2 = 0;
  for (int k = 0; k < 3; ++k) a2 += std::pow(m[S::kUx + k] + samples.gravity(i, k), 2);
  const double wd2 = m.segment<3>(S::kWdx).square().sum(),
               w2 = m[S::kWwxx] + m[S::kWwyy] + m[S::kWwzz];
  return a2 + wd2 + w2 / 0.25;
}

}  // namespace

Result<Done> fit_point_masses(const WrenchSamples& samples, const PayloadOptions& options,
                              const PayloadShape& shape, const PayloadLeastSquares& data,
                              PayloadAnswer& answer) {
  const bool is_weighted = answer.method == PayloadMethod::pmd_weighted;
  const std::string name = std::string("--method ") + enum_name(answer.method);
  if (shape.points.cols() < 4)
    return Error{
        name, "needs a shape to place masses in",
        "give --shape, payload.prior.points or one of payload.prior.box, ball and cylinder"};
  if (samples.gravity.rows() != samples.size())
    return Error{
        name, "needs gravity separate from the acceleration",
        "log gx,gy,gz or r11..r33 besides accelerations without gravity, or use another method"};

  Vector6d units = Vector6d::Ones();
  if (is_weighted) units = data.rms.head<3>().norm() / std::sqrt(3.0) * data.rms.cwiseInverse();
  Eigen::ArrayXXd wrench = samples.wrench;
  if (options.bias != BiasKind::none)
    wrench = payload_wrench(samples, data.x) + residuals_of(samples, options.bias, data.x);

  PointMassProblem problem{.lambda = options.lambda};
  HEFT_TRY(constraints, constraints_of(options, shape));
  for (const LinearConstraint& constraint : constraints.linear) {
    PointMassLimit limit{.lower = constraint.lower, .upper = constraint.upper};
    for (const auto& [index, coefficient] : constraint.terms) limit.row[index] += coefficient;
    problem.limits.push_back(limit);
  }
  Eigen::Matrix<double, 6, 11> moving, at_rest;
  for (Eigen::Index i = 0; i < samples.size(); ++i) {
    const double share = std::tanh(3 * dynamism(samples, i) / options.c1);
    Eigen::Array<double, 1, WrenchSamples::kNumMotion> rest;
    rest.setZero();
    rest.head<3>() = -samples.gravity.row(i);
    moving.leftCols<10>() = rows_of(samples.motion.row(i));
    at_rest.leftCols<10>() = rows_of(rest);
    moving.col(10) = at_rest.col(10) = wrench.row(i).matrix().transpose();
    moving = (share * units.asDiagonal() * moving).eval();
    at_rest = ((1 - share) * units.asDiagonal() * at_rest).eval();
    problem.moving.noalias() += moving.transpose() * moving;
    problem.at_rest.noalias() += at_rest.transpose() * at_rest;
  }
  problem.B.resize(10, shape.points.cols());
  const double mean_volume = shape.volumes.mean();
  for (Eigen::Index i = 0; i < shape.points.cols(); ++i) {
    // masses in units of the root of their volume, so that equal densities cost least
    const double unit =
        is_weighted && mean_volume > 0 ? std::sqrt(shape.volumes[i] / mean_volume) : 1;
    problem.B.col(i) =
        unit * parameters_about_origin(1, shape.points.col(i), Eigen::Matrix3d::Zero());
  }
  const PointMassSolution found = solve_point_masses(problem);
  const double gap = (found.objective - found.bound) / std::max(found.objective, 1e-300);
  const bool is_answer = found.x.allFinite() && found.x[core::kMass] > 0;
  // no masses can satisfy a region without points
  if (!problem.limits.empty() && (!is_answer || !keeps_to(constraints.linear, found.x, kKept)))
    return Error{name, "no masses at the points of the shape satisfy the limits",
                 "check payload.known_mass, payload.density and payload.com_region (in "
                 "the sensor's frame) against the position of the shape"};
  if (!is_answer)
    return Error{name, "the solver found no solution",
                 "check the units of the log and the position of the shape"};
  answer.parameters = found.x;
  answer.objective = found.objective;
  const bool certified = gap <= kCertified;
  answer.certificate =
      Certificate{.certified = certified,
                  .verdict = (certified ? "optimal: within " : "only verified to be within ") +
                             number_text(gap, 2) + " of the best possible"};
  answer.certificate->primal = found.objective;
  answer.certificate->dual = found.bound;
  answer.certificate->gap = gap;
  return Done{};
}

}  // namespace heft::payload
