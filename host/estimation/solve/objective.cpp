#include "objective.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "linalg/factorizations.hpp"
#include "solve/body_scale.hpp"
#include "solve/prior_term.hpp"

namespace heft::solver {

namespace {

constexpr int kNum = core::kNumParameters;
using Matrix10d = Eigen::Matrix<double, kNum, kNum>;

// The rows of S that scale a body.
Matrix10d scale_of(const RowSparseMatrix& S, int first) {
  Matrix10d B = Matrix10d::Zero();
  for (int row = 0; row < kNum; ++row)
    for (RowSparseMatrix::InnerIterator it(S, first + row); it; ++it)
      B(row, it.col() - first) = it.value();
  return B;
}

}  // namespace

void write_data(const RowSparseMatrix& S, const ParameterLayout& layout,
                const NormalEquations& data, double factor, Quadratic& f) {
  const int num_body = kNum * layout.num_bodies(), P = layout.num_parameters();
  f.Q.setZero(S.rows(), S.rows());
  f.c.setZero(S.rows());
  f.constant = factor * data.tau2;
  // block by block on the stack, where the scales of a few bodies stay
  constexpr int kKept = 8;
  std::array<Matrix10d, kKept> scales;
  for (int begin = 0; begin < num_body; begin += kNum * kKept) {
    const int end = std::min(begin + kNum * kKept, num_body);
    const auto kept = [&](int first) -> const Matrix10d& {
      return scales[static_cast<std::size_t>((first - begin) / kNum)];
    };
    for (int j = begin; j < end; j += kNum)
      scales[static_cast<std::size_t>((j - begin) / kNum)] = scale_of(S, j);
    for (int i = begin; i < num_body; i += kNum) {
      const Matrix10d Bi = i < end ? kept(i) : scale_of(S, i);
      if (i < end)
        f.c.segment<kNum>(i).noalias() = -2 * factor * (Bi.transpose() * data.b.segment<kNum>(i));
      for (int j = begin; j <= i && j < end; j += kNum) {
        // small products, for which packing costs more than multiplying
        const Matrix10d right = data.G.block<kNum, kNum>(i, j).lazyProduct(kept(j));
        const Matrix10d block = 2 * factor * Bi.transpose().lazyProduct(right);
        f.Q.block<kNum, kNum>(i, j) = i == j ? Matrix10d(0.5 * (block + block.transpose())) : block;
        if (i != j) f.Q.block<kNum, kNum>(j, i) = block.transpose();
      }
    }
    for (int k = num_body; k < P; ++k) {
      const double scale = S.coeff(k, k);
      for (int j = begin; j < end; j += kNum) {
        const Eigen::Matrix<double, kNum, 1> column =
            2 * factor * scale * (kept(j).transpose() * data.G.block<1, kNum>(k, j).transpose());
        f.Q.block<kNum, 1>(j, k) = column;
        f.Q.block<1, kNum>(k, j) = column.transpose();
      }
    }
  }
  for (int k = num_body; k < P; ++k) {
    const double scale = S.coeff(k, k);
    f.c[k] = -2 * factor * scale * data.b[k];
    for (int l = num_body; l <= k; ++l)
      f.Q(k, l) = f.Q(l, k) = 2 * factor * scale * S.coeff(l, l) * data.G(k, l);
  }
}

void add_prior_of_bodies(const ParameterLayout& layout, const Prior& prior, Quadratic& f) {
  const PriorTerm& term = prior_term(prior.kind);
  for (int body = 0; body < layout.num_bodies(); ++body) {
    if (prior.held[body]) continue;
    const int first = kNum * body;
    term.add_to(f.Q.block<kNum, kNum>(first, first), f.c.segment<kNum>(first), f.constant, prior,
                body);
  }
}

void write_objective(const RowSparseMatrix& S, Problem& problem) {
  const Prior& prior = problem.prior;
  const double per_row = 1 / problem.data.num_rows;
  Quadratic f{std::move(problem.Q), std::move(problem.c)};  // its memory stays
  write_data(S, problem.layout, problem.data, per_row, f);
  add_prior_of_bodies(problem.layout, prior, f);
  for (int column = 0; column < problem.layout.num_columns(); ++column) {
    const int k = problem.layout.column_index(column);
    const double scale = S.coeff(k, k);
    f.Q(k, k) += 2 * prior.ridge * per_row * problem.data.G(k, k) * scale * scale;
  }
  problem.Q = std::move(f.Q);
  problem.c = std::move(f.c);
  problem.constant = f.constant;
  problem.barrier_weight = prior_term(prior.kind).has_barrier() ? prior.weight : 0;
}

NormalEquations with_beliefs(const ParameterLayout& layout, NormalEquations equations,
                             const Prior& prior) {
  for (std::size_t body = 0; body < prior.bodies.size(); ++body) {
    const auto& [value, weight] = prior.bodies[body];
    if (!(weight > 0) || prior.held[body]) continue;
    const int first = layout.index(static_cast<int>(body), core::kMass);
    const Matrix10d inverse = body_scale(prior.references[body]).inverse();
    const Matrix10d rows = weight * equations.num_rows * inverse.transpose() * inverse;
    equations.G.block<kNum, kNum>(first, first) += 0.5 * (rows + rows.transpose());
    equations.b.segment<kNum>(first) += rows * value;
    equations.tau2 += value.dot(rows * value);
  }
  for (int column = 0; column < layout.num_columns(); ++column) {
    const auto& [value, weight] = belief_of(layout, prior, column);
    const int k = layout.column_index(column);
    const double rows = weight * equations.num_rows;
    equations.G(k, k) += rows;
    equations.b[k] += rows * value;
    equations.tau2 += rows * value * value;
    // a gain has no ridge, which multiplies the diagonal
    if (layout.columns[static_cast<std::size_t>(column)].effect == ColumnEffect::gain)
      equations.G(k, k) /= 1 + prior.ridge;
  }
  return equations;
}

}  // namespace heft::solver
