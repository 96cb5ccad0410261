#include "identify/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel_tasks.hpp"
#include "heft/solve/least_squares.hpp"
#include "heft/solve/problem.hpp"

namespace heft {

Gain gain(const FoldErrors& before, const FoldErrors& after) {
  const Eigen::ArrayXd difference = before.squared - after.squared;
  const auto n = static_cast<double>(difference.size());
  const double mean = difference.mean();
  const double deviation = std::sqrt((difference - mean).square().sum() / (n - 1) / n);
  const double infinite = std::numeric_limits<double>::infinity();
  return {1 - after.relative() / before.relative(),
          deviation > 0 ? mean / deviation : (mean > 0 ? infinite : 0)};
}

Result<std::vector<Eigen::VectorXd>> fold_weights(const std::vector<Fold>& folds,
                                                  const EstimationOptions& options,
                                                  int num_threads) {
  std::vector<Eigen::VectorXd> weights(folds.size());
  const auto learn = [&](std::int64_t index, int) -> Result<Done> {
    const auto k = static_cast<std::size_t>(index);
    HEFT_TRY(found,
             weights_of_residuals(folds[k].training, options.weighting_passes, options.rank_cut));
    weights[k] = std::move(found);
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(std::ssize(folds), num_threads, {}, "", learn));
  return weights;
}

Result<std::vector<FoldErrors>> cross_validate(const char* purpose,
                                               const std::vector<FoldedModel>& models,
                                               const std::vector<Eigen::VectorXd>& weights,
                                               const Setup& setup, const Solving& solving) {
  struct Member {
    const FoldedModel* model;
    std::size_t fold;
  };
  std::vector<Member> members;
  for (const FoldedModel& model : models)
    for (std::size_t f = 0; f < model.folds->size(); ++f) members.push_back({&model, f});
  const auto make = [&](int k) {
    const auto& [model, f] = members[static_cast<std::size_t>(k)];
    Prior prior = setup.prior;
    prior.weight = model->weight_of_prior;
    const Moments& training = (*model->folds)[f].training;
    return make_problem(training.plan->layout, normal_equations(training, weights[f]), prior,
                        setup.constraints);
  };
  HEFT_TRY(solutions, solving.executor.solve_made(purpose, static_cast<int>(members.size()), make,
                                                  solving.options, solving.progress));

  std::vector<FoldErrors> errors;
  std::size_t next = 0;
  for (const FoldedModel& model : models) {
    const int P = model.folds->front().training.plan->layout.num_parameters();
    FoldErrors& found = errors.emplace_back();
    found.squared.resize(static_cast<Eigen::Index>(model.folds->size()));
    for (std::size_t f = 0; f < model.folds->size(); ++f) {
      const Solution& solution = solutions[next++];
      const Moments& held_out = (*model.folds)[f].held_out;
      found.squared[static_cast<Eigen::Index>(f)] =
          solution.status == SolveStatus::optimal ? squared_error(held_out, solution.x.head(P))
                                                  : std::numeric_limits<double>::quiet_NaN();
      found.torque2 += squared_error(held_out, Eigen::VectorXd::Zero(P));
    }
  }
  return errors;
}

}  // namespace heft
