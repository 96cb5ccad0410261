// Second-order cones: their scaling compared with its definition, optima with closed forms;
// certificates, contradictions. For a comparison with Clarabel: bench/solver/run.py --only
// second-order.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/solve.hpp"
#include "host/estimation/solve/cone.hpp"
#include "host/estimation/solve/second_order_scaling.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

using Eigen::VectorXd;

VectorXd inside(test::Random& random, int size, double depth) {
  VectorXd v = random.normal(size, 1);
  v[0] = v.tail(size - 1).norm() + depth;
  return v;
}

VectorXd jordan(const VectorXd& a, const VectorXd& b) {
  VectorXd product = a[0] * b + b[0] * a;
  product[0] = a.dot(b);
  return product;
}

TEST(SecondOrder, ScalingMapsSlackAndMultiplierToOnePoint) {
  test::Random random(3);
  for (int k = 0; k < 60; ++k) {
    const int size = 2 + k % 5;
    const VectorXd s = inside(random, size, k % 3 == 0 ? 1e-6 : 1),
                   z = inside(random, size, k % 4 == 0 ? 1e-6 : 1);
    solver::SecondOrderScaling scaling(size);
    ASSERT_TRUE(scaling.compute(s.data(), z.data()));
    VectorXd point(size), scaled(size), back(size);
    scaling.put_point(point.data());
    scaling.scale_slack(s.data(), scaled.data());
    const double tolerance = 1e-9 * s.norm() * z.norm();  // eps over the depth
    EXPECT_LE((scaled - point).norm(), tolerance);
    scaling.to_multiplier(point.data(), back.data());
    EXPECT_LE((back - z).norm(), tolerance);
    EXPECT_LE((scaling.curvature() * s - z).norm(), tolerance);
    EXPECT_NEAR(point.squaredNorm(), s.dot(z), tolerance);

    // u of l o u = target e - l o l - a o b
    const VectorXd a = random.normal(size, 1), b = random.normal(size, 1);
    VectorXd u(size);
    scaling.complementarity(0.3, a.data(), b.data(), u.data());
    VectorXd right = -jordan(point, point) - jordan(a, b);
    right[0] += 0.3;
    EXPECT_LE((jordan(point, u) - right).norm(), 1e-8 * (1 + u.norm()) * point.norm());

    // the longest step ends on the boundary
    const double step = scaling.longest_step(a.data());
    if (std::isfinite(step)) {
      const VectorXd end = point + step * a;
      EXPECT_NEAR(end[0], end.tail(size - 1).norm(), 1e-7 * (1 + step) * (point.norm() + a.norm()));
    } else {
      EXPECT_GE(a[0], a.tail(size - 1).norm() - 1e-12);
    }
  }
  solver::SecondOrderScaling scaling(3);
  EXPECT_FALSE(scaling.compute(Eigen::Vector3d(1, 1, 0).eval().data(),
                               Eigen::Vector3d(1, 0, 0).eval().data()));
}

TEST(SecondOrder, ProjectionIsTheNearestPoint) {
  test::Random random(5);
  for (int k = 0; k < 50; ++k) {
    const VectorXd v = random.normal(4, 1);
    VectorXd s = VectorXd::Constant(4, NAN);
    solver::prox({.second_order = {4}}, v, VectorXd(), s);
    EXPECT_GE(s[0] - s.tail(3).norm(), -1e-15);
    const VectorXd z = s - v;  // in the dual, which is the cone itself, and orthogonal to s
    EXPECT_GE(z[0] - z.tail(3).norm(), -1e-15);
    EXPECT_NEAR(z.dot(s), 0, 1e-14);
  }
}

// without a prior to speak of, the problem min |x - x0|^2 within |x_tail| <= x_head is the
// projection
struct Nearest {
  ParameterLayout layout = test::make_layout(1, 0);
  NormalEquations equations;
  Prior prior;
  Constraints constraints;

  explicit Nearest(const BodyParameters& x0) {
    equations = {Eigen::MatrixXd::Identity(10, 10), x0, x0.squaredNorm() + 1, 1};
    PriorOptions options;
    options.kind = PriorKind::euclidean;
    options.weight = 1e-12;
    prior = *make_prior(layout,
                        {parameters_about_origin(1, {0, 0, 0}, 0.1 * Eigen::Matrix3d::Identity())},
                        options);
    constraints.consistency = Consistency::none;
  }
};

TEST(SecondOrder, OptimaAreProjections) {
  for (const SolveMethod method :
       {SolveMethod::automatic, SolveMethod::interior_point, SolveMethod::admm}) {
    BodyParameters x0 = BodyParameters::Zero();
    x0.head<4>() << 1, 3, -2, 1;
    Nearest nearest(x0);
    nearest.constraints.second_order = {{"first moment within its mass",
                                         {{{0, 1.0}}, 0},
                                         {{{{1, 1.0}}, 0}, {{{2, 1.0}}, 0}, {{{3, 1.0}}, 0}}}};
    const auto problem =
        make_problem(nearest.layout, nearest.equations, nearest.prior, nearest.constraints);
    ASSERT_TRUE(problem) << problem.error().message();
    SolveOptions options;
    options.method = method;
    const auto solution = solve(*problem, options);
    ASSERT_EQ(solution->status, SolveStatus::optimal) << solution->reason;
    const double length = x0.segment<3>(1).norm(), head = 0.5 * (1 + length);
    EXPECT_NEAR(solution->x[0], head, 1e-3);  // gap 1e-8 of a residual cost of 1: the root of it
    EXPECT_NEAR((solution->x.segment<3>(1) - head / length * x0.segment<3>(1)).norm(), 0, 1e-3);
    const Certificate certificate = certify(*problem, *solution);
    EXPECT_TRUE(certificate.certified) << certificate.verdict;
    EXPECT_TRUE(certificate.rigorous);
    // and what is moved out of the cone is not certified
    Solution worse = *solution;
    worse.x[0] -= 1e-3;
    EXPECT_FALSE(certify(*problem, worse).certified);
    worse = *solution;
    worse.multipliers *= 0.9;
    EXPECT_FALSE(certify(*problem, worse).certified);
  }
}

TEST(SecondOrder, ContradictionsAreNamed) {
  BodyParameters x0 = BodyParameters::Zero();
  Nearest nearest(x0);
  // |(h_x - 3, h_y)| <= 1 and |h_x + 3| <= 1
  nearest.constraints.second_order = {{"right disc", {{}, 1}, {{{{1, 1.0}}, -3}, {{{2, 1.0}}, 0}}},
                                      {"left strip", {{}, 1}, {{{{1, 1.0}}, 3}}}};
  const auto problem =
      make_problem(nearest.layout, nearest.equations, nearest.prior, nearest.constraints);
  ASSERT_TRUE(problem) << problem.error().message();
  const auto solution = solve(*problem);
  EXPECT_EQ(solution->status, SolveStatus::infeasible);
  EXPECT_EQ(solution->conflicts.size(), 2u) << solution->reason;
}

TEST(SecondOrder, RefusesInvalidCones) {
  Nearest nearest(BodyParameters::Zero());
  const auto make = [&](const SecondOrderConstraint& cone) {
    nearest.constraints.second_order = {cone};
    return make_problem(nearest.layout, nearest.equations, nearest.prior, nearest.constraints);
  };
  EXPECT_FALSE(make({"no tail", {{{0, 1.0}}, 0}, {}}));
  EXPECT_FALSE(make({"unknown", {{{77, 1.0}}, 0}, {{{{1, 1.0}}, 0}}}));
  EXPECT_FALSE(make({"nan", {{{0, NAN}}, 0}, {{{{1, 1.0}}, 0}}}));
}

}  // namespace
}  // namespace heft
