#include "solve/solve_resampled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../duality.hpp"
#include "../objective.hpp"
#include "base/parallel_tasks.hpp"
#include "heft/core/inertia.hpp"
#include "lane_solver.hpp"
#include "linalg/is_finite.hpp"
#include "packed_problem.hpp"

namespace heft {

namespace {

using namespace solver;

constexpr int kNum = core::kNumParameters;
constexpr Eigen::Index kAtATime = 32;  // resamples whose matrices one thread has in cache: always
                                       // as many, on any device

// The entries on and above the diagonal that are not zero in all blocks, in the parts of
// LaneSolver::sum_draws. No channel sees the friction of two joints, or that of a joint and a body
// inward of it. Those of one body and of the diagonal are always among them: priors and ridges add
// to them, in memory that the next resamples use again.
class UpperEntries {
 public:
  // Successive entries of a column, within a part.
  struct Run {
    Eigen::Index first;  // in the column-major matrix
    Eigen::Index part, from, count;
  };

  /// Of the blocks' matrices, n x n, one a column.
  UpperEntries(const Eigen::MatrixXd& matrices, Eigen::Index n) {
    const Eigen::Index num_blocks = matrices.cols();
    std::vector<char> is_used(static_cast<std::size_t>(n * n));
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = j / kNum * kNum; i <= j; ++i)
        is_used[static_cast<std::size_t>(j * n + i)] = 1;
    for (Eigen::Index b = 0; b < num_blocks; ++b)
      for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index at = j * n; at <= j * n + j; ++at)
          is_used[static_cast<std::size_t>(at)] |= static_cast<char>(matrices(at, b) != 0);
    Eigen::Index count = 0;
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index at = j * n; at <= j * n + j; ++at) {
        if (is_used[static_cast<std::size_t>(at)] == 0) continue;
        const Eigen::Index part = count / kNumbersOfPart, from = count % kNumbersOfPart;
        const bool follows = !runs_.empty() && from > 0 && at > j * n &&
                             runs_.back().first + runs_.back().count == at;
        if (!follows) runs_.push_back({at, part, from, 0});
        ++runs_.back().count;
        ++count;
      }
    num_parts_ = (count + kNumbersOfPart - 1) / kNumbersOfPart;
    numbers_.setZero(num_parts_ * num_blocks * kNumbersOfPart);
    for (const Run& run : runs_)
      for (Eigen::Index b = 0; b < num_blocks; ++b)
        numbers_.segment((run.part * num_blocks + b) * kNumbersOfPart + run.from, run.count) =
            matrices.col(b).segment(run.first, run.count);
  }

  Eigen::Index num_parts() const { return num_parts_; }
  const double* data() const { return numbers_.data(); }
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::vector<Run> runs_;
  Eigen::Index num_parts_ = 0;
  Eigen::VectorXd numbers_;
};

// The sums over blocks, and the constant terms.
struct Parts {
  UpperEntries Q;                     // of every block 2 S'GS
  Eigen::MatrixXd c;                  // a column a block: -2 S'b
  Eigen::VectorXd tau2, num_rows;     // of blocks
  Quadratic prior;                    // of bodies and beliefs
  std::vector<int> columns;           // variables with a ridge
  double ridge = 0;                   // relative to what data add to a column's diagonal
  Eigen::VectorXd belief_of_columns;  // what beliefs add there
};

Parts parts_of(const Problem& whole, const std::vector<NormalEquations>& blocks) {
  const ParameterLayout& layout = whole.layout;
  const Eigen::Index n = whole.num_variables(), num_blocks = std::ssize(blocks);
  Eigen::MatrixXd Q(n * n, num_blocks), c(n, num_blocks);
  Eigen::VectorXd tau2(num_blocks), num_rows(num_blocks);
  Quadratic f;
  for (Eigen::Index b = 0; b < num_blocks; ++b) {
    const NormalEquations& block = blocks[static_cast<std::size_t>(b)];
    write_data(whole.S, layout, block, 1, f);
    Q.col(b) = f.Q.reshaped();
    c.col(b) = f.c;
    tau2[b] = block.tau2;
    num_rows[b] = block.num_rows;
  }
  Parts parts{.Q = UpperEntries(Q, n),
              .c = std::move(c),
              .tau2 = std::move(tau2),
              .num_rows = std::move(num_rows),
              .ridge = whole.prior.ridge};
  const Eigen::Index P = layout.num_parameters();
  const NormalEquations nothing{Eigen::MatrixXd::Zero(P, P), Eigen::VectorXd::Zero(P), 0, 1};
  write_data(whole.S, layout, with_beliefs(layout, nothing, whole.prior), 1, parts.prior);
  parts.belief_of_columns = Eigen::VectorXd::Zero(layout.num_columns());
  for (int k = 0; k < layout.num_columns(); ++k) {
    const int at = layout.column_index(k);
    parts.columns.push_back(at);
    parts.belief_of_columns[k] = parts.prior.Q(at, at);
  }
  add_prior_of_bodies(layout, whole.prior, parts.prior);
  return parts;
}

// State that a thread keeps between shares.
struct Workspace {
  std::unique_ptr<PlainSolver> solver;
  Eigen::VectorXd sums;
  Eigen::MatrixXd Q, c, ridge, y, lambda;  // Q: kAtATime columns, zero but for UpperEntries
  std::vector<PlainProblem> views;
  std::vector<PlainAnswer> answers;
};

class Resampling {
 public:
  Resampling(const Problem& whole, const std::vector<NormalEquations>& blocks,
             const Eigen::MatrixXi& draws, const SolveOptions& options)
      : whole_(whole), parts_(parts_of(whole, blocks)), options_(options) {
    packed_.lay_out(whole, options);
    view_ = packed_.view();
    const Eigen::MatrixXd counts = draws.cast<double>();
    num_rows_ = counts.transpose() * parts_.num_rows;
    tau2_ = (counts.transpose() * parts_.tau2).cwiseQuotient(num_rows_);
    shares_ = counts * num_rows_.cwiseInverse().asDiagonal();
    for (Eigen::Index k = 0; k < draws.cols(); ++k) {
      for (Eigen::Index b = 0; b < draws.rows(); ++b)
        if (draws(b, k) != 0) drawn_.push_back({b, shares_(b, k)});
      end_of_draws_.push_back(drawn_.size());
    }
    result_.x.setConstant(whole.layout.num_parameters(), draws.cols(),
                          std::numeric_limits<double>::quiet_NaN());
    is_solved_.assign(static_cast<std::size_t>(draws.cols()), 0);
  }

  // Solves resamples first .. first + kAtATime - 1, up to the last one.
  void solve(Eigen::Index first, Workspace& work) {
    const Eigen::Index n = whole_.num_variables(),
                       count = std::min(kAtATime, shares_.cols() - first);
    make_objectives(first, count, work);
    work.y.resize(n, count);
    work.lambda.resize(std::max<Eigen::Index>(whole_.cone.size(), 1), count);
    work.views.assign(static_cast<std::size_t>(count), view_);
    work.answers.assign(static_cast<std::size_t>(count), {});
    for (Eigen::Index k = 0; k < count; ++k) {
      PlainProblem& view = work.views[static_cast<std::size_t>(k)];
      view.Q = work.Q.col(k).data();
      view.c = work.c.col(k).data();
      view.ridge = work.ridge.col(k).data();
      view.constant = tau2_[first + k] + parts_.prior.constant;
      view.least_cost = std::max(kResidualFloor * tau2_[first + k], 1e-300);
      PlainAnswer& answer = work.answers[static_cast<std::size_t>(k)];
      answer.y = work.y.col(k).data();
      answer.lambda = work.lambda.col(k).data();
    }
    if (!work.solver) work.solver = lane_solver().many(plain_shape(whole_));
    work.solver->solve(work.views.data(), static_cast<int>(count), plain_options(options_),
                       work.answers.data());
    keep(first, count, work);
  }

  Resampled result() && {
    result_.solved.assign(is_solved_.begin(), is_solved_.end());
    return std::move(result_);
  }

 private:
  void make_objectives(Eigen::Index first, Eigen::Index count, Workspace& work) const {
    const Eigen::Index n = whole_.num_variables();
    const auto shares = shares_.middleCols(first, count);
    const UpperEntries& entries = parts_.Q;
    std::vector<BlockDraws> draws;
    for (Eigen::Index k = first; k < first + count; ++k)
      draws.push_back({drawn_.data() + (k > 0 ? end_of_draws_[static_cast<std::size_t>(k - 1)] : 0),
                       drawn_.data() + end_of_draws_[static_cast<std::size_t>(k)]});
    work.sums.resize(entries.num_parts() * count * kNumbersOfPart);
    lane_solver().sum_draws(entries.data(), entries.num_parts(), static_cast<int>(shares.rows()),
                            draws.data(), static_cast<int>(count), work.sums.data());
    if (work.Q.size() == 0) work.Q.setZero(n * n, kAtATime);
    Eigen::MatrixXd c = parts_.c * shares;
    c.colwise() += parts_.prior.c;
    work.c.resize(n, count);
    work.ridge.resize(n, count);
    const Eigen::Index num_bodies = whole_.layout.num_bodies();
    for (Eigen::Index k = 0; k < count; ++k) {
      work.ridge.col(k) = Eigen::Map<const Eigen::VectorXd>(view_.ridge, n);
      for (Eigen::Index i = 0; i < n; ++i) work.c(i, k) = view_.sign[i] * c(view_.order[i], k);
      Eigen::Map<Eigen::MatrixXd> Q(work.Q.col(k).data(), n, n);
      for (const UpperEntries::Run& run : entries.runs())
        std::copy_n(work.sums.data() + (run.part * count + k) * kNumbersOfPart + run.from,
                    run.count, Q.data() + run.first);
      for (std::size_t column = 0; column < parts_.columns.size(); ++column) {
        const int at = parts_.columns[column];
        Q(at, at) += parts_.ridge *
                     (Q(at, at) + parts_.belief_of_columns[static_cast<Eigen::Index>(column)]);
      }
      // the prior of bodies couples the parameters of one body only, and beliefs are diagonal
      for (Eigen::Index body = 0; body < num_bodies; ++body)
        for (Eigen::Index j = body * kNum; j < (body + 1) * kNum; ++j)
          Q.col(j).segment(body * kNum, j - body * kNum + 1) +=
              parts_.prior.Q.col(j).segment(body * kNum, j - body * kNum + 1);
      for (const int at : parts_.columns) Q(at, at) += parts_.prior.Q(at, at);
      // in the natural order, kernels read nothing else below the diagonal (PlainProblem::Q)
      for (Eigen::Index j = 0; j < n; ++j) {
        const Eigen::Index from = view_.natural ? std::max<Eigen::Index>(0, j - kMaxTile) : 0;
        for (Eigen::Index i = from; i < j; ++i) Q(j, i) = Q(i, j);
      }
    }
    // the ridge of a column by itself, for the data term: half of what it adds to the diagonal
    for (Eigen::Index i = 0; i < n; ++i) {
      const int at = view_.order[i];
      if (std::find(parts_.columns.begin(), parts_.columns.end(), at) == parts_.columns.end())
        continue;
      for (Eigen::Index k = 0; k < count; ++k)
        work.ridge(i, k) = 0.5 * parts_.ridge / (1 + parts_.ridge) * work.Q(at * n + at, k);
    }
  }

  void keep(Eigen::Index first, Eigen::Index count, const Workspace& work) {
    const Eigen::Index n = whole_.num_variables();
    Eigen::VectorXd y(n);
    for (Eigen::Index k = 0; k < count; ++k) {
      if (!work.answers[static_cast<std::size_t>(k)].converged) continue;
      for (Eigen::Index i = 0; i < n; ++i)
        y[view_.order[i]] = view_.sign[i] * (work.y(i, k) - view_.shift[i]);
      result_.x.col(first + k) = whole_.extended_parameters(y).head(result_.x.rows());
      is_solved_[static_cast<std::size_t>(first + k)] = 1;
    }
  }

  const Problem& whole_;
  const Parts parts_;
  const SolveOptions& options_;
  PackedProblem packed_;
  PlainProblem view_;
  Eigen::VectorXd num_rows_, tau2_;
  Eigen::MatrixXd shares_;                 // draws over the rows of their resample
  std::vector<BlockDraw> drawn_;           // the blocks that a resample draws, with their shares
  std::vector<std::size_t> end_of_draws_;  // one per resample
  Resampled result_;
  std::vector<char> is_solved_;
};

}  // namespace

bool can_be_resampled(const Problem& whole, const SolveOptions& options) {
  return options.method == SolveMethod::automatic && is_plain(whole);
}

Result<Resampled> solve_resampled(const Problem& whole, const std::vector<NormalEquations>& blocks,
                                  const Eigen::MatrixXi& draws, const SolveOptions& options,
                                  int num_threads, const Progress& progress) {
  HEFT_CHECK(validate(options));
  if (!can_be_resampled(whole, options))
    return Error{"resamples", "belong to a problem that batch kernels do not support",
                 "create the problem of each, and use solve()"};
  if (draws.rows() != std::ssize(blocks) || num_threads < 1 || (draws.array() < 0).any())
    return Error{"resamples", "draws and blocks differ in number, or a count is negative",
                 "give one row of draws per block, and at least one thread"};
  const Eigen::Index P = whole.layout.num_parameters();
  for (const NormalEquations& block : blocks)
    if (block.G.rows() != P || block.G.cols() != P || block.b.size() != P || !is_finite(block.G) ||
        !is_finite(block.b))
      return Error{"resamples", "a block differs in size from the problem, or is not finite",
                   "make blocks of the problem's own data"};
  Resampling resampling(whole, blocks, draws, options);
  const std::int64_t num_shares = (draws.cols() + kAtATime - 1) / kAtATime;
  std::vector<Workspace> workspaces(static_cast<std::size_t>(num_threads));
  const auto solve_share = [&](std::int64_t share, int thread) -> Result<Done> {
    resampling.solve(share * kAtATime, workspaces[static_cast<std::size_t>(thread)]);
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(num_shares, num_threads, progress, "solving", solve_share));
  return std::move(resampling).result();
}

}  // namespace heft
