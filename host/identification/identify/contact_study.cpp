#include "identify/contact_study.hpp"

#include <algorithm>
#include <cmath>

#include "identify/gathering.hpp"
#include "identify/identify_gathered.hpp"
#include "identify/stage_timer.hpp"
#include "projected_information.hpp"
#include "rows/projected_rows.hpp"
#include "training/reported_run.hpp"
#include "training/sample_source.hpp"

namespace heft {

namespace {

constexpr double kMostKept = 256e6;  ///< bytes of samples that serve all passes
constexpr Eigen::Index kRowsOfBlock = 48, kMostRows = 600;  ///< samples whose information is summed

/// The samples at some rows, without torque.
Samples at_rows(const Samples& samples, const std::vector<Eigen::Index>& rows) {
  Samples some{.time = samples.time(rows)};
  for (auto member : {&Samples::position, &Samples::velocity, &Samples::acceleration,
                      &Samples::base_motion, &Samples::signal})
    if ((samples.*member).size() > 0)
      some.*member = (samples.*member)(rows, Eigen::all);
    else
      some.*member = Eigen::ArrayXXd(std::ssize(rows), 0);
  return some;
}

class Study {
 public:
  Study(const RegressorPlan& plan, const UnknownWrenches& wrenches, Backend& backend)
      : plan_(plan),
        wrenches_(wrenches),
        backend_(backend),
        num_in_contact_(Eigen::VectorXd::Zero(std::ssize(wrenches.contacts))) {
    for (int contact = -1; contact < std::ssize(wrenches.contacts); ++contact)
      information_.emplace_back(plan, without_contact(wrenches, contact));
  }

  Result<Done> push(const Samples& block) {
    if (!has_unknown_wrenches(block)) return Done{};
    for (std::size_t f = 0; f < wrenches_.contacts.size(); ++f)
      num_in_contact_[static_cast<Eigen::Index>(f)] +=
          block.signal.col(wrenches_.contacts[f].state_signal).sum();
    num_samples_ += static_cast<double>(block.size());
    return add_information(block);
  }

  std::vector<ContactSummary> finish() const {
    std::vector<ContactSummary> contacts;
    const Eigen::MatrixXd all = information_.front().matrix();
    for (std::size_t f = 0; f < wrenches_.contacts.size(); ++f)
      contacts.push_back(
          {wrenches_.contacts[f].frame,
           num_in_contact_[static_cast<Eigen::Index>(f)] / std::max(1.0, num_samples_),
           share_lost(information_[f + 1].matrix(), all)});
    return contacts;
  }

 private:
  Result<Done> add_information(const Samples& block) {
    const UnfilteredMotion& motion = *block.unfiltered;
    const Eigen::Index step = std::max<Eigen::Index>(1, block.size() / kRowsOfBlock);
    std::vector<Eigen::Index> rows;
    for (Eigen::Index i = 0; i < block.size() && num_rows_ < kMostRows; i += step, ++num_rows_)
      rows.push_back(motion.first + i * motion.step);
    if (rows.empty()) return Done{};
    const Samples samples = at_rows(motion.samples, rows);
    std::vector<RowArray> made;
    HEFT_CHECK(backend_.evaluate_rows(plan_, samples, made));
    const std::vector<bool> used = used_channels(block);
    for (ProjectedInformation& information : information_) information.add(samples, made, used);
    return Done{};
  }

  const RegressorPlan& plan_;
  const UnknownWrenches& wrenches_;
  Backend& backend_;
  Eigen::VectorXd num_in_contact_;
  double num_samples_ = 0;
  std::vector<ProjectedInformation> information_;  ///< with all contacts unknown, then without each
  Eigen::Index num_rows_ = 0;
};

/// Bounds the noise of channels: residuals of a few samples must not make a channel too certain or
/// worthless. Channels without residuals follow the others.
Eigen::VectorXd bounded_noise(const Eigen::VectorXd& before, const Eigen::VectorXd& variance) {
  constexpr double kLargestRatio = 30;
  Eigen::VectorXd factor = variance.cwiseSqrt().cwiseQuotient(before);
  double log_sum = 0;
  int count = 0;
  for (const double f : factor)
    if (f > 0) log_sum += std::log(f), ++count;
  if (count == 0) return before;
  const double middle = std::exp(log_sum / count);
  for (double& f : factor)
    f = f > 0 ? std::clamp(f, middle / kLargestRatio, middle * kLargestRatio) : middle;
  return before.cwiseProduct(factor);
}

}  // namespace

Result<std::vector<double>> channel_noise(SampleSource& source, const UnknownWrenches& wrenches,
                                          const Moments& moments, const Eigen::VectorXd& parameters,
                                          const Progress& progress) {
  Eigen::VectorXd remaining = Eigen::VectorXd::Zero(wrenches.noise.size());
  const auto on_block = [&](int, const Samples& block) -> Result<Done> {
    if (has_unknown_wrenches(block))
      remaining += remaining_shares(block).colwise().sum().transpose().matrix();
    return Done{};
  };
  HEFT_CHECK(reported_run(source, on_block, progress, "weighing contacts"));
  Eigen::VectorXd variance = Eigen::VectorXd::Zero(remaining.size());
  for (int c = 0; c < moments.plan->num_channels(); ++c)
    if (remaining[c] > 1)
      variance[c] = std::max(0.0, residual_sum(moments, c, parameters)) / remaining[c];
  const Eigen::VectorXd noise = bounded_noise(wrenches.noise, variance);
  return std::vector<double>(noise.begin(), noise.end());
}

namespace {

Result<std::vector<ContactSummary>> study_contacts(SampleSource& source, const Model& model,
                                                   Executor& executor, const Progress& progress) {
  Study study(*model.plan, *model.derived.unknown_wrenches, executor);
  const auto on_block = [&](int, const Samples& block) { return study.push(block); };
  HEFT_CHECK(reported_run(source, on_block, progress, "weighing contacts"));
  return study.finish();
}

}  // namespace

Result<Identification> identify_with_contacts(const IdentifyRequest& request) {
  HEFT_TRY(executor, executor_of(request));
  std::map<std::string, double> timings_s;
  SampleSource training(request.training_logs, request.setup.model, request.gathering,
                        request.gathering.max_samples);
  training.keep_at_most(kMostKept);
  training.condition_on(executor->num_threads());
  const auto gathered = [&] {
    StageTimer timer(timings_s, "read, condition and accumulate");
    return gather(training, request.setup, request.gathering, request.estimation, *executor,
                  request.progress);
  };
  auto data = gathered();
  if (!data) {
    if (data.error().is_stop) return data.error();
    return identify(request);  // errors of the logs themselves are more specific
  }
  HEFT_TRY(result, identify_gathered(std::move(data->training()), request, training));
  result.choices.logs = std::move(data->log_weights);
  StageTimer timer(timings_s, "weigh contacts");
  HEFT_TRY(contacts, study_contacts(training, request.setup.model, *executor, request.progress));
  result.choices.contacts = std::move(contacts);
  result.timings_s.merge(timings_s);
  return std::move(result);
}

}  // namespace heft
