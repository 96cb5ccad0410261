#include "knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "heft/core/inertia.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "objective.hpp"

namespace heft::excite {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kAsLongAsOneLikes = 1e6;  ///< largest multiple of a motion that is tried

/// The smallest multiple of the motion for which `is_enough` holds, as it does for all larger ones;
/// infinite without one.
double least_multiple(const std::function<bool(double)>& is_enough) {
  if (!is_enough(kAsLongAsOneLikes)) return HUGE_VAL;
  double low = std::log(1e-3), high = std::log(kAsLongAsOneLikes);
  if (is_enough(std::exp(low))) return std::exp(low);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (is_enough(std::exp(middle)) ? high : low) = middle;
  }
  return std::exp(high);
}

/// rms over states of the standard deviation of every torque.
VectorXd torque_errors(const DesignProblem& problem, const MatrixXd& covariance) {
  Information information = problem.information;
  information.variance = covariance;
  Limits limits = problem.limits;
  limits.torque_deviations = 1;
  const Assessment found = assess(information, limits, problem.states, 1, {});
  return found.deviation.square().colwise().mean().sqrt().transpose().matrix();
}

}  // namespace

Knowledge::Knowledge(const Information& information, const MatrixXd& G) {
  // the square root of M0^-1, whose entries differ by many powers of ten
  const VectorXd scale = information.covariance.diagonal().cwiseSqrt();
  const MatrixXd unit = scale.cwiseInverse().asDiagonal() * information.covariance *
                        scale.cwiseInverse().asDiagonal();
  const Eigen::LLT<MatrixXd> root(MatrixXd(0.5 * (unit + unit.transpose())));
  const MatrixXd C = scale.asDiagonal() * MatrixXd(root.matrixL()),
                 B = information.plan->regrouping * C;
  const SymmetricEigen<Eigen::Dynamic> eigen(B.transpose() *
                                             (G.selfadjointView<Eigen::Lower>() * B));
  gains_ = eigen.eigenvalues().cwiseMax(0);
  parameters_ = C * eigen.eigenvectors();
  rows_ = B * eigen.eigenvectors();
}

VectorXd Knowledge::deviations(double times) const {
  return (parameters_ * shares(times).sqrt().matrix().asDiagonal()).rowwise().norm();
}

double Knowledge::variance_of_task(const MatrixXd& T, double times) const {
  return ((T * rows_).cwiseProduct(rows_).colwise().sum().transpose().array() * shares(times))
      .sum();
}

MatrixXd Knowledge::structural_covariance(double times) const {
  return rows_ * shares(times).matrix().asDiagonal() * rows_.transpose();
}

void put_knowledge(const DesignProblem& problem, const MatrixXd& G, const ExciteOptions& options,
                   Design& design) {
  const Information& information = problem.information;
  const Knowledge knowledge(information, G), best(information, problem.everywhere);
  design.log_det = log_det(information, G);
  design.log_det_prior = information.log_det_known;
  const VectorXd before = knowledge.deviations(0), after = knowledge.deviations(1),
                 at_best = best.deviations(kAsLongAsOneLikes);
  const ParameterLayout& layout = information.plan->layout;
  for (int i = 0; i < layout.num_parameters(); ++i)
    design.parameters.push_back({.name = layout.name(i),
                                 .unit = layout.unit(i),
                                 .believed = information.believed[i],
                                 .before = before[i],
                                 .after = after[i],
                                 .at_best = std::min(at_best[i], after[i])});
  const VectorXd error_before = torque_errors(problem, information.variance),
                 error_after = torque_errors(problem, knowledge.structural_covariance(1));
  for (int c = 0; c < information.plan->num_channels(); ++c)
    design.torque_errors.push_back(
        {information.plan->channels[c].name, error_before[c], error_after[c]});
  const double variance = knowledge.variance_of_task(problem.task, 1);
  design.longer_for_half_the_error = least_multiple([&](double times) {
    return knowledge.variance_of_task(problem.task, times) <= 0.25 * variance;
  });
  if (!(options.mass_share > 0)) return;
  for (int b = 0; b < layout.num_bodies(); ++b) {
    const int at = layout.index(b, core::kMass);
    const double wanted = options.mass_share * information.believed[at];
    if (!(wanted > 0)) continue;
    const double times =
        least_multiple([&](double f) { return knowledge.deviations(f)[at] <= wanted; });
    if (std::isfinite(times))
      design.longer_for_masses = std::max(design.longer_for_masses, times);
    else
      design.masses_out_of_reach.push_back(layout.bodies[b]);
  }
}

}  // namespace heft::excite
