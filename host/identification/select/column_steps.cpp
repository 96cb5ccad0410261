// Forward selection over columns: one pass accumulates the moments of all columns, and every model
// is a sub-block.
#include <algorithm>
#include <deque>
#include <limits>

#include "identify/gathering.hpp"
#include "search.hpp"
#include "sub_moments.hpp"

namespace heft::select {

namespace {

constexpr double kFreeSign = 2;  ///< standard errors of a column that follows noise of either sign

/// The additions and one more, which replaces another of its family.
std::vector<MenuItem> with_addition(std::vector<MenuItem> added, const MenuItem& item) {
  std::erase_if(added, [&](const MenuItem& other) { return other.family == item.family; });
  added.push_back(item);
  return added;
}

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

/// The current choice with other additions to the configured columns.
ModelChoice Search::with_columns(const Pool& pool, const std::vector<MenuItem>& added) const {
  ModelChoice choice = standing_.choice;
  choice.model.columns = model_.columns;
  for (const MenuItem& item : added) choice.model.columns = with_item(choice.model.columns, item);
  const bool needs_load = std::any_of(added.begin(), added.end(),
                                      [](const MenuItem& item) { return holds_load(item); });
  choice.model.load_inertia = needs_load ? pool.load_inertia : model_.load_inertia;
  return choice;
}

double Search::needed_errors(const MenuItem& item) const {
  return has_free_sign(item, standing_.choice.model.kinds) ? kFreeSign : 1;
}

Result<Done> Search::add_columns() {
  const std::vector<MenuItem> menu = column_menu(
      model_.columns, options_, standing_.moments.plan->robot, standing_.choice.model.kinds);
  if (menu.empty() || (!has_room() && added_.empty())) return Done{};

  ModelChoice all = standing_.choice;
  all.model.columns = model_.columns;
  const auto has_load = [](const MenuItem& item) { return holds_load(item); };
  // loads of additions stay those with which they were accepted
  if (std::any_of(menu.begin(), menu.end(), has_load) &&
      std::none_of(added_.begin(), added_.end(), has_load)) {
    HEFT_TRY(loaded, with_load(all.model));
    all.model = std::move(loaded);
  }
  for (const MenuItem& item : menu)
    all.model.columns.insert(all.model.columns.end(), item.specs.begin(), item.specs.end());
  HEFT_TRY(pool, pass(all));
  // the current model on the folds of this pass, with the same rounding
  HEFT_TRY(standing, from_pool(pool, standing_.option, added_));
  standing_ = std::move(standing);
  // an addition that was just accepted is the best one; on other samples it may be another
  bool is_last_new = false;
  for (bool goes_on = true; goes_on;) {
    HEFT_TRY(has_added, add_best_column(pool, menu));
    is_last_new = is_last_new || has_added;
    goes_on = has_added;
    if (goes_on) continue;
    HEFT_TRY(has_revised, revise_columns(pool, menu, is_last_new ? 1 : 0));
    goes_on = has_revised;
  }
  return Done{};
}

Result<Search::Trial> Search::from_pool(const Pool& pool, std::string option,
                                        const std::vector<MenuItem>& added) {
  ModelChoice choice = with_columns(pool, added);
  HEFT_TRY(plan, plan_of(pool, choice.model));
  return evaluate(std::move(option), std::move(choice), sub_moments(pool.data.moments, plan),
                  sub_folds(pool.folds, plan));
}

Result<std::vector<Search::Candidate>> Search::ranked(const Pool& pool,
                                                      const std::vector<MenuItem>& menu,
                                                      const std::vector<MenuItem>& added,
                                                      const std::vector<Eigen::VectorXd>& weights) {
  std::vector<Candidate> candidates;
  std::deque<std::vector<Fold>> folds;  // of each of them
  std::vector<FoldedModel> models;
  for (const MenuItem& item : menu) {
    if (std::any_of(added.begin(), added.end(),
                    [&](const MenuItem& other) { return other.name == item.name; }))
      continue;
    const ModelChoice choice = with_columns(pool, with_addition(added, item));
    HEFT_TRY(plan, plan_of(pool, choice.model));
    candidates.push_back({&item, {}});
    models.push_back({&folds.emplace_back(sub_folds(pool.folds, plan)), choice.weight_of_prior});
  }
  HEFT_TRY(errors, cross_validated(models, weights));
  selection_.num_solves += static_cast<int>(models.size() * pool.folds.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].errors = std::move(errors[i]);
  // those without an optimum in some fold come last
  const auto key = [](const Candidate& candidate) {
    return candidate.errors.is_finite() ? candidate.errors.relative()
                                        : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  return candidates;
}

Result<bool> Search::add_best_column(const Pool& pool, const std::vector<MenuItem>& menu) {
  if (!has_room()) return false;
  // for the ranking, all models share the current model's channel weights
  HEFT_TRY(candidates, ranked(pool, menu, added_, standing_.weights));
  for (const auto& [item, errors] : candidates)
    refuse(item->name, over_standing(errors), needed_errors(*item));
  // an added column must also gain with its own weights
  for (const auto& [item, errors] : candidates) {
    const double needed = needed_errors(*item);
    if (!is_worth_it(over_standing(errors), needed)) continue;
    std::vector<MenuItem> added = with_addition(added_, *item);
    HEFT_TRY(trial, from_pool(pool, item->name, added));
    if (is_worth_it(trial.gain, needed)) {
      accept(std::move(trial), item->family);
      added_ = std::move(added);
      return true;
    }
    refuse(trial.option, trial.gain, needed);
  }
  return false;
}

Result<bool> Search::revise_columns(const Pool& pool, const std::vector<MenuItem>& menu,
                                    std::size_t num_new) {
  if (!has_steps_left()) return false;
  for (std::size_t at = 0; at + num_new < added_.size(); ++at) {
    const MenuItem old = added_[at];
    std::vector<MenuItem> others = added_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    HEFT_TRY(without, from_pool(pool, removal_name(old.name), others));
    if (!without.errors.is_finite()) continue;
    const StableGain kept =
        stable_gain(without.errors, standing_.errors, division_sizes(options_.folds));
    if (!is_worth_it(kept)) {  // it has passed the test of its sign
      refuse(old.name, kept);
      accept(std::move(without), old.family);
      added_ = std::move(others);
      return true;
    }
    HEFT_TRY(candidates, ranked(pool, menu, others, without.weights));
    for (const auto& [item, errors] : candidates) {
      if (item->name == old.name) continue;
      const double needed = needed_errors(*item);
      if (!is_worth_it(over_standing(errors), needed)) continue;
      std::vector<MenuItem> added = with_addition(others, *item);
      HEFT_TRY(trial, from_pool(pool, exchange_name(item->name, old.name), added));
      if (!is_worth_it(trial.gain, needed)) continue;
      accept(std::move(trial), item->family);
      refused_.erase(item->name);
      refuse(old.name, kept);
      added_ = std::move(added);
      return true;
    }
  }
  return false;
}

}  // namespace heft::select
