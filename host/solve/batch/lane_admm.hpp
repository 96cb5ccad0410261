// ADMM (host/solve/admm.hpp) on a pack of plain problems, whose slacks are variables; rho and the cone touch
// these alone:
//
//   s      = projection(v)
//   lambda = rho (s - v)
//   y      = (Q + rho 1_conic)^-1 (rho (2 s - v) - c)
//   v     <- v + relaxation (y - s)
#pragma once

#include "host/solve/batch/lane_anderson.hpp"
#include "host/solve/batch/lane_problem.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneAdmm {
 public:
  /// Takes all memory; problems come by load().
  explicit LaneAdmm(const LaneShape& shape)
      : shape_(shape),
        Q_(shape.num_variables),
        factor_Q_(shape.num_variables),
        factor_(shape.num_variables),
        anderson_(shape.num_conic) {
    for (Packs* packs :
         {&c_, &weight_, &centre_, &y_, &point_, &gradient_, &residual_, &inverse_Q_, &inverse_}) {
      packs->assign(Q_.padded(), AlignedPack{Pack{}});
    }
    for (Packs* packs : {&v_, &slack_, &lambda_, &step_}) packs->assign(shape.num_conic, AlignedPack{Pack{}});
  }

  /// One problem a lane; empty lanes repeat the first problem.
  void load(const LaneProblem* problems, int used) {
    const int n = shape_.num_variables, m = shape_.num_conic;
    const LaneProblem* lane[kPack];
    for (int l = 0; l < kPack; ++l) lane[l] = &problems[l < used ? l : 0];
    for (int i = 0; i < n; ++i) {
      const double* row[kPack];
      for (int l = 0; l < kPack; ++l)
        row[l] = lane[l]->Q + static_cast<std::ptrdiff_t>(lane[l]->order[i]) * n;
      for (int j = 0; j <= i; ++j) {
        Pack entry;
        for (int l = 0; l < kPack; ++l)
          entry[l] = lane[l]->sign[i] * lane[l]->sign[j] * row[l][lane[l]->order[j]];
        Q_.at(i, j) = entry;
      }
      for (int l = 0; l < kPack; ++l) {
        c_[i].v[l] = lane[l]->c[i];
        weight_[i].v[l] = lane[l]->prior_weight[i];
        centre_[i].v[l] = lane[l]->prior_centre[i];
      }
    }
    for (int l = 0; l < kPack; ++l) {
      for (int i = 0; i < m; ++i) v_[i].v[l] = lane[l]->start[i];
      constant_[l] = lane[l]->constant;
      least_cost_[l] = lane[l]->least_cost;
      penalty_[l] = lane[l]->penalty;
    }
    factor_Q_ = Q_;
    factor_ = Q_;
    for (int i = 0; i < m; ++i) factor_.at(i, i) += penalty_;
    cholesky(factor_Q_, inverse_Q_);
    cholesky(factor_, inverse_);
    anderson_.reset();
  }

  /// Iterates until the first `used` lanes are done and writes their answers.
  void run(const LaneOptions& options, int used, LaneAnswer* answers) {
    bool done[kPack] = {};
    int left = used;
    for (int iteration = 1; iteration <= options.max_iterations && left > 0; ++iteration) {
      split(options.relaxation);
      if (iteration % kCheckEvery == 0 || iteration == options.max_iterations) {
        const Pack gap = check();
        for (int l = 0; l < used; ++l) {
          const bool converged = gap[l] <= options.gap_tolerance;
          if (done[l] || (!converged && iteration < options.max_iterations)) continue;
          done[l] = true;
          --left;
          answers[l].converged = converged;
          answers[l].iterations = iteration;
          answers[l].objective = objective_[l];
          answers[l].gap = gap[l];
          for (int i = 0; i < shape_.num_variables; ++i) answers[l].y[i] = point_[i].v[l];
          for (int i = 0; i < shape_.num_conic; ++i) answers[l].lambda[i] = lambda_[i].v[l];
        }
      }
      anderson_.advance(v_, step_);
    }
  }

 private:
  static constexpr int kCheckEvery = 5;

  void split(double relaxation) {
    const int m = shape_.num_conic;
    for (int block = 0; block < shape_.num_psd4; ++block)
      project_block4(&v_[10 * block], &slack_[10 * block]);
    for (int i = 10 * shape_.num_psd4; i < m; ++i) slack_[i].v = maximum(v_[i].v, Pack{});
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i].v = -c_[i].v;
    for (int i = 0; i < m; ++i) {
      lambda_[i].v = penalty_ * (slack_[i].v - v_[i].v);
      y_[i].v += penalty_ * slack_[i].v + lambda_[i].v;
    }
    solve_forward(factor_, inverse_, y_);
    solve_backward(factor_, inverse_, y_);
    for (int i = 0; i < m; ++i) step_[i].v = relaxation * (y_[i].v - slack_[i].v);
  }

  // certified relative gap at the feasible point (s, free part of y): host/solve/duality.hpp
  Pack check() {
    const int m = shape_.num_conic;
    for (std::size_t i = 0; i < y_.size(); ++i)
      point_[i].v = i < static_cast<std::size_t>(m) ? slack_[i].v : y_[i].v;
    multiply_symmetric(Q_, point_, gradient_);
    Pack gap{}, prior{};
    objective_ = constant_;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      objective_ += point_[i].v * (0.5 * gradient_[i].v + c_[i].v);
      const Pack off = point_[i].v - centre_[i].v;
      prior += weight_[i].v * off * off;
      residual_[i].v = -gradient_[i].v - c_[i].v;
    }
    for (int i = 0; i < m; ++i) {
      residual_[i].v += lambda_[i].v;
      gap += lambda_[i].v * slack_[i].v;
    }
    solve_forward(factor_Q_, inverse_Q_, residual_);
    for (const auto& entry : residual_) gap += 0.5 * entry.v * entry.v;
    return gap / maximum(objective_ - prior, least_cost_);
  }

  LaneShape shape_;
  LowerTiles Q_, factor_Q_, factor_;
  LaneAnderson anderson_;
  Packs c_, weight_, centre_, inverse_Q_, inverse_;
  Packs y_, point_, gradient_, residual_;
  Packs v_, slack_, lambda_, step_;
  Pack constant_{}, least_cost_{}, penalty_{}, objective_{};
};

inline void solve_packs(const LaneShape& shape, const LaneProblem* problems, int count,
                        const LaneOptions& options, LaneAnswer* answers) {
  LaneAdmm admm(shape);
  for (int first = 0; first < count; first += kPack) {
    const int used = count - first < kPack ? count - first : kPack;
    admm.load(problems + first, used);
    admm.run(options, used, answers + first);
  }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
