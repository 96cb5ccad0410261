#include "interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cone.hpp"
#include "duality.hpp"
#include "extract.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "nesterov_todd.hpp"
#include "second_order_scaling.hpp"

namespace heft::solver {

namespace {

constexpr int kDefaultSteps = 100;
constexpr double kBoundary = 0.98;  // fraction of the way to the boundary of K
constexpr double kClipSlack = 0.1;  // least eigenvalue at the start, of the block's largest and
                                    // absolute
constexpr double kClipMultiplier = 0.03;   // the same for multipliers, of the block's largest
constexpr double kFloorMultiplier = 1e-3;  // and absolute
constexpr double kFreeStep = 0.1;          // a step below this was blocked by the boundary
constexpr double kShortStep = 1e-6;        // smaller steps make no progress
constexpr int kShortSteps = 3;             // so many of them in a row end the run
constexpr double kAimedWithBarrier = 0.3;  // of the requested gap

// Eigenvalues of a block raised to max(fraction * largest, floor).
template <int n>
Svec<n> clipped(const double* v, double fraction, double floor) {
  const SymmetricEigen<n> eigen(smat<n>(v));
  const double least = std::max(fraction * eigen.eigenvalues().cwiseAbs().maxCoeff(), floor);
  const Eigen::Matrix<double, n, 1> d = eigen.eigenvalues().cwiseMax(least);
  return svec<n>(
      Symmetric<n>(eigen.eigenvectors() * d.asDiagonal() * eigen.eigenvectors().transpose()));
}

Eigen::VectorXd clip(const ConeShape& cone, const Eigen::VectorXd& v, double fraction,
                     double floor) {
  Eigen::VectorXd result(v.size());
  for (int block = 0; block < cone.num_blocks(); ++block) {
    const int begin = cone.block_begin(block);
    const double* data = v.data() + begin;
    switch (cone.block_kind(block)) {
      case ConeKind::psd4:
        result.segment<10>(begin) = clipped<4>(data, fraction, floor);
        break;
      case ConeKind::psd6:
        result.segment<21>(begin) = clipped<6>(data, fraction, floor);
        break;
      case ConeKind::second_order: {
        // its eigenvalues are head plus and minus the tail's length
        const Eigen::Map<const Eigen::VectorXd> cone_point(data, cone.block_size(block));
        const double length = cone_point.tail(cone_point.size() - 1).norm();
        const double least = std::max(fraction * (std::abs(cone_point[0]) + length), floor);
        result.segment(begin, cone_point.size()) = cone_point;
        result[begin] = std::max(cone_point[0], length + least);
        break;
      }
      case ConeKind::row:
        result[begin] = std::max({*data, fraction * std::abs(*data), floor});
    }
  }
  return result;
}

// Rows of F that belong to one block, on the columns that they touch.
struct BlockRows {
  std::vector<int> columns;
  Eigen::MatrixXd F;
};

class InteriorPoint {
 public:
  InteriorPoint(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), cone_(problem.cone), gap_bound_(problem) {
    gather_rows();
    psd4_.resize(cone_.num_psd4);
    psd6_.resize(cone_.num_psd6);
    for (const int size : cone_.second_order) second_order_.emplace_back(size);
    row_.resize(cone_.num_rows);
    for (Eigen::VectorXd* vector : {&pull_, &scaled_slack_, &scaled_lambda_, &dlambda_})
      vector->setZero(cone_.size());
    start();
  }

  Solution run(IterationRecord& best) {
    best.objective = std::numeric_limits<double>::quiet_NaN();
    const int limit = options_.max_iterations > 0 ? options_.max_iterations : kDefaultSteps;
    Solution solution;
    solution.method = SolveMethod::interior_point;
    int short_steps = 0;
    for (int iteration = 0;; ++iteration) {
      const IterationRecord record = check(iteration);
      solution.history.push_back(record);
      solution.iterations = iteration;
      if (!std::isfinite(record.objective)) break;
      keep_if_best(record, best, solution);
      if (is_done(record, aimed_at())) break;
      if (iteration == limit || short_steps == kShortSteps) break;
      if (!factorize()) break;
      ++solution.factorizations;
      predict();
      const double step = correct();
      short_steps = step < kShortStep ? short_steps + 1 : 0;
    }
    if (std::isfinite(best.objective) && is_done(best, options_.gap_tolerance))
      solution.status = SolveStatus::optimal;
    return solution;
  }

 private:
  void gather_rows() {
    rows_.resize(cone_.num_blocks());
    for (int block = 0; block < cone_.num_blocks(); ++block) {
      const int begin = cone_.block_begin(block), size = cone_.block_size(block);
      auto& columns = rows_[block].columns;
      for (int row = begin; row < begin + size; ++row) {
        for (RowSparseMatrix::InnerIterator it(problem_.F, row); it; ++it)
          columns.push_back(static_cast<int>(it.col()));
      }
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      rows_[block].F.setZero(size, static_cast<Eigen::Index>(columns.size()));
      for (int row = begin; row < begin + size; ++row) {
        for (RowSparseMatrix::InnerIterator it(problem_.F, row); it; ++it) {
          const auto place =
              std::lower_bound(columns.begin(), columns.end(), it.col()) - columns.begin();
          rows_[block].F(row - begin, place) = it.value();
        }
      }
    }
  }

  // ridge least squares that pulls every slack toward the unit of K, then into the interior
  void start() {
    Eigen::MatrixXd ridge = problem_.Q;
    ridge += RowSparseMatrix(problem_.F.transpose() * problem_.F);
    ridge.diagonal().array() += 1e-12 * ridge.trace() / std::max<Eigen::Index>(1, ridge.rows());
    y_ = ridge.llt().solve(problem_.F.transpose() * (cone_unit(cone_) - problem_.g) - problem_.c);
    slack_ = clip(cone_, problem_.F * y_ + problem_.g, kClipSlack, kClipSlack);
    if (problem_.has_orthonormal_rows)
      y_ += problem_.F.transpose() * (slack_ - problem_.F * y_ - problem_.g);
    lambda_ =
        clip(cone_, problem_.F * (problem_.Q * y_ + problem_.c), kClipMultiplier, kFloorMultiplier);
  }

  IterationRecord check(int iteration) {
    gradient_ = problem_.Q * y_ + problem_.c;
    primal_residual_ = problem_.F * y_ + problem_.g - slack_;
    const Gap gap = gap_bound_.evaluate(y_, slack_, lambda_);
    const double violation = cone_.size() > 0 ? primal_residual_.cwiseAbs().maxCoeff() : 0;
    return {iteration, gap.primal, gap.relative, violation, mu_};
  }

  // rounding can undo the last steps of an ill-conditioned problem: return the best point
  void keep_if_best(const IterationRecord& record, IterationRecord& best, Solution& solution) {
    const double merit = std::max(record.gap / options_.gap_tolerance,
                                  record.violation / options_.violation_tolerance);
    if (!(merit < best_merit_)) return;
    best_merit_ = merit;
    solution.y = y_;
    solution.lambda = lambda_;
    best = record;
  }

  bool is_done(const IterationRecord& record, double gap) const {
    return record.gap <= gap && record.violation <= options_.violation_tolerance;
  }

  // the certificate computes the gap with its own sums, which differ at the last step for a log det
  // prior
  double aimed_at() const {
    const bool has_any = std::find(problem_.has_barrier.begin(), problem_.has_barrier.end(),
                                   true) != problem_.has_barrier.end();
    return has_any ? kAimedWithBarrier * options_.gap_tolerance : options_.gap_tolerance;
  }

  bool has_barrier(int block) const {
    return block < cone_.num_psd4 && problem_.has_barrier[block];
  }

  // the residual of s lambda = target 1 for a block: the central path, displaced by the weight of a
  // log det prior
  double target(int block, double sigma_mu) const {
    return has_barrier(block) ? problem_.barrier_weight + sigma_mu : sigma_mu;
  }

  // Remaining complementarity per degree of the cone after a step along the scaled directions: the
  // products of slacks and multipliers or, with a log det prior, whose optimum has s lambda = w 1,
  // their distance from it. A trace of 4 w alone does not bound the distance from the central path.
  double complementarity_left(double step) {
    double left = 0;
    Eigen::VectorXd point;
    for_each_block([&](const auto& scaling, int block, int begin) {
      const int size = cone_.block_size(block);
      const auto ds = scaled_slack_.segment(begin, size),
                 dlambda = scaled_lambda_.segment(begin, size);
      if constexpr (requires { scaling.distance_from(0, 0, ds.data(), ds.data()); }) {
        if (has_barrier(block)) {
          left += scaling.distance_from(problem_.barrier_weight, step, ds.data(), dlambda.data());
          return;
        }
      }
      point.resize(size);
      scaling.put_point(point.data());
      left += (point + step * ds).dot(point + step * dlambda);
    });
    return left / std::max(1, cone_.degree());
  }

  // Calls visit(scaling, block, begin) for every block with its own scaling type.
  template <class Visit>
  void for_each_block(Visit&& visit) {
    int block = 0;
    const auto visit_all = [&](auto& scalings) {
      for (auto& scaling : scalings) {
        visit(scaling, block, cone_.block_begin(block));
        ++block;
      }
    };
    visit_all(psd4_);
    visit_all(psd6_);
    visit_all(second_order_);
    visit_all(row_);
  }

  // scalings of all blocks and the Cholesky factor of Q + F'PF
  bool factorize() {
    matrix_ = problem_.Q;
    bool inside = true;
    for_each_block([&](auto& scaling, int block, int begin) {
      inside = inside && scaling.compute(slack_.data() + begin, lambda_.data() + begin);
      if (!inside) return;
      const auto& [columns, F] = rows_[block];
      const Eigen::MatrixXd curvature = F.transpose() * (scaling.curvature() * F);
      for (std::size_t a = 0; a < columns.size(); ++a) {
        for (std::size_t b = 0; b < columns.size(); ++b)
          matrix_(columns[a], columns[b]) += curvature(a, b);
      }
    });
    if (!inside || !matrix_.allFinite()) return false;
    factor_.compute(matrix_);
    for (double shift = 1e-15; factor_.info() != Eigen::Success && shift < 1e-8; shift *= 100) {
      Eigen::MatrixXd shifted = matrix_;
      shifted.diagonal() *= 1 + shift;
      shifted.diagonal().array() += shift * shift;
      factor_.compute(shifted);
    }
    return factor_.info() == Eigen::Success;
  }

  // Newton step for complementarity right-hand sides pull_ = R^-T u R^-1, with one step of
  // iterative refinement
  void solve_newton() {
    Eigen::VectorXd right = lambda_ + pull_;
    for_each_block([&](auto& scaling, int block, int begin) {
      Eigen::VectorXd residual(cone_.block_size(block));
      scaling.scale_slack(primal_residual_.data() + begin, residual.data());
      scaling.to_multiplier(residual.data(), residual.data());
      right.segment(begin, residual.size()) -= residual;
    });
    right = problem_.F.transpose() * right - gradient_;
    dy_ = factor_.solve(right);
    dy_ += factor_.solve(right - matrix_.selfadjointView<Eigen::Lower>() * dy_);
    dslack_ = problem_.F * dy_ + primal_residual_;
  }

  // Solves for the scaled directions whose sum is u, d o u = target 1 - d o d - (those of before);
  // returns the longest step that both allow, at most `limit`.
  double find_directions(double sigma_mu, double limit) {
    for_each_block([&](auto& scaling, int block, int begin) {
      double* const u = scaled_lambda_.data() + begin;
      scaling.complementarity(target(block, sigma_mu), scaled_slack_.data() + begin, u, u);
      scaling.to_multiplier(u, pull_.data() + begin);
    });
    solve_newton();
    double step = limit;
    for_each_block([&](auto& scaling, int block, int begin) {
      double *const ds = scaled_slack_.data() + begin, *const dlambda =
                                                           scaled_lambda_.data() + begin;
      scaling.scale_slack(dslack_.data() + begin, ds);
      for (int k = 0; k < cone_.block_size(block); ++k) dlambda[k] -= ds[k];
      step = std::min({step, scaling.longest_step(ds), scaling.longest_step(dlambda)});
      scaling.to_multiplier(dlambda, dlambda_.data() + begin);
    });
    return step;
  }

  // affine direction: sigma = 0
  void predict() {
    scaled_slack_.setZero();
    scaled_lambda_.setZero();
    mu_ = complementarity_left(0);
    const double step = find_directions(0, 1);
    // centering from the complementarity that the affine step would leave
    const double ratio = std::clamp(complementarity_left(step) / std::max(mu_, 1e-300), 0.0, 1.0);
    sigma_mu_ = ratio * ratio * ratio * mu_;
    // after a blocked step, recenter first, without the second-order correction
    if (last_step_ < kFreeStep) {
      sigma_mu_ = mu_;
      scaled_slack_.setZero();
      scaled_lambda_.setZero();
    }
  }

  // second-order correction, then the step; returns its length
  double correct() {
    const double step = std::min(1.0, kBoundary * find_directions(sigma_mu_, 1 / kBoundary));
    y_ += step * dy_;
    slack_ += step * dslack_;
    lambda_ += step * dlambda_;
    last_step_ = step;
    return step;
  }

  const Problem& problem_;
  const SolveOptions& options_;
  const ConeShape cone_;
  GapBound gap_bound_;
  std::vector<BlockRows> rows_;
  std::vector<NesterovTodd<4>> psd4_;
  std::vector<NesterovTodd<6>> psd6_;
  std::vector<SecondOrderScaling> second_order_;
  std::vector<NesterovTodd<1>> row_;
  Eigen::MatrixXd matrix_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd y_, slack_, lambda_;
  Eigen::VectorXd gradient_, primal_residual_;
  Eigen::VectorXd dy_, dslack_, dlambda_;
  Eigen::VectorXd pull_, scaled_slack_, scaled_lambda_;
  double mu_ = 0, sigma_mu_ = 0;
  double last_step_ = 1;
  double best_merit_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Solution iterate_interior_point(const Problem& problem, const SolveOptions& options,
                                IterationRecord& best) {
  return InteriorPoint(problem, options).run(best);
}

Solution solve_interior_point(const Problem& problem, const SolveOptions& options) {
  IterationRecord best;
  Solution solution = iterate_interior_point(problem, options, best);
  if (solution.y.size() == 0) solution.y = problem.start;  // broke down before the first point
  if (solution.lambda.size() == 0) solution.lambda.setZero(problem.cone.size());
  conclude(problem, options, best, solution);
  return solution;
}

}  // namespace heft::solver
