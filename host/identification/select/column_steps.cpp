// Forward selection over columns: one pass accumulates the moments of all columns, and every model
// is a sub-block.
#include <algorithm>
#include <deque>
#include <numeric>

#include "identify/gathering.hpp"
#include "search.hpp"
#include "sub_moments.hpp"

namespace heft::select {

namespace {

constexpr double kFreeSign = 2;  ///< standard errors of a column that follows noise of either sign

}  // namespace

/// The model with loads computed from the current model's bodies, unless it has loads.
Result<ModelOptions> Search::with_load(ModelOptions model) const {
  if (std::any_of(model.columns.begin(), model.columns.end(),
                  [](const ColumnSpec& spec) { return holds_load(spec); }))
    return model;
  HEFT_TRY(parameters, point_estimate(standing_.moments, request_.setup, estimation()));
  const int num_numbers = core::kNumParameters * standing_.moments.plan->layout.num_bodies();
  model.load_inertia.assign(parameters.data(), parameters.data() + num_numbers);
  return model;
}

/// The plan of a model whose columns are all in the pool.
Result<PlanPtr> Search::plan_of(const Pool& pool, const ModelOptions& model) const {
  const RegressorPlan& plan = *pool.data.plan;
  HEFT_TRY(columns, make_columns(plan.robot, plan.channels, model));
  return plan_with_columns(plan, columns);
}

Result<Done> Search::add_columns() {
  const std::vector<MenuItem> candidates =
      column_menu(standing_.choice.model.columns, options_, standing_.moments.plan->robot,
                  standing_.choice.model.kinds);
  if (candidates.empty() || !has_room()) return Done{};

  ModelChoice all = standing_.choice;
  if (std::any_of(candidates.begin(), candidates.end(),
                  [](const MenuItem& item) { return holds_load(item); })) {
    HEFT_TRY(loaded, with_load(all.model));
    all.model = std::move(loaded);
  }
  for (const MenuItem& item : candidates)
    all.model.columns.insert(all.model.columns.end(), item.specs.begin(), item.specs.end());
  HEFT_TRY(pool, pass(all));
  // the current model on the folds of this pass, with the same rounding
  HEFT_TRY(plan, plan_of(pool, standing_.choice.model));
  HEFT_TRY(standing, evaluate(standing_.option, standing_.choice,
                              sub_moments(pool.data.moments, plan), sub_folds(pool.folds, plan)));
  standing_ = std::move(standing);
  for (bool goes_on = true; goes_on && has_room();) {
    HEFT_TRY(has_added, add_best_column(pool, candidates));
    goes_on = has_added;
  }
  return Done{};
}

Result<bool> Search::add_best_column(const Pool& pool, const std::vector<MenuItem>& menu) {
  std::vector<const MenuItem*> items;
  std::deque<std::vector<Fold>> folds;  // of each of them
  std::vector<FoldedModel> models;
  for (const MenuItem& item : menu) {
    if (contains(standing_.choice.model.columns, item)) continue;
    ModelOptions model = standing_.choice.model;
    model.columns = with_item(model.columns, item);
    HEFT_TRY(plan, plan_of(pool, model));
    items.push_back(&item);
    models.push_back(
        {&folds.emplace_back(sub_folds(pool.folds, plan)), standing_.choice.weight_of_prior});
  }
  // for the ranking, all models share the current model's channel weights
  HEFT_TRY(errors, cross_validated(models, standing_.weights));
  selection_.num_solves += static_cast<int>(models.size() * pool.folds.size());

  const auto needed = [&](std::size_t i) {
    return has_free_sign(*items[i], standing_.choice.model.kinds) ? kFreeSign : 1;
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const StableGain found = over_standing(errors[i]);
    refuse(items[i]->name, found, needed(i));
    if (is_worth_it(found, needed(i))) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return errors[a].relative() < errors[b].relative();
  });
  // an added column must also gain with its own weights
  for (const std::size_t i : order) {
    ModelChoice choice = standing_.choice;
    choice.model.columns = with_item(choice.model.columns, *items[i]);
    if (holds_load(*items[i])) choice.model.load_inertia = pool.load_inertia;
    Moments moments = sub_moments(pool.data.moments, folds[i].front().training.plan);
    HEFT_TRY(trial, evaluate(items[i]->name, choice, std::move(moments), std::move(folds[i])));
    if (is_worth_it(trial.gain, needed(i))) {
      accept(std::move(trial), items[i]->family);
      return true;
    }
    refuse(trial.option, trial.gain, needed(i));
  }
  return false;
}

}  // namespace heft::select
