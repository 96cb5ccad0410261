#include "heft/identify/selection.hpp"

#include <algorithm>
#include <cmath>

#include "identify/cross_validation.hpp"
#include "training/folds.hpp"

namespace heft {

namespace {

const std::vector<double> kWeights = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1, 3};

}  // namespace

Result<WeightChoice> choose_prior_weight(const TrainingData& data, const Setup& setup,
                                         Executor& executor, const EstimationOptions& options,
                                         const Progress& progress) {
  if (!setup.prior.has_weight())
    return Error{"weight of the prior", "cross-validation needs a prior",
                 "set estimation.prior to metric"};
  HEFT_TRY(cut, blocked_folds(data));
  HEFT_TRY(weights, fold_weights(cut.folds, options, executor.num_threads()));
  std::vector<FoldedModel> models;
  for (const double weight : kWeights) models.push_back({&cut.folds, weight});
  HEFT_TRY(errors, cross_validate("weight of the prior", models, weights, setup,
                                  {executor, options.solve, progress}));
  const FoldErrors* best = nullptr;
  for (const FoldErrors& found : errors)
    if (found.is_finite() && (!best || found.relative() < best->relative())) best = &found;
  if (!best)
    return Error{"weight of the prior", "no weight gives an optimum in every fold",
                 "set a weight, e.g. 0.01"};

  WeightChoice choice{.gap_s = cut.gap_s, .gap_is_full = cut.gap_is_full};
  choice.weight = kWeights[static_cast<std::size_t>(best - errors.data())];
  const auto from_default = [&](double weight) {
    return std::abs(std::log(weight / setup.prior.weight));
  };
  for (std::size_t w = 0; w < errors.size(); ++w) {
    if (!errors[w].is_finite()) continue;
    const double excess = std::max(0.0, gain(errors[w], *best).standard_errors);
    choice.trials.push_back({kWeights[w], errors[w].relative(), excess});
    if (excess <= 1 && from_default(kWeights[w]) < from_default(choice.weight))
      choice.weight = kWeights[w];
  }
  return choice;
}

}  // namespace heft
