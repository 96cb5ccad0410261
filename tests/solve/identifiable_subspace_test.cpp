// Without a prior the data determine the identifiable parameters, consistent bodies are found for
// them, and the result says so.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

struct Arm {
  ParameterLayout layout = test::make_layout(2, 0);
  std::vector<BodyParameters> references;
  Eigen::VectorXd truth{20};
  NormalEquations equations;

  Arm(int rank, double noise) {
    test::Random random(73);
    for (int body = 0; body < 2; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = 1.1 * references[body] + 0.03 * random.body();
    }
    equations = test::random_equations(random, truth, 80, rank, noise);
  }

  Problem problem() const {
    PriorOptions options;
    options.kind = PriorKind::none;
    return *make_problem(layout, equations, *make_prior(layout, references, options));
  }
};

TEST(IdentifiableSubspace, DataDetermineTheSubspaceAndTheRestIsPhysical) {
  const Arm arm(12, 0.05);
  const Problem problem = arm.problem();
  // the directions that any row can see, from the rows' own Gram matrix
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(arm.equations.G);
  const Eigen::MatrixXd seen = eigen.eigenvectors().rightCols(12).transpose();
  const Eigen::VectorXd expected =
      (seen * arm.equations.b).cwiseQuotient(eigen.eigenvalues().tail(12));
  for (const SolveMethod method : {SolveMethod::automatic, SolveMethod::interior_point}) {
    SolveOptions options;
    options.method = method;
    const auto solution = solve(problem, options);
    ASSERT_EQ(solution->status, SolveStatus::optimal) << solution->reason;
    EXPECT_LE((seen * solution->x - expected).norm(), 1e-4 * expected.norm());
    for (int body = 0; body < 2; ++body) {
      const Eigen::Matrix4d J = pseudo_inertia(BodyParameters(solution->x.segment<10>(10 * body)));
      EXPECT_EQ(Eigen::LLT<Eigen::Matrix4d>(J).info(), Eigen::Success);
    }
    EXPECT_NE(solution->reason.find("identifiable subspace (12 of 20 directions)"),
              std::string::npos)
        << solution->reason;
  }
  EXPECT_EQ(problem.num_unseen, 8);
  ASSERT_FALSE(problem.notes.empty());
  EXPECT_NE(problem.notes.back().find("12 of 20 directions"), std::string::npos)
      << problem.notes.back();
}

TEST(IdentifiableSubspace, NoPriorFitsBetterThanNone) {
  const Arm arm(12, 0.5);
  const Problem problem = arm.problem();
  const auto solution = solve(problem);
  ASSERT_EQ(solution->status, SolveStatus::optimal) << solution->reason;
  const Certificate certificate = certify(problem, *solution);
  EXPECT_TRUE(certificate.certified) << certificate.verdict;
  // a metric prior that hardly counts fits no better
  PriorOptions options;
  options.weight = 1e-9;
  const auto other =
      make_problem(arm.layout, arm.equations, *make_prior(arm.layout, arm.references, options));
  const auto weak = solve(*other);
  const double cost = arm.equations.residual_cost(weak->x);
  EXPECT_LE(arm.equations.residual_cost(solution->x), cost * (1 + 1e-6));
}

TEST(IdentifiableSubspace, DataThatSeeEverythingDecideEverything) {
  const Arm arm(20, 0);
  const auto solution = solve(arm.problem());
  ASSERT_EQ(solution->status, SolveStatus::optimal) << solution->reason;
  EXPECT_LE((solution->x - arm.truth).norm(), 1e-4 * arm.truth.norm());
  EXPECT_EQ(solution->reason.find("identifiable subspace"), std::string::npos);
}

}  // namespace
}  // namespace heft
