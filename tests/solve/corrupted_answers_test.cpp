// The certificate against thousands of answers that something has changed since they were solved:
// it may accept only those that are still optimal, by an objective in plain sums over the physical
// data.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "random_problems.hpp"

namespace heft {
namespace {

constexpr double kTolerance = CertifyOptions{}.gap_tolerance;

/// Residual cost and prior of FORMULAS 2, over the rows.
struct Costs {
  long double residual = 0, all = 0;
};

Costs costs_of(const Problem& problem, const Eigen::VectorXd& x) {
  using Vector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const NormalEquations& data = problem.data;
  const Vector y = x.head(problem.layout.num_parameters()).cast<long double>();
  Costs costs;
  long double sum = data.tau2;
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    sum -= 2 * y[j] * data.b[j];
    for (Eigen::Index i = 0; i < y.size(); ++i) sum += y[i] * data.G(i, j) * y[j];
  }
  costs.residual = costs.all = sum / data.num_rows;
  for (int body = 0; body < problem.layout.num_bodies(); ++body) {
    const Eigen::Matrix4d J = pseudo_inertia(x.segment<10>(10 * body)),
                          J0 = pseudo_inertia(problem.prior.references[body]);
    const Eigen::Matrix<long double, 4, 4> away =
        J0.cast<long double>().inverse() * (J - J0).cast<long double>();
    costs.all += problem.prior.weight_of(body) * (away * away).trace();
  }
  for (int k = 0; k < problem.layout.num_columns(); ++k) {
    const int at = problem.layout.column_index(k);
    costs.all += problem.prior.ridge * data.G(at, at) / data.num_rows * y[at] * y[at];
  }
  return costs;
}

/// By eigenvalues, relative to the prior.
bool is_feasible(const Problem& problem, const Eigen::VectorXd& x) {
  for (int body = 0; body < problem.layout.num_bodies(); ++body) {
    const Eigen::Matrix4d J0 = pseudo_inertia(problem.prior.references[body]);
    const Eigen::Matrix4d inverse = Eigen::Matrix4d(J0.llt().matrixL()).inverse();
    const Eigen::Matrix4d relative =
        inverse * pseudo_inertia(x.segment<10>(10 * body)) * inverse.transpose();
    if (!(Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(relative).eigenvalues()[0] > 0))
      return false;
  }
  for (int k = 0; k < problem.layout.num_columns(); ++k)
    if (!(x[problem.layout.column_index(k)] > -1e-6)) return false;
  return true;
}

/// Something of an answer changed, by a size from rounding to all of it.
Solution corrupted(const Solution& solution, int kind, test::Random& random) {
  Solution wrong = solution;
  const double size = std::pow(10.0, random.uniform(-14, 1));
  const auto disturb = [&](Eigen::VectorXd& vector) {
    const double largest = vector.cwiseAbs().maxCoeff();
    vector += size * largest * random.normal(vector.size(), 1);
  };
  const auto at =
      static_cast<Eigen::Index>(random.uniform(0, 1) * static_cast<double>(solution.x.size()));
  if (kind == 0) disturb(wrong.x);
  if (kind == 1) disturb(wrong.multipliers);
  if (kind == 2) wrong.x[at] *= 1 + size;
  if (kind == 3) wrong.x[at] = -wrong.x[at];
  if (kind == 4) wrong.x *= 1 + size;
  if (kind == 5) wrong.multipliers *= -size;
  if (kind == 6) disturb(wrong.x), disturb(wrong.multipliers);
  if (kind == 7) wrong.x[at] = 0;
  return wrong;
}

/// `least_prior_weight`: of every other problem; the smaller, the closer to singular.
void expect_certified_only_if_optimal(double least_prior_weight) {
  const std::vector<Problem> problems =
      test::random_problems(12, {.seed = 5,
                                 .num_bodies = 3,
                                 .num_columns = 4,
                                 .num_rows = 120,
                                 .least_prior_weight = least_prior_weight});
  test::Random random(17);
  int num_certified = 0, num_rejected = 0;
  for (const Problem& problem : problems) {
    const auto solution = solve(problem);
    ASSERT_TRUE(solution);
    const Certificate whole = certify(problem, *solution);
    ASSERT_TRUE(whole.certified) << whole.verdict;
    const Costs best = costs_of(problem, solution->x);
    EXPECT_NEAR(static_cast<double>(best.all), whole.primal, 1e-10 * std::abs(whole.primal));
    for (int kind = 0; kind < 8; ++kind)
      for (int round = 0; round < 60; ++round) {
        const Solution wrong = corrupted(*solution, kind, random);
        const Certificate certificate = certify(problem, wrong);
        const Costs costs = costs_of(problem, wrong.x);
        // of the best, whose own gap is far below the tolerance
        const long double excess = (costs.all - best.all) / costs.residual;
        const bool is_optimal =
            is_feasible(problem, wrong.x) && excess <= (1 + 1e-6) * kTolerance + whole.gap;
        num_certified += certificate.certified;
        num_rejected += !certificate.certified;
        EXPECT_TRUE(!certificate.certified || is_optimal)
            << "kind " << kind << ": " << certificate.verdict << ", "
            << static_cast<double>(excess);
      }
  }
  EXPECT_GT(num_certified, 500);
  EXPECT_GT(num_rejected, 1500);
}

TEST(CorruptedAnswers, AreCertifiedOnlyIfTheyAreOptimal) {
  expect_certified_only_if_optimal(1e-4);
}

TEST(CorruptedAnswers, AreCertifiedOnlyIfTheyAreOptimalWithHardlyAnyPrior) {
  expect_certified_only_if_optimal(1e-8);
}

}  // namespace
}  // namespace heft
