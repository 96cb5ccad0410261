// Variances of components against the minimum of the likelihood on a grid, and against draws whose
// variances are known.
#include "uncertainty/variance_components.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/factorizations.hpp"
#include "tests/oracle/motion.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

/// The function in variance_components.hpp, by its definition.
double cost(const Eigen::VectorXd& z, const std::vector<VarianceComponent>& components,
            const Eigen::VectorXd& variances) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Identity(z.size(), z.size());
  double stated = 0;
  for (std::size_t k = 0; k < components.size(); ++k) {
    const double v = variances[static_cast<Eigen::Index>(k)];
    K += v * components[k].covariance;
    stated += components[k].degrees * (std::log(v) + components[k].stated / v);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K);
  const Eigen::VectorXd whitened = solver.eigenvectors().transpose() * z;
  return solver.eigenvalues().array().log().sum() +
         whitened.cwiseAbs2().cwiseQuotient(solver.eigenvalues()).sum() + stated;
}

Eigen::MatrixXd random_square(oracle::Random& random, int rank, int size) {
  Eigen::MatrixXd root(size, rank);
  for (int k = 0; k < rank; ++k) root.col(k) = random.normal_vector(size);
  return root * root.transpose();
}

TEST(VarianceComponents, OfEqualNumbersIsTheirMeanSquareBeyondNoise) {
  const Eigen::VectorXd z = Eigen::VectorXd::Constant(8, 3);
  const auto found = estimate_variances(z, {{Eigen::MatrixXd::Identity(8, 8)}});
  EXPECT_NEAR(found.variances[0], 8, 1e-4);  // 9 - 1
  // of a mean of n squares of variance v + 1
  EXPECT_NEAR(std::sqrt(found.covariance(0, 0)), 9 * std::sqrt(2.0 / 8), 1e-3);
}

// Iterations end at a step that promises 1e-11 of the cost per observation. Near the minimum the
// rest is less than what a step promises.
TEST(VarianceComponents, MinimizeTheCost) {
  constexpr int kSize = 20;
  oracle::Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<VarianceComponent> components = {{random_square(random, 12, kSize)},
                                                       {random_square(random, 15, kSize)},
                                                       {random_square(random, 3, kSize), 0.5, 2}};
    const Eigen::VectorXd z = 5 * random.normal_vector(kSize);
    const Eigen::VectorXd found = estimate_variances(z, components).variances;
    const double least = cost(z, components, found);
    for (int k = 0; k < 3; ++k)
      for (const double factor : {0.1, 0.5, 0.8, 0.999, 1.001, 1.25, 2.0, 10.0}) {
        Eigen::VectorXd other = found;
        other[k] *= factor;
        EXPECT_GE(cost(z, components, other), least - 1e-11 * (kSize + 1)) << trial << " " << k;
      }
  }
}

TEST(VarianceComponents, WithoutEffectAreAsStated) {
  const auto found =
      estimate_variances(Eigen::VectorXd::Ones(4), {{Eigen::MatrixXd::Zero(4, 4), 0.7, 2}});
  EXPECT_NEAR(found.variances[0], 0.7, 1e-9);
  // that of two observations
  EXPECT_NEAR(found.covariance(0, 0), 2 * 0.7 * 0.7 / 2, 1e-6);
}

TEST(VarianceComponents, FollowThoseOfDraws) {
  oracle::Random random(5);
  const Eigen::MatrixXd A = random_square(random, 30, 60), B = random_square(random, 25, 60);
  const double a = 0.3, b = 0.5;
  const Eigen::MatrixXd root =
      Eigen::MatrixXd(Eigen::MatrixXd::Identity(60, 60) + a * A + b * B).llt().matrixL();
  Eigen::Array2d sum = Eigen::Array2d::Zero(), pull2 = sum;
  const int num_draws = 200;
  for (int draw = 0; draw < num_draws; ++draw) {
    const auto found = estimate_variances(root * random.normal_vector(60), {{A}, {B}});
    sum += found.variances.array();
    pull2 += (found.variances.array() - Eigen::Array2d(a, b)).square() /
             found.covariance.diagonal().array();
  }
  EXPECT_NEAR(sum[0] / num_draws / a, 1, 0.1);
  EXPECT_NEAR(sum[1] / num_draws / b, 1, 0.15);
  EXPECT_LE(pull2.maxCoeff() / num_draws, 2);
  EXPECT_GE(pull2.minCoeff() / num_draws, 0.5);
}

}  // namespace
}  // namespace heft
