// The semismooth Newton method on one plain problem by a block of threads. It solves
//
//   Q y + c = lambda,   lambda = rho (projection(v) - v),   v = y - lambda / rho
//
// by Newton steps with the generalized derivative of the projection (FORMULAS 3, [Sun & Sun 2002]):
//
//   s = projection(v),   lambda+ = rho (s - v)
//   (Q + W) dy = T,   y <- y + dy,   lambda <- lambda + T - W dy
//
// from the unconstrained minimizer of the objective, W = 0 and lambda = 0. s and lambda+ are in the
// cone and its dual, so that their gap is a bound for any sequence of steps and serves as the
// stopping criterion:
//
//   gap = lambda+'s + 1/2 r'Q^-1 r,   r = lambda+ - (Q s + c)
//
// The bound uses the factor of Q from the first step. Problems that do not converge within their
// steps, or whose numbers break down, are left to another method.
//
// core/psd_block.hpp has the functions of a step. On the CPU the work is distributed over lanes
// instead: LaneSemismooth, host/estimation/solve/batch/lane_semismooth.hpp; tests compare the
// solutions of both.
#pragma once

#include "layout.hpp"

namespace heft::cuda {

struct SemismoothOptions {
  double gap_tolerance;
  int max_steps;
};

/// Steps of the method on its vectors, for any factorization of Q + W: the block itself
/// (Semismooth), or a library (LargeSemismooth).
template <class Block>
class SemismoothSteps {
 protected:
  static constexpr int kPairs = kSvec * (kSvec + 1) / 2;  // entries of a block's triangle

  HEFT_HD SemismoothSteps(const Block& block, const ProblemShape& shape,
                          const PackedProblem& problem, const Workspace& workspace)
      : block_(block),
        shape_(shape),
        problem_(problem),
        Q_{problem.Q, shape.num_tiles()},
        at_(workspace),
        constant_(problem.scalars[0]),
        least_cost_(problem.scalars[1]),
        rho_(problem.scalars[2]) {}

  // f(y - shift) as a function of y
  HEFT_HD void shift_objective() {
    multiply(block_, Q_, problem_.shift, at_.gradient);
    constant_ += sum(block_, shape_.padded(), at_.sums, [&](int i) {
      return problem_.shift[i] * (0.5 * at_.gradient[i] - problem_.c[i]);
    });
    each(block_, shape_.padded(), [&](int i) { at_.c[i] = problem_.c[i] - at_.gradient[i]; });
  }

  // s, lambda+, T and W; thread = block
  HEFT_HD void split() {
    each(block_, shape_.padded(), [&](int i) {
      if (i >= shape_.num_conic) at_.slack[i] = at_.y[i];
    });
    each(block_, shape_.num_psd4 + shape_.num_rows(), [&](int block) {
      if (block < shape_.num_psd4) {
        const int first = kSvec * block;
        core::split_block<4>(at_.y + first, at_.lambda + first, rho_,
                             {at_.slack + first, at_.lambda_next + first, at_.pull + first},
                             at_.bodies[block]);
      } else {
        const int row = block - shape_.num_psd4, i = shape_.first_row() + row;
        core::split_row(at_.y[i], at_.lambda[i], rho_,
                        {at_.slack + i, at_.lambda_next + i, at_.pull + i}, at_.row_curvature[row]);
      }
    });
  }

  // objective at s, what gaps are relative to, and the first part of the gap, lambda+'s
  HEFT_HD void evaluate_slack() {
    const int n = shape_.padded();
    multiply(block_, Q_, at_.slack, at_.gradient);
    objective_ = constant_ + sum(block_, n, at_.sums, [&](int i) {
                   return at_.slack[i] * (0.5 * at_.gradient[i] + at_.c[i]);
                 });
    const double prior = sum(block_, n, at_.sums, [&](int i) {
      const double off = at_.slack[i] - problem_.center[i];
      return problem_.weight[i] * off * off;
    });
    const double cost = objective_ - prior;
    unit_ = cost > least_cost_ ? cost : least_cost_;
    gap_ = sum(block_, shape_.num_conic, at_.sums,
               [&](int i) { return at_.lambda_next[i] * at_.slack[i]; });
  }

  // r of the gap's second part, behind evaluate_slack()
  HEFT_HD double residual(int i) const {
    return (i < shape_.num_conic ? at_.lambda_next[i] : 0.0) - (at_.gradient[i] + at_.c[i]);
  }

  // adds W to the entries (i, j) of a matrix that holds Q, thread = entry
  template <class Entry>
  HEFT_HD void add_curvature(const Entry& entry) {
    each(block_, kPairs * shape_.num_psd4 + shape_.num_rows(), [&](int i) {
      if (i < kPairs * shape_.num_psd4) {
        const int block = i / kPairs;
        const TrianglePlace at = triangle_place(i % kPairs);
        entry(kSvec * block + at.row, kSvec * block + at.column) +=
            core::curvature_entry(at_.bodies[block], at.row, at.column);
      } else {
        const int row = i - kPairs * shape_.num_psd4;
        entry(shape_.first_row() + row, shape_.first_row() + row) += at_.row_curvature[row];
      }
    });
  }

  // y + dy, and the multipliers behind it
  HEFT_HD void advance() {
    each(block_, shape_.padded(), [&](int i) { at_.y[i] += at_.dy[i]; });
    each(block_, shape_.num_psd4 + shape_.num_rows(), [&](int block) {
      if (block < shape_.num_psd4) {
        const int i = kSvec * block;
        core::step_block(at_.bodies[block], at_.pull + i, at_.dy + i, at_.lambda + i);
      } else {
        const int row = block - shape_.num_psd4, i = shape_.first_row() + row;
        core::step_row(at_.row_curvature[row], at_.pull[i], at_.dy[i], at_.lambda[i]);
      }
    });
  }

  HEFT_HD static bool is_done(double gap, int steps, const SemismoothOptions& options) {
    return gap <= options.gap_tolerance || !std::isfinite(gap) || steps >= options.max_steps;
  }

  HEFT_HD void write(bool converged, int steps, const PackedAnswer& answer) const {
    each(block_, shape_.num_variables, [&](int i) {
      answer.y[i] = at_.slack[i];
      if (i < shape_.num_conic) answer.lambda[i] = at_.lambda_next[i];
      if (i == 0) {
        answer.scalars[0] = converged;
        answer.scalars[1] = steps;
        answer.scalars[2] = objective_;
        answer.scalars[3] = gap_;
      }
    });
  }

  Block block_;
  ProblemShape shape_;
  PackedProblem problem_;
  TiledMatrix Q_;
  Workspace at_;
  double constant_, least_cost_, rho_;
  double objective_ = 0, unit_ = 1, gap_ = 0;
};

/// The complete method in a block of threads, which factors tile by tile.
template <class Block>
class Semismooth : SemismoothSteps<Block> {
 public:
  HEFT_HD Semismooth(const Block& block, const ProblemShape& shape, const PackedProblem& problem,
                     const Workspace& workspace)
      : SemismoothSteps<Block>(block, shape, problem, workspace) {}

  HEFT_HD void solve(const SemismoothOptions& options, const PackedAnswer& answer) {
    this->shift_objective();
    start();
    int steps = 1;
    for (;; ++steps) {
      this->split();
      evaluate(options.gap_tolerance, steps == 1);
      if (this->is_done(gap_, steps, options)) break;
      step();
    }
    this->write(gap_ <= options.gap_tolerance, steps, answer);
  }

 private:
  using SemismoothSteps<Block>::block_, SemismoothSteps<Block>::shape_, SemismoothSteps<Block>::Q_,
      SemismoothSteps<Block>::at_, SemismoothSteps<Block>::unit_, SemismoothSteps<Block>::gap_;

  // the unconstrained minimizer of the objective
  HEFT_HD void start() {
    copy_Q();
    cholesky(block_, at_.factor);
    copy_factor(block_, at_.factor, at_.factor_of_Q);
    each(block_, shape_.padded(), [&](int i) {
      at_.dy[i] = -at_.c[i];
      if (i < shape_.num_conic) at_.lambda[i] = 0;
    });
    solve_forward(block_, at_.factor, at_.dy, at_.residual);
    solve_backward(block_, at_.factor, at_.residual, at_.y);
  }

  // objective and relative gap at s and lambda+; where lambda+'s is not within the tolerance, it
  // stands for the gap
  HEFT_HD void evaluate(double tolerance, bool factor_is_that_of_Q) {
    this->evaluate_slack();
    const int n = shape_.padded();
    if (gap_ <= tolerance * unit_) {
      if (!factor_is_that_of_Q) copy_factor(block_, at_.factor_of_Q, at_.factor);
      each(block_, n, [&](int i) { at_.residual[i] = this->residual(i); });
      solve_forward(block_, at_.factor, at_.residual, at_.dy);
      gap_ += 0.5 * sum(block_, n, at_.sums, [&](int i) { return at_.dy[i] * at_.dy[i]; });
    }
    gap_ /= unit_;
  }

  HEFT_HD void step() {
    copy_Q();
    this->add_curvature([&](int i, int j) -> double& { return at_.factor.L.at(i, j); });
    cholesky(block_, at_.factor);
    each(block_, shape_.padded(),
         [&](int i) { at_.residual[i] = i < shape_.num_conic ? at_.pull[i] : 0.0; });
    solve_forward(block_, at_.factor, at_.residual, at_.gradient);
    solve_backward(block_, at_.factor, at_.gradient, at_.dy);
    this->advance();
  }

  HEFT_HD void copy_Q() {
    each(block_, Q_.size(), [&](int i) { at_.factor.L.data[i] = Q_.data[i]; });
  }
};

}  // namespace heft::cuda
