#include "heft/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "bars_and_noise.hpp"
#include "base/parallel_for.hpp"
#include "bootstrap.hpp"
#include "half_widths.hpp"
#include "moments/channel_scores.hpp"
#include "observe/row_echelon.hpp"
#include "sum_of_errors.hpp"
#include "training/folds.hpp"
#include "uncertainty/nonnegative.hpp"
#include "whole_robot.hpp"

namespace heft {

namespace {

/// Fewer resamples do not determine the ends of an interval.
constexpr int kMinResamples = 50;

/// Short name of a quantity: "Izz_upper + ..", with its first parameter.
std::string short_name(const std::string& quantity) {
  constexpr std::size_t kLongest = 40;
  if (quantity.size() <= kLongest) return quantity;
  const std::size_t end = std::min(quantity.find(" + "), quantity.find(" - "));
  return quantity.substr(0, end) + (end == std::string::npos ? "" : " + ..");
}

/// A direction by its largest terms: "[Izz_fore] - 0.3 [mcx_fore], and 4 smaller".
std::string direction_text(const Eigen::VectorXd& direction,
                           const std::vector<std::string>& quantities) {
  constexpr std::ptrdiff_t kMaxTerms = 3;
  std::vector<Eigen::Index> terms;
  for (Eigen::Index k = 0; k < direction.size(); ++k)
    if (std::abs(direction[k]) > 1e-6) terms.push_back(k);
  // sizes that differ by rounding are equal
  const auto size_of = [&](Eigen::Index k) { return std::round(1e9 * std::abs(direction[k])); };
  std::stable_sort(terms.begin(), terms.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return size_of(a) > size_of(b); });
  const std::ptrdiff_t num_smaller = std::max<std::ptrdiff_t>(std::ssize(terms) - kMaxTerms, 0);
  terms.resize(terms.size() - static_cast<std::size_t>(num_smaller));
  std::string text;
  for (const Eigen::Index k : terms) {
    const double size = std::abs(direction[k]);
    const std::string sign =
        direction[k] < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    const std::string factor = std::abs(size - 1) < 0.005 ? "" : fmt::format("{:.2g} ", size);
    text +=
        fmt::format("{}{}[{}]", sign, factor, short_name(quantities[static_cast<std::size_t>(k)]));
  }
  return num_smaller > 0 ? text + fmt::format(", and {} smaller", num_smaller) : text;
}

/// The directions that the data do not determine, each by its largest terms.
std::vector<std::string> unexcited_combinations(const Eigen::MatrixXd& unseen,
                                                const std::vector<std::string>& quantities) {
  std::vector<std::string> texts;
  if (unseen.cols() == 0) return texts;
  const auto echelon = identifiability::reduced_row_echelon(unseen.transpose(), 1e-6);
  for (Eigen::Index i = 0; i < echelon.rows.rows(); ++i)
    texts.push_back(direction_text(echelon.rows.row(i).transpose(), quantities));
  return texts;
}

/// The part of each channel in `bars`, in units of its information; empty where rows of channels
/// are whitened.
ChannelParts channel_parts(const Moments& moments, const Eigen::VectorXd& channel_weights,
                           const BaseQuantities& quantities, const NormalEquations& all,
                           const ErrorBars& bars) {
  const Eigen::MatrixXd& E = quantities.E;
  const double information = bars.information.trace();
  if (moments.is_summed() || !(information > 0)) return {};
  const Eigen::MatrixXd moved = all.G * E.sparseView();
  const double worth_one = E.cwiseProduct(moved).sum() / information;
  const Eigen::VectorXd parameters = E * bars.estimate;
  const Eigen::Index num_channels = channel_weights.size();
  ChannelParts parts{.times_estimate = Eigen::MatrixXd(E.cols(), num_channels),
                     .score = Eigen::VectorXd(num_channels)};
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    const double weight = channel_weights[c] / worth_one;
    const ChannelScores scores = channel_scores(moments, static_cast<int>(c), parameters);
    parts.times_estimate.col(c) = weight * (E.transpose() * scores.predicted);
    parts.score[c] = weight * parameters.dot(scores.score);
  }
  return parts;
}

/// Standard deviations of an estimate due to independent relative errors of all torque scales: an
/// error e of channel c adds e G_c x to the scores. Empty without such errors, with empty
/// `per_score`, or if rows of channels are whitened.
Eigen::VectorXd torque_scale_part(const Moments& moments, const Eigen::VectorXd& channel_weights,
                                  const Eigen::VectorXd& parameters,
                                  const Eigen::MatrixXd& per_score, double scale_sd) {
  if (!(scale_sd > 0) || per_score.size() == 0 || moments.is_summed()) return {};
  const Eigen::Index num_channels = channel_weights.size();
  Eigen::VectorXd variance = Eigen::VectorXd::Zero(per_score.rows());
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    const double size = scale_sd * channel_weights[c];
    const ChannelScores scores = channel_scores(moments, static_cast<int>(c), parameters);
    variance += (size * (per_score * scores.predicted)).cwiseAbs2();
  }
  return variance.cwiseSqrt();
}

/// Degrees of freedom of a variance with an estimated and a known part [Satterthwaite 1946].
Eigen::VectorXd degrees_beside_known(const Eigen::VectorXd& standard_error,
                                     const Eigen::VectorXd& known, const Eigen::VectorXd& degrees) {
  const Eigen::ArrayXd variance = standard_error.array().square();
  const Eigen::ArrayXd share = 1 + known.array().square() / variance;
  return (variance > 0).select(degrees.array() * share.square(), degrees.array());
}

/// Includes a known part, of the torque scales or the time offset, in a standard error.
void add_known_part(const Eigen::VectorXd& known, Eigen::VectorXd& standard_error,
                    Eigen::VectorXd& degrees) {
  degrees = degrees_beside_known(standard_error, known, degrees);
  standard_error = (standard_error.array().square() + known.array().square()).sqrt();
}

Result<BaseQuantities> named_quantities(const RegressorPlan& plan) {
  const RegressorPlan& of_robot = plan.whitened_from ? *plan.whitened_from : plan;
  HEFT_TRY(observability, observe(of_robot.robot, {.channels = false,
                                                   .sensors = sensors_among(of_robot.channels)}));
  return base_quantities(observability, plan.layout);
}

/// Named quantities of the last plan: the robots of a fleet share one.
class LastQuantities {
 public:
  Result<BaseQuantities> of(const PlanPtr& plan) {
    if (auto known = known_of(plan)) return *std::move(known);
    HEFT_TRY(quantities, named_quantities(*plan));  // threads with other plans do not wait
    const std::lock_guard lock(mutex_);
    quantities_ = quantities;
    plan_ = plan;
    return std::move(quantities);
  }

 private:
  std::optional<BaseQuantities> known_of(const PlanPtr& plan) const {
    const std::lock_guard lock(mutex_);
    return plan_.lock() == plan ? std::optional(quantities_) : std::nullopt;
  }

  mutable std::mutex mutex_;
  std::weak_ptr<const RegressorPlan> plan_;
  BaseQuantities quantities_;
};

/// Base parameters and columns. Without named base parameters reports the reason, and returns all
/// parameters without names: their error bars have the same noise.
BaseQuantities quantities_of(const TrainingData& data, Uncertainty& result) {
  static LastQuantities last;
  auto named = last.of(data.plan);
  if (named) return *std::move(named);
  result.no_intervals = named.error().message();
  const int P = data.plan->layout.num_parameters();
  return {Eigen::MatrixXd::Identity(P, P),
          Eigen::MatrixXd::Identity(P, P),
          {},
          data.plan->layout.num_columns()};
}

/// Adds the error bars of named quantities, and returns the noise. Reports the reason if there is
/// none.
std::optional<BlockNoise> base_intervals(const TrainingData& data,
                                         const Eigen::VectorXd& channel_weights,
                                         const NormalEquations& all,
                                         const std::vector<NormalEquations>& blocks,
                                         double rank_cut, const UncertaintyOptions& options,
                                         Uncertainty& result) {
  const BaseQuantities quantities = quantities_of(data, result);
  auto both =
      bars_and_noise(blocks, quantities, {.confidence = options.confidence, .rank_cut = rank_cut});
  if (!both) {
    result.no_intervals = both.error().message();
    return std::nullopt;
  }
  if (quantities.names.empty()) return std::move(both->noise);
  ErrorBars& bars = both->bars;
  bars.torque_scale = torque_scale_part(data.moments, channel_weights, quantities.E * bars.estimate,
                                        bars.per_score, options.torque_scale_sd);
  if (bars.torque_scale.size() > 0) {
    add_known_part(bars.torque_scale, bars.standard_error, bars.degrees);
    bars.half_width = half_widths(Eigen::VectorXd::Zero(bars.estimate.size()), bars.standard_error,
                                  bars.degrees, options.confidence);
  }
  result.quantities = quantities.names;
  result.channels = channel_parts(data.moments, channel_weights, quantities, all, bars);
  result.rank = static_cast<int>(bars.estimate.size() - bars.unseen.cols());
  result.unexcited = unexcited_combinations(bars.unseen, result.quantities);
  result.base = std::move(bars);
  return std::move(both->noise);
}

/// Standard errors of the parameters of the estimate: noise, and the error of the prior.
Result<Done> add_standard_errors(const NormalEquations& all, const ParameterLayout& layout,
                                 const Prior& prior, const BlockNoise& noise,
                                 const Eigen::VectorXd& parameters, Uncertainty& result) {
  // without a prior, the data do not determine single parameters
  if (!prior.has_weight()) return Done{};
  HEFT_TRY(of_prior, prior_error(layout, all, prior, parameters, noise.rows_worth_one()));
  put_sum(noise.spread(of_prior.per_score, layout.num_columns()), of_prior.deviation,
          of_prior.degrees, result.standard_error, result.degrees);
  result.estimate = parameters;
  result.prior_deviation = of_prior.deviation;
  result.per_score = of_prior.per_score;
  return Done{};
}

/// Sets the intervals of all parameters that the prior does not set.
void set_intervals(const ParameterLayout& layout, Uncertainty& result) {
  const bool has_errors = result.standard_error.size() > 0;
  Eigen::VectorXd widths;
  if (has_errors)
    widths = half_widths(or_zero(result.systematic, result.standard_error.size()),
                         result.standard_error, result.degrees, result.confidence);
  for (int k = 0; k < layout.num_parameters(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    result.intervals[at] = std::nullopt;
    if (result.is_set_by_prior(k)) continue;
    std::optional<Interval> interval;
    if (!result.resampled.empty()) interval = result.resampled[at];
    if (has_errors) interval = joined(result.estimate[k], widths[k], interval);
    if (interval && is_nonnegative(layout, k)) interval->lower = std::max(0.0, interval->lower);
    result.intervals[at] = interval;
  }
}

/// Returns by how much channels differ beyond noise, at least 1: all of them weigh a whole robot,
/// so that errors of the model in some show. 1 if rows of channels are whitened.
double disagreement_of_channels(const Moments& moments, const Eigen::VectorXd& channel_weights,
                                const BlockNoise& noise) {
  if (moments.is_summed()) return 1;
  std::vector<NormalEquations> channels;
  for (Eigen::Index c = 0; c < channel_weights.size(); ++c)
    channels.push_back(normal_equations(
        moments, channel_weights[c] * Eigen::VectorXd::Unit(channel_weights.size(), c)));
  return std::max(1.0, noise.disagreement(channels));
}

/// Errors and intervals of the whole robot.
Result<Done> add_whole(const TrainingData& data, const Eigen::VectorXd& channel_weights,
                       const NormalEquations& all, const Prior& prior, const BlockNoise& noise,
                       const Eigen::VectorXd& parameters, double torque_scale_sd,
                       Uncertainty& result) {
  const RegressorPlan& plan = *data.plan;
  WholeRobot& whole = *result.whole;
  HEFT_CHECK(add_whole_errors(plan.robot, plan.layout, all, prior, parameters, noise,
                              disagreement_of_channels(data.moments, channel_weights, noise),
                              result.per_score, whole));
  const Eigen::VectorXd of_scales = torque_scale_part(data.moments, channel_weights, parameters,
                                                      whole.per_score, torque_scale_sd);
  if (of_scales.size() > 0) add_known_part(of_scales, whole.standard_error, whole.degrees);
  set_whole_intervals(result.confidence, whole);
  return Done{};
}

}  // namespace

void put_time_offset(const ParameterLayout& layout, const Eigen::VectorXd& score_change,
                     Uncertainty& uncertainty) {
  if (!score_change.allFinite()) return;
  ErrorBars& bars = uncertainty.base;
  if (bars.per_score.cols() == score_change.size()) {
    bars.time_offset = (bars.per_score * score_change).cwiseAbs();
    add_known_part(bars.time_offset, bars.standard_error, bars.degrees);
    bars.half_width = half_widths(or_zero(bars.systematic, bars.estimate.size()),
                                  bars.standard_error, bars.degrees, uncertainty.confidence);
  }
  if (uncertainty.per_score.cols() != score_change.size()) return;
  uncertainty.time_offset = (uncertainty.per_score * score_change).cwiseAbs();
  add_known_part(uncertainty.time_offset, uncertainty.standard_error, uncertainty.degrees);
  set_intervals(layout, uncertainty);
  if (!uncertainty.whole) return;
  WholeRobot& whole = *uncertainty.whole;
  add_known_part((whole.per_score * score_change).cwiseAbs(), whole.standard_error, whole.degrees);
  set_whole_intervals(uncertainty.confidence, whole);
}

void put_systematic(const ParameterLayout& layout, const Eigen::VectorXd& score_change,
                    Uncertainty& uncertainty) {
  if (!score_change.allFinite()) return;
  ErrorBars& bars = uncertainty.base;
  if (bars.per_score.cols() == score_change.size()) {
    bars.systematic = bars.per_score * score_change;
    bars.half_width =
        half_widths(bars.systematic, bars.standard_error, bars.degrees, uncertainty.confidence);
  }
  if (uncertainty.per_score.cols() != score_change.size()) return;
  uncertainty.systematic = uncertainty.per_score * score_change;
  set_intervals(layout, uncertainty);
  if (!uncertainty.whole) return;
  uncertainty.whole->systematic = uncertainty.whole->per_score * score_change;
  set_whole_intervals(uncertainty.confidence, *uncertainty.whole);
}

Result<Uncertainty> quantify_uncertainty(const TrainingData& data,
                                         const Eigen::VectorXd& channel_weights, const Prior& prior,
                                         const Constraints& constraints, const Solving& solving,
                                         double rank_cut, const Eigen::VectorXd& parameters,
                                         const UncertaintyOptions& options) {
  if (!(options.confidence > 0) || !(options.confidence < 1))
    return Error{"confidence", "must be between 0 and 1", "the default is 0.95"};
  if (options.bootstrap < 0)
    return Error{"bootstrap", fmt::format("{} is not a number of resamples", options.bootstrap),
                 "give 0 for none, or a positive number; the default is 200"};
  const ParameterLayout& layout = data.plan->layout;
  const NormalEquations all = normal_equations(data.moments, channel_weights);
  Uncertainty result{.confidence = options.confidence};
  HEFT_TRY(shares, prior_shares(layout, all, prior));
  result.prior_shares = shares;
  result.intervals.resize(layout.num_parameters());
  const Robot& robot = data.plan->robot;
  if (robot.floating_base) result.whole = whole_robot(robot, layout, parameters);

  const auto blocks = independent_blocks(data, ErrorBarOptions().min_blocks);
  if (!blocks) {
    result.no_intervals = blocks.error().message();
    return result;
  }
  std::vector<NormalEquations> equations(blocks->blocks.size());
  parallel_for(std::ssize(equations), solving.executor.num_threads(), [&](std::int64_t k, int) {
    const auto at = static_cast<std::size_t>(k);
    equations[at] = normal_equations(blocks->blocks[at], channel_weights);
  });
  result.num_blocks = static_cast<int>(equations.size());
  result.shortest_block_s = blocks->shortest_s;
  const auto noise =
      base_intervals(data, channel_weights, all, equations, rank_cut, options, result);
  if (!noise) return result;
  HEFT_CHECK(add_standard_errors(all, layout, prior, *noise, parameters, result));
  result.torque_scale = torque_scale_part(data.moments, channel_weights, parameters,
                                          result.per_score, options.torque_scale_sd);
  if (result.torque_scale.size() > 0)
    add_known_part(result.torque_scale, result.standard_error, result.degrees);
  set_intervals(layout, result);
  if (result.whole)
    HEFT_CHECK(add_whole(data, channel_weights, all, prior, *noise, parameters,
                         options.torque_scale_sd, result));

  if (options.bootstrap == 0) return result;
  HEFT_TRY(answers, bootstrap(layout, equations, prior, constraints, solving, options.bootstrap));
  result.num_resamples = static_cast<int>(answers.cols());
  if (result.num_resamples < std::min(kMinResamples, options.bootstrap)) return result;
  for (int k = 0; k < layout.num_parameters(); ++k)
    result.resampled.push_back(percentile_interval(answers.row(k).transpose(), options.confidence));
  set_intervals(layout, result);
  if (result.whole) {
    add_whole_resamples(robot, layout, answers, options.confidence, *result.whole);
    set_whole_intervals(options.confidence, *result.whole);
  }
  return result;
}

}  // namespace heft
