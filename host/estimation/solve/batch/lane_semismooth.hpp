// Semismooth Newton method on a pack of plain problems, whose slacks are variables, or on one
// alone. It solves
//
//   Q y + c = lambda,   lambda = rho (projection(v) - v),   v = y - lambda / rho
//
// for y and lambda by Newton steps with the generalized derivative of the projection on K [Sun &
// Sun 2002]:
//
//   s = projection(v),   lambda+ = rho (s - v)
//   (Q + W) dy = T,   y <- y + dy,   lambda <- lambda + T - W dy
//
// with W and T of core/psd_block.hpp. The start, W = 0 and lambda = 0, is the unconstrained
// minimizer of the objective: often already the solution, otherwise a few steps away. s and lambda+
// are in the cone and its dual, so their gap is a bound for any sequence of steps. With the
// solution of a similar problem, the method starts from its lambda instead of zero. Convergence is
// not guaranteed; unfinished problems go to another method.
//
// On a device the work is distributed over the threads of a block instead: Semismooth,
// kernels/solve/semismooth.hpp; tests compare the solutions of both.
#pragma once

#include "lane_objective.hpp"
#include "lane_prefetch.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

template <class Side>
class LaneSemismooth {
 public:
  using Number = typename Side::Number;

  /// Allocates all memory.
  explicit LaneSemismooth(const PlainShape& shape)
      : shape_(shape),
        objective_(shape),
        factor_(shape.num_variables),
        bodies_(shape.num_psd4),
        rows_(shape.num_conic - first_row()) {
    for (auto* numbers : {&y_, &dy_, &point_}) numbers->resize(shape.num_variables);
    for (auto* numbers : {&lambda_, &lambda_next_, &pull_}) numbers->resize(shape.num_conic);
  }

  /// Iterates from the unconstrained minimizer of the objective. Lanes that are finished, failed or
  /// out of steps take the next problem, several at a time.
  void run(const PlainProblem* problems, int count, const PlainOptions& options,
           PlainAnswer* answers) {
    int next = 0, member[kLanes], active = 0;
    prefetch_ = {};
    for (int& k : member) k = -1;  // no problem
    while (next < count || active > 0) {
      Number fresh(0);
      if (next < count && active <= kMin) {
        fresh = take(problems, count, next, member);
        active = 0;
        for (const int k : member) active += k >= 0;
      }
      advance(fresh, [&] { prefetch_.ask(problems, next, count, shape_.num_variables); });
      split();
      objective_.evaluate(point_, lambda_next_, options.gap_tolerance);
      for (int l = 0; l < kLanes; ++l) {
        if (member[l] < 0) continue;
        PlainAnswer& answer = answers[member[l]];
        ++answer.steps;
        const double gap = objective_.relative_gap(l);
        answer.converged = gap <= options.gap_tolerance;
        const bool failed = !std::isfinite(gap) || answer.steps >= options.max_steps;
        if (!answer.converged && !failed) continue;
        if (answer.converged) write(l, answer);
        member[l] = -1;
        --active;
      }
    }
  }

 private:
  static constexpr int kLanes = Side::kLanes;
  static constexpr int kSvec = core::svec_size(4);
  static constexpr int kEntries = core::svec_size(kSvec);  // entries in the lower triangle of a
                                                           // body's block of Q
  // number of active lanes at which a refill is worthwhile: its cost hardly depends on the number
  // of lanes
  static constexpr int kMin = 5 * kLanes / 8;

  // what the split of a block leaves for the step
  struct Body {
    core::Curvature<4, Number> curvature;
    Number saved[kEntries];
  };
  struct Row {
    Number curvature, saved;
  };

  int first_row() const { return kSvec * shape_.num_psd4; }

  // fills free lanes, marked as negative; in the first pack, lanes without a problem repeat the
  // first one
  Number take(const PlainProblem* problems, int count, int& next, int (&member)[kLanes]) {
    const bool first = next == 0;
    const PlainProblem* taken[kLanes] = {};
    Number fresh(0);
    for (int l = 0; l < kLanes; ++l) {
      if (member[l] >= 0 || (next == count && !first)) continue;
      taken[l] = &problems[0];
      if (next < count) {
        member[l] = next;
        taken[l] = &problems[next++];
      }
      set_lane(fresh, l, -1);
      set_lane(penalty_, l, taken[l]->penalty);
      warm_[l] = taken[l]->warm_lambda;
    }
    objective_.load(taken);
    return fresh;
  }

  void write(int l, PlainAnswer& answer) const {
    answer.objective = objective_.objective(l);
    answer.gap = objective_.relative_gap(l);
    for (int i = 0; i < shape_.num_variables; ++i) answer.y[i] = lane(point_[i], l);
    for (int i = 0; i < shape_.num_conic; ++i) answer.lambda[i] = lane(lambda_next_[i], l);
  }

  // s, lambda+, T and W
  void split() {
    for (int i = shape_.num_conic; i < y_.size(); ++i) point_[i] = y_[i];
    for (int block = 0; block < shape_.num_psd4; ++block) {
      const int i = kSvec * block;
      core::split_block<4>(&y_[i], &lambda_[i], penalty_, {&point_[i], &lambda_next_[i], &pull_[i]},
                           bodies_[block].curvature);
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      core::split_row(y_[i], lambda_[i], penalty_, {&point_[i], &lambda_next_[i], &pull_[i]},
                      rows_[i - first_row()].curvature);
    }
  }

  // the step; in fresh lanes, whose W is zero, to the unconstrained minimizer
  template <class Meanwhile>
  void advance(Number fresh, Meanwhile&& meanwhile) {
    const Number zero(0);
    // values left by the previous problem may be NaN, which multiplication by zero would keep
    for (Body& body : bodies_) {
      for (Number& value : body.curvature.values) value = if_negative(fresh, zero, value);
      for (auto& row : body.curvature.Q.at) {
        for (Number& entry : row) entry = if_negative(fresh, zero, entry);
      }
    }
    for (Row& row : rows_) row.curvature = if_negative(fresh, zero, row.curvature);
    factorize(meanwhile);
    for (int i = 0; i < dy_.size(); ++i) dy_[i] = if_negative(fresh, -objective_.c()[i], zero);
    for (int i = 0; i < shape_.num_conic; ++i) {
      pull_[i] = if_negative(fresh, zero, pull_[i]);
      lambda_[i] = if_negative(fresh, zero, lambda_[i]);
      dy_[i] += pull_[i];
    }
    if (has_negative(fresh)) {
      objective_.set_factor(factor_, fresh);
      start_warm();
    }
    solve_forward(factor_, dy_);
    solve_backward(factor_, dy_);
    for (int i = 0; i < y_.size(); ++i) y_[i] = if_negative(fresh, zero, y_[i]) + dy_[i];
    for (int block = 0; block < shape_.num_psd4; ++block) {
      const int i = kSvec * block;
      core::step_block(bodies_[block].curvature, &pull_[i], &dy_[i], &lambda_[i]);
    }
    for (int i = first_row(); i < shape_.num_conic; ++i)
      core::step_row(rows_[i - first_row()].curvature, pull_[i], dy_[i], lambda_[i]);
  }

  // In fresh lanes with initial multipliers, y is set from Q y + c = lambda, which holds after
  // every step.
  void start_warm() {
    for (int l = 0; l < kLanes; ++l) {
      for (int i = 0; warm_[l] && i < shape_.num_conic; ++i) {
        set_lane(lambda_[i], l, warm_[l][i]);
        set_lane(dy_[i], l, lane(dy_[i], l) + warm_[l][i]);
      }
      warm_[l] = nullptr;
    }
  }

  static bool has_negative(Number x) {
    for (int l = 0; l < kLanes; ++l)
      if (lane(x, l) < 0) return true;
    return false;
  }

  // Q + W, stored temporarily in Q to keep one matrix less in cache
  template <class Meanwhile>
  void factorize(Meanwhile&& meanwhile) {
    LowerTiles<Side>& Q = objective_.Q();
    for (int block = 0; block < shape_.num_psd4; ++block)
      add_curvature(bodies_[block], kSvec * block);
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      Row& row = rows_[i - first_row()];
      row.saved = Q.at(i, i);
      Q.at(i, i) += row.curvature;
    }
    cholesky(Q, factor_, meanwhile);
    for (int block = 0; block < shape_.num_psd4; ++block) {
      for (int a = 0, t = 0; a < kSvec; ++a) {
        for (int b = 0; b <= a; ++b, ++t)
          Q.at(kSvec * block + a, kSvec * block + b) = bodies_[block].saved[t];
      }
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) Q.at(i, i) = rows_[i - first_row()].saved;
  }

  // sum over pairs of eigenvectors of curvature u u', u = svec of their symmetric product
  void add_curvature(Body& body, int begin) {
    Number sum[kEntries] = {};
    for (int q = 0; q < 4; ++q) {
      for (int p = q; p < 4; ++p) {
        Number u[kSvec], weighted[kSvec];
        core::symmetric_product(body.curvature.Q, p, q, u);
        for (int k = 0; k < kSvec; ++k)
          weighted[k] = body.curvature.values[core::svec_place(4, p, q)] * u[k];
        for (int a = 0, t = 0; a < kSvec; ++a) {
          for (int b = 0; b <= a; ++b, ++t) sum[t] += weighted[a] * u[b];
        }
      }
    }
    for (int a = 0, t = 0; a < kSvec; ++a) {
      for (int b = 0; b <= a; ++b, ++t) {
        Number& entry = objective_.Q().at(begin + a, begin + b);
        body.saved[t] = entry;
        entry += sum[t];
      }
    }
  }

  PlainShape shape_;
  LaneObjective<Side> objective_;
  LowerTiles<Side> factor_;
  std::vector<Body> bodies_;
  std::vector<Row> rows_;
  Numbers<Side> y_, dy_, point_;
  Numbers<Side> lambda_, lambda_next_, pull_;
  Number penalty_{};
  const double* warm_[kLanes] = {};
  LanePrefetch<Side> prefetch_;
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
