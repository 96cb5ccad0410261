// Quadratic objective of a pack of problems or of one, and the gap of the stopping criterion
// (host/estimation/solve/duality.hpp).
#pragma once

#include "lane_algebra.hpp"
#include "lane_solver.hpp"
#include "solve/plain_problem.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

template <class Side>
class LaneObjective {
 public:
  using Number = typename Side::Number;

  /// Allocates all memory; load() sets problems.
  explicit LaneObjective(const PlainShape& shape)
      : shape_(shape), Q_(shape.num_variables), factor_(shape.num_variables) {
    for (auto* numbers : {&c_, &weight_, &center_, &gradient_, &residual_})
      numbers->resize(shape.num_variables);
  }

  /// Loads a problem into every lane with a non-null pointer; other lanes are unchanged. Requires
  /// set_factor() afterwards.
  void load(const PlainProblem* const (&problems)[Side::kLanes]) {
    Numbers<Side>& shift = residual_;
    shift.clear();
    int lanes[Side::kLanes], num_lanes = 0;
    for (int l = 0; l < Side::kLanes; ++l) {
      if (!problems[l]) continue;
      const PlainProblem& problem = *problems[l];
      lanes[num_lanes++] = l;
      for (int i = 0; i < shape_.num_variables; ++i) {
        set_lane(c_[i], l, problem.c[i]);
        set_lane(weight_[i], l, problem.ridge[i]);
        set_lane(center_[i], l, problem.ridge_center[i]);
        set_lane(shift[i], l, problem.shift[i]);
      }
      set_lane(constant_, l, problem.constant);
      set_lane(least_cost_, l, problem.least_cost);
    }
    for (int I = 0; I < Q_.num_tiles(); ++I) {
      for (int J = 0; J <= I; ++J) {
        for (int t = 0; t < num_lanes; ++t) put_tile(*problems[lanes[t]], lanes[t], I, J);
      }
    }
    // f(point - shift) as a function of the point
    multiply_symmetric(Q_, shift, gradient_);
    for (int i = 0; i < shift.size(); ++i) {
      constant_ += shift[i] * (0.5 * gradient_[i] - c_[i]);
      c_[i] -= gradient_[i];
    }
  }

  /// Copies an existing factor of Q in lanes with negative `fresh`.
  void set_factor(const LowerTiles<Side>& factor, Number fresh) { factor_.assign(factor, fresh); }

  /// Returns objective, gradient and gap at a point in K with multipliers lambda in K*. If no lane
  /// has lambda's within `tolerance`, relative like the gap, lambda's replaces the gap.
  void evaluate(const Numbers<Side>& point, const Numbers<Side>& lambda, double tolerance) {
    multiply_symmetric(Q_, point, gradient_);
    Number prior(0);
    objective_ = constant_;
    gap_ = Number(0);
    for (int i = 0; i < gradient_.size(); ++i) {
      objective_ += point[i] * (0.5 * gradient_[i] + c_[i]);
      const Number off = point[i] - center_[i];
      prior += weight_[i] * off * off;
      gradient_[i] += c_[i];
      residual_[i] = -gradient_[i];
    }
    for (int i = 0; i < shape_.num_conic; ++i) {
      residual_[i] += lambda[i];
      gap_ += lambda[i] * point[i];
    }
    const Number unit = maximum(objective_ - prior, least_cost_);
    // skip the rest of the gap if lambda's alone exceeds the tolerance in all lanes; NaN does not
    if (!all_negative(tolerance * unit - gap_)) {
      solve_forward(factor_, residual_);
      for (int i = 0; i < residual_.size(); ++i) gap_ += 0.5 * residual_[i] * residual_[i];
    }
    relative_gap_ = gap_ / unit;
  }

  const LowerTiles<Side>& Q() const { return Q_; }
  LowerTiles<Side>& Q() { return Q_; }
  const Numbers<Side>& c() const { return c_; }
  double objective(int l) const { return lane(objective_, l); }
  double relative_gap(int l) const { return lane(relative_gap_, l); }

 private:
  static constexpr int kTile = Side::kTile;
  static_assert(kTile <= kMaxTile, "solve_resampled() mirrors no more below the diagonal");

  // tile (I, J) of one lane; number by number, because neighbors in a lane are a pack apart
  void put_tile(const PlainProblem& problem, int l, int I, int J) {
    const int n = shape_.num_variables;
    double* entry = reinterpret_cast<double*>(Q_.tile(I, J)) + l;
    if (problem.natural && (I + 1) * kTile <= n) {
      const double* column = problem.Q + static_cast<std::ptrdiff_t>(I) * kTile * n + J * kTile;
      for (int r = 0; r < kTile; ++r, column += n) {
        for (int c = 0; c < kTile; ++c) entry[(c * kTile + r) * Side::kLanes] = column[c];
      }
      return;
    }
    for (int r = 0, i = I * kTile; r < kTile && i < n; ++r, ++i) {
      const double* column = problem.Q + static_cast<std::ptrdiff_t>(problem.order[i]) * n;
      for (int c = 0, j = J * kTile; c < kTile && j < n; ++c, ++j)
        entry[(c * kTile + r) * Side::kLanes] =
            problem.sign[i] * problem.sign[j] * column[problem.order[j]];
    }
  }

  PlainShape shape_;
  LowerTiles<Side> Q_, factor_;
  Numbers<Side> c_, weight_, center_;
  Numbers<Side> gradient_, residual_;
  Number constant_{}, least_cost_{};
  Number objective_{}, gap_{}, relative_gap_{};
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
