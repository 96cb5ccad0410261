// ADMM (host/solve/admm.hpp) on a pack of plain problems, whose slacks are variables; rho and the cone touch
// these alone:
//
//   s      = projection(v)
//   lambda = rho (s - v)
//   y      = (Q + rho 1_conic)^-1 (rho (2 s - v) - c)
//   v     <- v + relaxation (y - s)
//
// A lane stops when its gap is within the tolerance, or gives up when the decay of its gap does not promise that
// it gets there soon: then the interior point method is the shorter way.
#pragma once

#include "lane_anderson.hpp"
#include "lane_block.hpp"
#include "lane_objective.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneAdmm {
 public:
  /// Takes all memory.
  LaneAdmm(const PlainShape& shape, LaneObjective& objective)
      : shape_(shape), objective_(objective), factor_(shape.num_variables), anderson_(shape.num_conic) {
    for (Packs* packs : {&y_, &point_, &inverse_}) packs->assign(factor_.padded(), AlignedPack{Pack{}});
    for (Packs* packs : {&v_, &slack_, &lambda_, &step_}) packs->assign(shape.num_conic, AlignedPack{Pack{}});
  }

  /// Starts from what the objective has loaded.
  void load(const PlainProblem* const (&lane)[kPack]) {
    for (int l = 0; l < kPack; ++l) {
      for (int i = 0; i < shape_.num_conic; ++i) v_[i].v[l] = lane[l]->start[i];
      penalty_[l] = lane[l]->penalty;
    }
    factor_ = objective_.Q();
    for (int i = 0; i < shape_.num_conic; ++i) factor_.at(i, i) += penalty_;
    cholesky(factor_, factor_, inverse_);
    anderson_.reset();
  }

  /// Iterates until the first `used` lanes are done or give up.
  void run(const PlainOptions& options, int used, PlainAnswer* const (&answers)[kPack]) {
    bool done[kPack] = {};
    int left = used;
    for (int iteration = 1; left > 0; ++iteration) {
      split(options.relaxation);
      const bool last = iteration == options.max_admm_iterations;
      if (iteration % kCheckEvery == 0 || last) {
        for (int i = 0; i < factor_.padded(); ++i) point_[i].v = i < shape_.num_conic ? slack_[i].v : y_[i].v;
        objective_.evaluate(point_, lambda_, options.gap_tolerance);
        for (int l = 0; l < used; ++l) {
          if (done[l]) continue;
          const double gap = objective_.relative_gap()[l];
          const bool converged = gap <= options.gap_tolerance;
          if (iteration == kCheckEvery) first_gap_[l] = gap;
          const bool slow = options.max_newton_steps > 0 &&
                            !converges_soon(first_gap_[l], gap, options.gap_tolerance, iteration);
          if (!converged && !slow && !last) continue;
          done[l] = true;
          --left;
          answers[l]->converged = converged;
          answers[l]->admm_iterations = iteration;
          if (converged) {
            answers[l]->objective = objective_.objective()[l];
            answers[l]->gap = gap;
            for (int i = 0; i < shape_.num_variables; ++i) answers[l]->y[i] = point_[i].v[l];
            for (int i = 0; i < shape_.num_conic; ++i) answers[l]->lambda[i] = lambda_[i].v[l];
          }
        }
      }
      anderson_.advance(v_, step_);
    }
  }

 private:
  static constexpr int kCheckEvery = 5;
  static constexpr int kFirstJudgement = 10;
  // as many iterations a variable cost as much as the interior point method
  static constexpr double kPatience = 0.5;

  // extrapolates the decay of the gap since the first look
  bool converges_soon(double first, double now, double tolerance, int iteration) const {
    if (iteration < kFirstJudgement) return true;
    const double decay = std::log(first / now) / (iteration - kCheckEvery);
    return std::log(now / tolerance) <= kPatience * shape_.num_variables * decay;
  }

  void split(double relaxation) {
    const int m = shape_.num_conic;
    for (int block = 0; block < shape_.num_psd4; ++block) project(&v_[10 * block], &slack_[10 * block]);
    for (int i = 10 * shape_.num_psd4; i < m; ++i) slack_[i].v = maximum(v_[i].v, Pack{});
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i].v = -objective_.c()[i].v;
    for (int i = 0; i < m; ++i) {
      lambda_[i].v = penalty_ * (slack_[i].v - v_[i].v);
      y_[i].v += penalty_ * slack_[i].v + lambda_[i].v;
    }
    solve_forward(factor_, inverse_, y_);
    solve_backward(factor_, inverse_, y_);
    for (int i = 0; i < m; ++i) step_[i].v = relaxation * (y_[i].v - slack_[i].v);
  }

  PlainShape shape_;
  LaneObjective& objective_;
  LowerTiles factor_;
  LaneAnderson anderson_;
  Packs inverse_, y_, point_;
  Packs v_, slack_, lambda_, step_;
  Pack penalty_{};
  double first_gap_[kPack] = {};
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
