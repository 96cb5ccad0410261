#include "profile.hpp"

#include <algorithm>
#include <cmath>

#include "heft/moments/moments.hpp"
#include "rows/filtered_prediction.hpp"
#include "solve/problem_again.hpp"

namespace heft {

namespace {

constexpr int kMaxLags = 100;  ///< of autocorrelations

/// Moments summed stretch by stretch, without the summation tree needed for long logs.
class SumOfStretches {
 public:
  explicit SumOfStretches(const PlanPtr& plan) : moments_(zero_moments(plan)) {}

  void add(const Samples& stretch, const std::vector<double>& packed) {
    for (std::size_t k = 0; k < moments_.packed.size(); ++k) moments_.packed[k] += packed[k];
    for (std::size_t c = 0; c < moments_.num_rows.size(); ++c)
      moments_.num_rows[c] +=
          static_cast<double>((stretch.weight.col(static_cast<Eigen::Index>(c)) != 0).count());
  }

  const Moments& moments() const { return moments_; }

 private:
  Moments moments_;
};

Result<Moments> moments_of(const PlanPtr& plan, const std::vector<Samples>& stretches,
                           Backend& backend) {
  const bool has_filtered_rows = std::any_of(
      stretches.begin(), stretches.end(), [](const Samples& s) { return s.unfiltered != nullptr; });
  if (has_filtered_rows) {
    MomentAccumulator accumulator(plan, backend);
    for (std::size_t i = 0; i < stretches.size(); ++i)
      HEFT_CHECK(accumulator.push(static_cast<int>(i), stretches[i]));
    return accumulator.finish();
  }
  std::vector<AccumulateJob> jobs;
  for (const Samples& stretch : stretches)
    jobs.push_back({.plan = plan.get(),
                    .samples = &stretch,
                    .count = stretch.size(),
                    .chunk = static_cast<int>(stretch.size())});
  std::vector<std::vector<double>> partials(jobs.size());
  HEFT_CHECK(backend.accumulate(jobs, partials));
  SumOfStretches sum(plan);
  for (std::size_t i = 0; i < jobs.size(); ++i) sum.add(stretches[i], partials[i]);
  return sum.moments();
}

/// The same with the rows of some channels through a low-pass.
Result<Moments> moments_with_lowpass(const PlanPtr& plan, const std::vector<Samples>& stretches,
                                     const Fault& fault, double size, Backend& backend) {
  SumOfStretches sum(plan);
  for (const Samples& stretch : stretches) {
    std::vector<RowArray> rows;
    HEFT_CHECK(backend.evaluate_rows(*plan, stretch, rows));
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const auto channel = static_cast<Eigen::Index>(c);
      Eigen::ArrayXXd columns = rows[c];
      low_pass(columns, fault.lowpass_time_constant_s(static_cast<int>(c), size),
               period_of(stretch));
      const Eigen::ArrayXd weight = stretch.weight.col(channel);
      rows[c].resize(columns.rows(), columns.cols() + 1);
      rows[c].leftCols(columns.cols()) = columns.colwise() * weight;
      rows[c].rightCols(1) = stretch.torque.col(channel) * weight;
    }
    const RowsJob job{.plan = plan.get(),
                      .rows = rows,
                      .count = stretch.size(),
                      .chunk = static_cast<int>(stretch.size())};
    std::vector<double> packed;
    HEFT_CHECK(backend.accumulate_rows({&job, 1}, {&packed, 1}));
    sum.add(stretch, packed);
  }
  return sum.moments();
}

/// Extra columns count about as much as they did when the problem's scales were made.
bool fits_scales(const Problem& problem, const NormalEquations& equations) {
  constexpr double kAbout = 2;
  const auto columns = problem.layout.num_columns();
  const Eigen::ArrayXd before = problem.data.G.diagonal().tail(columns).array(),
                       now = equations.G.diagonal().tail(columns).array();
  return (now < kAbout * before && before < kAbout * now).all();
}

/// Sums of squares are definite: only numbers that are not finite need the checks of a problem.
Result<Problem> problem_of_sums(const ParameterLayout& layout, const NormalEquations& equations,
                                const Prior& prior, const Constraints& constraints) {
  const bool are_numbers =
      equations.G.allFinite() && equations.b.allFinite() && equations.num_rows > 0;
  return are_numbers ? make_problem_again(layout, equations, prior, constraints)
                     : make_problem(layout, equations, prior, constraints);
}

bool has_lowpass(const RegressorPlan& plan, const Fault& fault, double size) {
  for (int c = 0; c < plan.num_channels(); ++c)
    if (fault.lowpass_time_constant_s(c, size) > 0) return true;
  return false;
}

void add_stretch(const Samples& stretch, Eigen::ArrayXXd predicted, Residuals& residuals) {
  // weights compensate the scale: errors refer to the measured torque
  residuals.error.push_back(stretch.weight * (stretch.torque - predicted));
  residuals.error2 += residuals.error.back().square().colwise().sum().transpose();
  residuals.torque2 += (stretch.weight * stretch.torque).square().colwise().sum().transpose();
  residuals.num_rows += (stretch.weight != 0).cast<double>().colwise().sum().transpose();
  residuals.predicted.push_back(std::move(predicted));
}

Residuals no_residuals(const RegressorPlan& plan) {
  Residuals residuals;
  residuals.error2 = residuals.torque2 = residuals.num_rows =
      Eigen::ArrayXd::Zero(plan.num_channels());
  return residuals;
}

}  // namespace

/// Dividing a torque increases the weight of its row: products of columns grow by the factor's
/// square, those with the torque by the factor, and the torque's square stays.
Moments with_divided_torque(Moments moments, const DividedTorque& divided) {
  const core::ChannelEntry& entry =
      moments.plan->channel_entries[static_cast<std::size_t>(divided.channel)];
  const int torque = entry.width - 1;
  double* const triangle = moments.packed.data() + entry.packed_offset;
  for (int i = 0; i < torque; ++i) {
    for (int j = i; j < torque; ++j)
      triangle[core::packed_index(entry.width, i, j)] *= divided.factor * divided.factor;
    triangle[core::packed_index(entry.width, i, torque)] *= divided.factor;
  }
  return moments;
}

void low_pass(Eigen::Ref<Eigen::ArrayXXd> columns, double time_constant_s, double period_s) {
  if (!(time_constant_s > 0)) return;
  // exact for inputs that are straight between samples, however short the time constant
  const double periods = period_s / time_constant_s, kept = std::exp(-periods),
               mean = -std::expm1(-periods) / periods;
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    double before = columns.rows() > 0 ? columns(0, c) : 0;
    for (Eigen::Index k = 1; k < columns.rows(); ++k) {
      const double now = columns(k, c);
      columns(k, c) = kept * columns(k - 1, c) + (mean - kept) * before + (1 - mean) * now;
      before = now;
    }
  }
}

double Residuals::relative() const {
  return std::sqrt(error2.sum() / torque2.sum());
}

Result<const Moments*> Profile::moments_as_it_is() const {
  if (!as_it_is_) {
    HEFT_TRY(moments, moments_of(input_.setup.model.plan, input_.training.stretches, backend()));
    as_it_is_ = std::move(moments);
  }
  return &*as_it_is_;
}

Result<Problem> Profile::changed_problem(const ParameterLayout& layout,
                                         const NormalEquations& equations) const {
  const Prior& prior = input_.setup.prior;
  // the prior of columns and masses is included in the data
  const bool has_equalities = problem_ && problem_->physical.E.rows() > 0;
  if (problem_ && !has_equalities && !has_column_beliefs(layout, prior) && prior.bodies.empty() &&
      fits_scales(*problem_, equations)) {
    Problem problem = *problem_;
    if (problem.update(equations)) return problem;
  }
  return problem_of_sums(layout, equations, prior, input_.setup.constraints);
}

Result<Explained> Profile::solved(const Problem& problem, const Moments& moments,
                                  double size) const {
  const PlanPtr& plan = moments.plan;
  HEFT_TRY(solution, solve(problem, input_.solve));
  Explained explained{.size = size,
                      .objective = 0.5 * problem.data.num_rows * solution.objective,
                      .plan = plan,
                      .parameters = solution.x.head(plan->layout.num_parameters())};
  for (int c = 0; c < plan->num_channels(); ++c)
    explained.data +=
        0.5 * input_.channel_weights[c] * residual_sum(moments, c, explained.parameters);
  return explained;
}

Result<Explained> Profile::explain_as_it_is() const {
  if (answer_) return *answer_;
  HEFT_TRY(moments, moments_as_it_is());
  HEFT_TRY(equations, equations_as_it_is());
  HEFT_TRY(posed, problem_of_sums(moments->plan->layout, equations, input_.setup.prior,
                                  input_.setup.constraints));
  problem_ = std::move(posed);
  HEFT_TRY(answer, solved(*problem_, *moments, 0));
  answer_ = std::move(answer);
  return *answer_;
}

Result<Explained> Profile::explain_with_prior(double share) const {
  HEFT_TRY(moments, moments_as_it_is());
  HEFT_TRY(equations, equations_as_it_is());
  Prior prior = input_.setup.prior;
  prior.weight *= share;
  HEFT_TRY(problem,
           problem_of_sums(moments->plan->layout, equations, prior, input_.setup.constraints));
  return solved(problem, *moments, 0);
}

Result<NormalEquations> Profile::equations_as_it_is() const {
  HEFT_TRY(moments, moments_as_it_is());
  return normal_equations(*moments, input_.channel_weights);
}

Result<Moments> Profile::moments_without(const Fault& fault, double size) const {
  if (const auto divided = fault.divided_torque(size)) {
    HEFT_TRY(moments, moments_as_it_is());
    return with_divided_torque(*moments, *divided);
  }
  HEFT_TRY(plan, fault.plan(input_.setup.model.plan, size));
  std::vector<Samples> undone;
  for (const Samples& stretch : input_.training.stretches)
    undone.push_back(fault.undone(stretch, size));
  return has_lowpass(*plan, fault, size)
             ? moments_with_lowpass(plan, undone, fault, size, backend())
             : moments_of(plan, undone, backend());
}

Result<Explained> Profile::explain(const Fault& fault, double size) const {
  HEFT_TRY(moments, moments_without(fault, size));
  return explain(moments, size);
}

Result<Explained> Profile::explain(const Moments& without, double size) const {
  HEFT_TRY(problem, changed_problem(without.plan->layout,
                                    normal_equations(without, input_.channel_weights)));
  return solved(problem, without, size);
}

Result<std::shared_ptr<const RowsOfStretches>> Profile::rows_as_they_are() const {
  const std::lock_guard lock(rows_->mutex);
  if (!rows_->rows) {
    RowsOfStretches rows(input_.training.stretches.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      HEFT_CHECK(
          backend().evaluate_rows(input_.setup.plan(), input_.training.stretches[i], rows[i]));
    rows_->rows = std::make_shared<const RowsOfStretches>(std::move(rows));
  }
  return rows_->rows;
}

Result<Eigen::ArrayXXd> Profile::predict(const RegressorPlan& plan, const Samples& samples,
                                         const Eigen::VectorXd& parameters, const Fault* fault,
                                         double size) const {
  const PredictJob job{&plan, &samples, &parameters};
  Eigen::ArrayXXd predicted;
  HEFT_CHECK(predict_as_measured(backend(), {&job, 1}, {&predicted, 1}));
  for (int c = 0; fault && c < plan.num_channels(); ++c)
    low_pass(predicted.col(c), fault->lowpass_time_constant_s(c, size), period_of(samples));
  return predicted;
}

Result<Residuals> Profile::residuals(const Excerpt& excerpt, const Fault& fault,
                                     const Explained& explained) const {
  Residuals residuals = no_residuals(*explained.plan);
  for (const Samples& stretch : excerpt.stretches) {
    const Samples undone = fault.undone(stretch, explained.size);
    HEFT_TRY(predicted,
             predict(*explained.plan, undone, explained.parameters, &fault, explained.size));
    add_stretch(undone, std::move(predicted), residuals);
  }
  return residuals;
}

Result<Residuals> Profile::residuals_as_it_is(const Excerpt& excerpt,
                                              const Explained& explained) const {
  std::vector<Eigen::ArrayXXd> all;
  for (const Samples& stretch : excerpt.stretches) {
    HEFT_TRY(predicted, predict(*explained.plan, stretch, explained.parameters, nullptr, 0));
    all.push_back(std::move(predicted));
  }
  return residuals_of(excerpt, std::move(all));
}

Residuals Profile::residuals_of(const Excerpt& excerpt,
                                std::vector<Eigen::ArrayXXd> predicted) const {
  Residuals residuals = no_residuals(input_.setup.plan());
  for (std::size_t i = 0; i < predicted.size(); ++i)
    add_stretch(excerpt.stretches[i], std::move(predicted[i]), residuals);
  return residuals;
}

Result<double> Profile::torque_change(const Fault& fault, const Explained& with,
                                      const Residuals& before, const Residuals& after) const {
  double change2 = 0, torque2 = 0;
  for (std::size_t i = 0; i < input_.training.stretches.size(); ++i) {
    Eigen::ArrayXXd changed = after.predicted[i];
    if (has_lowpass(*with.plan, fault, with.size)) {  // the bodies' columns come before it
      const Samples undone = fault.undone(input_.training.stretches[i], with.size);
      HEFT_TRY(predicted, predict(*with.plan, undone, with.parameters, nullptr, 0));
      changed = std::move(predicted);
    }
    change2 += (changed - before.predicted[i]).square().sum();
    torque2 += before.predicted[i].square().sum();
  }
  return std::sqrt(change2 / torque2);
}

Result<Eigen::VectorXd> Profile::weights_left() const {
  HEFT_TRY(answer, explain_as_it_is());
  HEFT_TRY(residuals, residuals_as_it_is(input_.training, answer));
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(residuals.error2.size());
  for (Eigen::Index c = 0; c < weights.size(); ++c)
    if (residuals.error2[c] > 0) weights[c] = residuals.num_rows[c] / residuals.error2[c];
  return weights;
}

Profile Profile::under_weights_of(const HypothesisInput& input) const {
  return Profile(input, workers_, as_it_is_);
}

Excerpt undone(const Excerpt& excerpt, const Fault& fault, double size) {
  Excerpt changed;
  for (const Samples& stretch : excerpt.stretches)
    changed.stretches.push_back(fault.undone(stretch, size));
  return changed;
}

Eigen::ArrayXd rows_worth_one(const Residuals& residuals) {
  const Eigen::Index num_channels = residuals.error2.size();
  Eigen::ArrayXd kappa = Eigen::ArrayXd::Ones(num_channels);
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    if (!(residuals.error2[c] > 0)) continue;
    for (Eigen::Index lag = 1; lag <= kMaxLags; ++lag) {
      double product = 0;
      for (const Eigen::ArrayXXd& error : residuals.error)
        if (error.rows() > lag)
          product +=
              (error.col(c).head(error.rows() - lag) * error.col(c).tail(error.rows() - lag)).sum();
      const double correlation = product / residuals.error2[c];
      if (!(correlation > 0)) break;
      kappa[c] += 2 * correlation;
    }
  }
  return kappa;
}

Eigen::ArrayXd log_ratios(const Excerpt& excerpt, const Residuals& without, const Residuals& with) {
  Eigen::ArrayXd num_rows = Eigen::ArrayXd::Zero(without.error2.size());
  for (const Samples& stretch : excerpt.stretches)
    num_rows += (stretch.weight != 0).cast<double>().colwise().sum().transpose();
  Eigen::ArrayXd ratios = Eigen::ArrayXd::Zero(num_rows.size());
  for (Eigen::Index c = 0; c < ratios.size(); ++c)
    if (with.num_rows[c] > 0 && without.error2[c] > 0 && with.error2[c] > 0)
      ratios[c] = 0.5 * num_rows[c] * std::log(without.error2[c] / with.error2[c]);
  return ratios;
}

}  // namespace heft
