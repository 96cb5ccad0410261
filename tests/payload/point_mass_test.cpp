// Rows, biases, filter and intervals compared with point masses.
#include <gtest/gtest.h>

#include "heft/payload/payload.hpp"
#include "host/applications/payload/methods/methods.hpp"
#include "linalg/factorizations.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

TEST(PayloadRows, MakeTheWrenchOfPointMasses) {
  const Record record = shaken(5);
  const Eigen::ArrayXXd wrench = payload_wrench(samples_of(record), truth_of());
  EXPECT_LE((wrench - record.wrench).abs().maxCoeff(), 1e-13 * record.wrench.abs().maxCoeff());
}

TEST(PayloadRows, OfAllMotionsHaveTenIndependentColumns) {
  const payload::Sums sums = payload::sums_of(samples_of(shaken(5)), BiasKind::none);
  const auto equations = payload::normal_equations(sums, Vector6d::Ones());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(Eigen::MatrixXd(equations.G));
  EXPECT_GT(eigen.eigenvalues()[0], 1e-4 * eigen.eigenvalues()[9]);
}

class Biased : public ::testing::Test {
 protected:
  Biased() {
    Eigen::Array<double, 1, 6> bias;
    bias << 10, -17, 3, 0.4, -0.7, 0.2;
    record_.wrench.rowwise() += bias;
    bias_ = bias;
  }
  Record record_ = shaken(6);
  Eigen::Array<double, 1, 6> bias_;
};

TEST_F(Biased, LeastSquaresFindsPayloadAndBias) {
  const WrenchSamples samples = samples_of(record_);
  const auto fit = payload::least_squares_of(payload::sums_of(samples, BiasKind::constant), 0);
  ASSERT_TRUE(fit.ok()) << fit.error().message();
  EXPECT_LE((fit->x - truth_of()).norm(), 1e-11 * truth_of().norm());
  EXPECT_LE(
      (payload::biases_of(samples, BiasKind::constant, fit->x).row(0) - bias_).abs().maxCoeff(),
      1e-10);
}

TEST_F(Biased, PriorDoesNotShrinkTheBias) {
  // a strong prior at the truth: a bias inside a ridge would move by a part in a thousand, here by
  // rounding
  PayloadOptions options{.prior = {.parameters = truth_of() * 1.0}};
  options.prior.parameters->tail<6>() *= 1.01;
  options.lowpass_hz = 0;
  options.metric_weight = 10;
  const auto shape = read_payload_shape(options.prior);
  ASSERT_TRUE(shape.ok()) << shape.error().message();
  const auto result = weigh_payload(samples_of(record_), options, *shape);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_LE((result->biases.row(0) - bias_).abs().maxCoeff(), 1e-3);
}

TEST_F(Biased, EveryLogHasABiasOfItsOwn) {
  Record other = shaken(4);
  other.wrench.rowwise() -= bias_;
  const auto both = concatenated({samples_of(record_), samples_of(other)});
  ASSERT_TRUE(both.ok());
  const auto fit = payload::least_squares_of(payload::sums_of(*both, BiasKind::constant), 0);
  ASSERT_TRUE(fit.ok());
  EXPECT_LE((fit->x - truth_of()).norm(), 1e-11 * truth_of().norm());
  const Eigen::ArrayXXd biases = payload::biases_of(*both, BiasKind::constant, fit->x);
  ASSERT_EQ(biases.rows(), 2);
  EXPECT_LE((biases.row(0) + biases.row(1)).abs().maxCoeff(), 1e-10);
}

TEST_F(Biased, EverySegmentMayHaveABiasOfItsOwn) {
  record_.time.tail(300) += 5;
  record_.wrench.bottomRows(300) += 1;
  const WrenchSamples samples = samples_of(record_);
  ASSERT_EQ(samples.segments.size(), 2u);
  const auto one = payload::least_squares_of(payload::sums_of(samples, BiasKind::constant), 0);
  const auto two = payload::least_squares_of(payload::sums_of(samples, BiasKind::per_segment), 0);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_GT((one->x - truth_of()).norm(), 1e-3 * truth_of().norm());
  EXPECT_LE((two->x - truth_of()).norm(), 1e-11 * truth_of().norm());
}

TEST(PayloadFilter, GoesOverBothSidesAlike) {
  // a filter that costs most of the motion changes nothing of an exact equation
  const WrenchSamples samples = samples_of(shaken(10));
  const auto filtered = low_passed(samples, 0.5);
  ASSERT_TRUE(filtered.ok()) << filtered.error().message();
  EXPECT_LT(filtered->motion.leftCols(3).square().sum(),
            0.9 * samples.motion.leftCols(3).square().sum());
  const Eigen::ArrayXXd wrench = payload_wrench(*filtered, truth_of());
  EXPECT_LE((wrench - filtered->wrench).abs().maxCoeff(), 1e-12 * samples.wrench.abs().maxCoeff());
}

TEST(PayloadFilter, RefusesCutoffsBeyondRateOrLength) {
  const auto fast = low_passed(samples_of(shaken(10)), 60);
  ASSERT_FALSE(fast.ok());
  EXPECT_NE(fast.error().message().find("100 Hz"), std::string::npos) << fast.error().message();
  const auto brief = low_passed(samples_of(shaken(0.1)), 5);
  ASSERT_FALSE(brief.ok());
  EXPECT_NE(brief.error().remedy.find("lowpass_hz: 0"), std::string::npos)
      << brief.error().message();
}

TEST(PayloadMethods, ExactDataGiveTheTruthByEveryMethodWithoutAPrior) {
  const WrenchSamples samples = samples_of(shaken(5));
  const auto shape = read_payload_shape({});
  for (const PayloadMethod method :
       {PayloadMethod::ols, PayloadMethod::wls, PayloadMethod::tls, PayloadMethod::cone}) {
    const auto answer = fit_payload(samples, {}, *shape, method);
    ASSERT_TRUE(answer.ok()) << enum_name(method) << answer.error().message();
    EXPECT_LE((answer->parameters - truth_of()).norm(), 1e-6 * truth_of().norm())
        << enum_name(method);
  }
}

TEST(FourMasses, HaveThePayloadsMoments) {
  const auto found = four_masses(truth_of());
  ASSERT_TRUE(found.ok()) << found.error().message();
  std::vector<PointMass> tool;
  for (int k = 0; k < 4; ++k) {
    EXPECT_GT(found->mass[k], 0);
    tool.push_back({found->mass[k], found->at.col(k)});
  }
  EXPECT_LE((truth_of(tool) - truth_of()).norm(), 1e-12 * truth_of().norm());
}

TEST(FourMasses, LieInsideAnEllipsoidThatHoldsThePayload) {
  Eigen::Matrix3Xd corners(3, 4);
  for (int k = 0; k < 4; ++k) corners.col(k) = kTool[static_cast<std::size_t>(k)].at;
  auto bounds = enclosing_ellipsoid(corners);
  ASSERT_TRUE(bounds.ok());
  bounds->semi_axes *= 1.001;  // the corners lie on it otherwise
  const auto found = four_masses(truth_of(), *bounds);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->inside);
  const Eigen::Matrix3d to_ball =
      bounds->semi_axes.cwiseInverse().asDiagonal() * bounds->R.transpose();
  for (int k = 0; k < 4; ++k)
    EXPECT_LE((to_ball * (found->at.col(k) - bounds->center)).norm(), 1 + 1e-9);
  Ellipsoid elsewhere = *bounds;
  elsewhere.center.x() += 1;
  const auto outside = four_masses(truth_of(), elsewhere);
  ASSERT_TRUE(outside.ok());
  EXPECT_FALSE(outside->inside);
}

TEST(FourMasses, NeedAPossibleBody) {
  BodyParameters impossible = truth_of();
  impossible[core::kIxx] = -1;
  EXPECT_FALSE(four_masses(impossible).ok());
}

}  // namespace
}  // namespace heft
