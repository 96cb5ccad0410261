// Known bounds: the result satisfies them, with its certificate, and equals the free result where
// that already satisfies them.
#include <gtest/gtest.h>

#include "heft/payload/payload.hpp"
#include "host/applications/payload/shape/shape_parts.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

PayloadShape box() {
  PayloadPriorOptions prior;
  prior.primitive = {PayloadPrimitive::Kind::box, {0.2, 0.2, 0.2}};
  prior.pose = *pose_of({0, 0, 0.07, 0, 0, 0}, "");
  return *read_payload_shape(prior);
}

PayloadAnswer answer(const PayloadLimits& limits, PayloadMethod method = PayloadMethod::automatic) {
  PayloadOptions options;
  options.limits = limits;
  const auto found = fit_payload(samples_of(with_noise(shaken(3), 1)), options, box(), method);
  EXPECT_TRUE(found.ok()) << found.error().message();
  return found.ok() ? *found : PayloadAnswer{};
}

constexpr PayloadMethod kMethods[] = {PayloadMethod::automatic, PayloadMethod::metric,
                                      PayloadMethod::cone, PayloadMethod::geo};

TEST(PayloadLimits, ThatHoldAnywayChangeNothing) {
  for (const PayloadMethod method : kMethods) {
    const PayloadAnswer free = answer({}, method);
    const PayloadAnswer held = answer({.least_density = 10, .largest_density = 20000}, method);
    EXPECT_LE((free.parameters - held.parameters).norm(), 1e-6 * free.parameters.norm())
        << enum_name(method);
    EXPECT_TRUE(held.certificate->certified) << enum_name(method);
  }
}

TEST(PayloadLimits, AreKeptWithACertificate) {
  const double volume = 0.008, mass = truth_of()[0];
  for (const PayloadMethod method : kMethods) {
    const PayloadAnswer heavy = answer({.least_density = 1.1 * mass / volume}, method);
    EXPECT_NEAR(heavy.parameters[0], 1.1 * mass, 1e-6) << enum_name(method);
    EXPECT_TRUE(heavy.certificate->certified) << enum_name(method);
    const PayloadAnswer light = answer({.largest_density = 0.9 * mass / volume}, method);
    EXPECT_NEAR(light.parameters[0], 0.9 * mass, 1e-6) << enum_name(method);
    const Eigen::AlignedBox3d region(Eigen::Vector3d(-1, -1, 0.1), Eigen::Vector3d(1, 1, 1));
    const PayloadAnswer high = answer({.com_region = region}, method);
    EXPECT_NEAR(high.parameters[3] / high.parameters[0], 0.1, 1e-6) << enum_name(method);
    EXPECT_TRUE(high.certificate->certified) << enum_name(method);
  }
}

TEST(PayloadLimits, MassStaysInTheShape) {
  PayloadPriorOptions prior;
  prior.primitive = {PayloadPrimitive::Kind::box, {0.06, 0.06, 0.06}};  // far too small for the
                                                                        // tool
  prior.pose = *pose_of({0, 0, 0.07, 0, 0, 0}, "");
  const PayloadShape shape = *read_payload_shape(prior);
  PayloadOptions options;
  options.limits.within_shape = true;
  const auto found =
      fit_payload(samples_of(with_noise(shaken(3), 1)), options, shape, PayloadMethod::automatic);
  ASSERT_TRUE(found.ok()) << found.error().message();
  const Eigen::Matrix3d squares = shape.bounds->R *
                                  shape.bounds->semi_axes.cwiseAbs2().asDiagonal() *
                                  shape.bounds->R.transpose();
  const Eigen::Matrix3d inverse = squares.inverse();
  // mean of the squared distance in the ellipsoid's measure, which is 1 on its surface
  const BodyParameters& x = found->parameters;
  const Eigen::Matrix4d J = pseudo_inertia(x);
  const Eigen::Vector3d c = x.segment<3>(1) / x[0];
  const Eigen::Matrix3d about = J.topLeftCorner<3, 3>() / x[0] - c * c.transpose();
  const Eigen::Vector3d off = c - shape.bounds->center;
  EXPECT_LE(off.dot(inverse * off) + (inverse * about).trace(), 1 + 1e-6);
}

TEST(PayloadLimits, ThatContradictAreRefused) {
  const auto refused = [](const PayloadLimits& limits, const PayloadShape& shape) {
    PayloadOptions options;
    options.limits = limits;
    const auto found =
        fit_payload(samples_of(with_noise(shaken(3), 1)), options, shape, PayloadMethod::automatic);
    return found.ok() ? std::string() : found.error().where;
  };
  EXPECT_EQ(refused({.least_density = 500}, *read_payload_shape({})), "payload.density");
  EXPECT_EQ(refused({.least_density = 500, .largest_density = 400}, box()), "payload.density");
  EXPECT_EQ(refused({.known_mass = 1.3, .least_density = 500}, box()), "payload.density");
  EXPECT_EQ(refused({.com_region =
                         Eigen::AlignedBox3d(Eigen::Vector3d::Ones(), -Eigen::Vector3d::Ones())},
                    box()),
            "payload.com_region");
  EXPECT_EQ(refused({.within_shape = true}, *read_payload_shape({})), "payload.within_shape");
}

/// Two boxes of 1 kg and 3 kg as point masses at their corners would be too coarse: their own
/// moments.
TEST(PayloadParts, HaveTheMassesThatFitTheRows) {
  PayloadShape shape = box();
  const auto part = [](const Eigen::Vector3d& at) {
    return PayloadShape::Part{
        parameters_about_origin(1, at, Eigen::Vector3d(1e-3, 2e-3, 1.5e-3).asDiagonal())};
  };
  shape.parts = {part({0, 0, 0.05}), part({0, 0.1, 0.15}), part({0.3, 0, 0})};
  const BodyParameters truth = 1 * shape.parts[0].unit + 3 * shape.parts[1].unit;
  payload::WeightedSums sums{.num_rows = 10};
  const Eigen::MatrixXd rows = Eigen::MatrixXd::Random(40, 10);
  sums.G = rows.transpose() * rows;
  sums.b = sums.G * truth;
  const PayloadShape matched = payload::with_matched_parts(shape, sums);
  EXPECT_LE((matched.unit - truth / 4).norm(), 1e-6);

  // where a limit holds, the others share what is left: least squares in two unknowns, by hand
  shape.parts[1].largest_mass = 2, shape.parts[2].least_mass = 0.25;
  const BodyParameters &a = shape.parts[0].unit, &b = shape.parts[1].unit, &c = shape.parts[2].unit;
  const double of_a = a.dot(sums.b - sums.G * (2 * b + 0.25 * c)) / a.dot(sums.G * a);
  const BodyParameters expected = (of_a * a + 2 * b + 0.25 * c) / (of_a + 2.25);
  // the minimum over a alone is that over all if the slopes of b and c point out of their limits
  const BodyParameters slope = sums.G * (of_a * a + 2 * b + 0.25 * c) - sums.b;
  ASSERT_TRUE(of_a > 0 && b.dot(slope) < 0 && c.dot(slope) > 0);
  EXPECT_LE((payload::with_matched_parts(shape, sums).unit - expected).norm(), 1e-9);
}

}  // namespace
}  // namespace heft
