// How well the logs are explained with a fault of some size undone and the bodies free to follow: a
// profile likelihood.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "evidence/hypotheses.hpp"
#include "faults/fault.hpp"
#include "heft/moments/moments.hpp"
#include "heft/solve/problem.hpp"
#include "workers.hpp"

namespace heft {

/// What one size of one fault makes of the logs.
struct Explained {
  double size = 0;
  double objective = 0;  ///< N / 2 times the problem's, prior and all: minus the log-likelihood but
                         ///< for a constant
  double data = 0;       ///< the share of the squares in it
  PlanPtr plan;          ///< of the robot without the fault
  Eigen::VectorXd parameters;
};

/// Residuals of every stretch, num_samples x num_channels, zero where a row does not count, and the
/// torques that were predicted.
struct Residuals {
  std::vector<Eigen::ArrayXXd> error, predicted;
  Eigen::ArrayXd error2, torque2, num_rows;  ///< by channel

  double relative() const;  ///< of all torques
};

/// What is const may be asked by any number of threads; explain(), explain_with_prior() and
/// equations_as_it_is() once explain_as_it_is() has been.
class Profile {
 public:
  /// Both outlive it.
  Profile(const HypothesisInput& input, const Workers& workers)
      : input_(input), workers_(workers) {}

  /// Solves the training excerpt as it is, once.
  Result<Explained> explain_as_it_is() const;
  /// What explain_as_it_is() solved, which has been asked before.
  const Problem& problem_as_it_is() const { return *problem_; }
  /// The same under so much of the prior's weight.
  Result<Explained> explain_with_prior(double share) const;
  /// 1 / s_c^2 of what is left of the training excerpt as it is: where a fault is undone, less is.
  Result<Eigen::VectorXd> weights_left() const;
  /// The same samples under the weights of `input`, which outlives it: their sums are not made
  /// again.
  Profile under_weights_of(const HypothesisInput& input) const;
  /// The normal equations of the same.
  Result<NormalEquations> equations_as_it_is() const;
  /// Solves it with a fault of this size undone.
  Result<Explained> explain(const Fault& fault, double size) const;

  /// Errors of the torques that were measured, of the rows that the fault leaves.
  Result<Residuals> residuals(const Excerpt& excerpt, const Fault& fault,
                              const Explained& explained) const;

  /// The same before anything is supposed.
  Result<Residuals> residuals_as_it_is(const Excerpt& excerpt, const Explained& explained) const;
  /// The same by torques of every stretch that are predicted already.
  Residuals residuals_of(const Excerpt& excerpt, std::vector<Eigen::ArrayXXd> predicted) const;

  /// rms of the change of what is predicted for the training logs, relative to it, by the residuals
  /// with nothing undone and with the fault undone.
  Result<double> torque_change(const Fault& fault, const Explained& with, const Residuals& before,
                               const Residuals& after) const;

  /// Torques by a plan and its parameters, through the fault's low-pass.
  Result<Eigen::ArrayXXd> predict(const RegressorPlan& plan, const Samples& samples,
                                  const Eigen::VectorXd& parameters, const Fault* fault,
                                  double size) const;

  const HypothesisInput& input() const { return input_; }
  /// The logs that chose nothing, if there are any; otherwise those that were learned from.
  const Excerpt& deciding() const {
    return input_.held_out.stretches.empty() ? input_.training : input_.held_out;
  }
  Backend& backend() const { return workers_.backend; }
  const Workers& workers() const { return workers_; }

 private:
  Result<const Moments*> moments_as_it_is() const;
  Result<Moments> moments_without(const Fault& fault, double size) const;
  /// Of data that a fault was taken out of: the problem as it is with these data, where that can
  /// be.
  Result<Problem> changed_problem(const ParameterLayout& layout,
                                  const NormalEquations& equations) const;
  Result<Explained> solved(const Problem& problem, const Moments& moments, double size) const;

  const HypothesisInput& input_;
  const Workers& workers_;
  mutable std::optional<Moments> as_it_is_;  ///< summed up once
  mutable std::optional<Problem> problem_;   ///< of them, posed once
  mutable std::optional<Explained> answer_;  ///< of it, solved once
};

/// The same stretches with a fault of this size undone.
Excerpt undone(const Excerpt& excerpt, const Fault& fault, double size);

/// kappa of hypotheses.hpp, by channel, at least 1: sums of autocorrelations up to the first lag at
/// which they vanish.
Eigen::ArrayXd rows_worth_one(const Residuals& residuals);

/// N_c / 2 log(rss_c without / rss_c with) by channel. N_c are the rows of the excerpt: those that
/// a fault takes out are taken to be like the others, or faults that keep more rows would look
/// better.
Eigen::ArrayXd log_ratios(const Excerpt& excerpt, const Residuals& without, const Residuals& with);

/// First-order low-pass along time that begins in rest at the first row; time constant and period
/// [s].
void low_pass(Eigen::Ref<Eigen::ArrayXXd> columns, double time_constant_s, double period_s);

}  // namespace heft
