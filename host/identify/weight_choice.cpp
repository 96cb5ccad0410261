#include "heft/identify/weight_choice.hpp"

#include <cmath>
#include <limits>

#include "heft/solve/weighted_fit.hpp"
#include "training/folds.hpp"

namespace heft {

namespace {

const std::vector<double> kWeights = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1, 3};

/// errors[w][f]: what fold f finds of squared error at weight w; NaN without an optimum.
Eigen::ArrayXXd errors_by_fold(const std::vector<Fold>& folds, const std::vector<Solution>& solutions) {
  Eigen::ArrayXXd errors(kWeights.size(), folds.size());
  for (std::size_t f = 0; f < folds.size(); ++f)
    for (std::size_t w = 0; w < kWeights.size(); ++w) {
      const Solution& solution = solutions[f * kWeights.size() + w];
      const int P = folds[f].held_out.plan->layout.num_parameters();
      errors(w, f) = solution.status == SolveStatus::optimal
                         ? squared_error(folds[f].held_out, solution.x.head(P))
                         : std::numeric_limits<double>::quiet_NaN();
    }
  return errors;
}

/// By how many standard errors of the folds' differences one weight is worse than another.
double excess(const Eigen::ArrayXd& errors, const Eigen::ArrayXd& best) {
  const Eigen::ArrayXd difference = errors - best;
  const auto n = static_cast<double>(difference.size());
  const double mean = difference.mean();
  const double variance = (difference - mean).square().sum() / (n - 1);
  return mean > 0 ? mean / std::sqrt(variance / n) : 0;
}

}  // namespace

Result<WeightChoice> choose_prior_weight(const TrainingData& data, const Setup& setup, Executor& executor,
                                         const EstimationOptions& options, const Progress& progress) {
  if (!setup.prior.has_weight())
    return Error{"weight of the prior", "without a prior there is no weight to choose",
                 "use the metric prior"};
  HEFT_TRY(cut, blocked_folds(data));
  std::vector<NormalEquations> equations;
  for (const Fold& fold : cut.folds) {
    HEFT_TRY(weights, weights_of_residuals(fold.training, options.weighting_passes, options.rank_cut));
    equations.push_back(normal_equations(fold.training, weights));
  }
  // the weights of a fold side by side
  const auto make = [&](int k) {
    const std::size_t index = static_cast<std::size_t>(k);
    Prior prior = setup.prior;
    prior.weight = kWeights[index % kWeights.size()];
    return make_problem(data.plan->layout, equations[index / kWeights.size()], prior, setup.constraints);
  };
  HEFT_TRY(solutions,
           executor.solve_made("weight of the prior", static_cast<int>(equations.size() * kWeights.size()),
                               make, options.solve, progress));

  const Eigen::ArrayXXd errors = errors_by_fold(cut.folds, solutions);
  double torque2 = 0;
  for (const Fold& fold : cut.folds)
    torque2 += squared_error(fold.held_out, Eigen::VectorXd::Zero(data.plan->layout.num_parameters()));
  Eigen::Index best = -1;
  for (Eigen::Index w = 0; w < errors.rows(); ++w)
    if (errors.row(w).isFinite().all() && (best < 0 || errors.row(w).sum() < errors.row(best).sum()))
      best = w;
  if (best < 0)
    return Error{"weight of the prior", "at no weight all folds have an optimum", "name a weight, e.g. 0.01"};

  WeightChoice choice{.gap_s = cut.gap_s, .gap_is_full = cut.gap_is_full};
  choice.weight = kWeights[static_cast<std::size_t>(best)];
  const auto from_default = [&](double weight) { return std::abs(std::log(weight / setup.prior.weight)); };
  for (Eigen::Index w = 0; w < errors.rows(); ++w) {
    if (!errors.row(w).isFinite().all()) continue;
    const double weight = kWeights[static_cast<std::size_t>(w)];
    const double worse = excess(errors.row(w), errors.row(best));
    choice.trials.push_back({weight, std::sqrt(errors.row(w).sum() / torque2), worse});
    if (worse <= 1 && from_default(weight) < from_default(choice.weight)) choice.weight = weight;
  }
  return choice;
}

}  // namespace heft
