#include "identify/contact_study.hpp"

#include <algorithm>
#include <cmath>

#include "channel_noise.hpp"
#include "projected_information.hpp"
#include "rows/filtered_prediction.hpp"
#include "rows/projected_rows.hpp"
#include "training/reported_run.hpp"
#include "training/sample_source.hpp"

namespace heft {

namespace {

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
  Study(const RegressorPlan& plan, const UnknownWrenches& wrenches, Backend& backend,
        const Eigen::VectorXd& parameters)
      : plan_(plan),
        wrenches_(wrenches),
        backend_(backend),
        parameters_(parameters),
        noise_(plan.num_channels()),
        num_in_contact_(Eigen::VectorXd::Zero(std::ssize(wrenches.contacts))) {
    for (int contact = -1; contact < std::ssize(wrenches.contacts); ++contact)
      information_.emplace_back(plan, without_contact(wrenches, contact));
  }

  Result<Done> push(const Samples& block) {
    if (!has_unknown_wrenches(block)) return Done{};
    const PredictJob job{&plan_, &block, &parameters_};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend_, {&job, 1}, {&predicted, 1}));
    noise_.push(block, predicted);
    for (std::size_t f = 0; f < wrenches_.contacts.size(); ++f)
      num_in_contact_[static_cast<Eigen::Index>(f)] +=
          block.signal.col(wrenches_.contacts[f].state_signal).sum();
    num_samples_ += static_cast<double>(block.size());
    return add_information(block);
  }

  ContactStudy finish() const {
    ContactStudy study;
    const Eigen::VectorXd noise = bounded_noise();
    study.noise.assign(noise.begin(), noise.end());
    const Eigen::MatrixXd all = information_.front().matrix();
    for (std::size_t f = 0; f < wrenches_.contacts.size(); ++f)
      study.contacts.push_back(
          {wrenches_.contacts[f].frame,
           num_in_contact_[static_cast<Eigen::Index>(f)] / std::max(1.0, num_samples_),
           share_lost(information_[f + 1].matrix(), all)});
    return study;
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

  /// Residuals of a few samples must not make a channel too certain or worthless.
  Eigen::VectorXd bounded_noise() const {
    constexpr double kLargestRatio = 30;
    const Eigen::VectorXd &before = wrenches_.noise, variance = noise_.variance();
    Eigen::VectorXd factor(before.size());
    double log_sum = 0;
    int count = 0;
    for (Eigen::Index c = 0; c < before.size(); ++c) {
      factor[c] = std::sqrt(variance[c]) / before[c];
      if (factor[c] > 0) log_sum += std::log(factor[c]), ++count;
    }
    if (count == 0) return before;
    const double middle = std::exp(log_sum / count);
    for (double& f : factor)
      f = f > 0 ? std::clamp(f, middle / kLargestRatio, middle * kLargestRatio) : middle;
    return before.cwiseProduct(factor);
  }

  const RegressorPlan& plan_;
  const UnknownWrenches& wrenches_;
  Backend& backend_;
  const Eigen::VectorXd& parameters_;
  ChannelNoise noise_;
  Eigen::VectorXd num_in_contact_;
  double num_samples_ = 0;
  std::vector<ProjectedInformation> information_;  ///< with all contacts unknown, then without each
  Eigen::Index num_rows_ = 0;
};

}  // namespace

Result<ContactStudy> study_contacts(const IdentifyRequest& request,
                                    const Eigen::VectorXd& parameters) {
  HEFT_TRY(executor, executor_of(request));
  const Model& model = request.setup.model;
  SampleSource source(request.training_logs, model, request.gathering,
                      request.gathering.max_samples);
  source.keep_nothing();
  Study study(*model.plan, *model.derived.unknown_wrenches, *executor, parameters);
  const auto on_block = [&](int, const Samples& block) { return study.push(block); };
  HEFT_CHECK(reported_run(source, on_block, request.progress, "weighing contacts"));
  return study.finish();
}

}  // namespace heft
