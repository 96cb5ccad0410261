#include "admm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "anderson.hpp"
#include "cone.hpp"
#include "duality.hpp"
#include "extract.hpp"
#include "linalg/factorizations.hpp"
#include "solve/prior_term.hpp"

namespace heft::solver {

namespace {

constexpr int kDefaultIterations = 4000;
constexpr int kCheckEvery = 5;
constexpr int kAdaptEvery = 100;
constexpr double kAimed = 0.3;    // of the requested gap: the certificate's dual point is worse
constexpr int kMoreChecks = 10;   // after the requested gap, for that
constexpr double kImbalance = 5;  // of primal and dual residual that justifies a new factorisation

// rho = 10 w in the units of FORMULAS 2; without a weight, a small part of the mean curvature
double first_penalty(const Problem& problem, const SolveOptions& options) {
  if (prior_term(problem.prior.kind).is_relative())
    return options.penalty_over_weight * problem.prior.weight;
  return 1e-3 * std::max(problem.Q.trace() / std::max(1, problem.num_variables()), 1e-6);
}

class Admm {
 public:
  Admm(const Problem& problem, const SolveOptions& options)
      : problem_(problem),
        options_(options),
        gap_bound_(problem),
        anderson_(problem.cone.size(), options.anderson_memory),
        gram_(problem.F.transpose() * problem.F) {
    const Eigen::Index n = problem.num_variables(), m = problem.cone.size();
    for (Eigen::VectorXd* vector : {&slack_, &lambda_, &residual_, &step_, &slack_previous_})
      vector->setZero(m);
    for (Eigen::VectorXd* vector : {&y_, &candidate_, &correction_}) vector->setZero(n);
    barrier_.setZero(problem.cone.num_psd4);
    v_ = problem.F * problem.start + problem.g;
    set_penalty(first_penalty(problem, options));
  }

  Solution run() {
    const int limit = options_.max_iterations > 0 ? options_.max_iterations : kDefaultIterations;
    Solution solution;
    solution.method = SolveMethod::admm;
    solution.history.reserve(limit / kCheckEvery + 1);
    IterationRecord record;
    record.objective = std::numeric_limits<double>::quiet_NaN();
    int iteration = 0, num_more_checks = 0;
    while (iteration < limit && factored_) {
      ++iteration;
      split();
      if (iteration % kCheckEvery == 0 || iteration == limit) {
        record = check(iteration);
        solution.history.push_back(record);
        if (!std::isfinite(record.objective)) break;
        if (is_within_tolerance(record)) keep_if_best(record, solution);
        const bool is_aim_reached = best_.gap <= kAimed * options_.gap_tolerance;
        if (is_aim_reached || (has_best() && num_more_checks++ == kMoreChecks)) break;
      }
      if (options_.adapt_penalty && iteration % kAdaptEvery == 0 && rebalance()) continue;
      slack_previous_ = slack_;
      anderson_.advance(v_, step_);
    }
    solution.iterations = iteration;
    solution.factorizations = factorizations_;
    if (has_best()) {
      solution.status = SolveStatus::optimal;
      record = best_;
    } else {
      solution.y = candidate_;
      solution.lambda = lambda_;
    }
    conclude(problem_, options_, record, solution);
    return solution;
  }

 private:
  bool has_best() const { return std::isfinite(best_.gap); }

  bool is_within_tolerance(const IterationRecord& record) const {
    return record.gap <= options_.gap_tolerance && record.violation <= options_.violation_tolerance;
  }

  void keep_if_best(const IterationRecord& record, Solution& solution) {
    if (!(record.gap < best_.gap)) return;
    best_ = record;
    solution.y = candidate_;
    solution.lambda = lambda_;
  }

  // one pass: projection, linear solve, residual
  void split() {
    prox(problem_.cone, v_, barrier_, slack_);
    lambda_ = penalty_ * (slack_ - v_);
    step_ = 2 * slack_ - v_ - problem_.g;
    y_.noalias() = problem_.F.transpose() * step_;
    y_ = penalty_ * y_ - problem_.c;
    factor_.solveInPlace(y_);
    residual_ = problem_.g - slack_;
    residual_.noalias() += problem_.F * y_;
    step_ = options_.relaxation * residual_;
  }

  // the best current point: exactly in the cone if every slack is one variable, otherwise y itself
  IterationRecord check(int iteration) {
    candidate_ = y_;
    double violation = residual_.size() > 0 ? residual_.cwiseAbs().maxCoeff() : 0;
    if (problem_.has_orthonormal_rows) {
      correction_.noalias() = problem_.F.transpose() * residual_;
      candidate_ -= correction_;
      violation = 0;
    }
    const Gap gap = gap_bound_.evaluate(candidate_, slack_, lambda_);
    return {iteration, gap.primal, gap.relative, violation, penalty_};
  }

  void set_penalty(double penalty) {
    penalty_ = penalty;
    matrix_ = problem_.Q;
    matrix_ += penalty * gram_;
    factor_.compute(matrix_);
    factored_ = factor_.info() == Eigen::Success;
    ++factorizations_;
    for (int block = 0; block < problem_.cone.num_psd4; ++block) {
      barrier_[block] = problem_.has_barrier[block] ? problem_.barrier_weight / penalty : 0;
    }
    anderson_.reset();
  }

  // primal residual |F y + g - s| against dual residual |rho F'(s - s_previous)|, each relative to
  // its terms
  bool rebalance() {
    const double primal = residual_.norm() / std::max(slack_.norm(), 1e-12);
    const double dual =
        penalty_ * (slack_ - slack_previous_).norm() / std::max(lambda_.norm(), 1e-12);
    const double ratio = std::sqrt(primal / std::max(dual, 1e-300));
    if (!(ratio > kImbalance || ratio < 1 / kImbalance)) return false;
    const double next = penalty_ * std::clamp(ratio, 0.1, 10.0);
    v_ = slack_ - lambda_ / next;  // same slack and multipliers under the new penalty
    set_penalty(next);
    return true;
  }

  const Problem& problem_;
  const SolveOptions& options_;
  GapBound gap_bound_;
  Anderson anderson_;
  RowSparseMatrix gram_;  // F'F
  Eigen::MatrixXd matrix_;
  Eigen::LLT<Eigen::MatrixXd> factor_;  // of Q + rho F'F
  double penalty_ = 1;
  IterationRecord best_ = {.gap = std::numeric_limits<double>::infinity()};  ///< within tolerance
  int factorizations_ = 0;
  bool factored_ = false;
  Eigen::VectorXd barrier_;  // prox parameter per 4x4 block
  Eigen::VectorXd v_, slack_, slack_previous_, lambda_, residual_, step_;
  Eigen::VectorXd y_, candidate_, correction_;
};

}  // namespace

Solution solve_admm(const Problem& problem, const SolveOptions& options) {
  return Admm(problem, options).run();
}

}  // namespace heft::solver
