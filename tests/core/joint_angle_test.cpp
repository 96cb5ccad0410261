// Sines and cosines of joint angles behind gears, in plain numbers and in packs, against long double.
#include <gtest/gtest.h>

#include "tests/oracle/random.hpp"

#define HEFT_CPU_TARGET tested
#define HEFT_CPU_PACK_BYTES 16
#include "host/cpu/pack_functions.hpp"
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
  // of the sum of a position and an offset, half a unit in the last place may be lost, which is four times the epsilon
  const Real tolerance = 5 * std::numeric_limits<Real>::epsilon(),
             nan = std::numeric_limits<Real>::quiet_NaN();
  oracle::Random random(4);
  for (int i = 0; i < 2000; ++i) {
    core::BodyEntry body{};
    body.turn = i % 10 == 0 ? random.sign() : random.sign() * random.log_uniform(0.1, largest_ratio);
    body.turn_offset = i % 3 == 0 ? 0 : random.uniform(-1, 1);
    PositionInput<Scalar> in;
    Real q[kLanes];
    for (Real& x : q) x = static_cast<Real>(random.uniform(-10, 10));
    std::memcpy(&in.q, q, sizeof q);
    Scalar sine(nan), cosine(nan);
    core::joint_angle<Scalar>(body, in, sine, cosine);
    for (int lane = 0; lane < kLanes; ++lane) {
      const long double angle = static_cast<long double>(Real(body.turn)) * q[lane] + Real(body.turn_offset);
      EXPECT_LE(std::abs(lane_of(sine, lane) - std::sin(angle)), tolerance) << body.turn << ' ' << q[lane];
      EXPECT_LE(std::abs(lane_of(cosine, lane) - std::cos(angle)), tolerance) << body.turn << ' ' << q[lane];
    }
  }
}

// an angle of ten thousand rounded to a double would be wrong by 4000 epsilons

TEST(JointAngle, LosesNothingBehindGears) {
  expect_angles<double, double>(1000);
  expect_angles<float, float>(100);
}

TEST(JointAngle, LosesNothingBehindGearsInPacks) {
  expect_angles<cpu::tested::Pack<double>, double>(1000);
  expect_angles<cpu::tested::Pack<float>, float>(100);
}

}  // namespace
}  // namespace heft
