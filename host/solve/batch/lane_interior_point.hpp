// Interior point method (host/solve/interior_point.hpp) on a pack of plain problems. Slacks are variables, so
// they are feasible from the start; Newton's matrix is Q + blockdiag(P x P).
//
// The start is split from the prior point v of the slacks,
//
//   s - lambda / rho = v,   s lambda = mu 1
//
// which is exactly centred and away from every boundary, with one rho and mu for all problems: the objective is
// a pure number.
#pragma once

#include "lane_nesterov_todd.hpp"
#include "lane_objective.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

class LaneInteriorPoint {
 public:
  /// Takes all memory.
  LaneInteriorPoint(const PlainShape& shape, LaneObjective& objective)
      : shape_(shape),
        objective_(objective),
        matrix_(shape.num_variables),
        factor_(shape.num_variables),
        bodies_(shape.num_psd4),
        rows_(shape.num_conic - 10 * shape.num_psd4) {
    for (Packs* packs : {&y_, &dy_, &inverse_}) packs->assign(factor_.padded(), AlignedPack{Pack{}});
    for (Packs* packs : {&lambda_, &pull_}) packs->assign(shape.num_conic, AlignedPack{Pack{}});
  }

  /// Iterates until the first `used` lanes are done, failed or out of steps; lanes with an answer are left
  /// alone.
  void run(const PlainProblem* const (&lane)[kPack], const PlainOptions& options, int used,
           PlainAnswer* const (&answers)[kPack]) {
    start(lane);
    bool done[kPack];
    int left = 0;
    for (int l = 0; l < kPack; ++l) {
      done[l] = l >= used || answers[l]->converged;
      left += !done[l];
    }
    for (int iteration = 0; left > 0; ++iteration) {
      objective_.evaluate(y_, lambda_, options.gap_tolerance);
      for (int l = 0; l < kPack; ++l) {
        const double gap = objective_.relative_gap()[l];
        const bool failed = !std::isfinite(gap) || iteration == options.max_newton_steps;
        if (done[l] || !(gap <= options.gap_tolerance || failed)) continue;
        done[l] = true;
        --left;
        answers[l]->newton_steps = iteration;
        if (!(gap <= options.gap_tolerance)) continue;
        answers[l]->converged = true;
        answers[l]->objective = objective_.objective()[l];
        answers[l]->gap = gap;
        for (int i = 0; i < shape_.num_variables; ++i) answers[l]->y[i] = y_[i].v[l];
        for (int i = 0; i < shape_.num_conic; ++i) answers[l]->lambda[i] = lambda_[i].v[l];
      }
      if (left == 0) break;
      factorize();
      predict();
      correct();
    }
  }

 private:
  static constexpr double kBoundary = 0.98;  // fraction of the way to the boundary of K
  // of the start: slacks at 3.7 times the prior, multipliers of 8e-3
  static constexpr double kStartPenalty = 3e-3;  // rho
  static constexpr double kStartProduct = 10;    // mu / rho

  double degree() const { return 4.0 * shape_.num_psd4 + static_cast<double>(rows_.size()); }
  int first_row() const { return 10 * shape_.num_psd4; }

  void start(const PlainProblem* const (&lane)[kPack]) {
    matrix_ = objective_.Q();
    for (int i = 0; i < shape_.num_variables; ++i) {
      for (int l = 0; l < kPack; ++l) y_[i].v[l] = lane[l]->start[i];
    }
    const Pack product = broadcast(kStartProduct);
    for (int block = 0; block < shape_.num_psd4; ++block)
      split_matrix(&y_[10 * block], product, &y_[10 * block], &lambda_[10 * block]);
    for (int i = first_row(); i < shape_.num_conic; ++i)
      split_number(y_[i].v, product, y_[i].v, lambda_[i].v);
    for (auto& entry : lambda_) entry.v *= kStartPenalty;
  }

  void factorize() {
    mu_ = Pack{};
    for (int i = 0; i < shape_.num_conic; ++i) mu_ += y_[i].v * lambda_[i].v;
    mu_ /= degree();
    for (int block = 0; block < shape_.num_psd4; ++block) {
      BlockScaling& body = bodies_[block];
      body.compute(&y_[10 * block], &lambda_[10 * block]);
      add_curvature(body.P, 10 * block);
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      RowScaling& row = rows_[i - first_row()];
      row.compute(y_[i].v, lambda_[i].v);
      matrix_.at(i, i) = objective_.Q().at(i, i) + row.P * row.P;
    }
    cholesky(matrix_, factor_, inverse_);
  }

  // the map v -> svec(P smat(v) P) on one diagonal block
  void add_curvature(const Block& P, int begin) {
    for (int j = 0; j < 4; ++j) {
      for (int i = j; i < 4; ++i) {
        const int a = kPlace[i][j];
        for (int l = 0; l <= j; ++l) {
          for (int k = l; k < 4 && kPlace[k][l] <= a; ++k) {
            const double scale = 0.5 * (i != j ? kSqrt2 : 1) * (k != l ? kSqrt2 : 1);
            const int row = begin + a, column = begin + kPlace[k][l];
            matrix_.at(row, column) =
                objective_.Q().at(row, column) + scale * (P.at[i][k] * P.at[j][l] + P.at[i][l] * P.at[j][k]);
          }
        }
      }
    }
  }

  // Newton step for complementarity right-hand sides `pull` = R^-T u R^-1
  void solve_newton() {
    for (std::size_t i = 0; i < dy_.size(); ++i) dy_[i].v = -objective_.gradient()[i].v;
    for (int i = 0; i < shape_.num_conic; ++i) dy_[i].v += lambda_[i].v + pull_[i].v;
    solve_forward(factor_, inverse_, dy_);
    solve_backward(factor_, inverse_, dy_);
  }

  // affine direction: sigma = 0, u = -d; how much complementarity it would leave decides how far to centre
  void predict() {
    for (int i = 0; i < shape_.num_conic; ++i) pull_[i].v = -lambda_[i].v;  // R^-T (-d) R^-1
    solve_newton();
    Pack least{};
    for (int block = 0; block < shape_.num_psd4; ++block) {
      BlockScaling& body = bodies_[block];
      body.ds = body.scale_slack(&dy_[10 * block]);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) body.dlambda.at[i][j] = -body.ds.at[i][j] - (i == j ? body.d[i] : Pack{});
      }
      least = minimum(least, minimum(body.least_relative(body.ds), body.least_relative(body.dlambda)));
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      RowScaling& row = rows_[i - first_row()];
      row.ds = dy_[i].v * row.P;
      row.dlambda = -row.d - row.ds;
      least = minimum(least, minimum(row.ds / row.d, row.dlambda / row.d));
    }
    const Pack step = minimum(broadcast(1), longest_step(least));
    // (d + step ds) . (d + step dlambda), where ds + dlambda = -d
    Pack both{};
    for (const BlockScaling& body : bodies_) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) both += body.ds.at[i][j] * body.dlambda.at[i][j];
      }
    }
    for (const RowScaling& row : rows_) both += row.ds * row.dlambda;
    const Pack left = (1.0 - step) * mu_ + step * step * both / degree();
    const Pack ratio = minimum(maximum(left / mu_, Pack{}), broadcast(1));
    target_ = ratio * ratio * mu_;
  }

  // second-order correction, then the step
  void correct() {
    for (int block = 0; block < shape_.num_psd4; ++block) {
      BlockScaling& body = bodies_[block];
      // from here on dlambda holds u, the sum of both scaled directions
      body.dlambda = body.complementarity(target_, body.ds, body.dlambda);
      body.to_multiplier(body.dlambda, &pull_[10 * block]);
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      RowScaling& row = rows_[i - first_row()];
      row.dlambda = row.complementarity(target_, row.ds, row.dlambda);
      pull_[i].v = row.dlambda * row.P;
    }
    solve_newton();
    Pack least{};
    for (int block = 0; block < shape_.num_psd4; ++block) {
      BlockScaling& body = bodies_[block];
      body.ds = body.scale_slack(&dy_[10 * block]);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) body.dlambda.at[i][j] -= body.ds.at[i][j];
      }
      least = minimum(least, minimum(body.least_relative(body.ds), body.least_relative(body.dlambda)));
      body.to_multiplier(body.dlambda, &pull_[10 * block]);
    }
    for (int i = first_row(); i < shape_.num_conic; ++i) {
      RowScaling& row = rows_[i - first_row()];
      row.ds = dy_[i].v * row.P;
      row.dlambda -= row.ds;
      least = minimum(least, minimum(row.ds / row.d, row.dlambda / row.d));
      pull_[i].v = row.dlambda * row.P;
    }
    const Pack step = minimum(broadcast(1), kBoundary * longest_step(least));
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i].v += step * dy_[i].v;
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i].v += step * pull_[i].v;
  }

  PlainShape shape_;
  LaneObjective& objective_;
  LowerTiles matrix_;  // Q, with diagonal blocks rewritten in every iteration
  LowerTiles factor_;
  std::vector<BlockScaling> bodies_;
  std::vector<RowScaling> rows_;
  Packs inverse_;
  Packs y_, dy_;
  Packs lambda_, pull_;
  Pack mu_{}, target_{};
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
