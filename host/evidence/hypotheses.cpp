#include "evidence/hypotheses.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "heft/moments/moments.hpp"
#include "heft/solve/problem.hpp"
#include "one_fault.hpp"
#include "rows/filtered_prediction.hpp"

namespace heft {

namespace {

constexpr double kWorthRefining = 2;           ///< nats that a first parabola must promise
constexpr std::size_t kMostRefined = 6;        ///< of the most promising: one fault shows in several sizes
constexpr double kLeastGain = 3;               ///< nats on the training logs: below it is chance
constexpr double kWithin = 0.98;               ///< of the range of sizes
constexpr int kMaxLags = 100;                  ///< of autocorrelations
constexpr double kInterval = 1.96 * 1.96 / 2;  ///< fall of the log-likelihood at the ends of a 95 % interval

/// What one size of one fault makes of the logs.
struct Explained {
  double size = 0;
  double objective = 0;  ///< N times the problem's, prior and all: what is least at the best size
  double data = 0;       ///< the share of the squares in it
  Eigen::VectorXd parameters;
};

/// Residuals of every stretch, num_samples x num_channels, and which rows count.
struct Residuals {
  std::vector<Eigen::ArrayXXd> error, used;
  Eigen::ArrayXd error2, torque2, num_rows;  ///< by channel
};

/// Their moments: added up stretch after stretch, without the tree that makes sums of long logs exact.
Result<Moments> moments_of(const PlanPtr& plan, const std::vector<Samples>& stretches, Backend& backend) {
  const bool has_filtered_rows = std::any_of(stretches.begin(), stretches.end(),
                                             [](const Samples& s) { return s.unfiltered != nullptr; });
  if (has_filtered_rows) {
    MomentAccumulator accumulator(plan, backend);
    for (std::size_t i = 0; i < stretches.size(); ++i)
      HEFT_CHECK(accumulator.push(static_cast<int>(i), stretches[i]));
    return accumulator.finish();
  }
  std::vector<AccumulateJob> jobs;
  for (const Samples& stretch : stretches)
    jobs.push_back({.plan = plan.get(),
                    .samples = &stretch,
                    .count = stretch.size(),
                    .chunk = static_cast<int>(stretch.size())});
  std::vector<std::vector<double>> partials(jobs.size());
  HEFT_CHECK(backend.accumulate(jobs, partials));
  Moments moments = zero_moments(plan);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (std::size_t k = 0; k < moments.packed.size(); ++k) moments.packed[k] += partials[i][k];
    for (std::size_t c = 0; c < moments.num_rows.size(); ++c)
      moments.num_rows[c] +=
          static_cast<double>((stretches[i].weight.col(static_cast<Eigen::Index>(c)) != 0).count());
  }
  return moments;
}

class FaultTest {
 public:
  FaultTest(const HypothesisInput& input, Backend& backend) : input_(input), backend_(backend) {}

  /// Solves the training excerpt with a fault of this size undone.
  Result<Explained> explain(const OneFault& fault, double size) const {
    const PlanPtr& plan = input_.setup.model.plan;
    std::vector<Samples> undone;
    for (const Samples& stretch : input_.training.stretches) undone.push_back(fault.undone(stretch, size));
    HEFT_TRY(moments, moments_of(plan, undone, backend_));
    const NormalEquations equations = normal_equations(moments, input_.channel_weights);
    HEFT_TRY(problem, make_problem(plan->layout, equations, input_.setup.prior, input_.setup.constraints));
    HEFT_TRY(solution, solve(problem, input_.solve));
    Explained explained{.size = size,
                        .objective = equations.num_rows * solution.objective,
                        .parameters = solution.x.head(plan->layout.num_parameters())};
    for (int c = 0; c < plan->num_channels(); ++c)
      explained.data += 0.5 * input_.channel_weights[c] * residual_sum(moments, c, explained.parameters);
    return explained;
  }

  Result<Residuals> residuals(const Excerpt& excerpt, const OneFault& fault,
                              const Explained& explained) const {
    Residuals residuals;
    const int num_channels = input_.setup.plan().num_channels();
    residuals.error2 = residuals.torque2 = residuals.num_rows = Eigen::ArrayXd::Zero(num_channels);
    for (const Samples& stretch : excerpt.stretches) {
      const Samples undone = fault.undone(stretch, explained.size);
      HEFT_TRY(predicted, predict(undone, explained.parameters));
      // weights undo what a scale did to the torque: errors are those of the torque that was measured
      const Eigen::ArrayXXd used = (undone.weight != 0).cast<double>();
      residuals.error.push_back(undone.weight * (undone.torque - predicted));
      residuals.used.push_back(used);
      residuals.error2 += residuals.error.back().square().colwise().sum().transpose();
      residuals.torque2 += (undone.weight * undone.torque).square().colwise().sum().transpose();
      residuals.num_rows += used.colwise().sum().transpose();
    }
    return residuals;
  }

  /// rms of the change of what is predicted for the training logs, relative to it.
  Result<double> torque_change(const OneFault& fault, const Explained& without, const Explained& with) const {
    double change2 = 0, torque2 = 0;
    for (const Samples& stretch : input_.training.stretches) {
      const Samples undone = fault.undone(stretch, with.size);
      HEFT_TRY(before, predict(stretch, without.parameters));
      HEFT_TRY(after, predict(undone, with.parameters));
      change2 += (after - before).square().sum();
      torque2 += before.square().sum();
    }
    return std::sqrt(change2 / torque2);
  }

 private:
  Result<Eigen::ArrayXXd> predict(const Samples& samples, const Eigen::VectorXd& parameters) const {
    const PredictJob job{&input_.setup.plan(), &samples, &parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend_, {&job, 1}, {&predicted, 1}));
    return predicted;
  }

  const HypothesisInput& input_;
  Backend& backend_;
};

/// kappa of the header, by channel: sums of autocorrelations up to the first lag at which they vanish.
Eigen::ArrayXd rows_worth_one(const Residuals& residuals) {
  const Eigen::Index num_channels = residuals.error2.size();
  Eigen::ArrayXd kappa = Eigen::ArrayXd::Ones(num_channels);
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    if (!(residuals.error2[c] > 0)) continue;
    for (Eigen::Index lag = 1; lag <= kMaxLags; ++lag) {
      double product = 0;
      for (const Eigen::ArrayXXd& error : residuals.error)
        if (error.rows() > lag)
          product += (error.col(c).head(error.rows() - lag) * error.col(c).tail(error.rows() - lag)).sum();
      const double correlation = product / residuals.error2[c];
      if (!(correlation > 0)) break;
      kappa[c] += 2 * correlation;
    }
  }
  return kappa;
}

double gain_of(const Residuals& without, const Residuals& with, const Eigen::ArrayXd& kappa) {
  double nats = 0;
  for (Eigen::Index c = 0; c < kappa.size(); ++c)
    if (with.num_rows[c] > 0 && without.error2[c] > 0 && with.error2[c] > 0)
      nats += with.num_rows[c] / (2 * kappa[c]) * std::log(without.error2[c] / with.error2[c]);
  return nats;
}

double relative_error(const Residuals& residuals) {
  return std::sqrt(residuals.error2.sum() / residuals.torque2.sum());
}

/// Least of the parabola through three sizes; none where it is not curved upwards.
std::optional<double> least_of(const Explained& a, const Explained& b, const Explained& c) {
  const double ab = (b.objective - a.objective) / (b.size - a.size),
               bc = (c.objective - b.objective) / (c.size - b.size);
  const double curvature = (bc - ab) / (c.size - a.size);
  if (!(curvature > 0)) return std::nullopt;
  return 0.5 * (a.size + b.size - ab / curvature);
}

/// A step at which the objective is still close to its parabola.
double first_step(FaultKind kind) {
  switch (kind) {
    case FaultKind::torque_scale:
      return 0.05;
    case FaultKind::torque_delay:
      return 0.004;  // s
    case FaultKind::joint_zero:
      break;
  }
  return 0.02;  // rad
}

/// Up to a tenth of a second, as far as stretches are long enough to lose it at both ends [s].
double longest_delay(const Excerpt& excerpt) {
  double longest = 0.1;
  for (const Samples& stretch : excerpt.stretches)
    longest = std::min(longest, 0.15 * (stretch.time[stretch.size() - 1] - stretch.time[0]));
  return longest;
}

std::vector<OneFault> faults_of(const RegressorPlan& plan, double longest_delay) {
  std::vector<OneFault> faults;
  const bool tries_delays = longest_delay > 2 * first_step(FaultKind::torque_delay);
  if (tries_delays) faults.push_back({FaultKind::torque_delay, -1, -1, longest_delay});
  for (int c = 0; c < plan.num_channels(); ++c) {
    const int coordinate = plan.channels[static_cast<std::size_t>(c)].coordinate;
    if (coordinate < 0) continue;
    const Coordinate& joint = plan.robot.coordinates[static_cast<std::size_t>(coordinate)];
    faults.push_back({FaultKind::torque_scale, c, coordinate, std::log(3000.0)});
    if (tries_delays) faults.push_back({FaultKind::torque_delay, c, coordinate, longest_delay});
    if (joint.is_angle) faults.push_back({FaultKind::joint_zero, c, coordinate, 0.5});
  }
  return faults;
}

/// The size at which the objective is least: parabolas through the three sizes nearest to the least, first around none.
class SizeSearch {
 public:
  SizeSearch(const FaultTest& test, const OneFault& fault) : test_(&test), fault_(fault) {}

  const OneFault& fault() const { return fault_; }

  /// The first three sizes. `nothing_undone`: the middle one, if it is known.
  Result<Done> begin(const Explained* nothing_undone) {
    const double step = first_step(fault_.kind);
    for (const double size : {-step, 0.0, step}) {
      if (size == 0 && nothing_undone) {
        tried_.push_back(*nothing_undone);
        continue;
      }
      HEFT_TRY(explained, test_->explain(fault_, size));
      tried_.push_back(std::move(explained));
    }
    return Done{};
  }

  /// By which the objective falls at the least of a parabola through them; not after refine().
  double promised_fall() const {
    const double step = first_step(fault_.kind);
    const double curvature =
        (tried_[0].objective - 2 * tried_[1].objective + tried_[2].objective) / (step * step);
    const double slope = (tried_[2].objective - tried_[0].objective) / (2 * step);
    const double end = slope > 0 ? -fault_.max_size : fault_.max_size;  // towards which it falls
    const double at = curvature > 0 ? std::clamp(-slope / curvature, -fault_.max_size, fault_.max_size) : end;
    return std::abs(slope * at + 0.5 * curvature * at * at);
  }

  Result<Done> refine() {
    constexpr int kMaxRounds = 8;
    for (int round = 0; round < kMaxRounds; ++round) {
      const auto [a, b, c] = around_least();
      const auto guess = least_of(tried_[a], tried_[b], tried_[c]);
      const double down = tried_[a].objective < tried_[c].objective ? -1 : 1;
      const double reach = 3 * std::max(std::abs(tried_[c].size - tried_[a].size), first_step(fault_.kind));
      double size = guess.value_or(tried_[b].size + down * reach);
      size = std::clamp(size, tried_[b].size - reach, tried_[b].size + reach);
      size = std::clamp(size, -fault_.max_size, fault_.max_size);
      const bool is_new = std::none_of(tried_.begin(), tried_.end(), [&](const Explained& e) {
        return std::abs(e.size - size) < 1e-3 * first_step(fault_.kind) + 1e-3 * std::abs(size);
      });
      if (!is_new) break;
      HEFT_TRY(explained, test_->explain(fault_, size));
      tried_.push_back(std::move(explained));
      std::sort(tried_.begin(), tried_.end(),
                [](const Explained& x, const Explained& y) { return x.size < y.size; });
    }
    return Done{};
  }

  const Explained& best() const {
    return *std::min_element(tried_.begin(), tried_.end(), [](const Explained& x, const Explained& y) {
      return x.objective < y.objective;
    });
  }
  const Explained& nothing_undone() const {
    return *std::min_element(tried_.begin(), tried_.end(), [](const Explained& x, const Explained& y) {
      return std::abs(x.size) < std::abs(y.size);
    });
  }

  /// Second derivative of the objective at the best size.
  double curvature() const {
    const auto [a, b, c] = around_least();
    const double ab = (tried_[b].objective - tried_[a].objective) / (tried_[b].size - tried_[a].size);
    const double bc = (tried_[c].objective - tried_[b].objective) / (tried_[c].size - tried_[b].size);
    return 2 * (bc - ab) / (tried_[c].size - tried_[a].size);
  }

 private:
  struct Three {
    std::size_t a, b, c;
  };
  Three around_least() const {
    auto least = static_cast<std::size_t>(&best() - tried_.data());
    least = std::clamp<std::size_t>(least, 1, tried_.size() - 2);
    return {least - 1, least, least + 1};
  }

  const FaultTest* test_;
  OneFault fault_;
  std::vector<Explained> tried_;  ///< by increasing size
};

Result<std::optional<Hypothesis>> judged(const HypothesisInput& input, const FaultTest& test,
                                         const OneFault& fault, const SizeSearch& search) {
  const Explained &without = search.nothing_undone(), &with = search.best();
  // at the end of what is looked for there is no estimate
  if (std::abs(with.size) > kWithin * fault.max_size) return std::optional<Hypothesis>();
  HEFT_TRY(before, test.residuals(input.training, fault, without));
  HEFT_TRY(after, test.residuals(input.training, fault, with));
  const Eigen::ArrayXd kappa = rows_worth_one(after);
  const double mean_kappa = std::max(1.0, kappa.mean());
  const double change_of_prior =
      ((without.objective - without.data) - (with.objective - with.data)) / mean_kappa;
  const RegressorPlan& plan = input.setup.plan();
  Hypothesis hypothesis{.id = id_of(fault),
                        .value = option_value(fault, with.size),
                        .unit = unit_of(fault, plan),
                        .gain_training = gain_of(before, after, kappa) + change_of_prior};
  if (!(hypothesis.gain_training >= kLeastGain)) return std::optional<Hypothesis>();
  if (fault.coordinate >= 0)
    hypothesis.joint = plan.robot.coordinates[static_cast<std::size_t>(fault.coordinate)].name;
  const double half = std::sqrt(2 * kInterval * mean_kappa / std::max(search.curvature(), 1e-300));
  const double ends[] = {option_value(fault, with.size - half), option_value(fault, with.size + half)};
  hypothesis.lower = std::min(ends[0], ends[1]);
  hypothesis.upper = std::max(ends[0], ends[1]);
  HEFT_TRY(change, test.torque_change(fault, without, with));
  hypothesis.torque_change = change;
  hypothesis.training_before = relative_error(before);
  hypothesis.training_after = relative_error(after);
  hypothesis.yaml = yaml_of(fault, with.size, plan, input.log, input.conditioning);
  if (!input.held_out.stretches.empty()) {
    HEFT_TRY(held_out_before, test.residuals(input.held_out, fault, without));
    HEFT_TRY(held_out_after, test.residuals(input.held_out, fault, with));
    hypothesis.gain_held_out = gain_of(held_out_before, held_out_after, rows_worth_one(held_out_after));
    hypothesis.held_out_before = relative_error(held_out_before);
    hypothesis.held_out_after = relative_error(held_out_after);
  }
  return std::optional<Hypothesis>(std::move(hypothesis));
}

}  // namespace

Result<std::vector<Hypothesis>> test_hypotheses(const HypothesisInput& input, Backend& backend,
                                                const Progress& progress) {
  std::vector<Hypothesis> hypotheses;
  if (input.training.stretches.empty()) return hypotheses;
  const FaultTest test(input, backend);
  const std::vector<OneFault> faults = faults_of(input.setup.plan(), longest_delay(input.training));
  const OneFault nothing{FaultKind::torque_scale, 0, 0, 0};
  HEFT_TRY(answer, test.explain(nothing, 0));
  HEFT_TRY(residuals, test.residuals(input.training, nothing, answer));
  const double correlation = std::max(1.0, rows_worth_one(residuals).maxCoeff());
  std::vector<SizeSearch> searches;
  for (const OneFault& fault : faults) {
    HEFT_CHECK(report_progress(progress, "looking for faults of the log",
                               static_cast<double>(searches.size()) / static_cast<double>(faults.size())));
    // where all rows count for every size, nothing undone is the answer
    const bool keeps_rows = fault.kind != FaultKind::torque_delay;
    HEFT_CHECK(searches.emplace_back(test, fault).begin(keeps_rows ? &answer : nullptr));
  }
  std::sort(searches.begin(), searches.end(),
            [](const SizeSearch& a, const SizeSearch& b) { return a.promised_fall() > b.promised_fall(); });
  for (std::size_t k = 0; k < std::min(kMostRefined, searches.size()); ++k) {
    HEFT_CHECK(report_progress(progress, "looking for faults of the log", 1));
    if (!(searches[k].promised_fall() > kWorthRefining * correlation)) break;
    HEFT_CHECK(searches[k].refine());
    HEFT_TRY(hypothesis, judged(input, test, searches[k].fault(), searches[k]));
    if (hypothesis) hypotheses.push_back(std::move(*hypothesis));
  }
  std::sort(hypotheses.begin(), hypotheses.end(),
            [](const Hypothesis& a, const Hypothesis& b) { return a.least_gain() > b.least_gain(); });
  return hypotheses;
}

}  // namespace heft
