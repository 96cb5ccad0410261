#include "search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/estimation.hpp"
#include "identify/gathering.hpp"

namespace heft::select {

namespace {

/// Fewer folds than asked for where a log is too short for them.
int folds_for(const TrainingData& data, int wanted) {
  return std::min(wanted, static_cast<int>(data.stretches.size()) / 3);
}

}  // namespace

Result<Done> Search::start() {
  if (is_least_squares(options()))
    return Error{"selection.columns", "auto needs an estimate with prior and constraints",
                 "choose another solver than ols and wls"};
  HEFT_TRY(robot, read_robot(request_.robot_path, request_.configuration.robot));
  HEFT_CHECK(read_ellipsoids(request_.configuration.estimation, robot));
  Configuration configuration = request_.configuration;
  configuration.selection.columns = ColumnChoice::given;
  configuration.candidates.clear();
  HEFT_TRY(first, try_pass("as configured", configuration));
  if (!first.errors.is_finite())
    return Error{"selection", "the configured model has no optimum in every fold",
                 "record longer, or begin with fewer columns"};
  accept(std::move(first));
  return Done{};
}

bool Search::is_worth_it(const Gain& gain, double standard_errors) const {
  return gain.share >= request_.configuration.selection.min_gain && gain.standard_errors > standard_errors;
}

void Search::refuse(const std::string& option, const Gain& gain, double standard_errors) {
  const double min_gain = request_.configuration.selection.min_gain;
  const bool has_optimum = !std::isnan(gain.share);
  const std::string reason = !has_optimum                  ? "no optimum in some fold"
                             : !(gain.share > 0)           ? "no gain"
                             : !(gain.share >= min_gain)   ? fmt::format("less than {:g} %", 100 * min_gain)
                             : !(gain.standard_errors > 1) ? "within one standard error of the folds"
                             : !(gain.standard_errors > standard_errors)
                                 ? "within two standard errors of the folds"
                                 : "another did better";
  const double share = has_optimum ? gain.share : -std::numeric_limits<double>::infinity();
  refused_[option] = {option, share, has_optimum ? gain.standard_errors : 0, reason};
}

void Search::accept(Trial trial) {
  selection_.steps.push_back({trial.option,
                              trial.configuration,
                              trial.errors.relative(),
                              trial.gain.share,
                              trial.gain.standard_errors,
                              {}});
  refused_.erase(trial.option);
  standing_ = std::move(trial);
}

Result<Search::Pool> Search::pass(const Configuration& configuration) {
  const std::string stage = fmt::format("choosing the model, pass {}", ++selection_.num_passes);
  HEFT_TRY(robot, read_robot(request_.robot_path, configuration.robot));
  HEFT_TRY(model, make_model(std::move(robot), configuration));
  HEFT_TRY(backend, make_backend(configuration.backend));
  SampleSource source(request_.training_logs, *model.plan, configuration, model.derived,
                      configuration.estimation.training_samples);
  HEFT_TRY(gathered, gather(source, model, configuration, *backend, [&](double fraction) {
             if (request_.progress) request_.progress(stage, fraction);
           }));
  selection_.num_passes += gathered.num_passes - 1;
  const int num_folds = folds_for(gathered.plain, request_.configuration.selection.folds);
  HEFT_TRY(cut, blocked_folds(gathered.training(), num_folds));
  if (gathered.reweighted) {
    // what is held out is judged by its torques, whatever weights the answer was learned with
    HEFT_TRY(plain, blocked_folds(gathered.plain, num_folds));
    for (std::size_t k = 0; k < cut.folds.size(); ++k)
      cut.folds[k].held_out = std::move(plain.folds[k].held_out);
  }
  TrainingData data = std::move(gathered.training());
  selection_.num_folds = static_cast<int>(cut.folds.size());
  selection_.gap_s = cut.gap_s;
  selection_.gap_is_full = cut.gap_is_full;
  rate_hz_ = data.logs.front().rate_hz;
  for (const LogSummary& log : data.logs) rate_hz_ = std::min(rate_hz_, log.rate_hz);
  return Pool{std::move(data), std::move(cut.folds)};
}

Result<Search::Trial> Search::evaluate(std::string option, Configuration configuration, Moments moments,
                                       std::vector<Fold> folds) {
  Trial trial{.option = std::move(option),
              .configuration = std::move(configuration),
              .moments = std::move(moments),
              .folds = std::move(folds)};
  HEFT_TRY(weights, fold_weights(trial.folds, options()));
  trial.weights = std::move(weights);
  const double prior_weight = trial.configuration.estimation.prior_weight.value;
  HEFT_TRY(errors, cross_validate({{trial.folds, prior_weight}}, trial.weights, options()));
  selection_.num_solves += static_cast<int>(trial.folds.size());
  trial.errors = errors.front();
  if (!selection_.steps.empty()) trial.gain = gain(standing_.errors, trial.errors);
  return trial;
}

Result<Search::Trial> Search::try_pass(std::string option, const Configuration& configuration) {
  HEFT_TRY(pool, pass(configuration));
  return evaluate(std::move(option), configuration, std::move(pool.data.moments), std::move(pool.folds));
}

Result<Done> Search::move_prior_weight() {
  if (options().prior == PriorKind::none || options().prior_weight.automatic || !has_room()) return Done{};
  std::vector<FoldedModel> models;
  for (const double factor : {0.1, 0.3, 3.0, 10.0})
    models.push_back({standing_.folds, factor * standing_.configuration.estimation.prior_weight.value});
  HEFT_TRY(errors, cross_validate(models, standing_.weights, options()));
  selection_.num_solves += static_cast<int>(models.size() * standing_.folds.size());
  std::size_t best = models.size();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Gain found = gain(standing_.errors, errors[i]);
    refuse(fmt::format("prior weight {:g}", models[i].prior_weight), found);
    if (is_worth_it(found) && (best == models.size() || errors[i].relative() < errors[best].relative()))
      best = i;
  }
  if (best == models.size()) return Done{};
  Trial trial = standing_;
  trial.option = fmt::format("prior weight {:g}", models[best].prior_weight);
  trial.configuration.estimation.prior_weight.value = models[best].prior_weight;
  trial.errors = errors[best];
  trial.gain = gain(standing_.errors, trial.errors);
  accept(std::move(trial));
  return Done{};
}

Result<Selection> Search::finish() {
  selection_.chosen = standing_.configuration;
  selection_.num_options = num_steps() + static_cast<int>(refused_.size());
  for (const auto& [option, refusal] : refused_) selection_.refused.push_back(refusal);
  std::stable_sort(selection_.refused.begin(), selection_.refused.end(),
                   [](const SelectionRefusal& a, const SelectionRefusal& b) { return a.gain > b.gain; });
  if (request_.validation_logs.empty()) return std::move(selection_);
  for (std::size_t i = 0; i < selection_.steps.size(); ++i) {
    if (request_.progress)
      request_.progress("judging the steps",
                        static_cast<double>(i) / static_cast<double>(selection_.steps.size()));
    IdentifyRequest request = request_;
    request.progress = {};
    request.configuration = selection_.steps[i].configuration;
    request.configuration.estimation.bootstrap = 0;
    HEFT_TRY(identification, identify(request));
    selection_.steps[i].held_out_error = identification.answer().validation->overall_relative;
  }
  return std::move(selection_);
}

}  // namespace heft::select
