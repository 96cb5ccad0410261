#include "verified_loss.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "linalg/factorizations.hpp"

namespace heft::solver {

namespace {

constexpr double kRounding = 0x1p-53;
constexpr long double kLongRounding = std::numeric_limits<long double>::epsilon() / 2;
constexpr double kLeastDiagonal = 1e-200, kLargestDiagonal = 1e200;  // nothing underflows between
constexpr int kRoundingsOfRest = 160;  // of D, r, and 15 of the prior, whose sums with data cancel
                                       // up to ten times their size within a body
constexpr int kMostRefinements = 6;
constexpr long double kNegligible = 1e-6L;     // of the bound: what remains of rho in it
constexpr long double kMostUncertain = 1e-3L;  // of the bound: the rounding of rho

// B += S'A, row by row of S
void add_transposed_product(const RowSparseMatrix& S, const Eigen::MatrixXd& A_transposed,
                            Eigen::MatrixXd& B_transposed) {
  for (Eigen::Index row = 0; row < S.rows(); ++row)
    for (RowSparseMatrix::InnerIterator it(S, row); it; ++it)
      B_transposed.col(it.col()) += it.value() * A_transposed.col(row);
}

// S'HS: columns are added up where memory is contiguous, for symmetric H
Eigen::MatrixXd congruent(const RowSparseMatrix& S, const Eigen::MatrixXd& H) {
  Eigen::MatrixXd half = Eigen::MatrixXd::Zero(S.rows(), S.cols());  // H S
  add_transposed_product(S, H, half);
  const Eigen::MatrixXd other = half.transpose();  // S'H
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(S.cols(), S.cols());
  add_transposed_product(S, other, Q);
  return Q;
}

// of a row or column
int most_terms(const RowSparseMatrix& S) {
  std::vector<int> of_column(static_cast<std::size_t>(S.cols()), 0);
  int most = 0;
  for (Eigen::Index row = 0; row < S.rows(); ++row) {
    int of_row = 0;
    for (RowSparseMatrix::InnerIterator it(S, row); it; ++it)
      most = std::max({most, ++of_row, ++of_column[static_cast<std::size_t>(it.col())]});
  }
  return most;
}

// The largest row sum of |D||S'||H||S||D|, which bounds the norm of every matrix whose entries are
// smaller than its.
double size_of_products(const Eigen::MatrixXd& H, const RowSparseMatrix& S,
                        const Eigen::VectorXd& D) {
  Eigen::VectorXd inner = Eigen::VectorXd::Zero(S.rows());
  for (Eigen::Index row = 0; row < S.rows(); ++row)
    for (RowSparseMatrix::InnerIterator it(S, row); it; ++it)
      inner[row] += std::abs(it.value()) * D[it.col()];
  Eigen::VectorXd middle(S.rows());
  for (Eigen::Index column = 0; column < H.cols(); ++column)
    middle[column] = H.col(column).cwiseAbs().dot(inner);
  Eigen::VectorXd outer = Eigen::VectorXd::Zero(S.cols());
  for (Eigen::Index row = 0; row < S.rows(); ++row)
    for (RowSparseMatrix::InnerIterator it(S, row); it; ++it)
      outer[it.col()] += std::abs(it.value()) * middle[row];
  return outer.cwiseProduct(D).maxCoeff();
}

}  // namespace

std::optional<VerifiedLoss> verified_loss(
    const Eigen::MatrixXd& H, const RowSparseMatrix& S, const LongVector& r,
    const std::function<LongVector(const LongVector&)>& times_Q) {
  const Eigen::Index n = S.cols();
  if (n == 0) return VerifiedLoss{};
  Eigen::MatrixXd M = congruent(S, H);
  const Eigen::VectorXd diagonal = M.diagonal();
  if (!diagonal.allFinite() || diagonal.minCoeff() < kLeastDiagonal ||
      diagonal.maxCoeff() > kLargestDiagonal)
    return {};
  const Eigen::VectorXd D = diagonal.cwiseSqrt().cwiseInverse();
  for (Eigen::Index column = 0; column < n; ++column)
    M.col(column).array() *= D.array() * D[column];

  // entries of H: three roundings; sums of two products: one per term; D: two, the shift: one.
  // Twice that, for the roundings of these bounds themselves
  const int terms = most_terms(S);
  const double size_of_M = size_of_products(H, S, D);
  const double of_products = 2 * (2 * terms + 6) * kRounding * size_of_M;
  const double size = static_cast<double>(n);
  const double of_factor = 2 * (size + 2) * kRounding * M.trace();
  const double floor = of_products + of_factor, shift = 2 * floor;
  if (!(shift < 1e-3)) return {};
  M.diagonal().array() -= shift;
  const Eigen::LLT<Eigen::MatrixXd> factor(M);
  if (factor.info() != Eigen::Success) return {};
  const auto pivots = factor.matrixLLT().diagonal().cwiseAbs2().eval();
  if (!pivots.allFinite()) return {};

  // rho: sums over S, H and S'; doubled
  const long double of_rest =
      2 * kLongRounding * static_cast<long double>(H.rows() + 2 * terms + kRoundingsOfRest);
  const auto long_D = D.cast<long double>();
  const LongVector scaled = long_D.cwiseProduct(r);
  LongVector y = LongVector::Zero(n), rest = scaled;
  Eigen::VectorXd step;
  for (int turn = 0; turn < kMostRefinements; ++turn) {
    step = rest.cast<double>();
    factor.solveInPlace(step);
    y += step.cast<long double>();
    rest = scaled - long_D.cwiseProduct(times_Q(long_D.cwiseProduct(y)));
    const long double known = y.dot(scaled) + y.dot(rest);
    const long double length = rest.norm(), unknown = length * length / floor;
    if (unknown > kNegligible * known) continue;
    const long double wrong = of_rest * (size_of_M * y.norm() + scaled.norm());
    const long double rounding = 2 * wrong * ((length + wrong) / floor + y.norm());
    if (!(rounding <= kMostUncertain * known)) return {};
    return VerifiedLoss{0.5L * (known + unknown + rounding), pivots.maxCoeff() / pivots.minCoeff()};
  }
  return {};
}

}  // namespace heft::solver
