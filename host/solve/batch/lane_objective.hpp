// The quadratic objective of a pack of problems and the gap by which its solvers stop (host/solve/duality.hpp).
#pragma once

#include "host/solve/batch/lane_algebra.hpp"
#include "host/solve/batch/lane_problem.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneObjective {
 public:
  /// Takes all memory; problems come by load().
  explicit LaneObjective(const LaneShape& shape)
      : shape_(shape), Q_(shape.num_variables), factor_(shape.num_variables) {
    for (Packs* packs : {&c_, &weight_, &centre_, &gradient_, &residual_, &inverse_})
      packs->assign(Q_.padded(), AlignedPack{Pack{}});
  }

  /// One problem a lane.
  void load(const LaneProblem* const (&lane)[kPack]) {
    const int n = shape_.num_variables;
    Packs& sign = gradient_;
    for (int i = 0; i < n; ++i) {
      const double* row[kPack];
      for (int l = 0; l < kPack; ++l) {
        row[l] = lane[l]->Q + static_cast<std::ptrdiff_t>(lane[l]->order[i]) * n;
        sign[i].v[l] = lane[l]->sign[i];
        c_[i].v[l] = lane[l]->c[i];
        weight_[i].v[l] = lane[l]->prior_weight[i];
        centre_[i].v[l] = lane[l]->prior_centre[i];
        residual_[i].v[l] = lane[l]->shift[i];
      }
      for (int j = 0; j <= i; ++j) {
        Pack entry;
        for (int l = 0; l < kPack; ++l) entry[l] = row[l][lane[l]->order[j]];
        Q_.at(i, j) = sign[i].v * sign[j].v * entry;
      }
    }
    for (int l = 0; l < kPack; ++l) {
      constant_[l] = lane[l]->constant;
      least_cost_[l] = lane[l]->least_cost;
    }
    // f(point - shift) as a function of the point
    multiply_symmetric(Q_, residual_, gradient_);
    for (int i = 0; i < n; ++i) {
      constant_ += residual_[i].v * (0.5 * gradient_[i].v - c_[i].v);
      c_[i].v -= gradient_[i].v;
    }
    cholesky(Q_, factor_, inverse_);
  }

  /// Objective, gradient, gap at a point in K with multipliers lambda in K*. Where no lane has lambda's within
  /// `tolerance`, relative like the gap, it stands for the gap.
  void evaluate(const Packs& point, const Packs& lambda, double tolerance) {
    const std::size_t m = static_cast<std::size_t>(shape_.num_conic);
    multiply_symmetric(Q_, point, gradient_);
    Pack prior{};
    objective_ = constant_;
    gap_ = Pack{};
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      objective_ += point[i].v * (0.5 * gradient_[i].v + c_[i].v);
      const Pack off = point[i].v - centre_[i].v;
      prior += weight_[i].v * off * off;
      gradient_[i].v += c_[i].v;
      residual_[i].v = -gradient_[i].v;
    }
    for (std::size_t i = 0; i < m; ++i) {
      residual_[i].v += lambda[i].v;
      gap_ += lambda[i].v * point[i].v;
    }
    const Pack unit = maximum(objective_ - prior, least_cost_);
    if (any(gap_ <= tolerance * unit)) {
      solve_forward(factor_, inverse_, residual_);
      for (const auto& entry : residual_) gap_ += 0.5 * entry.v * entry.v;
    }
    relative_gap_ = gap_ / unit;
  }

  const LowerTiles& Q() const { return Q_; }
  const Packs& c() const { return c_; }
  const Packs& gradient() const { return gradient_; }
  Pack objective() const { return objective_; }
  Pack gap() const { return gap_; }
  Pack relative_gap() const { return relative_gap_; }

 private:
  LaneShape shape_;
  LowerTiles Q_, factor_;
  Packs c_, weight_, centre_, inverse_;
  Packs gradient_, residual_;
  Pack constant_{}, least_cost_{};
  Pack objective_{}, gap_{}, relative_gap_{};
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
