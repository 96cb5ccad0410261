#include "summary_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/median.hpp"
#include "doubts/doubts.hpp"
#include "heft/charts/distance.hpp"
#include "option_names.hpp"

namespace heft {

namespace {

/// "Ixx, Iyy are set by the prior" for such parameters of a body; empty if there are none.
std::string set_by_prior(const Uncertainty& uncertainty, const ParameterLayout& layout, int body) {
  std::string names;
  int count = 0;
  for (int k = 0; k < core::kNumParameters; ++k) {
    if (!uncertainty.is_set_by_prior(layout.index(body, static_cast<core::Parameter>(k)))) continue;
    names += (names.empty() ? "" : ", ") + std::string(core::kParameterNames[k]);
    ++count;
  }
  if (count == core::kNumParameters) return "all ten parameters are set by the prior";
  return count == 0 ? "" : names + (count == 1 ? " is" : " are") + " set by the prior";
}

/// Share of half an interval from which on its parts are told.
constexpr double kPartShows = 0.02;

/// ", of which 0.1 from the filter, 0.02 from the time offset", of parts that are noticeable.
std::string known_parts(const Uncertainty& uncertainty, int parameter) {
  const Interval& interval = *uncertainty.intervals[static_cast<std::size_t>(parameter)];
  const double half = 0.5 * (interval.upper - interval.lower);
  std::string text;
  const auto tell = [&](const Eigen::VectorXd& parts, const char* source) {
    if (parts.size() == 0 || !(std::abs(parts[parameter]) > kPartShows * half)) return;
    text += fmt::format("{} {:.2g} from the {}", text.empty() ? ", of which" : ",",
                        std::abs(parts[parameter]), source);
  };
  tell(uncertainty.systematic, "filter");
  tell(uncertainty.time_offset, "time offset");
  tell(uncertainty.torque_scale, "torque scale");
  return text;
}

/// "the halves of the logs differ 1.8 times as much as their noise explains (p = 0.01); ..", if
/// intervals were widened.
std::string calibration_sentence(const Uncertainty& uncertainty) {
  const auto& calibration = uncertainty.base.calibration;
  if (!calibration || !(calibration->widened_by > 1)) return "";
  return fmt::format(
      "the halves of the logs differ {:.2g} times as much as their noise explains (p = {:.2g}); "
      "standard errors are {:.2g} times as large because of this",
      calibration->ratio, calibration->p_value, calibration->widened_by);
}

/// Factor on standard errors from which on separate fits are told.
constexpr double kSeparateFitsShow = 1.1;

/// "one fit of the logs leaves 1.4 times as much noise as separate fits of their halves; ..", if
/// intervals were widened noticeably.
std::string separate_fits_sentence(const Uncertainty& uncertainty) {
  const auto& fits = uncertainty.base.separate_fits;
  if (!fits || !(fits->widened_by >= kSeparateFitsShow)) return "";
  return fmt::format(
      "one fit of the logs leaves {:.2g} times as much noise as separate fits of their halves "
      "(errors of the model, or slow noise); standard errors are {:.2g} times as large because of "
      "this",
      fits->ratio, fits->widened_by);
}

/// "mass of forearm: 3.1 kg, 95 % 2.6 to 3.4, of which 0.1 from the filter; Ixx is set by the
/// prior"
std::string body_sentence(const Identification& identification, int body) {
  const Uncertainty& uncertainty = identification.optimum->uncertainty;
  const ParameterLayout& layout = identification.plan().layout;
  const int mass = layout.index(body, core::kMass);
  const double value = identification.answer().parameters[mass];
  std::string text = fmt::format("mass of {}: {:.3g} kg", layout.bodies[body], value);
  if (const auto& interval = uncertainty.intervals[mass])
    text += fmt::format(", {:.0f} % {:.3g} to {:.3g}", 100 * uncertainty.confidence,
                        interval->lower, interval->upper) +
            known_parts(uncertainty, mass);
  const std::string rest = set_by_prior(uncertainty, layout, body);
  return rest.empty() ? text : text + "; " + rest;
}

/// "95 % 15.1 to 15.3"; "set by the prior" without an interval, if there are others.
std::string interval_words(const Uncertainty& uncertainty, const std::optional<Interval>& interval,
                           double unit) {
  if (uncertainty.num_resamples == 0) return "no interval";
  if (!interval) return "set by the prior";
  return fmt::format("{:.0f} % {:.4g} to {:.4g}", 100 * uncertainty.confidence,
                     unit * interval->lower, unit * interval->upper);
}

/// "whole robot: 15.2 kg, 95 % 15.1 to 15.3; center of mass with all joints at zero, in trunk: x
/// ..".
std::string whole_sentence(const Identification& identification) {
  constexpr double kMillimeters = 1e3;
  const Uncertainty& uncertainty = identification.optimum->uncertainty;
  const WholeRobot& whole = *uncertainty.whole;
  std::string text = fmt::format(
      "whole robot: {:.4g} kg, {}; center of mass with all joints at zero, in {}:", whole.mass,
      interval_words(uncertainty, whole.mass_interval, 1),
      identification.plan().robot.bodies.front().name);
  for (int k = 0; k < 3; ++k)
    text += fmt::format(
        "{} {} {:.4g} mm, {}", k == 0 ? "" : ";", "xyz"[k], kMillimeters * whole.com[k],
        interval_words(uncertainty, whole.com_interval[static_cast<std::size_t>(k)], kMillimeters));
  return text;
}

/// "contacts without sensors: left_foot 62 % of the time (31 % of the information lost), ..".
std::string contacts_sentence(const std::vector<ContactSummary>& contacts) {
  std::string text;
  for (const ContactSummary& contact : contacts)
    text += fmt::format("{} {} {:.0f} % of the time ({:.0f} % of the information lost)",
                        text.empty() ? "" : ",", contact.frame, 100 * contact.share_of_time,
                        100 * contact.information_lost);
  return "contacts without sensors:" + text;
}

constexpr double kPriorShows = 0.01;  ///< of the squared error

std::string price_sentence(double relative) {
  const double percent = 100 * relative;
  if (percent < 0.01) return "physical consistency costs less than 0.01 % of the squared error";
  return fmt::format("physical consistency costs {} % of the squared error",
                     doubts::two_digits(percent));
}

}  // namespace

std::vector<std::string> uncertainty_words(const Identification& identification) {
  std::vector<std::string> words;
  if (!identification.optimum) return words;
  const Uncertainty& uncertainty = identification.optimum->uncertainty;
  const ParameterLayout& layout = identification.plan().layout;
  if (!uncertainty.no_intervals.empty())
    words.push_back("no intervals: " + uncertainty.no_intervals);
  if (uncertainty.base.estimate.size() > 0) {
    const auto num_quantities = uncertainty.base.estimate.size();
    words.push_back(
        fmt::format("the log excites {} of the {} combinations that are identifiable on this robot",
                    uncertainty.rank, num_quantities));
    for (const std::string& direction : uncertainty.unexcited)
      words.push_back("not excited: " + direction);
    const auto vague =
        (uncertainty.base.standard_error.array() > uncertainty.base.estimate.array().abs()).count();
    if (vague > 0)
      words.push_back(fmt::format("combinations smaller than their standard error: {}", vague));
    for (const std::string& sentence :
         {calibration_sentence(uncertainty), separate_fits_sentence(uncertainty)})
      if (!sentence.empty()) words.push_back(sentence);
  }
  if (uncertainty.whole) words.push_back(whole_sentence(identification));
  if (!identification.choices.contacts.empty())
    words.push_back(contacts_sentence(identification.choices.contacts));
  for (int body = 0; body < layout.num_bodies(); ++body) {
    if (identification.setup.prior.held[body]) {
      words.push_back(layout.bodies[body] + ": no mass in the model, so the body is held");
      continue;
    }
    words.push_back(body_sentence(identification, body));
  }
  return words;
}

std::vector<std::string> price_words(const Identification& identification) {
  std::vector<std::string> words;
  if (!identification.optimum || !identification.optimum->price) return words;
  const PriceOfPhysics& price = *identification.optimum->price;
  words.push_back(price_sentence(price.relative));
  if (!price.constraints.empty() && price.constraints[0].price > 1e-6 * std::abs(price.objective))
    words.push_back("most costly constraint: " + price.constraints[0].name);
  for (const int c : identification.optimum->suspicious_channels)
    words.push_back(fmt::format(
        "suspicious: {} is inconsistent with every physically consistent model; excluding it "
        "removes most of the constraint cost; check its "
        "unit, sign and gear ratio, and whether it is a torque",
        identification.plan().channels[c].name));
  if (const auto& prior = identification.optimum->price_of_prior;
      prior && prior->relative > kPriorShows)
    words.push_back(fmt::format("the prior raises the squared error by {} %",
                                doubts::two_digits(100 * prior->relative)));
  return words;
}

std::vector<std::string> bounding_words(const Identification& identification) {
  const Setup& setup = identification.setup;
  if (!setup.ellipsoids) return {};
  const ParameterLayout& layout = identification.plan().layout;
  int num_bounded = 0;
  std::vector<std::string> reaching_out;
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const auto& ellipsoid = setup.ellipsoids->bodies[layout.body_index[body]];
    if (!ellipsoid || identification.setup.prior.held[body]) continue;
    ++num_bounded;
    const Eigen::Matrix4d Q =
        ellipsoid_matrix(ellipsoid->center, ellipsoid->semi_axes, ellipsoid->R);
    if ((Q * pseudo_inertia(identification.setup.prior.references[body])).trace() < 0)
      reaching_out.push_back(layout.bodies[body]);
  }
  std::vector<std::string> words = {
      fmt::format("all mass is confined to ellipsoids around the {} shapes of {} of {} bodies",
                  enum_name(setup.bounded_by), num_bounded, layout.num_bodies())};
  if (!setup.ellipsoids->without_shapes.empty())
    words.push_back(fmt::format("not bounded because they have no shapes: {}",
                                fmt::join(setup.ellipsoids->without_shapes, ", ")));
  if (!reaching_out.empty())
    words.push_back(fmt::format(
        "the URDF's own inertia does not fit into the ellipsoid of {}; check the shapes, or "
        "raise {}",
        fmt::join(reaching_out, ", "), option_names::kBoundingMargin));
  return words;
}

std::string_view end_of_trials(const WeightChoice& choice) {
  if (choice.trials.empty()) return {};
  if (choice.weight == choice.trials.front().weight) return "least";
  return choice.weight == choice.trials.back().weight ? "largest" : "";
}

std::vector<std::string> weight_words(const Identification& identification) {
  std::vector<std::string> words;
  if (!identification.choices.weight_of_prior) return words;
  const WeightChoice& choice = *identification.choices.weight_of_prior;
  std::string chosen =
      fmt::format("prior weight {:g} by cross-validation on the training logs", choice.weight);
  if (const auto end = end_of_trials(choice); !end.empty())
    chosen +=
        fmt::format(", the {} that it tries; {} sets another", end, option_names::kPriorWeight);
  words.push_back(chosen);
  if (!choice.gap_is_full)
    words.push_back(
        fmt::format("the log is short: only {:.2g} s separate held-out from training "
                    "samples, less than the memory of the filter",
                    choice.gap_s));
  return words;
}

std::vector<double> distances_to_prior(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  const auto& references = identification.setup.prior.references;
  std::vector<double> list;
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const BodyParameters parameters =
        identification.answer().parameters.segment<core::kNumParameters>(core::kNumParameters * i);
    const bool has_prior = i < static_cast<int>(references.size());
    const double distance =
        distances(parameters,
                  has_prior ? references[i] : plan.robot.bodies[plan.layout.body_index[i]].prior)
            .affine_invariant;
    list.push_back(std::isfinite(distance) ? distance : std::numeric_limits<double>::quiet_NaN());
  }
  return list;
}

std::vector<std::string> distance_words(const Identification& identification) {
  const std::vector<double> list = distances_to_prior(identification);
  std::vector<double> known;
  std::size_t farthest = list.size();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::isnan(list[i])) continue;
    known.push_back(list[i]);
    if (farthest == list.size() || list[i] > list[farthest]) farthest = i;
  }
  if (known.size() < 2) return {};
  return {fmt::format(
      "{} is {:.2g} away from its prior, the typical distance is {:.2g} "
      "(dimensionless; doubling a body's inertia is 0.98)",
      identification.plan().layout.bodies[farthest], list[farthest], median(std::move(known)))};
}

}  // namespace heft
