#include "heft/identify/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "identify/cross_validation.hpp"
#include "training/folds.hpp"

namespace heft {

namespace {

// half decades; the trials end one beyond the best weight
constexpr std::array kWeights = {1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3,
                                 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1e0,  3e0,  1e1,  3e1,  1e2,  3e2};
constexpr std::size_t kFirst = 8, kLast = 17;  ///< of the trials that are always made

/// Errors of the weights from kWeights[first] on.
struct Trials {
  std::size_t first = kFirst;
  std::vector<FoldErrors> errors;

  double weight(std::size_t i) const { return kWeights[first + i]; }
  /// The smallest error; the size of `errors` if no weight has an optimum in every fold.
  std::size_t best() const {
    std::size_t best = errors.size();
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (errors[i].is_finite() &&
          (best == errors.size() || errors[i].relative() < errors[best].relative()))
        best = i;
    return best;
  }
};

}  // namespace

Result<WeightChoice> choose_prior_weight(const TrainingData& data, const Setup& setup,
                                         Executor& executor, const EstimationOptions& options,
                                         const Progress& progress) {
  if (!setup.prior.has_weight())
    return Error{"weight of the prior", "cross-validation needs a prior",
                 "set estimation.prior to metric"};
  HEFT_TRY(cut, blocked_folds(data));
  HEFT_TRY(weights, fold_weights(cut.folds, options, executor.num_threads()));
  const auto errors_of = [&](std::size_t from, std::size_t to) {
    std::vector<FoldedModel> models;
    for (std::size_t i = from; i <= to; ++i) models.push_back({&cut.folds, kWeights[i]});
    return cross_validate("weight of the prior", models, weights, setup,
                          {executor, options.solve, progress});
  };
  HEFT_TRY(found, errors_of(kFirst, kLast));
  Trials trials{.errors = std::move(found)};
  // an optimum at the end of the range may continue beyond it
  while (trials.best() + 1 == trials.errors.size() &&
         trials.first + trials.errors.size() < kWeights.size()) {
    const std::size_t next = trials.first + trials.errors.size();
    HEFT_TRY(larger, errors_of(next, next));
    trials.errors.push_back(std::move(larger.front()));
  }
  while (trials.best() == 0 && trials.first > 0) {
    HEFT_TRY(smaller, errors_of(trials.first - 1, trials.first - 1));
    trials.errors.insert(trials.errors.begin(), std::move(smaller.front()));
    --trials.first;
  }
  const std::size_t best = trials.best();
  if (best == trials.errors.size())
    return Error{"weight of the prior", "no weight gives an optimum in every fold",
                 "set a weight, e.g. 0.01"};

  WeightChoice choice{.gap_s = cut.gap_s, .gap_is_full = cut.gap_is_full};
  choice.weight = trials.weight(best);
  const auto from_default = [&](double weight) {
    return std::abs(std::log(weight / setup.prior.weight));
  };
  for (std::size_t i = 0; i < trials.errors.size(); ++i) {
    const FoldErrors& errors = trials.errors[i];
    if (!errors.is_finite()) continue;
    const double excess = std::max(0.0, gain(errors, trials.errors[best]).standard_errors);
    choice.trials.push_back({trials.weight(i), errors.relative(), excess});
    if (excess <= 1 && from_default(trials.weight(i)) < from_default(choice.weight))
      choice.weight = trials.weight(i);
  }
  return choice;
}

}  // namespace heft
