// Sines and cosines, also of joint angles behind gears, and tangents, in plain numbers and in
// packs, compared with long double.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/oracle/random.hpp"

#define HEFT_CPU_TARGET tested
#define HEFT_CPU_PACK_BYTES 16
#include "executor/pack_functions.hpp"
// core/ finds the functions of packs by name when it is instantiated
#include "heft/core/motion.hpp"

namespace heft {
namespace {

/// The position of every lane of a scalar.
template <class Scalar>
struct PositionInput {
  Scalar q;
  const Scalar& position(int) const { return q; }
};

double lane_of(double x, int) {
  return x;
}
float lane_of(float x, int) {
  return x;
}
template <class Real>
Real lane_of(const cpu::tested::Pack<Real>& x, int lane) {
  return x.v[lane];
}

/// Every lane at positions of up to 10 rad, straight and behind gears of up to `largest_ratio`.
template <class Scalar, class Real>
void expect_angles(double largest_ratio) {
  constexpr int kLanes = sizeof(Scalar) / sizeof(Real);
  // of the sum of a position and an offset, half a unit in the last place may be lost, which is
  // four times the epsilon
  const Real tolerance = 5 * std::numeric_limits<Real>::epsilon(),
             nan = std::numeric_limits<Real>::quiet_NaN();
  oracle::Random random(4);
  for (int i = 0; i < 2000; ++i) {
    core::BodyEntry body{};
    body.turn =
        i % 10 == 0 ? random.sign() : random.sign() * random.log_uniform(0.1, largest_ratio);
    body.turn_offset = i % 3 == 0 ? 0 : random.uniform(-1, 1);
    PositionInput<Scalar> in;
    Real q[kLanes];
    for (Real& x : q) x = static_cast<Real>(random.uniform(-10, 10));
    std::memcpy(static_cast<void*>(&in.q), q, sizeof q);
    Scalar sine(nan), cosine(nan);
    core::joint_angle<Scalar>(body, in, sine, cosine);
    for (int lane = 0; lane < kLanes; ++lane) {
      const long double angle =
          static_cast<long double>(Real(body.turn)) * q[lane] + Real(body.turn_offset);
      EXPECT_LE(std::abs(lane_of(sine, lane) - std::sin(angle)), tolerance)
          << body.turn << ' ' << q[lane];
      EXPECT_LE(std::abs(lane_of(cosine, lane) - std::cos(angle)), tolerance)
          << body.turn << ' ' << q[lane];
    }
  }
}

// An angle of ten thousand rounded to a double would be wrong by 4000 epsilons. In fp32 the
// position as rounded to a float is what is asked for.
TEST(JointAngle, LosesNothingOfThePositionBehindGears) {
  expect_angles<double, double>(1000);
  expect_angles<float, float>(100);
}

TEST(JointAngle, LosesNothingOfThePositionBehindGearsInPacks) {
  expect_angles<cpu::tested::Pack<double>, double>(1000);
  expect_angles<cpu::tested::Pack<float>, float>(100);
}

/// Of both signs, from a thousandth to 10^12: pieces of pi/2 are subtracted up to 1e5 (fp32: 8000),
/// the C library has the rest, and every pack has lanes of both.
template <class Real>
void expect_sines() {
  using Pack = cpu::tested::Pack<Real>;
  const double largest = cpu::tested::SineConstants<Real>::kLargest;
  oracle::Random random(5);
  for (int i = 0; i < 5000; ++i) {
    Pack angle, sine, cosine;
    for (int lane = 0; lane < Pack::kLanes; ++lane)
      angle.v[lane] =
          static_cast<Real>(random.sign() * (lane == 0   ? random.log_uniform(1e-3, 0.99 * largest)
                                             : lane == 1 ? random.log_uniform(1.01 * largest, 1e12)
                                                         : random.log_uniform(1e-3, 1e12)));
    sin_cos(angle, sine, cosine);
    for (int lane = 0; lane < Pack::kLanes; ++lane) {
      const long double x = angle.v[lane], tolerance = 1.5L * std::numeric_limits<Real>::epsilon();
      EXPECT_LE(std::abs(sine.v[lane] - std::sin(x)), tolerance) << x;
      EXPECT_LE(std::abs(cosine.v[lane] - std::cos(x)), tolerance) << x;
    }
  }
}

TEST(SineAndCosine, OfPacksAreRightAtEveryMagnitude) {
  expect_sines<double>();
  expect_sines<float>();
}

TEST(SineAndCosine, OfPacksAreNaNForNaNAngles) {
  for (const double none :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    cpu::tested::Pack<double> angle(1.0), sine, cosine;
    angle.v[0] = none;
    sin_cos(angle, sine, cosine);
    EXPECT_TRUE(std::isnan(sine.v[0]) && std::isnan(cosine.v[0]));
    EXPECT_NEAR(sine.v[1], std::sin(1.0), 2.3e-16);
  }
}

/// Relative, and so also near zero, where a difference from one would have lost the digits.
TEST(HyperbolicTangent, OfPacksIsRightAtEveryMagnitude) {
  using Pack = cpu::tested::Pack<double>;
  oracle::Random random(6);
  for (int i = 0; i < 20000; ++i) {
    Pack x;
    for (int lane = 0; lane < Pack::kLanes; ++lane)
      x.v[lane] =
          random.sign() * random.log_uniform(lane == 0 ? 1e-300 : 1e-3, lane == 0 ? 1e300 : 30);
    const Pack tangent = hyperbolic_tangent(x);
    for (int lane = 0; lane < Pack::kLanes; ++lane) {
      const long double expected = std::tanh(static_cast<long double>(x.v[lane]));
      EXPECT_LE(std::abs(tangent.v[lane] - expected), 3 * 2.3e-16L * std::abs(expected))
          << x.v[lane];
      EXPECT_LE(std::abs(tangent.v[lane]), 1);
    }
  }
}

TEST(HyperbolicTangent, OfPacksIsZeroOneOrNoNumberAtTheEnds) {
  cpu::tested::Pack<double> x(0.0);
  EXPECT_EQ(hyperbolic_tangent(x).v[0], 0);
  x.v[0] = std::numeric_limits<double>::infinity(), x.v[1] = -x.v[0];
  EXPECT_EQ(hyperbolic_tangent(x).v[0], 1);
  EXPECT_EQ(hyperbolic_tangent(x).v[1], -1);
  x.v[0] = std::numeric_limits<double>::quiet_NaN(), x.v[1] = 0.5;
  EXPECT_TRUE(std::isnan(hyperbolic_tangent(x).v[0]));
  EXPECT_NEAR(hyperbolic_tangent(x).v[1], std::tanh(0.5), 2.3e-16);
}

}  // namespace
}  // namespace heft
