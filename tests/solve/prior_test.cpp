// Priors from CAD files that are implausible as written (FORMULAS 2, last paragraph).
#include "heft/solve/prior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"
#include "heft/solve/solve_batch.hpp"
#include "linalg/factorizations.hpp"
#include "solve/prior_term.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

Eigen::Vector3d covariance_eigenvalues(const BodyParameters& parameters) {
  const Eigen::Matrix4d J = pseudo_inertia(parameters);
  const Eigen::Matrix3d covariance =
      J.topLeftCorner<3, 3>() - J.topRightCorner<3, 1>() * J.bottomLeftCorner<1, 3>() / J(3, 3);
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvalues();
}

TEST(Prior, LeavesABelievableBodyAlone) {
  test::Random random(1);
  const BodyParameters body = random.body();
  const auto prior = make_prior(test::make_layout(1, 0), std::vector<BodyParameters>{body});
  ASSERT_TRUE(prior) << prior.error().message();
  EXPECT_EQ(prior->references[0], body);
  EXPECT_TRUE(prior->repairs.empty());
  EXPECT_FALSE(prior->held[0]);
}

TEST(Prior, GivesAPointMassTheExtentOfOneCentimeter) {
  const Eigen::Vector3d com(0.1, -0.2, 0.3);
  const BodyParameters point = parameters_about_origin(2.0, com, Eigen::Matrix3d::Zero());
  const auto prior = make_prior(test::make_layout(1, 0), std::vector<BodyParameters>{point});
  ASSERT_TRUE(prior) << prior.error().message();
  const Eigen::Vector3d eigenvalues = covariance_eigenvalues(prior->references[0]);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(eigenvalues[k], 2.0 * 0.01 * 0.01, 1e-15);
  EXPECT_LE((prior->references[0].head<4>() - point.head<4>()).norm(),
            1e-15);  // mass and first moment stay
  ASSERT_EQ(prior->repairs.size(), 1u);
  EXPECT_EQ(prior->repairs[0].body, 0);
}

TEST(Prior, RaisesTheMissingEigenvalueOfAThinPlate) {
  // an ideal plate in the xy plane, 1 m wide: covariance diag(1, 1, 0) / 12
  const double mass = 3;
  const Eigen::Matrix3d tensor = mass / 12 * Eigen::Vector3d(1, 1, 2).asDiagonal();
  const auto prior = make_prior(
      test::make_layout(1, 0),
      std::vector<BodyParameters>{parameters_about_origin(mass, Eigen::Vector3d::Zero(), tensor)});
  ASSERT_TRUE(prior) << prior.error().message();
  const Eigen::Vector3d eigenvalues = covariance_eigenvalues(prior->references[0]);
  EXPECT_NEAR(eigenvalues[0], 0.02 * mass / 12, 1e-14);
  EXPECT_NEAR(eigenvalues[1], mass / 12, 1e-14);
  EXPECT_NEAR(eigenvalues[2], mass / 12, 1e-14);
}

TEST(Prior, MendsATensorThatBreaksTheTriangleInequality) {
  const Eigen::Matrix3d tensor = Eigen::Vector3d(0.1, 0.1, 0.3).asDiagonal();
  const auto prior = make_prior(
      test::make_layout(1, 0),
      std::vector<BodyParameters>{parameters_about_origin(1, Eigen::Vector3d(0.5, 0, 0), tensor)});
  ASSERT_TRUE(prior) << prior.error().message();
  EXPECT_GT(covariance_eigenvalues(prior->references[0])[0], 0);
  EXPECT_EQ(prior->repairs.size(), 1u);
}

TEST(Prior, HoldsABodyWithoutMassByDefault) {
  const ParameterLayout layout = test::make_layout(2, 0);
  test::Random random(2);
  const std::vector<BodyParameters> references = {BodyParameters::Zero(), random.body()};
  const auto prior = make_prior(layout, references);
  ASSERT_TRUE(prior) << prior.error().message();
  EXPECT_TRUE(prior->held[0]);
  EXPECT_FALSE(prior->held[1]);
  ASSERT_EQ(prior->repairs.size(), 1u);

  PriorOptions options;
  options.references["link_1"] = random.body();
  const auto explicit_prior = make_prior(layout, references, options);
  ASSERT_TRUE(explicit_prior) << explicit_prior.error().message();
  EXPECT_FALSE(explicit_prior->held[0]);
  EXPECT_EQ(explicit_prior->references[0], options.references["link_1"]);
}

/// The minimizer of |Y x - tau|^2 / N + sum_b w_b |L_b^-1 J_b L_b^-T - 1|^2, L_b L_b' = J0_b, by QR
/// of the rows stacked.
Eigen::VectorXd unconstrained_answer(const Eigen::MatrixXd& Y, const Eigen::VectorXd& tau,
                                     const std::vector<BodyParameters>& references,
                                     const Eigen::VectorXd& weights) {
  const Eigen::Index P = Y.cols(), N = Y.rows();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(N + 16 * weights.size(), P);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(rows.rows());
  rows.topRows(N) = Y / std::sqrt(static_cast<double>(N));
  right.head(N) = tau / std::sqrt(static_cast<double>(N));
  for (Eigen::Index body = 0; body < weights.size(); ++body) {
    const Eigen::Matrix4d L =
        pseudo_inertia(references[static_cast<std::size_t>(body)]).llt().matrixL();
    const double root = std::sqrt(weights[body]);
    for (int k = 0; k < 10; ++k) {
      const Eigen::Matrix4d J = pseudo_inertia(BodyParameters::Unit(k));
      const Eigen::Matrix4d seen = L.inverse() * J * L.inverse().transpose();
      rows.block<16, 1>(N + 16 * body, 10 * body + k) = root * seen.reshaped();
    }
    right.segment<16>(N + 16 * body) = root * Eigen::Matrix4d::Identity().reshaped();
  }
  return rows.colPivHouseholderQr().solve(right);
}

TEST(Prior, OfAnUnknownBodyCountsATenThousandth) {
  test::Random random(7);
  const ParameterLayout layout = test::make_layout(2, 0);
  const std::vector<BodyParameters> references = {random.body(), random.body()};
  const Eigen::MatrixXd Y = random.normal(60, 20) * 0.3;
  Eigen::VectorXd truth(20);
  truth << references[0], 3 * references[1];
  const Eigen::VectorXd tau = Y * truth + 0.01 * random.normal(60, 1);
  const NormalEquations equations{Y.transpose() * Y, Y.transpose() * tau, tau.squaredNorm(), 60};
  PriorOptions options;
  options.unknown = {"link_2"};
  const auto prior = make_prior(layout, references, options);
  ASSERT_TRUE(prior) << prior.error().message();
  const Eigen::VectorXd expected = unconstrained_answer(
      Y, tau, references, Eigen::Vector2d(options.weight, options.weight * kUnknownShare));
  const auto problem =
      make_problem(layout, equations, *prior, {.consistency = Consistency::none, .margin = 0});
  ASSERT_TRUE(problem) << problem.error().message();
  std::vector<Solution> solutions;
  for (const SolveMethod method :
       {SolveMethod::automatic, SolveMethod::admm, SolveMethod::interior_point})
    solutions.push_back(*solve(*problem, {.method = method}));
  const std::vector<Solution> batch = *solve_batch({*problem, *problem});
  solutions.insert(solutions.end(), batch.begin(), batch.end());
  for (const Solution& solution : solutions) {
    EXPECT_EQ(solution.status, SolveStatus::optimal) << solution.reason;
    EXPECT_TRUE(certify(*problem, solution, {}).certified);
    EXPECT_LE((solution.x - expected).norm(), 1e-4 * expected.norm());
  }
  const Eigen::VectorXd known =
      unconstrained_answer(Y, tau, references, Eigen::Vector2d::Constant(options.weight));
  EXPECT_GT((known - expected).norm(), 1e-2 * expected.norm())
      << "the case must tell the two apart";
}

/// Against the kinds as FORMULAS 2 states them, and a belief (10) beside each.
TEST(Prior, CostMatchesItsKind) {
  test::Random random(11);
  const ParameterLayout layout = test::make_layout(2, 0);
  const std::vector<BodyParameters> references = {random.body(), random.body()};
  const BodyParameters pi = random.body(), believed = random.body();
  const Eigen::Matrix4d L = pseudo_inertia(references[1]).llt().matrixL(), K = L.inverse();
  const auto seen = [&](const BodyParameters& p) {
    return Eigen::Matrix4d(K * pseudo_inertia(p) * K.transpose());
  };
  const Eigen::Matrix4d one = Eigen::Matrix4d::Identity();
  const BodyParameters d = BodyParameters::LinSpaced(1, 3);
  const std::pair<PriorKind, double> kinds[] = {
      {PriorKind::none, 0},
      {PriorKind::metric, (seen(pi) - one).squaredNorm()},
      {PriorKind::entropic, seen(pi).trace() - 4 - std::log(seen(pi).determinant())},
      {PriorKind::euclidean, (pi - references[1]).squaredNorm()},
      {PriorKind::diagonal, (pi - references[1]).cwiseAbs2().dot(d)}};
  for (const auto& [kind, expected] : kinds) {
    PriorOptions options{.kind = kind, .weight = 0.3};
    options.diagonal["link_2"] = d;
    auto prior = make_prior(layout, references, options);
    ASSERT_TRUE(prior) << prior.error().message();
    EXPECT_NEAR(prior_cost(pi, *prior, 1), 0.3 * expected, 1e-9 * (1 + expected));
    prior->bodies = {{}, {believed, 0.7}};
    EXPECT_NEAR(prior_cost(pi, *prior, 1),
                0.3 * expected + 0.7 * (seen(pi) - seen(believed)).squaredNorm(),
                1e-9 * (1 + expected + (seen(pi) - seen(believed)).squaredNorm()));
  }
}

TEST(Prior, OfAnUnknownBodyWithoutMassIsABall) {
  PriorOptions options;
  options.unknown = {"link_2"};
  const std::vector<BodyParameters> references = {test::Random(1).body(), BodyParameters::Zero()};
  const auto prior = make_prior(test::make_layout(2, 0), references, options);
  ASSERT_TRUE(prior) << prior.error().message();
  EXPECT_FALSE(prior->held[1]);
  EXPECT_EQ(prior->weight_of(0), prior->weight);
  EXPECT_EQ(prior->weight_of(1), prior->weight * kUnknownShare);
  EXPECT_EQ(prior->references[1][core::kMass], 1);
  // two fifths m r^2 about every axis, 5 cm
  EXPECT_NEAR(covariance_eigenvalues(prior->references[1]).sum(), 1.5 * 0.4 * 0.05 * 0.05, 1e-15);
  options.unknown = {"tool"};
  EXPECT_FALSE(make_prior(test::make_layout(2, 0), references, options));
  options = {.kind = PriorKind::entropic};
  options.unknown = {"link_2"};
  EXPECT_FALSE(make_prior(test::make_layout(2, 0), references, options));
}

TEST(Prior, RefusesNonsense) {
  const ParameterLayout layout = test::make_layout(1, 0);
  test::Random random(3);
  const BodyParameters body = random.body();
  BodyParameters bad = body;
  bad[core::kMass] = -1;
  EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{bad}));
  bad[core::kMass] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{bad}));
  EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{body, body}));

  PriorOptions options;
  options.weight = 0;
  EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{body}, options));
  options = {};
  options.references["no_such_link"] = body;
  EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{body}, options));
  options = {};
  options.references["link_1"] = BodyParameters::Zero();
  EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{body}, options));

  options = {};
  options.diagonal["link_1"] = BodyParameters::Ones();
  EXPECT_TRUE(make_prior(layout, std::vector<BodyParameters>{body}, options));
  for (const double weight : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.diagonal["link_1"][4] = weight;
    EXPECT_FALSE(make_prior(layout, std::vector<BodyParameters>{body}, options)) << weight;
  }
}

// on poor data the trace of slack times multiplier says little about how far it is from w 1
TEST(Prior, TheEntropicPriorGetsToItsOptimumOnPoorData) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    const ParameterLayout layout = test::make_layout(3, 2);
    std::vector<BodyParameters> references;
    Eigen::VectorXd truth = Eigen::VectorXd::Constant(32, 0.1);
    for (int body = 0; body < 3; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = random.body();
    }
    PriorOptions options;
    options.kind = PriorKind::entropic;
    const auto equations = test::random_equations(random, truth, 40, 32, 0.5);
    const auto problem = make_problem(layout, equations, *make_prior(layout, references, options));
    for (const SolveMethod method : {SolveMethod::automatic, SolveMethod::interior_point}) {
      SolveOptions solving;
      solving.method = method;
      const auto solution = solve(*problem, solving);
      EXPECT_EQ(solution->status, SolveStatus::optimal) << seed << ": " << solution->reason;
      EXPECT_GE(solution->gap, 0);
      for (const IterationRecord& record : solution->history) EXPECT_GE(record.gap, 0);
      const Certificate certificate = certify(*problem, *solution);
      EXPECT_TRUE(certificate.certified) << seed << ": " << certificate.verdict;
      EXPECT_GE(certificate.gap, 0);
    }
  }
}

}  // namespace
}  // namespace heft
