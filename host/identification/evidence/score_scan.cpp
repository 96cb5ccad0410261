#include "score_scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/parallel_tasks.hpp"
#include "executor/torque_changes.hpp"
#include "linalg/factorizations.hpp"
#include "solve/wide_product.hpp"
#include "thinned_samples.hpp"

namespace heft {

namespace {

/// The smallest fault whose difference quotient exceeds rounding.
struct SmallFault {
  const Fault* fault;
  double size;
  PlanPtr plan;                      ///< null if there is a change of a frame
  std::optional<FrameChange> frame;  ///< that is all of it
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

/// The difference quotient of weighted residuals where the fault leaves rows.
template <class Weight, class Torque, class Predicted, class Residual>
Eigen::ArrayXXd quotient(const Weight& weight, const Torque& torque, const Predicted& predicted,
                         const Residual& residual, double size) {
  return (weight != 0).select((weight * (torque - predicted) - residual) / size, 0.0);
}

/// Of a fault that changes torques alone: along time, only the channels that it changes.
Derivative derivative_of_torques(const Fault& fault, double size, const Scan& scan,
                                 std::size_t at) {
  const AskedStretch& stretch = scan.stretches[at];
  const Eigen::Index first = std::max(0, fault.channel()),
                     end = fault.channel() < 0 ? stretch.residual.cols() : first + 1;
  Derivative derivative{first, Eigen::ArrayXXd(stretch.residual.rows(), end - first)};
  for (Eigen::Index c = first; c < end; ++c) {
    const int channel = static_cast<int>(c);
    Eigen::ArrayXd predicted = stretch.predicted.col(c);
    if (const double constant_s = fault.lowpass_time_constant_s(channel, size); constant_s > 0) {
      Eigen::ArrayXXd column = scan.residuals.predicted[at].col(c);
      low_pass(column, constant_s, period_of(stretch.torques));
      predicted = thinned(column, scan.step);
    }
    const ChannelRows undone = fault.undone_rows(stretch.torques, channel, size, scan.step);
    derivative.columns.col(c - first) =
        quotient(undone.weight, undone.torque, predicted, stretch.residual.col(c), size);
  }
  return derivative;
}

Result<Derivative> derivative_of(const Profile& profile, const SmallFault& small, const Scan& scan,
                                 std::size_t at) {
  const Fault& fault = *small.fault;
  if (fault.changes_torque_alone()) return derivative_of_torques(fault, small.size, scan, at);
  const AskedStretch& stretch = scan.stretches[at];
  const Samples undone = fault.undone(stretch.few, small.size);
  HEFT_TRY(now, profile.predict(*small.plan, undone, scan.answer.parameters, &fault, small.size));
  return Derivative{0, quotient(undone.weight, undone.torque, now, stretch.residual, small.size)};
}

/// Derivatives of one stretch by the sizes of all faults.
Result<std::vector<Derivative>> derivatives_of(const Profile& profile,
                                               const std::vector<SmallFault>& small,
                                               const Scan& scan, std::size_t at) {
  const AskedStretch& stretch = scan.stretches[at];
  std::vector<FrameChange> frames;
  for (const SmallFault& one : small)
    if (one.frame) frames.push_back(*one.frame);
  HEFT_TRY(changes, torque_changes(profile.input().setup.plan(), stretch.few,
                                   scan.answer.parameters, frames));
  std::vector<Derivative> derivatives;
  std::size_t frame = 0;
  for (const SmallFault& one : small) {
    if (one.frame) {
      derivatives.push_back({0, -stretch.few.weight * changes[frame++] / one.size});
    } else {
      HEFT_TRY(derivative, derivative_of(profile, one, scan, at));
      derivatives.push_back(std::move(derivative));
    }
  }
  return derivatives;
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

ScoreSums score_sums(const Profile& profile, const std::vector<Derivative>& derivatives,
                     const AskedStretch& stretch) {
  const HypothesisInput& input = profile.input();
  const RegressorPlan& plan = input.setup.plan();
  const auto num_faults = std::ssize(derivatives);
  ScoreSums sums(plan, num_faults);
  const Samples& few = stretch.few;
  const std::vector<RowArray>& rows = stretch.rows;
  Eigen::MatrixXd d(few.size(), num_faults);
  std::vector<Eigen::Index> touching;  // faults that change anything of a channel
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const auto channel = static_cast<Eigen::Index>(c);
    const double w = input.channel_weights[channel];
    const Eigen::ArrayXd weight = w * few.weight.col(channel);
    touching.clear();
    for (Eigen::Index f = 0; f < num_faults; ++f) {
      const auto& [first, columns] = derivatives[static_cast<std::size_t>(f)];
      if (channel < first || channel >= first + columns.cols()) continue;
      const auto by_size = columns.col(channel - first);
      if ((by_size == 0).all()) continue;
      sums.g[f] += w * (by_size * stretch.residual.col(channel)).sum();
      sums.d2[f] += w * by_size.square().sum();
      d.col(std::ssize(touching)) = weight * by_size;
      touching.push_back(f);
    }
    const Eigen::MatrixXd products =
        wide_product(rows[c].matrix(), d.leftCols(std::ssize(touching)));
    const std::vector<int>& structural = plan.channel_columns[c];
    for (Eigen::Index i = 0; i < std::ssize(touching); ++i)
      for (std::size_t k = 0; k < structural.size(); ++k)
        sums.rows_d(structural[k], touching[static_cast<std::size_t>(i)]) +=
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

/// Torques of the few samples, by their rows unless those are filtered.
Result<Eigen::ArrayXXd> predict_few(const Profile& profile, const AskedStretch& stretch,
                                    const Eigen::VectorXd& parameters) {
  const RegressorPlan& plan = profile.input().setup.plan();
  if (stretch.few.unfiltered) return profile.predict(plan, stretch.few, parameters, nullptr, 0);
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  Eigen::ArrayXXd torques(stretch.few.size(), plan.num_channels());
  for (std::size_t c = 0; c < stretch.rows.size(); ++c)
    torques.col(static_cast<Eigen::Index>(c)) =
        stretch.rows[c].matrix() * structural(plan.channel_columns[c]);
  return torques;
}

Result<Squares> squares_of(const Profile& profile, const Fault& fault, const Promise& promise,
                           const AskedStretch& stretch, const Derivative& by_size) {
  const Samples& few = stretch.few;
  HEFT_TRY(by_bodies, predict_few(profile, stretch, promise.followed));
  const Eigen::ArrayXXd &residual = stretch.residual, followed = few.weight * by_bodies;
  Eigen::ArrayXXd changed = -followed;
  changed.middleCols(by_size.first_channel, by_size.columns.cols()) +=
      promise.size * by_size.columns;
  // unless the correction changes the measured torque, errors change as much as predictions
  const double change =
      fault.changes_torque_alone() ? followed.square().sum() : changed.square().sum();
  return Squares{residual.square().sum(), (residual + changed).square().sum(),
                 (few.weight * few.torque).square().sum(), change};
}

/// Derivatives by the sizes of all faults for every stretch, and sums over them.
Result<ScoreSums> differentiate(const Profile& profile, const Faults& faults, Scan& scan) {
  const PlanPtr& plan = profile.input().setup.model.plan;
  const bool is_filtered =
      std::any_of(scan.stretches.begin(), scan.stretches.end(),
                  [](const AskedStretch& stretch) { return stretch.few.unfiltered != nullptr; });
  std::vector<SmallFault> small;
  for (const auto& fault : faults) {
    SmallFault one{.fault = fault.get(), .size = small_size(*fault)};
    if (!is_filtered) one.frame = fault->frame_change(*plan, one.size);
    if (one.frame && !can_change(*plan, *one.frame)) one.frame.reset();
    if (!one.frame) {
      HEFT_TRY(changed, fault->plan(plan, one.size));
      one.plan = std::move(changed);
    }
    small.push_back(std::move(one));
  }
  std::vector<ScoreSums> of_stretches(scan.stretches.size());
  scan.derivatives.resize(scan.stretches.size());
  const auto sum = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(derivatives, derivatives_of(profile, small, scan, at));
    scan.derivatives[at] = std::move(derivatives);
    HEFT_CHECK(
        profile.backend().evaluate_rows(*plan, scan.stretches[at].few, scan.stretches[at].rows));
    of_stretches[at] = score_sums(profile, scan.derivatives[at], scan.stretches[at]);
    return Done{};
  };
  const Workers& workers = profile.workers();
  HEFT_CHECK(parallel_tasks(std::ssize(of_stretches), workers.num_threads, workers.progress,
                            "scoring faults", sum));
  ScoreSums all(*plan, std::ssize(faults));
  for (const ScoreSums& sums : of_stretches) all.add(sums);
  return all;
}

/// Expected gains at the scan's estimate of the problem.
std::vector<Promise> promises_of(const RegressorPlan& plan, const Faults& faults,
                                 const Problem& problem, const ScoreSums& all, Eigen::Index step) {
  const Eigen::ArrayXd &g = all.g, &d2 = all.d2;
  const Eigen::MatrixXd by_parameter = plan.regrouping.transpose() * all.rows_d;
  const Eigen::MatrixXd v =
      problem.T.topRows(plan.layout.num_parameters()).transpose() * by_parameter;
  // the problem's objective is a mean of squares, not half their sum
  Eigen::MatrixXd H = 0.5 * problem.data.num_rows * problem.Q;
  // undetermined directions of a problem without a prior
  H.diagonal().array() += 1e-12 * H.diagonal().maxCoeff();
  const Eigen::MatrixXd followed = H.llt().solve(v);
  std::vector<Promise> promises;
  for (Eigen::Index f = 0; f < g.size(); ++f) {
    // a fault that the bodies absorb completely leaves only rounding
    const double h = d2[f] - v.col(f).dot(followed.col(f));
    constexpr double kFollowed = 1e-6;
    Promise promise;
    if (h > kFollowed * d2[f]) {
      promise.size = faults[static_cast<std::size_t>(f)]->range().clamped(-g[f] / h);
      // an evaluated sample represents its neighbors
      promise.fall = -(g[f] + 0.5 * h * promise.size) * promise.size * static_cast<double>(step);
      promise.followed =
          promise.size * (problem.T.topRows(plan.layout.num_parameters()) * followed.col(f));
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
  HEFT_TRY(sums, differentiate(profile, faults, scan));
  scan.promises =
      promises_of(input.setup.plan(), faults, asked.problem_as_it_is(), sums, scan.step);
  return scan;
}

Result<Outlook> outlook(const Profile& profile, const Faults& faults, std::size_t k,
                        const Scan& scan) {
  Squares all;
  for (std::size_t at = 0; at < scan.stretches.size(); ++at) {
    HEFT_TRY(squares, squares_of(profile, *faults[k], scan.promises[k], scan.stretches[at],
                                 scan.derivatives[at][k]));
    all.before += squares.before, all.after += squares.after;
    all.torque += squares.torque, all.change += squares.change;
  }
  return Outlook{std::sqrt(all.before / all.torque), std::sqrt(all.after / all.torque),
                 std::sqrt(all.change / all.torque)};
}

}  // namespace heft
