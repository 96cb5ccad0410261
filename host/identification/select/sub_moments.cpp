#include "sub_moments.hpp"

#include <algorithm>

#include "heft/core/tree.hpp"
#include "rows/whitening.hpp"

namespace heft::select {

namespace {

/// Index of a column in the plan's layout by its name, -1 if it has none such.
int find_column(const RegressorPlan& plan, const std::string& name) {
  const std::vector<Column>& columns = plan.layout.columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

/// Positions in a channel's row of `from` of all positions in its row of `to`, the torque included.
std::vector<int> positions(const RegressorPlan& from, const RegressorPlan& to, int channel) {
  // structural columns of the bodies come first and are the same; extra columns follow one to one
  const int num_body_columns = from.num_structural_columns() - from.layout.num_columns();
  const std::vector<int>& row = from.channel_columns[channel];
  std::vector<int> result;
  for (int column : to.channel_columns[channel]) {
    if (column >= num_body_columns)
      column =
          num_body_columns + find_column(from, to.layout.columns[column - num_body_columns].name);
    result.push_back(static_cast<int>(std::find(row.begin(), row.end(), column) - row.begin()));
  }
  result.push_back(static_cast<int>(row.size()));
  return result;
}

}  // namespace

Result<PlanPtr> plan_with_columns(const RegressorPlan& plan, const std::vector<Column>& columns) {
  std::vector<Column> kept;
  for (const Column& column : columns) {
    const int index = find_column(plan, column.name);
    if (index < 0)
      return Error{"columns: " + column.name, "was not accumulated",
                   "add it to the menu before the logs are read"};
    kept.push_back(plan.layout.columns[index]);
  }
  HEFT_TRY(result, make_regressor_plan(plan.robot, plan.channels, std::move(kept)));
  return plan.whitened_from ? whitened_plan(result) : result;
}

Moments sub_moments(const Moments& moments, const PlanPtr& plan) {
  const RegressorPlan& from = *moments.plan;
  Moments result = zero_moments(plan);
  result.num_rows = moments.num_rows;
  for (int c = 0; c < plan->num_channels(); ++c) {
    const core::ChannelEntry &source = from.channel_entries[c], &target = plan->channel_entries[c];
    const std::vector<int> at = positions(from, *plan, c);
    for (int i = 0; i < target.width; ++i)
      for (int j = i; j < target.width; ++j) {
        const auto [low, high] = std::minmax(at[i], at[j]);
        result.packed[target.packed_offset + core::packed_index(target.width, i, j)] =
            moments.packed[source.packed_offset + core::packed_index(source.width, low, high)];
      }
  }
  return result;
}

std::vector<Fold> sub_folds(const std::vector<Fold>& folds, const PlanPtr& plan) {
  std::vector<Fold> result;
  for (const Fold& fold : folds) {
    const bool is_plain = !fold.held_out.plan->whitened_from && plan->whitened_from;
    result.push_back({sub_moments(fold.training, plan),
                      sub_moments(fold.held_out, is_plain ? plan->whitened_from : plan)});
  }
  return result;
}

}  // namespace heft::select
