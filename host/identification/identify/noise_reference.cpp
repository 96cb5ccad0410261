#include "noise_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evidence/missing_terms.hpp"
#include "evidence/noise_floor.hpp"
#include "rows/filtered_prediction.hpp"

namespace heft {

namespace {

/// Cutoff of the torque's filter [Hz]; without a filter, half the sample rate.
double bandwidth_of(const ConditioningOptions& options, double sample_period_s) {
  if (options.filter != FilterKind::butterworth) return 0.5 / sample_period_s;
  return options.torque_cutoff_hz();
}

}  // namespace

namespace {

/// Residuals of every stretch; NaN for unused rows.
Result<std::vector<Eigen::ArrayXXd>> residuals_of(const RegressorPlan& plan, const Excerpt& excerpt,
                                                  const Eigen::VectorXd& parameters,
                                                  Backend& backend) {
  std::vector<Eigen::ArrayXXd> residuals;
  for (const Samples& stretch : excerpt.stretches) {
    const PredictJob job{&plan, &stretch, &parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
    const Eigen::ArrayXXd missing = Eigen::ArrayXXd::Constant(
        predicted.rows(), predicted.cols(), std::numeric_limits<double>::quiet_NaN());
    residuals.push_back((stretch.weight != 0).select(stretch.torque - predicted, missing));
  }
  return residuals;
}

double sum_of_squares(const std::vector<Eigen::ArrayXXd>& residuals) {
  double sum = 0;
  for (const Eigen::ArrayXXd& e : residuals) sum += e.isNaN().select(0.0, e).square().sum();
  return sum;
}

}  // namespace

Result<Reference> noise_reference(const Identification& result, const Excerpt& excerpt,
                                  const ConditioningOptions& conditioning, Backend& backend) {
  const auto& logs =
      result.answer().validation ? result.second_pass.validation_logs : result.data.logs;
  const double period = logs.empty() ? 0 : logs.front().sample_period_s;
  HEFT_TRY(residuals, residuals_of(result.plan(), excerpt, result.answer().parameters, backend));
  const Estimate& answer = result.answer();
  const TorqueErrors& errors = answer.errors();
  NoiseFloor floor = noise_floor(residuals, period, bandwidth_of(conditioning, period));
  // an excerpt may be noisier than the whole log: bound the noise by the residual of all rows
  for (Eigen::Index c = 0; c < floor.upper.size(); ++c)
    for (double* bound : {&floor.lower[c], &floor.upper[c]})
      *bound = std::min(*bound, errors.channels[static_cast<std::size_t>(c)].rms_error);
  Reference reference;
  const auto relative = [&](const Eigen::VectorXd& rms) {
    double noise2 = 0, torque2 = 0;
    for (std::size_t c = 0; c < errors.channels.size(); ++c) {
      const ChannelErrors& channel = errors.channels[c];
      const double rows = static_cast<double>(channel.num_rows);
      if (channel.num_rows == 0) continue;
      noise2 += rms.size() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                : rows * std::pow(rms[static_cast<Eigen::Index>(c)], 2);
      torque2 += rows * std::pow(channel.rms_torque, 2);
    }
    return std::sqrt(noise2 / torque2);
  };
  reference.floor_lower = std::min(relative(floor.lower), errors.overall_relative);
  reference.floor_upper = std::min(relative(floor.upper), errors.overall_relative);
  reference.missing_terms = missing_terms(result.plan(), excerpt.stretches, residuals);
  if (result.optimum && result.optimum->price_of_prior) {
    HEFT_TRY(freer, residuals_of(result.plan(), excerpt, result.optimum->price_of_prior->parameters,
                                 backend));
    reference.without_prior = std::sqrt(sum_of_squares(freer) / sum_of_squares(residuals));
  }
  reference.floor_lower_rms.assign(floor.lower.begin(), floor.lower.end());
  reference.floor_upper_rms.assign(floor.upper.begin(), floor.upper.end());
  return reference;
}

}  // namespace heft
