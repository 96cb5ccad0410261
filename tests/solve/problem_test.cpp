// The problem in solver coordinates compared with FORMULAS 2 and 3 in physical ones.
#include "heft/solve/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

struct ThreeLinks {
  ParameterLayout layout = test::make_layout(3, 4);
  std::vector<BodyParameters> references;
  NormalEquations equations;
  test::Random random{17};

  ThreeLinks() {
    Eigen::VectorXd truth(34);
    for (int body = 0; body < 3; ++body) {
      references.push_back(random.body());
      truth.segment<10>(10 * body) = 1.2 * references.back();
    }
    truth.tail(4) = Eigen::Vector4d(1, 2, 3, 4);
    equations = test::random_equations(random, truth, 200, 20, 0.5);
  }

  Problem problem(const PriorOptions& options, const Constraints& constraints = {}) {
    const auto prior = make_prior(layout, references, options);
    auto result = make_problem(layout, equations, *prior, constraints);
    EXPECT_TRUE(result) << result.error().message();
    return std::move(*result);
  }
};

// FORMULAS 2 and 3, term by term
double objective(const ThreeLinks& setup, const PriorOptions& options, const Eigen::VectorXd& x) {
  double f = setup.equations.residual_cost(x) / setup.equations.num_rows;
  for (int body = 0; body < 3; ++body) {
    const BodyParameters pi = x.segment<10>(10 * body), pi0 = setup.references[body];
    const Eigen::Matrix4d relative = pseudo_inertia(pi0).inverse() * pseudo_inertia(pi);
    const Eigen::Matrix4d off = relative - Eigen::Matrix4d::Identity();
    switch (options.kind) {
      case PriorKind::none:
        break;
      case PriorKind::metric:
        f += options.weight * (off * off).trace();
        break;
      case PriorKind::entropic:
        f += options.weight * (relative.trace() - 4 - std::log(relative.determinant()));
        break;
      case PriorKind::euclidean:
        f += options.weight * (pi - pi0).squaredNorm();
        break;
      case PriorKind::diagonal:
        f += options.weight *
             options.diagonal.at(setup.layout.bodies[body]).dot((pi - pi0).cwiseAbs2());
        break;
    }
  }
  for (int k = 30; k < 34; ++k) {
    const double rms = std::sqrt(setup.equations.G(k, k) / setup.equations.num_rows);
    f += options.ridge * std::pow(rms * x[k], 2);
  }
  return f;
}

TEST(Problem, HasTheObjectiveOfTheFormulas) {
  ThreeLinks setup;
  for (const PriorKind kind : {PriorKind::none, PriorKind::metric, PriorKind::entropic,
                               PriorKind::euclidean, PriorKind::diagonal}) {
    PriorOptions options;
    options.kind = kind;
    for (const auto& body : setup.layout.bodies) {
      options.diagonal[body] =
          BodyParameters::NullaryExpr([&] { return setup.random.uniform(0.1, 10); });
    }
    const Problem problem = setup.problem(options);
    for (int trial = 0; trial < 5; ++trial) {
      // near the prior, so that the log det exists
      const Eigen::VectorXd y = problem.start + 0.05 * setup.random.normal(34, 1);
      const Eigen::VectorXd x = problem.extended_parameters(y);
      double f = problem.quadratic(y);
      for (int body = 0; kind == PriorKind::entropic && body < 3; ++body) {
        const Eigen::Matrix4d relative = pseudo_inertia(setup.references[body]).inverse() *
                                         pseudo_inertia(x.segment<10>(10 * body));
        f -= problem.barrier_weight * std::log(relative.determinant());
      }
      const double expected = objective(setup, options, x);
      EXPECT_NEAR(f, expected,
                  1e-11 * std::max(expected, setup.equations.tau2 / setup.equations.num_rows))
          << enum_name(kind);
    }
  }
}

TEST(Problem, StartsAtThePrior) {
  ThreeLinks setup;
  const Problem problem = setup.problem({});
  const Eigen::VectorXd x = problem.extended_parameters(problem.start);
  for (int body = 0; body < 3; ++body) {
    EXPECT_LE((x.segment<10>(10 * body) - setup.references[body]).norm(),
              1e-14 * setup.references[body].norm());
  }
  EXPECT_TRUE(problem.is_strongly_convex);
  EXPECT_TRUE(problem.has_orthonormal_rows);
}

TEST(Problem, MarginIsRelativeToThePrior) {
  ThreeLinks setup;
  Constraints constraints;
  constraints.margin = 0.25;
  const Problem problem = setup.problem({}, constraints);
  // at a quarter of the prior every body's slack vanishes
  Eigen::VectorXd x = Eigen::VectorXd::Zero(34);
  for (int body = 0; body < 3; ++body) x.segment<10>(10 * body) = 0.25 * setup.references[body];
  const Eigen::VectorXd slack = problem.physical.A * x + problem.physical.a;
  EXPECT_LE(slack.head(30).norm(), 1e-14);
}

// every constraint is zero exactly on its boundary, positive inside and negative outside
TEST(Problem, RowsMatchTheirNames) {
  ThreeLinks setup;
  Constraints constraints;
  constraints.consistency = Consistency::none;
  constraints.nonnegative_columns = false;
  const Eigen::Vector3d center(0.1, 0.2, 0.3), semi_axes(0.3, 0.2, 0.1);
  constraints.volumes.push_back({1, {ellipsoid_matrix(center, semi_axes)}});
  constraints.linear.push_back(mass_bounds(setup.layout, 0, 1, 2));
  for (auto& row : com_box(setup.layout, 2, {-0.1, -0.2, -0.3}, {0.1, 0.2, 0.3}))
    constraints.linear.push_back(row);
  const Problem problem = setup.problem({}, constraints);
  ASSERT_EQ(problem.cone.num_rows, 1 + 2 + 6);
  ASSERT_EQ(problem.cone.num_psd4, 0);

  const auto slack = [&](const BodyParameters& a, const BodyParameters& b,
                         const BodyParameters& c) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(34);
    x << a, b, c, Eigen::Vector4d::Zero();
    return Eigen::VectorXd(problem.physical.A * x + problem.physical.a);
  };
  const auto point = [](double mass, const Eigen::Vector3d& at) {
    return parameters_about_origin(mass, at, Eigen::Matrix3d::Zero());
  };
  const Eigen::Vector3d tip = center + Eigen::Vector3d(0, 0.2, 0);

  const Eigen::VectorXd boundary =
      slack(point(1, {0, 0, 0}), point(3, tip), point(2, {0.1, -0.2, 0.3}));
  EXPECT_NEAR(boundary[0], 0, 1e-13);  // point mass on the surface
  EXPECT_NEAR(boundary[1], 0, 1e-15);  // lower mass bound
  EXPECT_NEAR(boundary[2], 1, 1e-15);  // upper
  for (const int active : {4, 5, 8}) EXPECT_NEAR(boundary[active], 0, 1e-15);
  for (const int idle : {3, 6, 7}) EXPECT_GT(boundary[idle], 0.1);
  EXPECT_GT(slack(point(1, {0, 0, 0}), point(3, center), point(1, {0, 0, 0}))[0], 0);
  EXPECT_LT(slack(point(1, {0, 0, 0}), point(3, 2 * tip), point(1, {0, 0, 0}))[0], 0);
}

TEST(Problem, EliminatesEqualitiesExactly) {
  ThreeLinks setup;
  Constraints constraints;
  constraints.linear.push_back(total_mass(setup.layout, 7.5));
  constraints.linear.push_back(fixed_mass(setup.layout, 1, 2.25));
  const Problem problem = setup.problem({}, constraints);
  EXPECT_EQ(problem.num_variables(), 32);
  for (int trial = 0; trial < 5; ++trial) {
    const Eigen::VectorXd x = problem.extended_parameters(setup.random.normal(32, 1));
    EXPECT_NEAR(x[0] + x[10] + x[20], 7.5, 1e-12);
    EXPECT_NEAR(x[10], 2.25, 1e-12);
  }
}

TEST(Problem, HoldsBodiesWithoutMassAndColumnsThatTheDataDoNotTouch) {
  ThreeLinks setup;
  setup.references[1].setZero();
  setup.equations.G.row(32).setZero();
  setup.equations.G.col(32).setZero();
  setup.equations.b[32] = 0;
  const Problem problem = setup.problem({});
  EXPECT_EQ(problem.num_variables(), 34 - 10 - 1);
  EXPECT_EQ(problem.cone.num_psd4, 2);
  const Eigen::VectorXd x = problem.extended_parameters(setup.random.normal(23, 1));
  EXPECT_EQ(x.segment<10>(10).norm(), 0);
  EXPECT_EQ(x[32], 0);
}

TEST(Problem, NamesEqualitiesThatContradictEachOther) {
  ThreeLinks setup;
  const auto prior = make_prior(setup.layout, setup.references);
  Constraints constraints;
  constraints.linear.push_back(fixed_mass(setup.layout, 0, 1));
  constraints.linear.push_back(fixed_mass(setup.layout, 1, 1));
  constraints.linear.push_back(fixed_mass(setup.layout, 2, 1));
  constraints.linear.push_back({"parallel axis", {{20 + core::kMcx, 1.0}}, 0.1, 0.1});
  constraints.linear.push_back(total_mass(setup.layout, 4));
  const auto problem = make_problem(setup.layout, setup.equations, *prior, constraints);
  ASSERT_FALSE(problem);
  EXPECT_NE(problem.error().what.find("total mass"), std::string::npos);
  EXPECT_NE(problem.error().what.find("mass of link_2"), std::string::npos);
  EXPECT_EQ(problem.error().what.find("parallel axis"), std::string::npos);
}

TEST(Problem, RefusesConstraintsThatMakeNoSense) {
  ThreeLinks setup;
  const auto prior = make_prior(setup.layout, setup.references);
  const auto refused = [&](const Constraints& constraints) {
    return !make_problem(setup.layout, setup.equations, *prior, constraints).ok();
  };
  Constraints constraints;
  constraints.linear = {{"unknown", {{34, 1.0}}, 0, 1}};
  EXPECT_TRUE(refused(constraints));
  constraints.linear = {mass_bounds(setup.layout, 0, 2, 1)};
  EXPECT_TRUE(refused(constraints));
  constraints.linear = {mass_bounds(setup.layout, 0, std::nan(""), 1)};
  EXPECT_TRUE(refused(constraints));
  constraints = {};
  constraints.margin = std::nan("");
  EXPECT_TRUE(refused(constraints));
  constraints = {};
  constraints.volumes = {{7, {ellipsoid_matrix({0, 0, 0}, {1, 1, 1})}}};
  EXPECT_TRUE(refused(constraints));
  constraints = {};
  constraints.com_ellipsoids = {{0, {0, 0, 0}, -Eigen::Matrix3d::Identity()}};
  EXPECT_TRUE(refused(constraints));
}

}  // namespace
}  // namespace heft
