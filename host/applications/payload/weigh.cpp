#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "checks/answer_checks.hpp"
#include "checks/diagnose.hpp"
#include "checks/force_and_motion.hpp"
#include "heft/payload/payload.hpp"
#include "methods/automatic.hpp"
#include "methods/intervals.hpp"
#include "model/units.hpp"
#include "plan/sphere.hpp"

namespace heft {

namespace {

using namespace payload;

/// Validates a method fitted on one half of the log on the other, against the bias-free wrench.
void judge_on_halves(const WrenchSamples& samples, const PayloadOptions& options,
                     const PayloadShape& shape, PayloadAnswer& answer) {
  Eigen::Array2d error = Eigen::Array2d::Zero(), size = error;
  answer.held_out_force = answer.held_out_torque = std::nan("");
  for (const int half : {0, 1}) {
    const WrenchSamples seen = half_of(samples, half), unseen = half_of(samples, 1 - half);
    if (seen.size() < 4 || unseen.size() < 1 || !refuse_hopeless(seen, options)) return;
    const auto fit = fit_payload(seen, options, shape, answer.method);
    if (!fit) return;
    const Eigen::ArrayXXd wrong = residuals_of(unseen, options.bias, fit->parameters);
    const Eigen::ArrayXXd whole = residuals_of(unseen, options.bias, BodyParameters::Zero());
    error += Eigen::Array2d(wrong.leftCols(3).square().sum(), wrong.rightCols(3).square().sum());
    size += Eigen::Array2d(whole.leftCols(3).square().sum(), whole.rightCols(3).square().sum());
  }
  answer.held_out_force = size[0] > 0 ? std::sqrt(error[0] / size[0]) : std::nan("");
  answer.held_out_torque = size[1] > 0 ? std::sqrt(error[1] / size[1]) : std::nan("");
}

/// Whether the force alone is consistent with a body.
bool force_shows_payload(const WrenchSamples& samples, BiasKind bias) {
  const Centered about = centered(samples, bias);
  const double mass = mass_of(about);
  return mass > 0 &&
         (about.force - mass * about.u).square().sum() < kMaxLeft * about.force.square().sum();
}

void take_doubts_about_answer(PayloadResult& result) {
  const bool is_there = force_shows_payload(result.samples, result.options.bias);
  for (PayloadDoubt& doubt : doubts_about_answer(result)) {
    const bool has_unit =
        std::any_of(result.doubts.begin(), result.doubts.end(),
                    [](const PayloadDoubt& other) { return other.id == "torque-unit"; });
    if ((doubt.id == "far-from-link" && has_unit) || (doubt.id == "no-payload" && is_there))
      continue;
    result.doubts.push_back(std::move(doubt));
  }
  drop_doubts_of_nothing(result);
}

Result<Done> check_known_mass(double mass) {
  constexpr double kMinMass = 1e-6, kMaxMass = 1e5;  // [kg]
  if (mass == 0 || (mass >= kMinMass && mass <= kMaxMass)) return Done{};
  return Error{"payload.known_mass",
               number_text(mass, 4) + " kg is outside the range of force-torque sensors",
               "write the mass in kilograms, or 0 if it is unknown"};
}

Result<Done> refuse_torque_scales(const PayloadOptions& options) {
  if (!options.torque_scale_sd) return Done{};
  return Error{"estimation.torque_scale_sd", "is only for payloads from joint torques",
               "remove it, or name the identified robot with --model and --link"};
}

}  // namespace

Result<PayloadResult> weigh_payload(const WrenchSamples& samples, const PayloadOptions& options,
                                    const PayloadShape& shape,
                                    const std::vector<PayloadMethod>& methods,
                                    const Progress& progress, const PayloadAnswer* by_auto) {
  if (samples.size() == 0 || methods.empty())
    return Error{"payload", "no samples or no methods are given", "give a log and a method"};
  HEFT_CHECK(check_known_mass(options.limits.known_mass));
  HEFT_CHECK(refuse_torque_scales(options));
  HEFT_CHECK(refuse_hopeless(samples, options));
  PayloadResult result{.options = options, .shape = shape, .samples = samples};
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const PayloadMethod method = methods[k];
    HEFT_CHECK(report_progress(progress, std::string("weighing by ") + enum_name(method),
                               static_cast<double>(k) / static_cast<double>(methods.size())));
    auto answer = by_auto && method == PayloadMethod::automatic
                      ? Result<PayloadAnswer>(*by_auto)
                      : fit_payload(samples, options, shape, method);
    if (answer) {
      judge_on_halves(samples, options, shape, *answer);
      result.answers.push_back(*answer);
    } else if (result.answers.empty()) {
      return answer.error();
    } else {
      result.answers.push_back({.method = method, .failure = answer.error().what});
    }
  }
  const BodyParameters& x = result.answer().parameters;
  result.biases = biases_of(samples, options.bias, x);
  if (options.bias == BiasKind::drift) result.drifts = drifts_of(samples, x);
  result.residual_rms =
      residuals_of(samples, options.bias, x).square().colwise().mean().sqrt().matrix().transpose();
  result.num_directions = samples.moves ? 0 : num_directions(samples);
  result.doubts = doubts_about(samples, options, x);
  result.doubts.insert(result.doubts.end(), shape.doubts.begin(), shape.doubts.end());

  HEFT_CHECK(report_progress(progress, "intervals", 1));
  AutomaticFitter fitter(options);
  const auto found = fitter.fit(samples, shape);
  if (!found) {
    result.doubts.push_back({"no-intervals", false, "there are no intervals: " + found.error().what,
                             found.error().remedy});
    take_doubts_about_answer(result);
    return result;
  }
  AutomaticFit fit = **found;
  const PayloadMethod first = methods.front();
  if (first == PayloadMethod::automatic) result.set_by_prior = set_by_prior(fit.answer, fit.weight);
  fit.answer.x = x;  // intervals are about the returned result
  const Intervals intervals = intervals_of(fit, samples, options);
  result.mass = intervals.mass;
  result.com = intervals.com;
  result.as_tool = intervals.as_tool;
  if (samples.is_oriented_by_force) {
    const SphereIntervals of_sphere = sphere_intervals(samples);
    result.mass = of_sphere.mass, result.com = of_sphere.com;
    result.as_tool.reset();
  }
  const auto of_shape =
      doubt_about_shape(result, intervals.prior_disagrees && first == PayloadMethod::automatic);
  if (of_shape) result.doubts.push_back(*of_shape);
  take_doubts_about_answer(result);
  return result;
}

BodyParameters in_flange(const PayloadResult& result) {
  return transformed(result.options.sensor.mounting, result.answer().parameters);
}

}  // namespace heft
