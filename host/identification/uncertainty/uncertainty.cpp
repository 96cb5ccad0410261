#include "heft/uncertainty/uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel_for.hpp"
#include "bootstrap.hpp"
#include "observe/row_echelon.hpp"
#include "training/folds.hpp"
#include "uncertainty/nonnegative.hpp"
#include "uncertainty/quantiles.hpp"
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
  std::stable_sort(terms.begin(), terms.end(), [&](Eigen::Index a, Eigen::Index b) {
    return std::abs(direction[a]) > std::abs(direction[b]);
  });
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

/// The directions that the data leave open, each by its largest terms.
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
  const double worth_one = (E.transpose() * all.G * E).trace() / information;
  const Eigen::VectorXd parameters = E * bars.estimate;
  const Eigen::Index num_channels = channel_weights.size();
  ChannelParts parts{.times_estimate = Eigen::MatrixXd(E.cols(), num_channels),
                     .score = Eigen::VectorXd(num_channels)};
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    const NormalEquations of_channel = normal_equations(
        moments, channel_weights[c] / worth_one * Eigen::VectorXd::Unit(num_channels, c));
    const Eigen::VectorXd predicted = of_channel.G * parameters;
    parts.times_estimate.col(c) = E.transpose() * predicted;
    parts.score[c] = parameters.dot(of_channel.b - predicted);
  }
  return parts;
}

/// Error bars of the quantities from the blocks. Without blocks, or without named base parameters,
/// reports the reason.
void add_base_intervals(const TrainingData& data, const Eigen::VectorXd& channel_weights,
                        const NormalEquations& all, const std::vector<NormalEquations>& blocks,
                        double rank_cut, double confidence, Uncertainty& result) {
  const RegressorPlan& plan = data.plan->whitened_from ? *data.plan->whitened_from : *data.plan;
  const auto observability =
      observe(plan.robot, {.channels = false, .sensors = sensors_among(plan.channels)});
  if (!observability) {
    result.no_intervals = observability.error().message();
    return;
  }
  const auto quantities = base_quantities(*observability, data.plan->layout);
  if (!quantities) {
    result.no_intervals = quantities.error().message();
    return;
  }
  const auto bars =
      error_bars(blocks, *quantities, {.confidence = confidence, .rank_cut = rank_cut});
  if (!bars) {
    result.no_intervals = bars.error().message();
    return;
  }
  result.quantities = quantities->names;
  result.base = *bars;
  result.channels = channel_parts(data.moments, channel_weights, *quantities, all, *bars);
  result.rank = static_cast<int>(bars->estimate.size() - bars->unseen.cols());
  result.unexcited = unexcited_combinations(bars->unseen, result.quantities);
}

}  // namespace

Result<Uncertainty> quantify_uncertainty(const TrainingData& data,
                                         const Eigen::VectorXd& channel_weights, const Prior& prior,
                                         const Constraints& constraints, const Solving& solving,
                                         double rank_cut, const Eigen::VectorXd& parameters,
                                         const UncertaintyOptions& options) {
  if (!(options.confidence > 0) || !(options.confidence < 1))
    return Error{"confidence", "must be between 0 and 1", "the default is 0.95"};
  if (options.bootstrap < 0)
    return Error{"bootstrap", fmt::format("{} resamples are not possible", options.bootstrap),
                 "give 0 for none, or a positive number; the default is 200"};
  const ParameterLayout& layout = data.plan->layout;
  const NormalEquations all = normal_equations(data.moments, channel_weights);
  Uncertainty result{.confidence = options.confidence};
  HEFT_TRY(shares, prior_shares(layout, all, prior));
  HEFT_TRY(pull, prior_pull(layout, all, prior, parameters));
  result.prior_shares = shares;
  result.intervals.resize(layout.num_parameters());
  const Robot& robot = data.plan->robot;
  if (robot.floating_base) result.whole = whole_robot(robot, layout, parameters);

  const auto blocks = independent_blocks(data);
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
  add_base_intervals(data, channel_weights, all, equations, rank_cut, options.confidence, result);

  if (options.bootstrap == 0) return result;
  HEFT_TRY(answers, bootstrap(layout, equations, prior, constraints, solving, options.bootstrap));
  result.num_resamples = static_cast<int>(answers.cols());
  if (result.num_resamples < std::min(kMinResamples, options.bootstrap)) return result;
  for (int k = 0; k < layout.num_parameters(); ++k) {
    if (result.is_set_by_prior(k)) continue;
    Interval interval =
        widened(percentile_interval(answers.row(k).transpose(), options.confidence), parameters[k],
                normal_quantile(0.5 * (1 + options.confidence)) * pull[k]);
    if (is_nonnegative(layout, k)) interval.lower = std::max(0.0, interval.lower);
    result.intervals[k] = interval;
  }
  if (result.whole)
    HEFT_CHECK(add_whole_intervals(robot, layout, all, prior, parameters, answers,
                                   options.confidence, *result.whole));
  return result;
}

}  // namespace heft
