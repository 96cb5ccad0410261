#include "heft/moments.hpp"

#include <cmath>

namespace heft {

Moments zero_moments(PlanPtr plan) {
  Moments moments;
  moments.packed.assign(plan->packed_size, 0.0);
  moments.num_rows.assign(plan->num_channels(), 0.0);
  moments.plan = std::move(plan);
  return moments;
}

Result<Done> add(Moments& into, const Moments& from) {
  if (into.plan->fingerprint != from.plan->fingerprint)
    return Error{"moments", "the two sets were made with different robots, channels or columns",
                 "make both with the same robot file and configuration"};
  for (std::size_t i = 0; i < into.packed.size(); ++i) into.packed[i] += from.packed[i];
  for (std::size_t c = 0; c < into.num_rows.size(); ++c) into.num_rows[c] += from.num_rows[c];
  return Done{};
}

void scale(Moments& moments, double factor) {
  for (double& sum : moments.packed) sum *= factor;
  for (double& rows : moments.num_rows) rows *= factor;
}

namespace {

/// One channel's triangle as a full symmetric matrix [y tau]'[y tau].
Eigen::MatrixXd channel_matrix(const Moments& moments, int channel) {
  const core::ChannelEntry& entry = moments.plan->channel_entries[channel];
  const double* packed = moments.packed.data() + entry.packed_offset;
  Eigen::MatrixXd matrix(entry.width, entry.width);
  for (int i = 0; i < entry.width; ++i)
    for (int j = i; j < entry.width; ++j)
      matrix(i, j) = matrix(j, i) = packed[core::packed_index(entry.width, i, j)];
  return matrix;
}

}  // namespace

NormalEquations normal_equations(const Moments& moments, const Eigen::VectorXd& channel_weights) {
  const RegressorPlan& plan = *moments.plan;
  const int num_columns = plan.num_structural_columns();
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(num_columns, num_columns);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(num_columns);
  NormalEquations equations;
  for (int c = 0; c < plan.num_channels(); ++c) {
    const double weight = channel_weights[c];
    if (weight == 0) continue;
    const Eigen::MatrixXd M = channel_matrix(moments, c);
    const std::vector<int>& columns = plan.channel_columns[c];
    const int tau = static_cast<int>(columns.size());
    for (int i = 0; i < tau; ++i) {
      for (int j = 0; j < tau; ++j) G(columns[i], columns[j]) += weight * M(i, j);
      b[columns[i]] += weight * M(i, tau);
    }
    equations.tau2 += weight * M(tau, tau);
    equations.num_rows += moments.num_rows[c];
  }
  const Eigen::SparseMatrix<double>& W = plan.regrouping;
  const Eigen::MatrixXd GW = G * W;
  equations.G = W.transpose() * GW;
  equations.G = (0.5 * (equations.G + equations.G.transpose())).eval();
  equations.b = W.transpose() * b;
  return equations;
}

double residual_sum(const Moments& moments, int channel, const Eigen::VectorXd& parameters) {
  const RegressorPlan& plan = *moments.plan;
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  const std::vector<int>& columns = plan.channel_columns[channel];
  Eigen::VectorXd row(columns.size() + 1);
  for (std::size_t i = 0; i < columns.size(); ++i) row[i] = structural[columns[i]];
  row[columns.size()] = -1;
  return row.dot(channel_matrix(moments, channel) * row);
}

}  // namespace heft
