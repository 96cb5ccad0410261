#include "heft/identify/identify.hpp"

#include "identify/gathering.hpp"
#include "identify/stage_timer.hpp"
#include "residuals.hpp"
#include "traces/trace_recorder.hpp"

namespace heft {

namespace {

/// Measured against predicted torques of every estimate, on both kinds of logs; traces of the held-out ones,
/// or, if there are none, of the training logs.
Result<Done> compare(SampleSource& training, SampleSource& validation, Backend& backend,
                     Identification& result, const Progress& progress) {
  std::vector<Eigen::VectorXd> parameters;
  for (const Estimate& estimate : result.estimates) parameters.push_back(estimate.parameters);
  std::vector<double> rms_errors;
  for (const ChannelFit& channel : result.answer().training.channels) rms_errors.push_back(channel.rms_error);
  TraceRecorder recorder(result.plan(), result.answer().parameters, rms_errors, backend);
  const PredictionSink record = [&](int segment, const Samples& block, const Eigen::ArrayXXd& predicted) {
    return recorder.push(segment, block, predicted);
  };
  const bool held_out = !validation.empty();
  HEFT_TRY(training_fits,
           fits_on(training, result.plan(), backend, parameters, held_out ? nullptr : record, progress));
  for (std::size_t i = 0; i < parameters.size(); ++i) result.estimates[i].training = training_fits[i];
  if (held_out) {
    HEFT_TRY(validation_fits, fits_on(validation, result.plan(), backend, parameters, record, progress));
    for (std::size_t i = 0; i < parameters.size(); ++i) result.estimates[i].validation = validation_fits[i];
    result.validation_logs = validation.summaries();
  }
  result.traces = recorder.traces(held_out);
  return Done{};
}

}  // namespace

Result<Identification> identify(const IdentifyRequest& request) {
  const GatherOptions& options = request.gathering;
  HEFT_TRY(backend, make_backend(request.backend));

  std::map<std::string, double> timings_s;
  const auto gathered = [&](SampleSource& source) {
    StageTimer timer(timings_s, "read, condition and accumulate");
    return gather(source, request.setup, options, request.estimation, *backend, request.progress);
  };
  SampleSource training(request.training_logs, request.setup.model, options, options.max_samples);
  HEFT_TRY(data, gathered(training));
  HEFT_TRY(result, estimate(std::move(data.training()), request.setup, request.estimation, request.progress));
  result.backend = backend->description();
  {
    StageTimer timer(timings_s, "residuals");
    GatherOptions judging = options;
    judging.conditioning.rows = "torque";  // answers of all kinds of rows are judged alike
    SampleSource validation(request.validation_logs, request.setup.model, judging);
    HEFT_CHECK(compare(training, validation, *backend, result, request.progress));
  }
  result.timings_s.merge(timings_s);
  return std::move(result);
}

}  // namespace heft
