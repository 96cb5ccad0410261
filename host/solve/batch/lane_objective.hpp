// The quadratic objective of a pack of problems and the gap by which its solvers stop (host/solve/duality.hpp).
#pragma once

#include "lane_algebra.hpp"
#include "solve/plain_problem.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneObjective {
 public:
  /// Takes all memory; problems come by load().
  explicit LaneObjective(const PlainShape& shape)
      : shape_(shape), Q_(shape.num_variables), factor_(shape.num_variables) {
    for (Packs* packs : {&c_, &weight_, &centre_, &gradient_, &residual_, &inverse_})
      packs->assign(Q_.padded(), AlignedPack{Pack{}});
  }

  /// Puts a problem into every lane that is `fresh`; the others stay as they are. set_factor() or factorize()
  /// comes next.
  void load(const PlainProblem* const (&lane)[kPack], Mask fresh) {
    Packs& shift = residual_;
    for (auto& entry : shift) entry.v = Pack{};
    int lanes[kPack], num_lanes = 0;
    for (int l = 0; l < kPack; ++l) {
      if (!fresh[l]) continue;
      lanes[num_lanes++] = l;
      for (int i = 0; i < shape_.num_variables; ++i) {
        c_[i].v[l] = lane[l]->c[i];
        weight_[i].v[l] = lane[l]->prior_weight[i];
        centre_[i].v[l] = lane[l]->prior_centre[i];
        shift[i].v[l] = lane[l]->shift[i];
      }
      constant_[l] = lane[l]->constant;
      least_cost_[l] = lane[l]->least_cost;
    }
    for (int I = 0; I < Q_.num_tiles(); ++I) {
      for (int J = 0; J <= I; ++J) {
        for (int t = 0; t < num_lanes; ++t) put_tile(*lane[lanes[t]], lanes[t], I, J);
      }
    }
    // f(point - shift) as a function of the point
    multiply_symmetric(Q_, shift, gradient_);
    for (std::size_t i = 0; i < shift.size(); ++i) {
      constant_ += shift[i].v * (0.5 * gradient_[i].v - c_[i].v);
      c_[i].v -= gradient_[i].v;
    }
  }

  /// Factors Q.
  void factorize() { cholesky(Q_, factor_, inverse_); }

  /// Takes the factor of Q from somebody who needed it too, in the lanes that are `fresh`.
  void set_factor(const LowerTiles& factor, const Packs& inverse, Mask fresh) {
    factor_.assign(factor, fresh);
    for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i].v = fresh ? inverse[i].v : inverse_[i].v;
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
  LowerTiles& Q() { return Q_; }
  const Packs& c() const { return c_; }
  const Packs& gradient() const { return gradient_; }
  Pack objective() const { return objective_; }
  Pack relative_gap() const { return relative_gap_; }

 private:
  // tile (I, J) of one lane; number by number, as neighbours in a lane are a pack apart
  void put_tile(const PlainProblem& problem, int l, int I, int J) {
    const int n = shape_.num_variables;
    double* entry = reinterpret_cast<double*>(Q_.tile(I, J)) + l;
    if (problem.natural && J < I && (I + 1) * kTile <= n) {
      const double* column = problem.Q + static_cast<std::ptrdiff_t>(I) * kTile * n + J * kTile;
      for (int r = 0; r < kTile; ++r, column += n) {
        for (int c = 0; c < kTile; ++c) entry[(c * kTile + r) * kPack] = column[c];
      }
      return;
    }
    for (int r = 0, i = I * kTile; r < kTile && i < n; ++r, ++i) {
      const double* column = problem.Q + static_cast<std::ptrdiff_t>(problem.order[i]) * n;
      for (int c = 0, j = J * kTile; c < kTile && j <= i; ++c, ++j)
        entry[(c * kTile + r) * kPack] = problem.sign[i] * problem.sign[j] * column[problem.order[j]];
    }
  }

  PlainShape shape_;
  LowerTiles Q_, factor_;
  Packs c_, weight_, centre_, inverse_;
  Packs gradient_, residual_;
  Pack constant_{}, least_cost_{};
  Pack objective_{}, gap_{}, relative_gap_{};
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
