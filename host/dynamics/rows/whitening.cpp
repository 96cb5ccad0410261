#include "rows/whitening.hpp"

#include <set>

#include "linalg/factorizations.hpp"

namespace heft {

namespace {

/// U, upper triangular, with U'U the inverse of a covariance.
Eigen::MatrixXd inverse_factor(const Eigen::MatrixXd& covariance) {
  // S = R R' with R upper triangular is the Cholesky factorisation in reversed order; U = R^-1
  const Eigen::MatrixXd reversed = covariance.reverse();
  const Eigen::MatrixXd L = reversed.llt().matrixL();
  const Eigen::MatrixXd R = L.reverse();
  return R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(R.rows(), R.cols()));
}

}  // namespace

PlanPtr whitened_plan(const PlanPtr& plan) {
  RegressorPlan whitened = *plan;
  whitened.whitened_from = plan;
  whitened.channel_entries.clear();
  whitened.packed_size = 0;
  for (int a = 0; a < plan->num_channels(); ++a) {
    std::set<int> columns;
    for (int b = a; b < plan->num_channels(); ++b)
      columns.insert(plan->channel_columns[b].begin(), plan->channel_columns[b].end());
    whitened.channel_columns[a].assign(columns.begin(), columns.end());
    const int width = static_cast<int>(columns.size()) + 1;
    whitened.channel_entries.push_back({width, whitened.packed_size});
    whitened.packed_size += core::packed_triangle(width);
  }
  return std::make_shared<const RegressorPlan>(std::move(whitened));
}

const Eigen::MatrixXd& Whitener::factor(const std::vector<bool>& used) {
  const auto [found, is_new] = factors_.try_emplace(used);
  if (!is_new) return found->second;
  std::vector<Eigen::Index> channels;
  for (std::size_t c = 0; c < used.size(); ++c)
    if (used[c]) channels.push_back(static_cast<Eigen::Index>(c));
  Eigen::MatrixXd& factor = found->second;
  factor.setZero(covariance_.rows(), covariance_.cols());
  if (!channels.empty())
    factor(channels, channels) = inverse_factor(covariance_(channels, channels));
  return factor;
}

}  // namespace heft
