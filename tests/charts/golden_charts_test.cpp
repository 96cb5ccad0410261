// Charts and distances compared with results of 60 digits (golden/payload/charts.json) and of
// independent code (golden/logcholesky.json, golden/geo_formulas.json); each file states its order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heft/charts/chart.hpp"
#include "heft/charts/distance.hpp"
#include "heft/core/manifold_chart.hpp"
#include "linalg/factorizations.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/golden.hpp"

namespace heft {
namespace {

using nlohmann::json;
using oracle::largest_entry;
using oracle::matrix_from;
using oracle::vector_from;

#define HEFT_REQUIRE_GOLDEN()                                                   \
  const auto golden = oracle::golden_directory();                               \
  if (!golden || !std::filesystem::exists(*golden / "payload" / "charts.json")) \
  GTEST_SKIP() << oracle::kNoGolden

/// Every column to `tolerance` of its largest entry.
void expect_columns(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs, double tolerance,
                    const std::string& what) {
  ASSERT_EQ(ours.cols(), theirs.cols());
  for (Eigen::Index j = 0; j < ours.cols(); ++j)
    EXPECT_LE(oracle::largest_difference(ours.col(j), theirs.col(j)),
              tolerance * largest_entry(theirs.col(j)))
        << what << ", column " << j;
}

/// A point to pi and its Jacobian; then pi to a point and back.
void expect_chart(const BodyChart& chart, const Eigen::VectorXd& point, const json& values,
                  const BodyParameters& pi, double jacobian_tolerance, const std::string& what) {
  const BodyParameters image =
      vector_from(values.at(chart.kind() == ChartKind::log_cholesky ? "pi_of_phi" : "pi_of_gamma"));
  EXPECT_LE(oracle::largest_difference(chart.parameters(point), image),
            1e-12 * largest_entry(image))
      << what;
  expect_columns(chart.jacobian(point), matrix_from(values.at("jacobian")), jacobian_tolerance,
                 what);
  const ChartPoint found = chart.point(pi);
  ASSERT_EQ(found.status, BodyStatus::ok) << what;
  EXPECT_LE(oracle::largest_difference(chart.parameters(found.numbers), pi),
            1e-12 * largest_entry(pi))
      << what;
}

TEST(GoldenCharts, LogCholeskyAndExponential) {
  HEFT_REQUIRE_GOLDEN();
  const json file = oracle::read_json(*golden / "payload" / "charts.json");
  ASSERT_EQ(file.at("bodies").size(), 50u);
  for (const json& body : file.at("bodies")) {
    const std::string kind = body.at("kind");
    const BodyParameters pi = vector_from(body.at("pi"));
    const json &phi = body.at("log_cholesky"), &plain = body.at("exponential"),
               &about = body.at("exponential_at_prior");
    const BodyChart log_cholesky = *BodyChart::make(ChartKind::log_cholesky);
    expect_chart(log_cholesky, vector_from(phi.at("phi")), phi, pi, 1e-12, kind + " log-Cholesky");
    const double determinant = log_cholesky.jacobian(vector_from(phi.at("phi"))).determinant();
    const double theirs = phi.at("jacobian_determinant");
    EXPECT_LE(std::abs(std::abs(determinant) - std::abs(theirs)), 1e-11 * std::abs(theirs)) << kind;
    expect_chart(*BodyChart::make(ChartKind::exponential), vector_from(plain.at("gamma")), plain,
                 pi, 1e-10, kind + " exponential");
    const Eigen::Matrix4d L0 = matrix_from(about.at("L0"));
    const BodyParameters prior = body_parameters(L0 * L0.transpose());
    expect_chart(*BodyChart::make(ChartKind::exponential_at_prior, prior),
                 vector_from(about.at("gamma")), about, pi, 1e-10, kind + " about a prior");
  }
}

TEST(GoldenCharts, Manifold) {
  HEFT_REQUIRE_GOLDEN();
  const BodyChart chart = *BodyChart::make(ChartKind::manifold);
  const json file = oracle::read_json(*golden / "payload" / "charts.json");
  for (const json& body : file.at("bodies")) {
    const std::string kind = body.at("kind");
    const BodyParameters pi = vector_from(body.at("pi"));
    const json& values = body.at("traversaro");
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R = matrix_from(values.at("R"));
    Eigen::VectorXd point(11);
    point[0] = values.at("m");
    point.segment<3>(1) = vector_from(values.at("c"));
    core::quaternion_from_rotation(R.data(), point.data() + 4);
    point.tail<3>() = vector_from(values.at("L"));
    EXPECT_LE(oracle::largest_difference(chart.parameters(point), pi), 1e-12 * largest_entry(pi))
        << kind;
    const Eigen::MatrixXd theirs = matrix_from(values.at("jacobian"));
    const ChartJacobian ours = chart.jacobian(point);
    expect_columns(ours.leftCols<4>(), theirs.leftCols(4), 1e-12, kind);
    expect_columns(ours.rightCols<3>(), theirs.rightCols(3), 1e-12, kind);
    const double tensor = 2 * point.tail<3>().maxCoeff();  // no entry of the tensor about the
                                                           // center is larger
    EXPECT_LE(oracle::largest_difference(ours.middleCols<3>(4), theirs.middleCols(4, 3)),
              1e-12 * tensor)
        << kind;
    const ChartPoint found = chart.point(pi);
    ASSERT_EQ(found.status, BodyStatus::ok) << kind;
    EXPECT_LE(oracle::largest_difference(chart.parameters(found.numbers), pi),
              1e-12 * largest_entry(pi))
        << kind;
  }
}

TEST(GoldenCharts, Distances) {
  HEFT_REQUIRE_GOLDEN();
  const json file = oracle::read_json(*golden / "payload" / "charts.json");
  std::vector<BodyParameters> bodies;
  std::vector<double> condition;
  for (const json& body : file.at("bodies")) {
    bodies.push_back(vector_from(body.at("pi")));
    const Eigen::VectorXd eigenvalues = vector_from(body.at("eigenvalues_of_J"));
    condition.push_back(eigenvalues.maxCoeff() / eigenvalues.minCoeff());
  }
  ASSERT_EQ(file.at("pairs").size(), 49u);
  int num_metrics = 0;
  for (const json& pair : file.at("pairs")) {
    const std::size_t a = pair.at("pi"), b = pair.at("prior");
    const BodyDistances found = distances(bodies[a], bodies[b]);
    // the numbers of a body are rounded, which its condition enlarges; the file speaks of cond *
    // 1e-15
    const double tolerance = std::max(1e-12, 1e-15 * std::max(condition[a], condition[b]));
    const auto expect = [&](double ours, const char* name) {
      const double theirs = pair.at(name);
      EXPECT_LE(std::abs(ours - theirs), tolerance * std::abs(theirs))
          << name << " of " << a << " and " << b;
    };
    expect(found.affine_invariant, "geodesic_distance");
    expect(found.entropic_ab, "bregman_divergence");
    expect(found.pullback, "frobenius_prior_term");
    if (pair.at("pullback_metric_at_prior").is_null()) continue;
    ++num_metrics;
    const auto pullback = pullback_divergence(bodies[a], bodies[b]);
    ASSERT_TRUE(pullback.ok());
    const Eigen::MatrixXd metric = matrix_from(pair.at("pullback_metric_at_prior"));
    EXPECT_LE(oracle::largest_difference(Eigen::MatrixXd(pullback->hessian / 2), metric),
              tolerance * largest_entry(metric));
  }
  EXPECT_GT(num_metrics, 0);
}

TEST(GoldenCharts, DeterminantsOfAnotherFile) {
  HEFT_REQUIRE_GOLDEN();
  const BodyChart chart = *BodyChart::make(ChartKind::log_cholesky);
  const json file = oracle::read_json(*golden / "logcholesky.json");
  ASSERT_FALSE(file.at("test_points").empty());
  for (const json& point : file.at("test_points")) {
    const Eigen::VectorXd phi = vector_from(point.at("phi"));
    const BodyParameters theirs = vector_from(point.at("theta"));
    EXPECT_LE(oracle::largest_difference(chart.parameters(phi), theirs),
              1e-14 * largest_entry(theirs));
    expect_columns(chart.jacobian(phi), matrix_from(point.at("jacobian")), 1e-13, "Jacobian");
    const double determinant = point.at("det");
    EXPECT_LE(std::abs(chart.jacobian(phi).determinant() - determinant),
              1e-12 * std::abs(determinant));
  }
}

TEST(GoldenCharts, DivergencesWithDerivatives) {
  HEFT_REQUIRE_GOLDEN();
  const json file = oracle::read_json(*golden / "geo_formulas.json");
  // the file's order is Ixx, Ixy, Ixz, Iyy, Iyz, Izz
  const std::array<int, 10> place = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9};
  const auto in_our_order = [&](const Eigen::VectorXd& v) {
    BodyParameters ours;
    for (int k = 0; k < 10; ++k) ours[place[k]] = v[k];
    return ours;
  };
  const auto matrix_in_our_order = [&](const Eigen::MatrixXd& M) {
    Eigen::Matrix<double, 10, 10> ours;
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 10; ++j) ours(place[i], place[j]) = M(i, j);
    return ours;
  };
  ASSERT_EQ(file.at("pairs").size(), 6u);
  for (const json& pair : file.at("pairs")) {
    const BodyParameters A = in_our_order(vector_from(pair.at("phi"))),
                         B = in_our_order(vector_from(pair.at("phi_prior")));
    const BodyDistances found = distances(A, B);
    const auto near = [](double ours, const json& theirs) {
      EXPECT_LE(std::abs(ours - theirs.get<double>()), 1e-10 * std::abs(theirs.get<double>()));
    };
    near(found.affine_invariant, pair.at("affine_invariant_distance"));
    near(found.entropic_ab, pair.at("bregman"));
    near(found.entropic_ba, pair.at("bregman_reverse"));
    near(found.pullback / 2, pair.at("half_pullback_quadratic"));
    const Divergence entropic = *entropic_divergence(A, B), pullback = *pullback_divergence(A, B);
    near(entropic.value, pair.at("bregman"));
    near(pullback.value / 2, pair.at("half_pullback_quadratic"));
    const BodyParameters gradient = in_our_order(vector_from(pair.at("bregman_gradient")));
    EXPECT_LE(oracle::largest_difference(entropic.gradient, gradient),
              1e-10 * largest_entry(gradient));
    const Eigen::MatrixXd hessian = matrix_in_our_order(matrix_from(pair.at("bregman_hessian")));
    EXPECT_LE(oracle::largest_difference(Eigen::MatrixXd(entropic.hessian), hessian),
              1e-10 * largest_entry(hessian));
    const Eigen::MatrixXd metric =
        matrix_in_our_order(matrix_from(pair.at("pullback_metric_at_prior")));
    EXPECT_LE(oracle::largest_difference(Eigen::MatrixXd(pullback.hessian / 2), metric),
              1e-10 * largest_entry(metric));
    // of the quadratic the gradient follows from value and Hessian, which are checked
    EXPECT_LE(
        oracle::largest_difference(pullback.gradient, BodyParameters(pullback.hessian * (A - B))),
        1e-10 * largest_entry(pullback.gradient));
  }
}

}  // namespace
}  // namespace heft
