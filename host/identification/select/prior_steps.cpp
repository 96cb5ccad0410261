// Steps that change the weight of the prior, from moments: they take no pass over the samples.
#include <fmt/format.h>

#include "search.hpp"

namespace heft::select {

namespace {

std::string weight_name(double weight) {
  return fmt::format("prior weight {:g}", weight);
}

}  // namespace

/// Comes first: columns that are added at a weight that is too small explain what the prior knows.
/// choose_prior_weight has its own rule, so the step needs no gain.
Result<Done> Search::choose_weight_of_prior(const TrainingData& data) {
  if (!request_.setup.prior.has_weight() || !has_room()) return Done{};
  const auto choice =
      choose_prior_weight(data, request_.setup, *request_.executor, estimation(), {});
  const bool may_stay = !estimation().chooses_weight_of_prior;
  if (!choice && may_stay && is_about_folds(choice.error())) return Done{};
  if (!choice) return choice.error();
  if (choice->weight == standing_.choice.weight_of_prior) return Done{};
  Trial trial = standing_;
  trial.option = weight_name(choice->weight);
  trial.choice.weight_of_prior = choice->weight;
  HEFT_TRY(errors, cross_validated({{&trial.folds, choice->weight}}, trial.weights));
  selection_.num_solves += static_cast<int>(trial.folds.size());
  trial.errors = errors.front();
  trial.gain = over_standing(trial.errors);
  accept(std::move(trial));
  return Done{};
}

Result<Done> Search::move_weight_of_prior() {
  if (!request_.setup.prior.has_weight() || !has_room()) return Done{};
  std::vector<FoldedModel> models;
  for (const double factor : {0.1, 0.3, 3.0, 10.0})
    models.push_back({&standing_.folds, factor * standing_.choice.weight_of_prior});
  HEFT_TRY(errors, cross_validated(models, standing_.weights));
  selection_.num_solves += static_cast<int>(models.size() * standing_.folds.size());
  std::size_t best = models.size();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const StableGain found = over_standing(errors[i]);
    refuse(weight_name(models[i].weight_of_prior), found);
    if (is_worth_it(found) &&
        (best == models.size() || errors[i].relative() < errors[best].relative()))
      best = i;
  }
  if (best == models.size()) return Done{};
  Trial trial = standing_;
  trial.option = weight_name(models[best].weight_of_prior);
  trial.choice.weight_of_prior = models[best].weight_of_prior;
  trial.errors = errors[best];
  trial.gain = over_standing(trial.errors);
  accept(std::move(trial));
  return Done{};
}

}  // namespace heft::select
