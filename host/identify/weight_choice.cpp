#include "heft/weight_choice.hpp"

#include <algorithm>
#include <cmath>

#include "heft/folds.hpp"
#include "heft/solve_batch.hpp"
#include "heft/weighted_fit.hpp"
#include "host/config/estimation.hpp"

namespace heft {

namespace {

const std::vector<double> kWeights = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1, 3};

/// What was held out: all its rows against one answer.
struct HeldOut {
  double error2 = 0, torque2 = 0;
};

HeldOut held_out_error(const Moments& held_out, const Eigen::VectorXd& parameters) {
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(parameters.size());
  HeldOut sums;
  for (int c = 0; c < held_out.plan->num_channels(); ++c) {
    sums.error2 += std::max(0.0, residual_sum(held_out, c, parameters));
    sums.torque2 += residual_sum(held_out, c, nothing);
  }
  return sums;
}

}  // namespace

Result<WeightChoice> choose_prior_weight(const TrainingData& data, const EstimationOptions& options) {
  if (options.prior == PriorKind::none)
    return Error{"prior_weight", "without a prior there is no weight to choose", "use the metric prior"};
  const ParameterLayout& layout = data.plan->layout;
  HEFT_TRY(folds, blocked_folds(data));
  HEFT_TRY(prior, make_prior(layout, data.plan->robot, prior_options(options)));

  std::vector<Problem> problems;  // weights of the first fold, then of the second ..
  for (const Fold& fold : folds.folds) {
    HEFT_TRY(fit, fit_weighted(fold.training, options.weighting_passes, options.rank_cut));
    const NormalEquations equations = normal_equations(fold.training, fit.channel_weights);
    for (const double weight : kWeights) {
      prior.weight = weight;
      HEFT_TRY(problem, make_problem(layout, equations, prior, constraints(options)));
      problems.push_back(std::move(problem));
    }
  }
  HEFT_TRY(solutions, solve_batch(problems, {.solve = solve_options(options)}));

  WeightChoice choice{.gap_s = folds.gap_s, .gap_is_full = folds.gap_is_full};
  for (std::size_t w = 0; w < kWeights.size(); ++w) {
    HeldOut total;
    for (std::size_t f = 0; f < folds.folds.size(); ++f) {
      const Solution& solution = solutions[f * kWeights.size() + w];
      if (solution.status != SolveStatus::optimal) {
        total.error2 = INFINITY;
        break;
      }
      const HeldOut one = held_out_error(folds.folds[f].held_out, solution.x.head(layout.num_parameters()));
      total.error2 += one.error2;
      total.torque2 += one.torque2;
    }
    const double error = std::sqrt(total.error2 / total.torque2);
    if (std::isfinite(error)) choice.trials.push_back({kWeights[w], error});
  }
  if (choice.trials.empty())
    return Error{"prior_weight", "at no weight all folds have an optimum", "name a weight, e.g. 0.01"};
  choice.weight =
      std::min_element(choice.trials.begin(), choice.trials.end(), [](const auto& a, const auto& b) {
        return a.relative_error < b.relative_error;
      })->weight;
  return choice;
}

}  // namespace heft
