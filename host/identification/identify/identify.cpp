#include "heft/identify/identify.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <future>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/begun_work.hpp"
#include "base/stop_at_exit.hpp"
#include "conditioning/read_again.hpp"
#include "evidence_recorder.hpp"
#include "executor/log_conditioner.hpp"
#include "fitted_columns.hpp"
#include "identify/gathering.hpp"
#include "identify/identify_gathered.hpp"
#include "identify/rows_in_memory.hpp"
#include "identify/stage_timer.hpp"
#include "log_findings.hpp"
#include "residuals.hpp"
#include "traces/block_sums.hpp"
#include "traces/trace_recorder.hpp"

namespace heft {

namespace {

constexpr double kKeptForSecondPass = 320e6;  ///< bytes of samples: a million rows of an arm

/// NaN for unused rows.
Eigen::ArrayXXd residual_of(const Samples& block, const Eigen::ArrayXXd& predicted) {
  const Eigen::ArrayXXd nothing = Eigen::ArrayXXd::Constant(
      predicted.rows(), predicted.cols(), std::numeric_limits<double>::quiet_NaN());
  return (block.weight != 0).select(block.torque - predicted, nothing);
}

/// Compares measured with predicted torques of every estimate on training and held-out logs.
/// Requested traces are of the held-out logs or, without them, the training logs; `evidence`
/// receives all samples. Returns the errors of the robot's file on the traced logs; empty without
/// evidence.
Result<std::optional<TorqueErrors>> compare(const IdentifyRequest& request, SampleSource& training,
                                            SampleSource& validation, Backend& backend,
                                            EvidenceRecorder& evidence, Identification& result) {
  std::vector<Eigen::VectorXd> parameters;
  // with the robot's file alone, before all others
  if (request.gathers_evidence) parameters.push_back(prior_with_fitted_columns(result));
  const std::size_t first_estimate = parameters.size();
  for (const Estimate& estimate : result.estimates) parameters.push_back(estimate.parameters);
  std::vector<double> rms_errors;
  for (const ChannelErrors& channel : result.answer().training.channels)
    rms_errors.push_back(channel.rms_error);
  std::optional<TraceRecorder> traces;
  if (request.gathers_traces)
    traces.emplace(result.plan(), result.answer().parameters, rms_errors, backend,
                   request.setup.model.feet);
  const bool has_held_out = !validation.empty();
  BlockSums held_out_errors;
  const auto record = [&](bool held_out) -> PredictionSink {
    return [&, held_out](int segment, const Samples& block,
                         const Eigen::ArrayXXd& predicted) -> Result<Done> {
      if (request.gathers_evidence) evidence.push(held_out, segment, block, predicted);
      if (held_out) held_out_errors.push(residual_of(block, predicted), block.torque);
      return traces && held_out == has_held_out ? traces->push(segment, block, predicted) : Done{};
    };
  };
  HEFT_TRY(training_errors, errors_on(training, result.plan(), backend, parameters, record(false),
                                      request.progress));
  for (std::size_t i = 0; i < result.estimates.size(); ++i)
    result.estimates[i].training = training_errors[first_estimate + i];
  std::optional<TorqueErrors> by_file;
  if (request.gathers_evidence) by_file = training_errors[0];
  if (has_held_out) {
    HEFT_TRY(validation_errors, errors_on(validation, result.plan(), backend, parameters,
                                          record(true), request.progress));
    for (std::size_t i = 0; i < result.estimates.size(); ++i)
      result.estimates[i].validation = validation_errors[first_estimate + i];
    result.second_pass.validation_logs = validation.summaries();
    result.second_pass.held_out = held_out_errors.blocks();
    if (request.gathers_evidence) by_file = validation_errors[0];
  }
  if (traces) result.second_pass.traces = traces->traces(has_held_out);
  return by_file;
}

/// Evidence against the result.
Result<Done> doubt(const IdentifyRequest& request, const EvidenceRecorder& recorded,
                   const TorqueErrors& by_file,
                   std::future<Result<std::vector<LogFindings>>>& findings, Executor& executor,
                   Identification& result) {
  HEFT_TRY(found, recorded.evidence(request, result, findings, executor));
  result.second_pass.evidence = std::move(found);
  auto& reference = result.second_pass.evidence.reference;
  if (!reference) return Done{};
  reference->urdf_relative = by_file.overall_relative;
  for (const ChannelErrors& channel : by_file.channels)
    reference->urdf_rms_error.push_back(channel.rms_error);
  return Done{};
}

WaveReport wave_report(const DeviceConditioner& device,
                       std::initializer_list<const ConditionedOnDevice*> sources) {
  const DeviceWork work = device.work();
  WaveReport report{.num_robots = 1,
                    .bytes_up = work.bytes_up,
                    .bytes_down = work.bytes_down,
                    .launches = work.launches,
                    .device_s = work.device_s,
                    .chosen_because = "requested"};
  for (const ConditionedOnDevice* source : sources) {
    report.num_logs += source->num_logs;
    report.host_cpu_s += source->host_cpu_s;
    report.on_host.insert(report.on_host.end(), source->on_host.begin(), source->on_host.end());
  }
  return report;
}

/// The findings of the logs for a good fit. They do not need the answer: several threads look for
/// them while it is computed. `silent`: their progress beside the caller, in whose thread the
/// request's is called.
std::future<Result<std::vector<LogFindings>>> begun_findings(const IdentifyRequest& request,
                                                             const Executor& executor,
                                                             const Progress& silent) {
  const int num_threads = executor.num_threads();
  const bool beside = num_threads > 1 && request.gathers_evidence;
  return begin_work(beside, [&request, silent, beside, num_threads] {
    if (!beside) return findings_of_logs(request, false, num_threads);
    IdentifyRequest own = request;
    own.progress = silent;
    return findings_of_logs(own, false, num_threads);
  });
}

/// The samples of the held-out logs. Short logs are conditioned while the training logs are read
/// and the estimate is computed, if there are threads for it. `samples`: the conditioned samples,
/// if the caller has them.
class HeldOut {
 public:
  HeldOut(const IdentifyRequest& request, const Executor& executor,
          std::shared_ptr<DeviceConditioner> device = nullptr,
          std::vector<ConditionedLog> samples = {})
      : judging_(request.gathering),
        source_(request.validation_logs, request.setup.model, judging_) {
    judging_.conditioning.rows = "torque";  // results of all kinds of rows are judged by the same
                                            // criterion
    source_.condition_on(executor.num_threads());
    source_.condition_by(device);
    if (!samples.empty()) {
      source_.keep_nothing();
      source_.hold(std::move(samples));
    } else if (executor.num_threads() > 1 && !device && are_short(request.validation_logs)) {
      // source().run() reads again after an error, and returns it
      ahead_ = begin_work(true, [this, goes_on = ends_.progress()] {
        (void)source_.run([&](int, const Samples&) -> Result<Done> {
          return goes_on({}, 0) ? Result<Done>(Done{}) : stopped();
        });
      });
    } else {
      source_.keep_nothing();
    }
  }

  /// Waits for the samples.
  SampleSource& source() {
    if (ahead_.valid()) ahead_.get();
    return source_;
  }

 private:
  static bool are_short(const std::vector<Log>& logs) {
    constexpr std::uintmax_t kBytes = 16'000'000;  // their samples are kept
    std::uintmax_t bytes = 0;
    for (const Log& log : logs) {
      std::error_code is_no_file;
      const std::uintmax_t size = std::filesystem::file_size(log.name(), is_no_file);
      if (is_no_file) return false;
      bytes += std::min(size, kBytes + 1);
    }
    return !logs.empty() && bytes <= kBytes;
  }

  GatherOptions judging_;
  SampleSource source_;
  std::future<void> ahead_;  // after the source: it ends before it
  StopAtExit ends_;          // last: it stops the work ahead
};

/// Estimates and evaluates on the logs. `device` conditions those that are held out.
Result<Identification> answer(TrainingData data, const IdentifyRequest& request,
                              SampleSource& training, HeldOut& held_out, Executor& executor,
                              const std::shared_ptr<DeviceConditioner>& device = nullptr) {
  std::future<Result<std::vector<LogFindings>>> findings;
  const StopAtExit ends;
  findings = begun_findings(request, executor, ends.progress());
  HEFT_TRY(result, estimate(std::move(data), request.setup, executor, request.estimation,
                            request.progress));
  result.second_pass.backend = executor.description();
  EvidenceRecorder evidence(result.plan(), executor.num_threads());
  const auto compared = [&] {
    StageTimer timer(result.timings_s, "residuals");
    SampleSource& validation = held_out.source();
    auto by_file = compare(request, training, validation, executor, evidence, result);
    if (device)
      result.wave = wave_report(*device, {&training.on_device(), &validation.on_device()});
    return by_file;
  };
  HEFT_TRY(by_file, compared());
  if (!request.gathers_evidence) return std::move(result);
  {
    StageTimer timer(result.timings_s, "evidence");
    HEFT_CHECK(doubt(request, evidence, *by_file, findings, executor, result));
  }
  return std::move(result);
}

}  // namespace

Result<std::shared_ptr<Executor>> executor_of(const IdentifyRequest& request) {
  if (request.executor) return request.executor;
  return make_executor();
}

Result<Identification> identify(const IdentifyRequest& given) {
  for (const auto* logs : {&given.training_logs, &given.validation_logs})
    for (const Log& log : *logs) HEFT_CHECK(can_be_read_again(log));
  const IdentifyRequest request = given.gathers_evidence ? with_rows_in_memory(given) : given;
  const GatherOptions& options = request.gathering;
  HEFT_TRY(executor, executor_of(request));

  std::map<std::string, double> timings_s;
  const auto gathered = [&](SampleSource& source) {
    StageTimer timer(timings_s, "read, condition and accumulate");
    return gather(source, request.setup, options, request.estimation, *executor, request.progress);
  };
  SampleSource training(request.training_logs, request.setup.model, options, options.max_samples);
  training.condition_on(executor->num_threads());
  training.keep_at_most(kKeptForSecondPass);
  std::shared_ptr<DeviceConditioner> device = request.shared_device;
  if (request.conditions_on_device && !device) {
    HEFT_TRY(made, log_conditioner(*executor));
    device = std::move(made);
  }
  training.condition_by(device);
  HeldOut held_out(request, *executor, device);
  auto data = gathered(training);
  if (!data) return with_misread_positions(request, data.error(), executor->num_threads());
  HEFT_TRY(result,
           answer(std::move(data->training()), request, training, held_out, *executor, device));
  result.choices.logs = std::move(data->log_weights);
  result.timings_s.merge(timings_s);
  return std::move(result);
}

Result<Identification> identify_gathered(TrainingData data, const IdentifyRequest& request,
                                         SampleSource& training,
                                         const std::shared_ptr<DeviceConditioner>& device,
                                         std::vector<ConditionedLog> held_out) {
  HEFT_TRY(executor, executor_of(request));
  training.condition_on(executor->num_threads());
  HeldOut samples(request, *executor, device, std::move(held_out));
  return answer(std::move(data), request, training, samples, *executor, device);
}

Result<Identification> identify_gathered(TrainingData data, const IdentifyRequest& request) {
  const GatherOptions& options = request.gathering;
  SampleSource training(request.training_logs, request.setup.model, options, options.max_samples);
  training.keep_nothing();
  return identify_gathered(std::move(data), request, training);
}

}  // namespace heft
