// Profile likelihood of a fault: how well the logs are explained with a fault of some size undone
// and the bodies refitted.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "evidence/hypotheses.hpp"
#include "faults/fault.hpp"
#include "heft/moments/moments.hpp"
#include "heft/rows/backend.hpp"
#include "heft/solve/problem.hpp"
#include "workers.hpp"

namespace heft {

/// Explanation of the logs for one size of one fault.
struct Explained {
  double size = 0;
  double objective = 0;  ///< N / 2 times that of the problem, including the prior: the negative
                         ///< log-likelihood up to a constant
  double data = 0;       ///< data term within it
  PlanPtr plan;          ///< of the robot without the fault
  Eigen::VectorXd parameters;
};

/// Residuals and predicted torques of every stretch, num_samples x num_channels; residuals are zero
/// in unused rows.
struct Residuals {
  std::vector<Eigen::ArrayXXd> error, predicted;
  Eigen::ArrayXd error2, torque2, num_rows;  ///< per channel

  double relative() const;  ///< over all torques
};

/// Rows of every channel, by stretch.
using RowsOfStretches = std::vector<std::vector<RowArray>>;

/// Const functions may be called from several threads; explain(), explain_with_prior(),
/// moments_as_it_is() and equations_as_it_is() require explain_as_it_is() first.
class Profile {
 public:
  /// Both must outlive this object. `sums`: of the training excerpt, if they are known.
  Profile(const HypothesisInput& input, const Workers& workers, std::optional<Moments> sums = {})
      : input_(input), workers_(workers), as_it_is_(std::move(sums)) {}

  /// Solves the unchanged training excerpt, once.
  Result<Explained> explain_as_it_is() const;
  /// Returns the result of explain_as_it_is(), which must have been called.
  const Problem& problem_as_it_is() const { return *problem_; }
  /// Does the same with a fraction of the prior's weight.
  Result<Explained> explain_with_prior(double share) const;
  /// Returns 1 / s_c^2 of the residuals on the unchanged training excerpt; residuals are smaller
  /// with a fault undone.
  Result<Eigen::VectorXd> weights_left() const;
  /// Returns a profile of the same samples with the weights of `input`, which must outlive it;
  /// reuses the sums.
  Profile under_weights_of(const HypothesisInput& input) const;
  /// Returns its normal equations.
  Result<NormalEquations> equations_as_it_is() const;
  /// Solves the excerpt with a fault of this size undone.
  Result<Explained> explain(const Fault& fault, double size) const;
  /// Does the same from the sums without the fault.
  Result<Explained> explain(const Moments& without, double size) const;
  /// Returns the sums of the unchanged training excerpt, made once.
  Result<const Moments*> moments_as_it_is() const;
  /// Returns the rows of all channels of its stretches, evaluated once.
  Result<std::shared_ptr<const RowsOfStretches>> rows_as_they_are() const;

  /// Returns errors of the measured torques, in rows that the fault keeps.
  Result<Residuals> residuals(const Excerpt& excerpt, const Fault& fault,
                              const Explained& explained) const;

  /// Returns the same without any fault.
  Result<Residuals> residuals_as_it_is(const Excerpt& excerpt, const Explained& explained) const;
  /// Returns the same from predicted torques of every stretch.
  Residuals residuals_of(const Excerpt& excerpt, std::vector<Eigen::ArrayXXd> predicted) const;

  /// Returns the rms change of the prediction for the training logs, relative to it, from the
  /// residuals with nothing undone and with the fault undone.
  Result<double> torque_change(const Fault& fault, const Explained& with, const Residuals& before,
                               const Residuals& after) const;

  /// Predicts torques from a plan and its parameters, through the fault's low-pass.
  Result<Eigen::ArrayXXd> predict(const RegressorPlan& plan, const Samples& samples,
                                  const Eigen::VectorXd& parameters, const Fault* fault,
                                  double size) const;

  const HypothesisInput& input() const { return input_; }
  /// Returns the held-out logs, if any; otherwise the training logs.
  const Excerpt& deciding() const {
    return input_.held_out.stretches.empty() ? input_.training : input_.held_out;
  }
  Backend& backend() const { return workers_.backend; }
  const Workers& workers() const { return workers_; }

 private:
  Result<Moments> moments_without(const Fault& fault, double size) const;
  /// Returns the unchanged problem with data from which a fault was removed, where possible.
  Result<Problem> changed_problem(const ParameterLayout& layout,
                                  const NormalEquations& equations) const;
  Result<Explained> solved(const Problem& problem, const Moments& moments, double size) const;

  const HypothesisInput& input_;
  const Workers& workers_;
  struct RowsOnce {
    std::mutex mutex;
    std::shared_ptr<const RowsOfStretches> rows;
  };

  mutable std::optional<Moments> as_it_is_;  ///< computed once
  std::shared_ptr<RowsOnce> rows_ = std::make_shared<RowsOnce>();
  mutable std::optional<Problem> problem_;   ///< from as_it_is_, made once
  mutable std::optional<Explained> answer_;  ///< of problem_, solved once
};

/// Returns the sums of samples with their torques divided.
Moments with_divided_torque(Moments moments, const DividedTorque& divided);

/// Returns the same stretches with a fault of this size undone.
Excerpt undone(const Excerpt& excerpt, const Fault& fault, double size);

/// Returns kappa of hypotheses.hpp per channel, at least 1: sums of autocorrelations up to the
/// first zero.
Eigen::ArrayXd rows_worth_one(const Residuals& residuals);

/// Returns N_c / 2 log(rss_c without / rss_c with) per channel. N_c counts all rows of the excerpt:
/// rows that a fault removes are assumed to be like the others, otherwise faults that keep more
/// rows would look better.
Eigen::ArrayXd log_ratios(const Excerpt& excerpt, const Residuals& without, const Residuals& with);

/// Applies a first-order low-pass along time, at rest at the first row; time constant and period
/// [s].
void low_pass(Eigen::Ref<Eigen::ArrayXXd> columns, double time_constant_s, double period_s);

}  // namespace heft
