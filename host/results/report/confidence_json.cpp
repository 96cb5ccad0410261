#include "result_json_parts.hpp"

#include <cmath>

#include "files/json_text.hpp"
#include "files/json_writer.hpp"
#include "summary_sentences.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

Json quantities_json(const Uncertainty& uncertainty) {
  Json list = Json::array();
  const ErrorBars& bars = uncertainty.base;
  for (Eigen::Index k = 0; k < bars.estimate.size(); ++k) {
    const double estimate = bars.estimate[k], error = bars.standard_error[k];
    Json entry =
        json_object({{"name", uncertainty.quantities[static_cast<std::size_t>(k)]},
                     {"estimate", bars.is_determined[k] ? Json(estimate) : Json()},
                     {"standard_error", number_or_null(error)},
                     {"relative_standard_deviation", number_or_null(error / std::abs(estimate))},
                     {"half_width", number_or_null(bars.half_width[k])},
                     {"degrees_of_freedom", number_or_null(bars.degrees[k])}});
    if (bars.torque_scale.size() > 0) entry["torque_scale"] = number_or_null(bars.torque_scale[k]);
    if (bars.time_offset.size() > 0) entry["time_offset"] = number_or_null(bars.time_offset[k]);
    if (bars.systematic.size() > 0) entry["systematic"] = number_or_null(bars.systematic[k]);
    list.push_back(std::move(entry));
  }
  return list;
}

/// Row k of the lower triangle: its first k + 1 numbers.
Json triangle_json(const Eigen::MatrixXd& symmetric) {
  Json rows = Json::array();
  for (Eigen::Index k = 0; k < symmetric.rows(); ++k) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j <= k; ++j) row.push_back(number_or_null(symmetric(k, j)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json channel_parts_json(const ChannelParts& parts, const RegressorPlan& plan) {
  Json list = Json::array();
  for (Eigen::Index c = 0; c < parts.score.size(); ++c) {
    Json times_estimate = Json::array();
    for (const double value : parts.times_estimate.col(c))
      times_estimate.push_back(number_or_null(value));
    list.push_back(json_object({{"channel", plan.channels[c].name},
                                {"times_estimate", std::move(times_estimate)},
                                {"score", number_or_null(parts.score[c])}}));
  }
  return list;
}

/// The interval of a parameter as columns show their values.
std::optional<Interval> shown_interval(const ParameterLayout& layout, int parameter,
                                       std::optional<Interval> interval) {
  const int column = parameter - layout.column_index(0);
  if (column < 0 || !interval) return interval;
  const Column& of = layout.columns[static_cast<std::size_t>(column)];
  return Interval{shown_value(of, interval->lower), shown_value(of, interval->upper)};
}

Json parameters_json(const Uncertainty& uncertainty, const ParameterLayout& layout) {
  Json list = Json::array();
  for (int k = 0; k < layout.num_parameters(); ++k) {
    const auto interval = shown_interval(layout, k, uncertainty.intervals[k]);
    Json entry =
        json_object({{"name", layout.name(k)},
                     {"unit", layout.unit(k)},
                     {"prior_share", uncertainty.prior_shares[k]},
                     {"set_by_prior", uncertainty.is_set_by_prior(k)},
                     {"interval", interval ? Json{interval->lower, interval->upper} : Json()}});
    if (interval && uncertainty.standard_error.size() > 0) {
      entry["standard_error"] = number_or_null(uncertainty.standard_error[k]);
      entry["prior_deviation"] = number_or_null(uncertainty.prior_deviation[k]);
    }
    if (interval && uncertainty.torque_scale.size() > 0)
      entry["torque_scale"] = number_or_null(uncertainty.torque_scale[k]);
    if (interval && uncertainty.time_offset.size() > 0)
      entry["time_offset"] = number_or_null(uncertainty.time_offset[k]);
    if (interval && uncertainty.systematic.size() > 0)
      entry["systematic"] = number_or_null(uncertainty.systematic[k]);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

Json prior_json(const Identification& identification) {
  Json json = json_object({{"kind", enum_name(identification.setup.prior.kind)},
                           {"weight", identification.setup.prior.weight}});
  if (!identification.choices.weight_of_prior) return json;
  const WeightChoice& choice = *identification.choices.weight_of_prior;
  Json trials = Json::array();
  for (const WeightTrial& trial : choice.trials)
    trials.push_back(json_object({{"weight", trial.weight},
                                  {"relative_error", trial.relative_error},
                                  {"excess", trial.excess}}));
  json["cross_validation"] = json_object(
      {{"trials", trials}, {"gap_s", choice.gap_s}, {"gap_is_full", choice.gap_is_full}});
  return json;
}

Json ellipsoids_json(const Identification& identification) {
  const BoundingEllipsoids& ellipsoids = *identification.setup.ellipsoids;
  const ParameterLayout& layout = identification.plan().layout;
  const auto vector = [](const Eigen::Vector3d& v) { return Json{v.x(), v.y(), v.z()}; };
  Json bodies = Json::array();
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const auto& ellipsoid = ellipsoids.bodies[layout.body_index[body]];
    if (!ellipsoid || identification.setup.prior.held[body]) continue;
    const Eigen::Matrix3d& R = ellipsoid->R;
    bodies.push_back(
        json_object({{"body", layout.bodies[body]},
                     {"centre", vector(ellipsoid->center)},
                     {"semi_axes", vector(ellipsoid->semi_axes)},
                     {"axes", Json{vector(R.col(0)), vector(R.col(1)), vector(R.col(2))}}}));
  }
  return json_object({{"bodies", bodies},
                      {"without_shapes", ellipsoids.without_shapes},
                      {"words", bounding_words(identification)}});
}

Json uncertainty_json(const Identification& identification) {
  const Uncertainty& uncertainty = identification.optimum->uncertainty;
  Json json =
      json_object({{"confidence", uncertainty.confidence},
                   {"blocks", uncertainty.num_blocks},
                   {"shortest_block_s", uncertainty.shortest_block_s},
                   {"resamples", uncertainty.num_resamples},
                   {"rank", uncertainty.rank},
                   {"unexcited", uncertainty.unexcited},
                   {"base_parameters", quantities_json(uncertainty)},
                   {"parameters", parameters_json(uncertainty, identification.plan().layout)},
                   {"words", uncertainty_words(identification)}});
  if (const ErrorBars& bars = uncertainty.base; bars.information.size() > 0) {
    json["information"] = triangle_json(bars.information);
    json["information_times_estimate"] = Json::array();
    const Eigen::VectorXd times_estimate = bars.information * bars.estimate;
    for (const double value : times_estimate)
      json["information_times_estimate"].push_back(number_or_null(value));
    if (uncertainty.channels.score.size() > 0)
      json["channels"] = channel_parts_json(uncertainty.channels, identification.plan());
  }
  if (const auto& calibration = uncertainty.base.calibration)
    json["calibration"] = json_object({{"ratio", calibration->ratio},
                                       {"p_value", calibration->p_value},
                                       {"widened_by", calibration->widened_by}});
  if (const auto& fits = uncertainty.base.separate_fits)
    json["separate_fits"] = json_object({{"ratio", fits->ratio}, {"widened_by", fits->widened_by}});
  if (!uncertainty.no_intervals.empty()) json["no_intervals"] = uncertainty.no_intervals;
  return json;
}

Json price_json(const Identification& identification) {
  const PriceOfPhysics& price = *identification.optimum->price;
  const RegressorPlan& plan = identification.plan();
  Json constraints = Json::array(), channels = Json::array(), suspicious = Json::array();
  for (const ConstraintPrice& constraint : price.constraints)
    constraints.push_back(json_object({{"name", constraint.name}, {"price", constraint.price}}));
  for (std::size_t c = 0; c < price.channel_cost.size(); ++c)
    channels.push_back(json_object({{"channel", plan.channels[c].name},
                                    {"cost", price.channel_cost[c]},
                                    {"unconstrained_cost", price.unconstrained_channel_cost[c]}}));
  for (const int c : identification.optimum->suspicious_channels)
    suspicious.push_back(plan.channels[c].name);
  return json_object({{"relative", price.relative},
                      {"constraints", constraints},
                      {"channels", channels},
                      {"suspicious", suspicious},
                      {"words", price_words(identification)}});
}

}  // namespace heft
