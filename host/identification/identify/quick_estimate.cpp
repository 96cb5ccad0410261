#include "identify/quick_estimate.hpp"

#include <utility>

#include "identify/contact_study.hpp"
#include "identify/gathering.hpp"

namespace heft {

namespace {

constexpr double kMostKept = 256e6;  ///< bytes of samples that serve the noise of the channels

/// Whether the parameters of estimate() do not depend on intervals and the prices of prior and
/// constraints.
bool needs_only_sums(const EstimationOptions& options) {
  return !options.is_least_squares() && !options.chooses_weight_of_prior &&
         options.most_weights.size() == 0;
}

/// The parameters of estimate().
Result<Eigen::VectorXd> parameters_of(const TrainingData& data, const IdentifyRequest& request,
                                      Executor& executor) {
  EstimationOptions options = request.estimation;
  if (needs_only_sums(options)) return point_estimate(data.moments, request.setup, options);
  options.uncertainty.bootstrap = 0;
  HEFT_TRY(found, estimate(data, request.setup, executor, options, request.progress));
  return found.answer().parameters;
}

Result<QuickEstimate> from_one_pass(const IdentifyRequest& request, SampleSource& source,
                                    Executor& executor) {
  const Model& model = request.setup.model;
  const bool only_sums =
      needs_only_sums(request.estimation) && !request.gathering.weighting.weighs_logs();
  HEFT_TRY(gathered, gather(source, request.setup, request.gathering, request.estimation, executor,
                            request.progress,
                            only_sums ? kFewestStretches : AccumulateOptions{}.most_stretches));
  const TrainingData& data = gathered.training();
  QuickEstimate found;
  HEFT_TRY(parameters, parameters_of(data, request, executor));
  found.parameters = std::move(parameters);
  if (source.unknown_wrenches() == nullptr) return found;
  HEFT_TRY(noise, channel_noise(source, *model.derived.unknown_wrenches, data.moments,
                                found.parameters, request.progress));
  found.channel_noise = std::move(noise);
  return found;
}

}  // namespace

Result<QuickEstimate> quick_estimate(const IdentifyRequest& request) {
  HEFT_TRY(executor, executor_of(request));
  SampleSource source(request.training_logs, request.setup.model, request.gathering,
                      request.gathering.max_samples);
  source.keep_at_most(kMostKept);
  source.condition_on(executor->num_threads());
  auto found = from_one_pass(request, source, *executor);
  if (found || found.error().is_stop) return found;
  // errors of the logs themselves are more specific
  HEFT_CHECK(identify(request));
  return found.error();
}

}  // namespace heft
