#include "score_scan.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel_tasks.hpp"

namespace heft {

namespace {

/// A fault of the smallest size that tells a derivative from rounding.
struct SmallFault {
  const Fault* fault;
  double size;
  PlanPtr plan;
};

/// Derivatives of the weighted residuals of one stretch by the size of a fault, where the fault leaves rows.
Result<Eigen::ArrayXXd> derivative(const Profile& profile, const SmallFault& small, const Samples& stretch,
                                   const Eigen::ArrayXXd& predicted, const Eigen::VectorXd& parameters) {
  const Fault& fault = *small.fault;
  const Samples undone = fault.undone(stretch, small.size);
  Eigen::ArrayXXd now = predicted;
  if (fault.changes_torque_alone()) {
    for (Eigen::Index c = 0; c < now.cols(); ++c)
      low_pass(now.col(c), fault.lowpass_time_constant_s(static_cast<int>(c), small.size),
               period_of(stretch));
  } else {
    HEFT_TRY(changed, profile.predict(*small.plan, undone, parameters, &fault, small.size));
    now = std::move(changed);
  }
  const Eigen::ArrayXXd before = stretch.weight * (stretch.torque - predicted);
  const Eigen::ArrayXXd after = undone.weight * (undone.torque - now);
  return Eigen::ArrayXXd((undone.weight != 0).select((after - before) / small.size, 0.0));
}

/// What g and h of the header are made of; of one stretch, or of several one after the other.
struct Sums {
  Eigen::ArrayXd g, d2;    ///< by fault
  Eigen::MatrixXd rows_d;  ///< Y'd: structural columns x faults

  Sums() = default;
  Sums(const RegressorPlan& plan, Eigen::Index num_faults)
      : g(Eigen::ArrayXd::Zero(num_faults)),
        d2(Eigen::ArrayXd::Zero(num_faults)),
        rows_d(Eigen::MatrixXd::Zero(plan.num_structural_columns(), num_faults)) {}

  void add(const Sums& other) {
    g += other.g;
    d2 += other.d2;
    rows_d += other.rows_d;
  }
};

Result<Sums> sums_of(const Profile& profile, const std::vector<SmallFault>& small, const Samples& stretch,
                     const Eigen::VectorXd& parameters) {
  const HypothesisInput& input = profile.input();
  const RegressorPlan& plan = input.setup.plan();
  const auto num_faults = std::ssize(small);
  Sums sums(plan, num_faults);
  std::vector<RowArray> rows;
  HEFT_CHECK(profile.backend().evaluate_rows(plan, stretch, rows));
  HEFT_TRY(predicted, profile.predict(plan, stretch, parameters, nullptr, 0));
  const Eigen::ArrayXXd residual = stretch.weight * (stretch.torque - predicted);
  std::vector<Eigen::MatrixXd> d(rows.size(), Eigen::MatrixXd(stretch.size(), num_faults));
  for (Eigen::Index f = 0; f < num_faults; ++f) {
    HEFT_TRY(of_fault,
             derivative(profile, small[static_cast<std::size_t>(f)], stretch, predicted, parameters));
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const auto channel = static_cast<Eigen::Index>(c);
      const double w = input.channel_weights[channel];
      sums.g[f] += w * (of_fault.col(channel) * residual.col(channel)).sum();
      sums.d2[f] += w * of_fault.col(channel).square().sum();
      d[c].col(f) = w * of_fault.col(channel) * stretch.weight.col(channel);
    }
  }
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Eigen::MatrixXd products = rows[c].matrix().transpose() * d[c];
    const std::vector<int>& columns = plan.channel_columns[c];
    for (std::size_t k = 0; k < columns.size(); ++k)
      sums.rows_d.row(columns[k]) += products.row(static_cast<Eigen::Index>(k));
  }
  return sums;
}

}  // namespace

Result<std::vector<Promise>> scan(const Profile& profile, const Faults& faults, const Explained& answer,
                                  const Problem& problem) {
  const HypothesisInput& input = profile.input();
  const PlanPtr& plan = input.setup.model.plan;
  const auto num_faults = static_cast<Eigen::Index>(faults.size());
  std::vector<SmallFault> small;
  for (const auto& fault : faults) {
    const double size = 0.1 * fault->range().step;
    HEFT_TRY(changed, fault->plan(plan, size));
    small.push_back({fault.get(), size, std::move(changed)});
  }
  std::vector<Sums> of_stretches(input.training.stretches.size());
  const auto sum = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(sums, sums_of(profile, small, input.training.stretches[at], answer.parameters));
    of_stretches[at] = std::move(sums);
    return Done{};
  };
  const Workers& workers = profile.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(of_stretches), workers.num_threads, workers.progress,
                            "asking what faults promise", sum));
  Sums all(*plan, num_faults);
  for (const Sums& sums : of_stretches) all.add(sums);
  const Eigen::ArrayXd &g = all.g, &d2 = all.d2;
  const Eigen::MatrixXd by_parameter = plan->regrouping.transpose() * all.rows_d;
  const Eigen::MatrixXd v = problem.T.topRows(plan->layout.num_parameters()).transpose() * by_parameter;
  // the problem's objective is a mean of squares, not half their sum
  Eigen::MatrixXd H = 0.5 * problem.data.num_rows * problem.Q;
  // directions that nothing holds, of a problem without a prior
  H.diagonal().array() += 1e-12 * H.diagonal().maxCoeff();
  const Eigen::MatrixXd followed = H.llt().solve(v);
  std::vector<Promise> promises;
  for (Eigen::Index f = 0; f < num_faults; ++f) {
    // what the bodies follow altogether leaves rounding
    const double h = d2[f] - v.col(f).dot(followed.col(f));
    constexpr double kFollowed = 1e-6;
    Promise promise;
    if (h > kFollowed * d2[f]) {
      promise.size = faults[static_cast<std::size_t>(f)]->range().clamped(-g[f] / h);
      promise.fall = -(g[f] + 0.5 * h * promise.size) * promise.size;
    }
    promises.push_back(promise);
  }
  return promises;
}

}  // namespace heft
