#include "one_body.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::payload {

namespace {

// of ten, without allocation; sizes that the compiler does not know, since it would write out every
// product
using Matrix10 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 10, 10>;
using Vector10 = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 10, 1>;

constexpr int kMaxNewtonSteps = 30;
constexpr double kGap = 1e-13;           // of the residual cost
constexpr double kGapAtRounding = 1e-8;  // where rounding prevents a smaller one
constexpr double kFloor = 1e-10;         // of tau2 / N, which that counts as at least
constexpr double kDecrease = 1e-4;

/// Isometric coordinates of a symmetric matrix: entries (i, j), i <= j, those off the diagonal
/// times sqrt 2.
Vector10 coordinates(const Eigen::Matrix4d& M) {
  Vector10 z(10);
  for (int i = 0, k = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++k) z[k] = i == j ? M(i, i) : std::numbers::sqrt2 * M(i, j);
  return z;
}

Eigen::Matrix4d symmetric(const Vector10& z) {
  Eigen::Matrix4d M;
  for (int i = 0, k = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++k) M(i, j) = M(j, i) = i == j ? z[k] : z[k] / std::numbers::sqrt2;
  return M;
}

/// x = S z: column k has the parameters of L E_k L', E_k the unit of coordinate k.
Matrix10 parameters_of_coordinates(const Eigen::Matrix4d& L) {
  Matrix10 S(10, 10);
  for (int i = 0, k = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++k) {
      const Eigen::Matrix4d product = L.col(i) * L.col(j).transpose();
      S.col(k) = i == j ? body_parameters(product)
                        : body_parameters((product + product.transpose()) / std::numbers::sqrt2);
    }
  return S;
}

/// v+ and v-, and the derivative of v+.
struct Split {
  Eigen::Matrix4d V;
  Eigen::Vector4d values;

  explicit Split(const Vector10& v) {
    const SymmetricEigen<4> eigen(symmetric(v));
    V = eigen.eigenvectors(), values = eigen.eigenvalues();
  }

  Vector10 positive() const {
    return coordinates(V * values.cwiseMax(0).asDiagonal() * V.transpose());
  }

  /// V (Omega o V'HV) V' of every unit H: Omega is 1 among positive eigenvalues, 0 among the
  /// others, a quotient between.
  Matrix10 derivative() const {
    Matrix10 turned(10, 10);  // columns: coordinates of V E_k V'
    Vector10 omega(10);
    for (int i = 0, k = 0; i < 4; ++i)
      for (int j = i; j < 4; ++j, ++k) {
        const Eigen::Matrix4d product = V.col(i) * V.col(j).transpose();
        turned.col(k) = coordinates(
            i == j ? product
                   : Eigen::Matrix4d((product + product.transpose()) / std::numbers::sqrt2));
        const double a = values[i], b = values[j];
        omega[k] =
            (a > 0) == (b > 0) ? (a > 0 ? 1.0 : 0.0) : std::max(a, b) / (std::abs(a) + std::abs(b));
      }
    return turned * omega.asDiagonal() * turned.transpose();
  }
};

}  // namespace

OneBodySolution solve_one_body(const OneBodyProblem& problem) {
  OneBodySolution solution;
  const Eigen::LLT<Eigen::Matrix4d> prior(pseudo_inertia(problem.reference));
  if (prior.info() != Eigen::Success) return solution;
  const Eigen::Matrix4d L = prior.matrixL();
  const Matrix10 S = parameters_of_coordinates(L);
  const Vector10 one = coordinates(Eigen::Matrix4d::Identity());
  const double per_row = 1 / problem.sums.num_rows;
  const Matrix10 GS = problem.sums.G * S;
  Matrix10 H = 2 * per_row * (S.transpose() * GS);
  H.diagonal().array() += 2 * problem.weight;
  const Vector10 c = -2 * per_row * (S.transpose() * problem.sums.b) - 2 * problem.weight * one;
  const Eigen::LLT<Matrix10> factor(H);
  if (factor.info() != Eigen::Success) return solution;

  const auto finish = [&](const Vector10& z, const Vector10& lambda) {
    solution.converged = true;
    solution.x = S * z;
    const Eigen::Matrix4d inverse = prior.matrixL().solve(Eigen::Matrix4d::Identity());
    solution.multiplier = inverse.transpose() * symmetric(lambda) * inverse;
    solution.objective = problem.sums.cost(solution.x) + problem.weight * (z - one).squaredNorm();
    return solution;
  };
  const Vector10 least = -factor.solve(c);
  Vector10 v = least - problem.margin * one;
  if (!v.allFinite()) return solution;
  if (Eigen::LLT<Eigen::Matrix4d>(symmetric(v)).info() == Eigen::Success)
    return finish(least, Vector10::Zero(10));

  // geometric mean of the eigenvalues of H, with which the method converged on all test problems
  const double rho = std::exp(2 * factor.matrixLLT().diagonal().array().log().mean());
  const auto residual = [&](const Vector10& at, Vector10& s, Vector10& lambda) -> Vector10 {
    s = Split(at).positive();
    lambda = rho * (s - at);
    return H * (s + problem.margin * one) + c - lambda;
  };
  // r'H^-1 r, twice the gap
  const auto size = [&](const Vector10& r) { return factor.matrixL().solve(r).squaredNorm(); };
  Vector10 s, lambda, next_s, next_lambda;
  Vector10 r = residual(v, s, lambda);
  for (solution.steps = 1; solution.steps <= kMaxNewtonSteps; ++solution.steps) {
    const Matrix10 D = Split(v).derivative();
    const Vector10 step = (H * D + rho * (Matrix10::Identity(10, 10) - D)).partialPivLu().solve(-r);
    if (!step.allFinite()) return solution;
    double length = 1;
    Vector10 next = v + step, next_r = residual(next, next_s, next_lambda);
    for (; length > 1e-3 && !(size(next_r) < (1 - kDecrease * length) * size(r)); length /= 2) {
      next = v + length / 2 * step;
      next_r = residual(next, next_s, next_lambda);
    }
    const bool is_stuck = !(size(next_r) < size(r));  // at rounding level after convergence
    if (!is_stuck) v = next, r = next_r, s = next_s, lambda = next_lambda;
    const Vector10 z = s + problem.margin * one;
    const double unit = std::max(problem.sums.cost(S * z), kFloor * per_row * problem.sums.tau2);
    const double gap = 0.5 * size(r) / unit;
    if (gap <= kGap || (is_stuck && gap <= kGapAtRounding)) return finish(z, lambda);
    if (is_stuck) return solution;
  }
  return solution;
}

}  // namespace heft::payload
