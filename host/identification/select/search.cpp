#include "search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "identify/gathering.hpp"

namespace heft::select {

namespace {

constexpr int kFewestFolds = 2;
/// Smallest accepted gain, as a fraction of the torque: a smaller one removes errors of the filter,
/// to which columns and delays would be fitted.
constexpr double kLeastGain = 2e-4;
constexpr int kStepsPerAddition = 3;  ///< at most, with those that remove one again

/// An option without the values that distinguish it from others of its family: "torque delay 2 ms".
std::string without_numbers(const std::string& option) {
  const std::size_t digit = option.find_first_of("0123456789");
  if (digit == std::string::npos) return option;
  const std::size_t end = option.find_last_not_of(" -,", digit == 0 ? 0 : digit - 1);
  const std::string family = option.substr(0, end + 1);
  return family.substr(0, family.find(','));
}

}  // namespace

std::string removal_name(const std::string& option) {
  return "without " + option;
}

std::string exchange_name(const std::string& option, const std::string& removed) {
  return option + " instead of " + removed;
}

bool is_revision(const std::string& option) {
  return option.starts_with(removal_name("")) || option.find(exchange_name("", "")) != option.npos;
}

/// Whether a held-out part of the log, or the rest, is unusable alone.
bool is_about_folds(const Error& error) {
  return !error.is_stop && error.where == "folds";
}

Result<Done> Search::start() {
  if (estimation().is_least_squares())
    return Error{"selection.columns", "auto needs an estimate with prior and constraints",
                 "choose a solver other than ols and wls"};
  const ModelChoice configured{.model = model_,
                               .conditioning = request_.gathering.conditioning,
                               .weighting = request_.gathering.weighting,
                               .weight_of_prior = request_.setup.prior.weight};
  const int wanted = options_.folds;
  for (;;) {
    auto pool = pass(configured);
    if (!pool && !is_about_folds(pool.error())) return pool.error();
    const int most = pool ? std::max(kFewestFolds, most_folds(pool->data)) : options_.folds;
    if (most < options_.folds) {
      options_.folds = most;
      continue;
    }
    if (pool) {
      HEFT_TRY(first, evaluate("as configured", configured, pool->data.moments, pool->folds));
      if (first.errors.is_finite()) {
        accept(std::move(first));
        is_long_enough_ = options_.folds >= std::min(wanted, kFewestFolds * 2);
        return choose_weight_of_prior(pool->data);
      }
    }
    // a joint may move in a part of the log only: larger parts leave more of it in each
    if (--options_.folds < kFewestFolds)
      return pool ? Error{"selection", "the configured model has no optimum in every fold",
                          "record longer, or begin with fewer columns"}
                  : Error{"selection.columns", pool.error().what,
                          "record longer, or set selection.columns to given"};
  }
}

bool Search::has_room() const {
  int num_additions = 0;
  bool has_delay = false;
  for (int i = 1; i <= num_steps(); ++i) {
    const std::string& option = selection_.steps[static_cast<std::size_t>(i)].option;
    const bool is_delay = option.starts_with(kDelayName);
    if (is_revision(option))
      num_additions -= option.starts_with(removal_name("")) ? 1 : 0;
    else if (!is_delay || !has_delay)
      ++num_additions;
    has_delay = has_delay || is_delay;
  }
  return num_additions < options_.max_steps && has_steps_left();
}

bool Search::has_steps_left() const {
  return num_steps() < kStepsPerAddition * options_.max_steps;
}

double Search::share_of_torque(const StableGain& gain) const {
  return gain.share * standing_.errors.relative();
}

bool Search::is_worth_it(const StableGain& gain, double standard_errors) const {
  return gain.least_share >= options_.min_gain && share_of_torque(gain) > kLeastGain &&
         gain.standard_errors > standard_errors;
}

void Search::refuse(const std::string& option, const StableGain& gain, double standard_errors) {
  const double min_gain = options_.min_gain;
  const bool has_optimum = !std::isnan(gain.share);
  const std::string reason =
      !has_optimum                ? "no optimum in some fold"
      : !(gain.share > 0)         ? "no gain"
      : !(gain.share >= min_gain) ? fmt::format("less than {:g} %", 100 * min_gain)
      : !(share_of_torque(gain) > kLeastGain)
          ? fmt::format("less than {:g} % of the torque", 100 * kLeastGain)
      : !(gain.least_share >= min_gain)
          ? fmt::format("less than {:g} % in long or in short folds", 100 * min_gain)
      : !(gain.standard_errors > 1)               ? "within one standard error of the folds"
      : !(gain.standard_errors > standard_errors) ? "within two standard errors of the folds"
                                                  : "another step did better";
  const double share = has_optimum ? gain.share : -std::numeric_limits<double>::infinity();
  refused_[option] = {option, share, has_optimum ? gain.standard_errors : 0, reason};
}

void Search::accept(Trial trial, const std::string& family) {
  selection_.steps.push_back({trial.option,
                              trial.choice,
                              trial.errors.relative(),
                              trial.gain.share,
                              trial.gain.standard_errors,
                              {},
                              family.empty() ? without_numbers(trial.option) : family});
  refused_.erase(trial.option);
  standing_ = std::move(trial);
}

Result<Search::Pool> Search::pass(const ModelChoice& choice, const std::vector<Fold>* torques) {
  const std::string stage = fmt::format("choosing the model, pass {}", ++selection_.num_passes);
  HEFT_TRY(tried, with_choice(request_, choice));
  Executor& executor = *request_.executor;
  const GatherOptions& gathering = tried.gathering;
  SampleSource source(tried.training_logs, tried.setup.model, gathering, gathering.max_samples);
  source.condition_on(num_threads());
  if (!gathering.weighting.needs_several_passes()) source.keep_nothing();
  const Progress progress = [&](const std::string&, double fraction) {
    return !request_.progress || request_.progress(stage, fraction);
  };
  HEFT_TRY(gathered, gather(source, tried.setup, gathering, tried.estimation, executor, progress));
  selection_.num_passes += gathered.num_passes - 1;
  const std::vector<int> sizes = division_sizes(options_.folds);
  HEFT_TRY(cut, divide(gathered.training(), sizes, num_threads()));
  // held-out parts are judged by torques, regardless of the rows and weights used for training
  const bool sums_torques = gathering.conditioning.rows == "torque";
  if (gathered.reweighted || !sums_torques) {
    std::vector<Fold> plain;
    if (torques && torques->size() == cut.folds.size()) {
      plain = *torques;
    } else if (sums_torques) {
      HEFT_TRY(of_same_pass, divide(gathered.plain, sizes, num_threads()));
      plain = std::move(of_same_pass.folds);
    } else {
      HEFT_TRY(of_torques, torque_folds(tried, progress));
      plain = std::move(of_torques);
    }
    for (std::size_t k = 0; k < cut.folds.size(); ++k)
      cut.folds[k].held_out = std::move(plain[k].held_out);
  }
  TrainingData data = std::move(gathered.training());
  selection_.num_folds = options_.folds;
  selection_.gap_s = cut.gap_s;
  selection_.gap_is_full = cut.gap_is_full;
  rate_hz_ = data.logs.front().rate_hz;
  for (const LogSummary& log : data.logs) rate_hz_ = std::min(rate_hz_, log.rate_hz);
  return Pool{std::move(tried.setup.model.load_inertia), std::move(data), std::move(cut.folds)};
}

/// Folds of rows of torque at the samples of other rows.
Result<std::vector<Fold>> Search::torque_folds(const IdentifyRequest& tried,
                                               const Progress& progress) {
  GatherOptions gathering = tried.gathering;
  gathering.conditioning.rows = "torque";
  gathering.weighting = {};
  SampleSource source(tried.training_logs, tried.setup.model, gathering, gathering.max_samples);
  source.condition_on(num_threads());
  source.keep_nothing();
  HEFT_TRY(gathered,
           gather(source, tried.setup, gathering, tried.estimation, *request_.executor, progress));
  selection_.num_passes += gathered.num_passes;
  HEFT_TRY(cut, divide(gathered.plain, division_sizes(options_.folds), num_threads()));
  return std::move(cut.folds);
}

Result<std::vector<FoldErrors>> Search::cross_validated(
    const std::vector<FoldedModel>& models, const std::vector<Eigen::VectorXd>& weights) const {
  // far below the differences that decide, with a fraction of the iterations of a certified result
  constexpr double kGapTolerance = 1e-6;
  auto options = estimation().solve;
  options.gap_tolerance = std::max(options.gap_tolerance, kGapTolerance);
  return cross_validate("choice of the model", models, weights, request_.setup,
                        {*request_.executor, options});
}

Result<Search::Trial> Search::evaluate(std::string option, ModelChoice choice, Moments moments,
                                       std::vector<Fold> folds) {
  Trial trial{.option = std::move(option),
              .choice = std::move(choice),
              .moments = std::move(moments),
              .folds = std::move(folds)};
  HEFT_TRY(weights, fold_weights(trial.folds, estimation(), num_threads()));
  trial.weights = std::move(weights);
  HEFT_TRY(errors, cross_validated({{&trial.folds, trial.choice.weight_of_prior}}, trial.weights));
  selection_.num_solves += static_cast<int>(trial.folds.size());
  trial.errors = errors.front();
  if (!selection_.steps.empty()) trial.gain = over_standing(trial.errors);
  return trial;
}

/// An option that leaves some part of the log without rows: it cannot be compared.
Search::Trial Search::without_folds(std::string option, const ModelChoice& choice) const {
  Trial trial{.option = std::move(option), .choice = choice};
  trial.errors = standing_.errors;
  trial.errors.squared.setConstant(std::numeric_limits<double>::quiet_NaN());
  trial.gain = over_standing(trial.errors);
  return trial;
}

Result<Search::Trial> Search::try_pass(std::string option, const ModelChoice& choice) {
  auto pool = pass(choice);
  if (!pool && !selection_.steps.empty() && is_about_folds(pool.error()))
    return without_folds(std::move(option), choice);
  if (!pool) return pool.error();
  return evaluate(std::move(option), choice, std::move(pool->data.moments), std::move(pool->folds));
}

Result<Selection> Search::finish() {
  selection_.chosen = standing_.choice;
  std::set<std::string> tried;
  for (const auto& [option, refusal] : refused_) tried.insert(option);
  for (int i = 1; i <= num_steps(); ++i)
    if (!is_revision(selection_.steps[static_cast<std::size_t>(i)].option))
      tried.insert(selection_.steps[static_cast<std::size_t>(i)].option);
  selection_.num_options = static_cast<int>(tried.size());
  for (const auto& [option, refusal] : refused_) selection_.refused.push_back(refusal);
  std::stable_sort(
      selection_.refused.begin(), selection_.refused.end(),
      [](const SelectionRefusal& a, const SelectionRefusal& b) { return a.gain > b.gain; });
  if (request_.validation_logs.empty()) return std::move(selection_);
  for (std::size_t i = 0; i < selection_.steps.size(); ++i) {
    HEFT_CHECK(
        report_progress(request_.progress, "judging the steps",
                        static_cast<double>(i) / static_cast<double>(selection_.steps.size())));
    HEFT_TRY(request, with_choice(request_, selection_.steps[i].choice));
    request.progress = {};
    request.gathers_evidence = false;
    request.estimation.uncertainty.bootstrap = 0;
    HEFT_TRY(identification, identify(request));
    selection_.steps[i].held_out_error = identification.answer().validation->overall_relative;
  }
  return std::move(selection_);
}

}  // namespace heft::select
