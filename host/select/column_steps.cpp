// Forward selection over columns: one pass accumulates the moments of all of them, every model is a sub-block.
#include <algorithm>
#include <numeric>

#include "identify/gathering.hpp"
#include "search.hpp"
#include "sub_moments.hpp"

namespace heft::select {

/// The configuration with the standing model's bodies as what loads are computed with, unless it has loads.
Result<Configuration> Search::with_load(Configuration configuration) const {
  const std::vector<ColumnSpec>& columns = configuration.columns;
  if (std::any_of(columns.begin(), columns.end(), [](const ColumnSpec& spec) { return holds_load(spec); }))
    return configuration;
  HEFT_TRY(parameters, point_estimate(standing_.moments, configuration.estimation));
  const int num_numbers = core::kNumParameters * standing_.moments.plan->layout.num_bodies();
  configuration.load.inertia.assign(parameters.data(), parameters.data() + num_numbers);
  return configuration;
}

/// The plan of a configuration whose columns are all in the pool.
Result<PlanPtr> Search::plan_of(const Pool& pool, const Configuration& configuration) const {
  const RegressorPlan& plan = *pool.data.plan;
  HEFT_TRY(terms, expand_model_terms(configuration, plan.robot, plan.channels));
  return plan_with_columns(plan, terms.columns);
}

Result<Done> Search::add_columns() {
  Configuration offered = standing_.configuration;
  offered.candidates = request_.configuration.candidates;
  const std::vector<MenuItem> candidates = column_menu(offered, standing_.moments.plan->robot);
  if (candidates.empty() || !has_room()) return Done{};

  Configuration all = standing_.configuration;
  if (std::any_of(candidates.begin(), candidates.end(),
                  [](const MenuItem& item) { return holds_load(item); })) {
    HEFT_TRY(loaded, with_load(all));
    all = std::move(loaded);
  }
  for (const MenuItem& item : candidates)
    all.columns.insert(all.columns.end(), item.specs.begin(), item.specs.end());
  HEFT_TRY(pool, pass(all));
  // the standing model on the folds of this pass, with the bits of this pass
  HEFT_TRY(plan, plan_of(pool, standing_.configuration));
  HEFT_TRY(standing, evaluate(standing_.option, standing_.configuration, sub_moments(pool.data.moments, plan),
                              sub_folds(pool.folds, plan)));
  standing_ = std::move(standing);
  for (bool goes_on = true; goes_on && has_room();) {
    HEFT_TRY(has_added, add_best_column(pool, candidates));
    goes_on = has_added;
  }
  return Done{};
}

Result<bool> Search::add_best_column(const Pool& pool, const std::vector<MenuItem>& menu) {
  std::vector<const MenuItem*> items;
  std::vector<FoldedModel> models;
  const double prior_weight = standing_.configuration.estimation.prior_weight.value;
  for (const MenuItem& item : menu) {
    if (contains(standing_.configuration.columns, item)) continue;
    Configuration configuration = standing_.configuration;
    configuration.columns = with_item(configuration.columns, item);
    HEFT_TRY(plan, plan_of(pool, configuration));
    items.push_back(&item);
    models.push_back({sub_folds(pool.folds, plan), prior_weight});
  }
  // for the ranking all models share the standing model's channel weights
  HEFT_TRY(errors, cross_validate(models, standing_.weights, options()));
  selection_.num_solves += static_cast<int>(models.size() * pool.folds.size());

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < items.size(); ++i) {
    refuse(items[i]->name, gain(standing_.errors, errors[i]));
    if (is_worth_it(gain(standing_.errors, errors[i]))) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return errors[a].relative() < errors[b].relative(); });
  // what is added must be worth it with weights of its own, too
  for (const std::size_t i : order) {
    Configuration configuration = standing_.configuration;
    configuration.columns = with_item(configuration.columns, *items[i]);
    if (holds_load(*items[i])) configuration.load = pool.data.configuration.load;
    Moments moments = sub_moments(pool.data.moments, models[i].folds.front().training.plan);
    HEFT_TRY(trial, evaluate(items[i]->name, configuration, std::move(moments), std::move(models[i].folds)));
    if (is_worth_it(trial.gain)) {
      accept(std::move(trial));
      return true;
    }
    refuse(trial.option, trial.gain);
  }
  return false;
}

}  // namespace heft::select
