#include "interior_point.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cone.hpp"
#include "duality.hpp"
#include "extract.hpp"
#include "nesterov_todd.hpp"

namespace heft::solver {

namespace {

constexpr int kDefaultIterations = 100;
constexpr double kBoundary = 0.98;  // fraction of the way to the boundary of K
constexpr double kClipSlack = 0.1;  // least eigenvalue at the start, of the block's largest and absolute
constexpr double kClipMultiplier = 0.03;   // the same for multipliers, of the block's largest
constexpr double kFloorMultiplier = 1e-3;  // and absolute
constexpr double kShortStep = 1e-6;        // steps below this make no progress
constexpr int kShortSteps = 3;             // so many of them in a row end the run

// Eigenvalues of a block raised to max(fraction * largest, floor).
template <int n>
Svec<n> clipped(const double* v, double fraction, double floor) {
  const Eigen::SelfAdjointEigenSolver<Symmetric<n>> eigen(smat<n>(v));
  const double least = std::max(fraction * eigen.eigenvalues().cwiseAbs().maxCoeff(), floor);
  const Eigen::Matrix<double, n, 1> d = eigen.eigenvalues().cwiseMax(least);
  return svec<n>(Symmetric<n>(eigen.eigenvectors() * d.asDiagonal() * eigen.eigenvectors().transpose()));
}

Eigen::VectorXd clip(const ConeShape& cone, const Eigen::VectorXd& v, double fraction, double floor) {
  Eigen::VectorXd result(v.size());
  for (int block = 0; block < cone.num_blocks(); ++block) {
    const int begin = cone.block_begin(block);
    const double* data = v.data() + begin;
    switch (cone.block_size(block)) {
      case ConeShape::kSize4:
        result.segment<10>(begin) = clipped<4>(data, fraction, floor);
        break;
      case ConeShape::kSize6:
        result.segment<21>(begin) = clipped<6>(data, fraction, floor);
        break;
      default:
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

// (P x P) F of one block
template <int n>
Eigen::MatrixXd scaled_rows(const Symmetric<n>& P, const Eigen::MatrixXd& F) {
  if constexpr (n == 1) return P(0, 0) * P(0, 0) * F;
  return symmetric_kronecker<n>(P) * F;
}

class InteriorPoint {
 public:
  InteriorPoint(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), cone_(problem.cone), gap_bound_(problem) {
    gather_rows();
    psd4_.resize(cone_.num_psd4);
    psd6_.resize(cone_.num_psd6);
    row_.resize(cone_.num_rows);
    start();
  }

  Solution run(IterationRecord& best) {
    best.objective = std::numeric_limits<double>::quiet_NaN();
    const int limit = options_.max_iterations > 0 ? options_.max_iterations : kDefaultIterations;
    Solution solution;
    solution.method = SolveMethod::interior_point;
    int short_steps = 0;
    for (int iteration = 0;; ++iteration) {
      const IterationRecord record = check(iteration);
      solution.history.push_back(record);
      solution.iterations = iteration;
      if (!std::isfinite(record.objective)) break;
      keep_if_best(record, best, solution);
      if (record.gap <= options_.gap_tolerance && record.violation <= options_.violation_tolerance) {
        solution.status = SolveStatus::optimal;
        break;
      }
      if (iteration == limit || short_steps == kShortSteps) break;
      if (!factorize()) break;
      ++solution.factorizations;
      predict();
      const double step = correct();
      short_steps = step < kShortStep ? short_steps + 1 : 0;
    }
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
          const auto place = std::lower_bound(columns.begin(), columns.end(), it.col()) - columns.begin();
          rows_[block].F(row - begin, place) = it.value();
        }
      }
    }
  }

  // ridge least squares that pulls every slack towards the unit of K, then into the interior
  void start() {
    Eigen::MatrixXd ridge = problem_.Q;
    ridge += RowSparseMatrix(problem_.F.transpose() * problem_.F);
    ridge.diagonal().array() += 1e-12 * ridge.trace() / std::max<Eigen::Index>(1, ridge.rows());
    y_ = ridge.llt().solve(problem_.F.transpose() * (cone_unit(cone_) - problem_.g) - problem_.c);
    slack_ = clip(cone_, problem_.F * y_ + problem_.g, kClipSlack, kClipSlack);
    if (problem_.has_orthonormal_rows) y_ += problem_.F.transpose() * (slack_ - problem_.F * y_ - problem_.g);
    lambda_ = clip(cone_, problem_.F * (problem_.Q * y_ + problem_.c), kClipMultiplier, kFloorMultiplier);
  }

  IterationRecord check(int iteration) {
    gradient_ = problem_.Q * y_ + problem_.c;
    primal_residual_ = problem_.F * y_ + problem_.g - slack_;
    mu_ = 0;
    for (int block = 0; block < cone_.num_blocks(); ++block) {
      const int begin = cone_.block_begin(block), size = cone_.block_size(block);
      mu_ += excess(block, slack_.segment(begin, size).dot(lambda_.segment(begin, size)));
    }
    mu_ /= std::max(1, cone_.degree());
    const Gap gap = gap_bound_.evaluate(y_, slack_, lambda_);
    const double violation = cone_.size() > 0 ? primal_residual_.cwiseAbs().maxCoeff() : 0;
    return {iteration, gap.primal, gap.relative, violation, mu_};
  }

  // rounding can undo the last steps of an ill-conditioned problem: the best point is the answer
  void keep_if_best(const IterationRecord& record, IterationRecord& best, Solution& solution) {
    const double merit =
        std::max(record.gap / options_.gap_tolerance, record.violation / options_.violation_tolerance);
    if (!(merit < best_merit_)) return;
    best_merit_ = merit;
    solution.y = y_;
    solution.lambda = lambda_;
    best = record;
  }

  bool has_barrier(int block) const { return block < cone_.num_psd4 && problem_.has_barrier[block]; }

  // what s lambda = target 1 asks of a block: the central path, with a log det prior displaced by its weight
  double target(int block, double sigma_mu) const {
    return has_barrier(block) ? problem_.barrier_weight + sigma_mu : sigma_mu;
  }

  // distance of <s, lambda> from its value at the optimum: 0, or 4 w with a log det prior
  double excess(int block, double product) const {
    return has_barrier(block) ? std::abs(product - 4 * problem_.barrier_weight) : product;
  }

  // Calls visit(scaling, block, begin) for every block with its own scaling type.
  template <class Visit>
  void for_each_block(Visit&& visit) {
    for (int k = 0; k < cone_.num_psd4; ++k) visit(psd4_[k], k, cone_.block_begin(k));
    for (int k = 0; k < cone_.num_psd6; ++k)
      visit(psd6_[k], cone_.num_psd4 + k, cone_.block_begin(cone_.num_psd4 + k));
    for (int k = 0; k < cone_.num_rows; ++k) {
      const int block = cone_.num_psd4 + cone_.num_psd6 + k;
      visit(row_[k], block, cone_.block_begin(block));
    }
  }

  // scalings of all blocks and the Cholesky factor of Q + F'PF
  bool factorize() {
    matrix_ = problem_.Q;
    bool inside = true;
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int block, int begin) {
      inside = inside && scaling.compute(slack_.data() + begin, lambda_.data() + begin);
      if (!inside) return;
      const auto& [columns, F] = rows_[block];
      const Eigen::MatrixXd curvature = F.transpose() * scaled_rows<n>(scaling.P, F);
      for (std::size_t a = 0; a < columns.size(); ++a) {
        for (std::size_t b = 0; b < columns.size(); ++b) matrix_(columns[a], columns[b]) += curvature(a, b);
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

  // Newton step for complementarity right-hand sides `pull` = R^-T u R^-1, with one step of iterative
  // refinement
  void solve_newton(const Eigen::VectorXd& pull) {
    Eigen::VectorXd scaled_residual(cone_.size());
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int, int begin) {
      scaled_residual.segment<kSvecSize<n>>(begin) =
          congruence<n>(scaling.P, primal_residual_.data() + begin);
    });
    const Eigen::VectorXd right = problem_.F.transpose() * (lambda_ + pull - scaled_residual) - gradient_;
    dy_ = factor_.solve(right);
    dy_ += factor_.solve(right - matrix_.selfadjointView<Eigen::Lower>() * dy_);
    dslack_ = problem_.F * dy_ + primal_residual_;
  }

  // affine direction: sigma = 0
  void predict() {
    Eigen::VectorXd pull(cone_.size());
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int block, int begin) {
      const Symmetric<n> zero = Symmetric<n>::Zero();
      pull.segment<kSvecSize<n>>(begin) =
          scaling.to_multiplier(scaling.complementarity(target(block, 0), zero, zero));
    });
    solve_newton(pull);
    double step = 1;
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int block, int begin) {
      const Symmetric<n> zero = Symmetric<n>::Zero();
      scaling.ds = scaling.scale_slack(dslack_.data() + begin);
      scaling.dlambda = scaling.complementarity(target(block, 0), zero, zero) - scaling.ds;
      step = std::min({step, scaling.longest_step(scaling.ds), scaling.longest_step(scaling.dlambda)});
    });
    // how much complementarity the affine step would leave decides how far to centre
    double left = 0;
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int block, int) {
      const Symmetric<n> D = scaling.d.asDiagonal();
      left += excess(block, (D + step * scaling.ds).cwiseProduct(D + step * scaling.dlambda).sum());
    });
    const double ratio = std::clamp(left / std::max(1, cone_.degree()) / std::max(mu_, 1e-300), 0.0, 1.0);
    sigma_mu_ = ratio * ratio * ratio * mu_;
  }

  // second-order correction, then the step; returns its length
  double correct() {
    Eigen::VectorXd pull(cone_.size());
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int block, int begin) {
      // from here on dlambda holds u, the sum of both scaled directions
      scaling.dlambda = scaling.complementarity(target(block, sigma_mu_), scaling.ds, scaling.dlambda);
      pull.segment<kSvecSize<n>>(begin) = scaling.to_multiplier(scaling.dlambda);
    });
    solve_newton(pull);

    double step = 1 / kBoundary;
    Eigen::VectorXd dlambda(cone_.size());
    for_each_block([&]<int n>(NesterovTodd<n>& scaling, int, int begin) {
      const Symmetric<n> ds = scaling.scale_slack(dslack_.data() + begin);
      const Symmetric<n> dz = scaling.dlambda - ds;
      step = std::min({step, scaling.longest_step(ds), scaling.longest_step(dz)});
      dlambda.segment<kSvecSize<n>>(begin) = scaling.to_multiplier(dz);
    });
    step = std::min(1.0, kBoundary * step);
    y_ += step * dy_;
    slack_ += step * dslack_;
    lambda_ += step * dlambda;
    return step;
  }

  const Problem& problem_;
  const SolveOptions& options_;
  const ConeShape cone_;
  GapBound gap_bound_;
  std::vector<BlockRows> rows_;
  std::vector<NesterovTodd<4>> psd4_;
  std::vector<NesterovTodd<6>> psd6_;
  std::vector<NesterovTodd<1>> row_;
  Eigen::MatrixXd matrix_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd y_, slack_, lambda_;
  Eigen::VectorXd gradient_, primal_residual_;
  Eigen::VectorXd dy_, dslack_;
  double mu_ = 0, sigma_mu_ = 0;
  double best_merit_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Solution iterate_interior_point(const Problem& problem, const SolveOptions& options, IterationRecord& best) {
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
