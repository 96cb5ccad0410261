#include "score_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel_tasks.hpp"
#include "linalg/factorizations.hpp"
#include "solve/wide_product.hpp"
#include "thinned_samples.hpp"

namespace heft {

namespace {

/// The smallest fault whose difference quotient exceeds rounding.
struct SmallFault {
  const Fault* fault;
  double size;
  PlanPtr plan;
};

/// Predictions of the scan's estimate, and their residuals.
Result<Done> predict_stretches(const Profile& profile, Scan& scan) {
  const Excerpt& training = profile.input().training;
  std::vector<Eigen::ArrayXXd> predicted(training.stretches.size());
  const auto predict = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(torques, profile.predict(profile.input().setup.plan(), training.stretches[at],
                                      scan.answer.parameters, nullptr, 0));
    AskedStretch& asked = scan.stretches[at];
    asked.predicted = thinned(torques, scan.step);
    asked.residual = asked.few.weight * (asked.few.torque - asked.predicted);
    predicted[at] = std::move(torques);
    return Done{};
  };
  const Workers& workers = profile.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(scan.stretches), workers.num_threads, workers.progress,
                            "scoring faults", predict));
  scan.residuals = profile.residuals_of(training, std::move(predicted));
  return Done{};
}

/// Derivatives of the weighted residuals of one stretch by the size of a fault, where the fault
/// leaves rows.
Result<Eigen::ArrayXXd> derivative(const Profile& profile, const SmallFault& small,
                                   const Scan& scan, std::size_t at) {
  const Fault& fault = *small.fault;
  const AskedStretch& stretch = scan.stretches[at];
  Samples undone;
  Eigen::ArrayXXd now;
  if (fault.changes_torque_alone()) {  // along time
    now = stretch.predicted;
    for (Eigen::Index c = 0; c < now.cols(); ++c)
      if (const double constant_s = fault.lowpass_time_constant_s(static_cast<int>(c), small.size);
          constant_s > 0) {
        Eigen::ArrayXXd column = scan.residuals.predicted[at].col(c);
        low_pass(column, constant_s, period_of(stretch.torques));
        now.col(c) = thinned(column, scan.step);
      }
    undone = thinned(fault.undone(stretch.torques, small.size), scan.step);
  } else {
    undone = fault.undone(stretch.few, small.size);
    HEFT_TRY(changed,
             profile.predict(*small.plan, undone, scan.answer.parameters, &fault, small.size));
    now = std::move(changed);
  }
  const Eigen::ArrayXXd change =
      (undone.weight * (undone.torque - now) - stretch.residual) / small.size;
  return Eigen::ArrayXXd((undone.weight != 0).select(change, 0.0));
}

/// Terms of g and h in the header, for one stretch or several in sequence.
struct ScoreSums {
  Eigen::ArrayXd g, d2;    ///< by fault
  Eigen::MatrixXd rows_d;  ///< Y'd: structural columns x faults

  ScoreSums() = default;
  ScoreSums(const RegressorPlan& plan, Eigen::Index num_faults)
      : g(Eigen::ArrayXd::Zero(num_faults)),
        d2(Eigen::ArrayXd::Zero(num_faults)),
        rows_d(Eigen::MatrixXd::Zero(plan.num_structural_columns(), num_faults)) {}

  void add(const ScoreSums& other) {
    g += other.g;
    d2 += other.d2;
    rows_d += other.rows_d;
  }
};

Result<ScoreSums> score_sums(const Profile& profile, const std::vector<SmallFault>& small,
                             const Scan& scan, std::size_t at) {
  const HypothesisInput& input = profile.input();
  const RegressorPlan& plan = input.setup.plan();
  const auto num_faults = std::ssize(small);
  ScoreSums sums(plan, num_faults);
  const AskedStretch& stretch = scan.stretches[at];
  const Samples& few = stretch.few;
  std::vector<RowArray> rows;
  HEFT_CHECK(profile.backend().evaluate_rows(plan, few, rows));
  const Eigen::ArrayXXd& residual = stretch.residual;
  std::vector<Eigen::MatrixXd> d(rows.size(), Eigen::MatrixXd(few.size(), num_faults));
  std::vector<std::vector<Eigen::Index>> touching(rows.size());  // faults that change anything of a
                                                                 // channel
  for (Eigen::Index f = 0; f < num_faults; ++f) {
    HEFT_TRY(of_fault, derivative(profile, small[static_cast<std::size_t>(f)], scan, at));
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const auto channel = static_cast<Eigen::Index>(c);
      if ((of_fault.col(channel) == 0).all()) continue;
      const double w = input.channel_weights[channel];
      sums.g[f] += w * (of_fault.col(channel) * residual.col(channel)).sum();
      sums.d2[f] += w * of_fault.col(channel).square().sum();
      d[c].col(std::ssize(touching[c])) = w * of_fault.col(channel) * few.weight.col(channel);
      touching[c].push_back(f);
    }
  }
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Eigen::MatrixXd products =
        wide_product(rows[c].matrix(), d[c].leftCols(std::ssize(touching[c])));
    const std::vector<int>& columns = plan.channel_columns[c];
    for (Eigen::Index i = 0; i < std::ssize(touching[c]); ++i)
      for (std::size_t k = 0; k < columns.size(); ++k)
        sums.rows_d(columns[k], touching[c][static_cast<std::size_t>(i)]) +=
            products(static_cast<Eigen::Index>(k), i);
  }
  return sums;
}

double small_size(const Fault& fault) {
  return 0.1 * fault.range().step;
}

/// Sums of outlook().
struct Squares {
  double before = 0, after = 0, torque = 0, change = 0;
};

Result<Squares> squares_of(const Profile& profile, const SmallFault& small, const Promise& promise,
                           const Scan& scan, std::size_t at) {
  const AskedStretch& stretch = scan.stretches[at];
  const Samples& few = stretch.few;
  HEFT_TRY(by_size, derivative(profile, small, scan, at));
  HEFT_TRY(by_bodies,
           profile.predict(profile.input().setup.plan(), few, promise.followed, nullptr, 0));
  const Eigen::ArrayXXd &residual = stretch.residual, followed = few.weight * by_bodies,
                        changed = promise.size * by_size - followed;
  // unless the correction changes the measured torque, errors change as much as predictions
  const double change =
      small.fault->changes_torque_alone() ? followed.square().sum() : changed.square().sum();
  return Squares{residual.square().sum(), (residual + changed).square().sum(),
                 (few.weight * few.torque).square().sum(), change};
}

/// Expected gains at the scan's estimate of the problem.
Result<std::vector<Promise>> promises_of(const Profile& profile, const Faults& faults,
                                         const Problem& problem, const Scan& scan) {
  const PlanPtr& plan = profile.input().setup.model.plan;
  const auto num_faults = static_cast<Eigen::Index>(faults.size());
  std::vector<SmallFault> small;
  for (std::size_t k = 0; k < faults.size(); ++k)
    small.push_back({faults[k].get(), small_size(*faults[k]), scan.small_plans[k]});
  std::vector<ScoreSums> of_stretches(scan.stretches.size());
  const auto sum = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(sums, score_sums(profile, small, scan, at));
    of_stretches[at] = std::move(sums);
    return Done{};
  };
  const Workers& workers = profile.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(of_stretches), workers.num_threads, workers.progress,
                            "scoring faults", sum));
  ScoreSums all(*plan, num_faults);
  for (const ScoreSums& sums : of_stretches) all.add(sums);
  const Eigen::ArrayXd &g = all.g, &d2 = all.d2;
  const Eigen::MatrixXd by_parameter = plan->regrouping.transpose() * all.rows_d;
  const Eigen::MatrixXd v =
      problem.T.topRows(plan->layout.num_parameters()).transpose() * by_parameter;
  // the problem's objective is a mean of squares, not half their sum
  Eigen::MatrixXd H = 0.5 * problem.data.num_rows * problem.Q;
  // undetermined directions of a problem without a prior
  H.diagonal().array() += 1e-12 * H.diagonal().maxCoeff();
  const Eigen::MatrixXd followed = H.llt().solve(v);
  std::vector<Promise> promises;
  for (Eigen::Index f = 0; f < num_faults; ++f) {
    // a fault that the bodies absorb completely leaves only rounding
    const double h = d2[f] - v.col(f).dot(followed.col(f));
    constexpr double kFollowed = 1e-6;
    Promise promise;
    if (h > kFollowed * d2[f]) {
      promise.size = faults[static_cast<std::size_t>(f)]->range().clamped(-g[f] / h);
      // an evaluated sample represents its neighbors
      promise.fall =
          -(g[f] + 0.5 * h * promise.size) * promise.size * static_cast<double>(scan.step);
      promise.followed =
          promise.size * (problem.T.topRows(plan->layout.num_parameters()) * followed.col(f));
    }
    promises.push_back(promise);
  }
  return promises;
}

}  // namespace

Result<Scan> scan(const Profile& profile, const Faults& faults) {
  const HypothesisInput& input = profile.input();
  Scan scan{.step = step_of(input)};
  Excerpt few;
  for (const Samples& stretch : input.training.stretches) {
    scan.stretches.push_back(
        {.torques = {.time = stretch.time, .torque = stretch.torque, .weight = stretch.weight},
         .few = thinned(stretch, scan.step)});
    if (scan.step > 1) few.stretches.push_back(scan.stretches.back().few);
  }
  const HypothesisInput few_input = input.on(few, input.held_out);
  const Profile of_few(few_input, profile.workers());
  const Profile& asked = scan.step > 1 ? of_few : profile;
  HEFT_TRY(answer, asked.explain_as_it_is());
  scan.answer = std::move(answer);
  HEFT_CHECK(predict_stretches(profile, scan));
  for (const auto& fault : faults) {
    HEFT_TRY(plan, fault->plan(input.setup.model.plan, small_size(*fault)));
    scan.small_plans.push_back(std::move(plan));
  }
  HEFT_TRY(promises, promises_of(profile, faults, asked.problem_as_it_is(), scan));
  scan.promises = std::move(promises);
  return scan;
}

Result<Outlook> outlook(const Profile& profile, const Faults& faults, std::size_t k,
                        const Scan& scan) {
  const SmallFault small{faults[k].get(), small_size(*faults[k]), scan.small_plans[k]};
  Squares all;
  for (std::size_t at = 0; at < scan.stretches.size(); ++at) {
    HEFT_TRY(squares, squares_of(profile, small, scan.promises[k], scan, at));
    all.before += squares.before, all.after += squares.after;
    all.torque += squares.torque, all.change += squares.change;
  }
  return Outlook{std::sqrt(all.before / all.torque), std::sqrt(all.after / all.torque),
                 std::sqrt(all.change / all.torque)};
}

}  // namespace heft
