// Priors from CAD files that cannot be believed as they stand (FORMULAS 2, last paragraph).
#include "heft/solve/prior.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

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

TEST(Prior, GivesAPointMassTheExtentOfOneCentimetre) {
  const Eigen::Vector3d com(0.1, -0.2, 0.3);
  const BodyParameters point = parameters_about_origin(2.0, com, Eigen::Matrix3d::Zero());
  const auto prior = make_prior(test::make_layout(1, 0), std::vector<BodyParameters>{point});
  ASSERT_TRUE(prior) << prior.error().message();
  const Eigen::Vector3d eigenvalues = covariance_eigenvalues(prior->references[0]);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(eigenvalues[k], 2.0 * 0.01 * 0.01, 1e-15);
  EXPECT_LE((prior->references[0].head<4>() - point.head<4>()).norm(), 1e-15);  // mass and first moment stay
  ASSERT_EQ(prior->repairs.size(), 1u);
  EXPECT_EQ(prior->repairs[0].body, 0);
}

TEST(Prior, RaisesTheMissingEigenvalueOfAThinPlate) {
  // an ideal plate in the xy plane, 1 m wide: covariance diag(1, 1, 0) / 12
  const double mass = 3;
  const Eigen::Matrix3d tensor = mass / 12 * Eigen::Vector3d(1, 1, 2).asDiagonal();
  const auto prior =
      make_prior(test::make_layout(1, 0),
                 std::vector<BodyParameters>{parameters_about_origin(mass, Eigen::Vector3d::Zero(), tensor)});
  ASSERT_TRUE(prior) << prior.error().message();
  const Eigen::Vector3d eigenvalues = covariance_eigenvalues(prior->references[0]);
  EXPECT_NEAR(eigenvalues[0], 0.02 * mass / 12, 1e-14);
  EXPECT_NEAR(eigenvalues[1], mass / 12, 1e-14);
  EXPECT_NEAR(eigenvalues[2], mass / 12, 1e-14);
}

TEST(Prior, MendsATensorThatBreaksTheTriangleInequality) {
  const Eigen::Matrix3d tensor = Eigen::Vector3d(0.1, 0.1, 0.3).asDiagonal();
  const auto prior =
      make_prior(test::make_layout(1, 0),
                 std::vector<BodyParameters>{parameters_about_origin(1, Eigen::Vector3d(0.5, 0, 0), tensor)});
  ASSERT_TRUE(prior) << prior.error().message();
  EXPECT_GT(covariance_eigenvalues(prior->references[0])[0], 0);
  EXPECT_EQ(prior->repairs.size(), 1u);
}

TEST(Prior, HoldsABodyWithoutMassUnlessToldOtherwise) {
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

}  // namespace
}  // namespace heft
