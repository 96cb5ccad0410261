#include "rows/row_stage.hpp"

#include "rows/projected_rows.hpp"

namespace heft {

namespace {

/// Structural columns and torque of every channel of a plan.
std::vector<std::vector<Eigen::Index>> places_of(const RegressorPlan& plan) {
  std::vector<std::vector<Eigen::Index>> places;
  for (const std::vector<int>& columns : plan.channel_columns) {
    places.emplace_back(columns.begin(), columns.end());
    places.back().push_back(plan.num_structural_columns());
  }
  return places;
}

}  // namespace

RowStage::RowStage(PlanPtr plan, const Eigen::MatrixXd& covariance) : plan_(std::move(plan)) {
  if (covariance.size() == 0) return;
  whitener_.emplace(covariance);
  places_ = places_of(*plan_->whitened_from);
}

Result<Done> RowStage::run(const Samples& block, Backend& backend, MadeRows& made) {
  const RowKind& kind = row_kind_of(block);
  if (has_unknown_wrenches(block) && !plan_->whitened_from)
    return Error{"contacts", "are not supported here: their rows mix channels",
                 "use heft identify, or remove contacts and measure the forces (wrenches)"};
  HEFT_CHECK(
      kind.make(plan_->whitened_from ? *plan_->whitened_from : *plan_, block, backend, made));
  if (whitener_) whiten(block, made.rows);
  return Done{};
}

void RowStage::whiten(const Samples& block, std::vector<RowArray>& rows) {
  const int num_channels = plan_->num_channels();
  const Eigen::Index num_columns = plan_->num_structural_columns() + 1;
  const std::vector<std::vector<Eigen::Index>> places = places_of(*plan_);
  std::vector<RowArray> whitened;
  for (const std::vector<Eigen::Index>& columns : places)
    whitened.emplace_back(block.size(), static_cast<Eigen::Index>(columns.size()));
  std::vector<bool> used(static_cast<std::size_t>(num_channels));
  // mixtures of a sample's rows over all columns; columns that do not affect a channel stay zero
  RowArray mixed(num_channels, num_columns);
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    for (int c = 0; c < num_channels; ++c) used[c] = block.weight(i, c) != 0;
    const Eigen::MatrixXd& U = whitener_->factor(used);
    mixed.setZero();
    for (int a = 0; a < num_channels; ++a)
      for (int b = a; b < num_channels; ++b) {
        const double share = U(a, b);
        if (share == 0) continue;
        for (std::size_t k = 0; k < places_[b].size(); ++k)
          mixed(a, places_[b][k]) += share * rows[b](i, static_cast<Eigen::Index>(k));
      }
    for (int a = 0; a < num_channels; ++a) whitened[a].row(i) = mixed.row(a)(places[a]);
  }
  rows = std::move(whitened);
}

}  // namespace heft
