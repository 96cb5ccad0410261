#include "heft/moments/moments.hpp"

#include <algorithm>
#include <cmath>

#include "add_numbers.hpp"
#include "linalg/sparse_congruence.hpp"
#include "model/same_layout.hpp"
#include "moments/channel_scores.hpp"

namespace heft {

Moments zero_moments(PlanPtr plan, Eigen::VectorXd summed_weights) {
  Moments moments;
  moments.packed.assign(packed_size(*plan, {.channel_weights = summed_weights}), 0.0);
  moments.num_rows.assign(plan->num_channels(), 0.0);
  moments.summed_weights = std::move(summed_weights);
  moments.plan = std::move(plan);
  return moments;
}

Result<Done> add(Moments& into, const Moments& from) {
  if (const std::string difference = layout_difference(*into.plan, *from.plan); !difference.empty())
    return Error{"moments",
                 "the two sets were made with different robots, channels or columns: " + difference,
                 "accumulate both with the same robot file and configuration"};
  const bool equal_forms =
      into.is_summed() == from.is_summed() && into.summed_weights == from.summed_weights;
  if (!equal_forms)
    return Error{"moments", "the two sets are summed over the channels differently",
                 "accumulate both per channel, or with the same channel weights"};
  add_numbers(from.packed.data(), into.packed);
  for (std::size_t c = 0; c < into.num_rows.size(); ++c) into.num_rows[c] += from.num_rows[c];
  return Done{};
}

void scale(Moments& moments, double factor) {
  for (double& sum : moments.packed) sum *= factor;
  for (double& rows : moments.num_rows) rows *= factor;
}

namespace {

/// A packed triangle as a full symmetric matrix [y tau]'[y tau].
Eigen::MatrixXd unpacked(const double* packed, int width) {
  Eigen::MatrixXd matrix(width, width);
  for (int i = 0; i < width; ++i)
    for (int j = i; j < width; ++j)
      matrix(i, j) = matrix(j, i) = packed[core::packed_index(width, i, j)];
  return matrix;
}

/// The packed triangle of a channel.
const double* triangle_of(const Moments& moments, int channel) {
  return moments.packed.data() + moments.plan->channel_entries[channel].packed_offset;
}

/// Of every place, where the run of successive columns ends that it is in.
std::vector<std::size_t> ends_of_runs(const std::vector<int>& columns) {
  std::vector<std::size_t> ends(columns.size(), columns.size());
  for (std::size_t i = columns.size(); i-- > 1;)
    ends[i - 1] = columns[i] == columns[i - 1] + 1 ? ends[i] : i;
  return ends;
}

/// The structural columns' normal equations.
NormalEquations structural_equations(const Moments& moments,
                                     const Eigen::VectorXd& channel_weights) {
  const RegressorPlan& plan = *moments.plan;
  const int num_columns = plan.num_structural_columns();
  const Eigen::VectorXd& weights = moments.is_summed() ? moments.summed_weights : channel_weights;
  NormalEquations equations;
  equations.G.setZero(num_columns, num_columns);
  equations.b.setZero(num_columns);
  for (int c = 0; c < plan.num_channels(); ++c)
    if (weights[c] != 0) equations.num_rows += moments.num_rows[c];
  if (moments.is_summed()) {
    const Eigen::MatrixXd M = unpacked(moments.packed.data(), plan.summed_width);
    equations.G = M.topLeftCorner(num_columns, num_columns);
    equations.b = M.col(num_columns).head(num_columns);
    equations.tau2 = M(num_columns, num_columns);
    return equations;
  }
  for (int c = 0; c < plan.num_channels(); ++c) {
    const double weight = weights[c];
    if (weight == 0) continue;
    const std::vector<int>& columns = plan.channel_columns[c];
    const double* product = triangle_of(moments, c);  // one after the other
    const std::vector<std::size_t> ends = ends_of_runs(columns);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      double* const column = equations.G.col(columns[i]).data();  // whichever side of the diagonal
                                                                  // that is
      for (std::size_t j = i; j < columns.size(); j = ends[j]) {
        const auto count = static_cast<Eigen::Index>(ends[j] - j);
        if (count == 1) {  // such as friction
          column[columns[j]] += weight * *product++;
          continue;
        }
        Eigen::Map<Eigen::VectorXd>(column + columns[j], count) +=
            weight * Eigen::Map<const Eigen::VectorXd>(product, count);
        product += count;
      }
      equations.b[columns[i]] += weight * *product++;
    }
    equations.tau2 += weight * *product;
  }
  // every product stands on one side
  for (Eigen::Index j = 0; j < num_columns; ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      equations.G(i, j) = equations.G(j, i) = equations.G(i, j) + equations.G(j, i);
  return equations;
}

}  // namespace

NormalEquations normal_equations(const Moments& moments, const Eigen::VectorXd& channel_weights) {
  NormalEquations equations = structural_equations(moments, channel_weights);
  const Eigen::SparseMatrix<double>& W = moments.plan->regrouping;
  equations.G = sparse_congruence(equations.G, W);
  equations.b = (W.transpose() * equations.b).eval();
  return equations;
}

ChannelScores channel_scores(const Moments& moments, int channel,
                             const Eigen::VectorXd& parameters) {
  const RegressorPlan& plan = *moments.plan;
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  const std::vector<int>& columns = plan.channel_columns[channel];
  const auto size = static_cast<Eigen::Index>(columns.size());
  const Eigen::VectorXd x = structural(columns);
  Eigen::VectorXd predicted = Eigen::VectorXd::Zero(size), measured(size);
  const double* product = triangle_of(moments, channel);  // one after the other
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::Index rest = size - i - 1;
    const Eigen::Map<const Eigen::VectorXd> beside(product + 1, rest);
    predicted[i] += *product * x[i] + beside.dot(x.tail(rest));
    predicted.tail(rest) += x[i] * beside;
    measured[i] = product[1 + rest];
    product += 2 + rest;
  }
  const auto regrouped_sum = [&](const Eigen::VectorXd& of_channel) -> Eigen::VectorXd {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(plan.num_structural_columns());
    all(columns) = of_channel;
    return plan.regrouping.transpose() * all;
  };
  return {regrouped_sum(predicted), regrouped_sum(measured - predicted)};
}

double residual_sum(const Moments& moments, int channel, const Eigen::VectorXd& parameters) {
  const RegressorPlan& plan = *moments.plan;
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  const std::vector<int>& columns = plan.channel_columns[channel];
  Eigen::VectorXd row(columns.size() + 1);
  for (std::size_t i = 0; i < columns.size(); ++i) row[i] = structural[columns[i]];
  row[columns.size()] = -1;
  const double* product = triangle_of(moments, channel);  // one after the other
  double sum = 0;
  for (Eigen::Index i = 0; i < row.size(); ++i) {
    const Eigen::Index rest = row.size() - i - 1;
    const Eigen::Map<const Eigen::VectorXd> beside(product + 1, rest);
    sum += row[i] * (*product * row[i] + 2 * beside.dot(row.tail(rest)));
    product += 1 + rest;
  }
  return sum;
}

double squared_error(const Moments& moments, const Eigen::VectorXd& parameters) {
  double sum = 0;
  for (int c = 0; c < moments.plan->num_channels(); ++c)
    sum += std::max(0.0, residual_sum(moments, c, parameters));
  return sum;
}

}  // namespace heft
