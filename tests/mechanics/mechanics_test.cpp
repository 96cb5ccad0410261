// Rows of energies and momenta of random robots of every kind, column by column: compared with the
// oracle's torque regressor in long double, which does not use energy, and with each other along
// paths.
#include "heft/mechanics/mechanics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "states.hpp"
#include "tests/oracle/compare.hpp"

namespace heft {
namespace {

using oracle::largest_difference;
using oracle::largest_entry;
using testing::motion_of;
using testing::random_state;
using testing::State;

constexpr int kRobots = 1000;
constexpr double kAlgebraic = 1e-12, kDerivative = 1e-9;

struct Case {
  Robot robot;
  Mechanics mechanics;
  State state;
  std::string what;

  Eigen::MatrixXd rows(MechanicsRow kind, const State& at) const {
    auto result = mechanics.rows(kind, at.all());
    EXPECT_TRUE(result.ok());
    return *result;
  }
  Eigen::MatrixXd rows(MechanicsRow kind) const { return rows(kind, state); }
  /// Channels of the oracle: forces before torques of the base, then coordinates, as ours.
  Eigen::MatrixXd oracle_rows(const State& at) const {
    return oracle::newton_euler_regressor(robot, motion_of(robot, at));
  }
};

Case random_case(int seed) {
  auto kinds = oracle::RandomRobotOptions::everything(seed % 3 == 0);
  kinds.max_bodies = 6;
  Robot robot = oracle::random_robot(kinds, 40'000 + static_cast<std::uint64_t>(seed));
  oracle::Random random(static_cast<std::uint64_t>(seed));
  const State state = random_state(robot, random);
  return {robot, *Mechanics::make(robot), state, "robot " + std::to_string(seed)};
}

void expect_same(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs, double size,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(ours.rows(), theirs.rows()) << what;
  ASSERT_EQ(ours.cols(), theirs.cols()) << what;
  EXPECT_LE(largest_difference(ours, theirs), tolerance * size) << what;
}

TEST(Mechanics, AlgebraOnAThousandRobots) {
  for (int seed = 0; seed < kRobots; ++seed) {
    const Case one = random_case(seed);
    const Eigen::MatrixXd Y = one.oracle_rows(one.state);
    expect_same(one.rows(MechanicsRow::torque), Y, largest_entry(Y), kAlgebraic,
                one.what + " torque");
    State rest = one.state;
    rest.qd.setZero(), rest.qdd.setZero();
    const Eigen::MatrixXd at_rest = one.oracle_rows(rest);
    expect_same(one.rows(MechanicsRow::gravity), at_rest, largest_entry(at_rest), kAlgebraic,
                one.what + " gravity");
    // M v: accelerations of the size of the velocities, at rest, beyond gravity
    State pushed = rest;
    pushed.qdd = one.state.qd;
    const Eigen::MatrixXd Mv = one.oracle_rows(pushed) - at_rest,
                          Y_p = one.rows(MechanicsRow::momentum);
    expect_same(Y_p, Mv, largest_entry(Mv) + largest_entry(at_rest), kAlgebraic,
                one.what + " momentum");
    const Eigen::RowVectorXd v = one.state.qd.transpose();
    const Eigen::MatrixXd Y_K = one.rows(MechanicsRow::kinetic);
    expect_same(
        2 * Y_K, v * Mv,
        largest_entry(Eigen::MatrixXd(v.cwiseAbs() * Mv.cwiseAbs())) + largest_entry(at_rest),
        kAlgebraic, one.what + " kinetic");
    expect_same(one.rows(MechanicsRow::power), v * Y,
                largest_entry(Eigen::MatrixXd(v.cwiseAbs() * Y.cwiseAbs())), kAlgebraic,
                one.what + " power");
  }
}

/// A step of time, or of one coordinate of unit rate, in which nothing turns by more than a
/// thousandth: differences of fourth order are then right to 1e-13. Rotors turn as often as their
/// gears say.
double small_step(const Robot& robot, double largest_rate) {
  double ratio = 1;
  for (const Body& body : robot.bodies) ratio = std::max(ratio, std::abs(body.ratio));
  return 1e-3 / (ratio * largest_rate);
}

/// d/dt of rows along q + t qd + t^2/2 qdd of coordinates, of fourth order; the base's velocity is
/// qd + t qdd, its pose stays.
Eigen::MatrixXd rate(const Case& one, MechanicsRow kind) {
  const double h = small_step(
      one.robot, std::max(1.0, largest_entry(one.state.qd) + largest_entry(one.state.qdd)));
  const auto at = [&](double t) {
    State moved = one.state;
    const auto n = one.robot.num_coordinates();
    moved.q.tail(n) += t * one.state.qd.tail(n) + 0.5 * t * t * one.state.qdd.tail(n);
    moved.qd += t * one.state.qdd;
    return one.rows(kind, moved);
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

TEST(Mechanics, MomentumChangesAsTorquesSay) {
  for (int seed = 0; seed < kRobots; ++seed) {
    const Case one = random_case(seed);
    const Eigen::MatrixXd Y = one.rows(MechanicsRow::torque),
                          C = one.rows(MechanicsRow::coriolis_transpose),
                          g = one.rows(MechanicsRow::gravity), p = one.rows(MechanicsRow::momentum);
    const double size = largest_entry(Y) + largest_entry(C) + largest_entry(g) + largest_entry(p);
    expect_same(rate(one, MechanicsRow::momentum), Y + C - g, size, kDerivative,
                one.what + " d/dt M v");
  }
}

/// Wrenches on a floating base in its axes, forces first, as the world has them about its origin.
Eigen::MatrixXd in_world(const State& state, const Eigen::MatrixXd& of_base) {
  const Eigen::Vector3d p = state.q.head<3>();
  const Eigen::Matrix3d R =
      Eigen::Quaterniond(state.q[6], state.q[3], state.q[4], state.q[5]).toRotationMatrix();
  Eigen::MatrixXd rows(6, of_base.cols());
  for (Eigen::Index k = 0; k < of_base.cols(); ++k) {
    const Eigen::Vector3d f = R * of_base.col(k).head<3>();
    rows.col(k) << f, R * of_base.col(k).segment<3>(3) + p.cross(f);
  }
  return rows;
}

TEST(Mechanics, WorldRowsOfFloatingBasesAreWrenchesOnTheBase) {
  for (int seed = 0; seed < kRobots; seed += 3) {
    const Case one = random_case(seed);
    ASSERT_TRUE(one.robot.floating_base);
    State rest = one.state;
    rest.qd.setZero(), rest.qdd.setZero();
    State pushed = rest;
    pushed.qdd = one.state.qd;
    const Eigen::MatrixXd Y = in_world(one.state, one.oracle_rows(one.state)),
                          at_rest = in_world(one.state, one.oracle_rows(rest)),
                          momentum = in_world(one.state, one.oracle_rows(pushed)) - at_rest;
    expect_same(one.rows(MechanicsRow::world_wrench), Y, largest_entry(Y), kAlgebraic,
                one.what + " wrench");
    expect_same(one.rows(MechanicsRow::world_gravity), at_rest, largest_entry(at_rest), kAlgebraic,
                one.what + " gravity");
    expect_same(one.rows(MechanicsRow::world_momentum), momentum,
                largest_entry(momentum) + largest_entry(at_rest), kAlgebraic,
                one.what + " momentum");
  }
}

TEST(Mechanics, MomentumInTheWorldChangesAsWrenchesSay) {
  for (int seed = 0; seed < kRobots; ++seed) {
    const Case one = random_case(seed);
    if (one.robot.floating_base) continue;  // its pose moves
    const Eigen::MatrixXd Y = one.rows(MechanicsRow::world_wrench),
                          g = one.rows(MechanicsRow::world_gravity),
                          p = one.rows(MechanicsRow::world_momentum);
    // differences round momentum; where a rotor's is much larger than its rate, that is what is
    // left of them
    const double step = small_step(
        one.robot, std::max(1.0, largest_entry(one.state.qd) + largest_entry(one.state.qdd)));
    const double rounding = 16 * std::numeric_limits<double>::epsilon() * largest_entry(p) / step;
    expect_same(rate(one, MechanicsRow::world_momentum), Y - g,
                largest_entry(Y) + largest_entry(g) + largest_entry(p) + rounding / kDerivative,
                kDerivative, one.what + " d/dt");
  }
}

TEST(Mechanics, EnergyChangesByTheIntegralOfPower) {
  for (int seed = 0; seed < kRobots; ++seed) {
    const Case one = random_case(seed);
    if (one.robot.floating_base) continue;  // its pose moves: golden_mechanics_test.cpp
    const Eigen::MatrixXd power = one.rows(MechanicsRow::power);
    const double size = largest_entry(power) + largest_entry(one.rows(MechanicsRow::kinetic)) +
                        largest_entry(one.rows(MechanicsRow::potential));
    expect_same(rate(one, MechanicsRow::kinetic) + rate(one, MechanicsRow::potential), power, size,
                kDerivative, one.what + " d/dt energy");
  }
}

TEST(Mechanics, CoriolisTransposeIsTheSlopeOfKineticEnergy) {
  for (int seed = 0; seed < kRobots; seed += 10) {
    const Case one = random_case(seed);
    if (one.robot.floating_base) continue;
    const Eigen::MatrixXd C = one.rows(MechanicsRow::coriolis_transpose);
    for (int k = 0; k < one.robot.num_coordinates(); ++k) {
      const double h = small_step(one.robot, 1);
      const auto at = [&](double step) {
        State moved = one.state;
        moved.q[k] += step;
        return one.rows(MechanicsRow::kinetic, moved);
      };
      const Eigen::MatrixXd slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      expect_same(C.row(k), slope, largest_entry(C) + largest_entry(slope), kDerivative,
                  one.what + " dT/dq");
    }
  }
}

TEST(Mechanics, PotentialEnergyOfAFallingBaseIsItsHeight) {
  oracle::Random random(3);
  auto kinds = oracle::RandomRobotOptions::everything(true);
  const Robot robot = oracle::random_robot(kinds, 77);
  const Mechanics mechanics = *Mechanics::make(robot);
  State state = random_state(robot, random);
  const Eigen::VectorXd x = oracle::stacked_parameters(robot);
  const auto energy = [&] {
    return ((*mechanics.rows(MechanicsRow::potential, state.all())) * x)(0);
  };
  const double before = energy();
  const Eigen::Vector3d lift = random.normal3();
  state.q.head<3>() += lift;
  double mass = 0;
  for (int i = 0; i < x.size(); i += 10) mass += x[i];
  EXPECT_NEAR(energy() - before, -mass * robot.gravity.dot(lift), 1e-10 * mass);
}

TEST(Mechanics, RefusesInvalidStates) {
  const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(true), 5);
  const Mechanics mechanics = *Mechanics::make(robot);
  oracle::Random random(4);
  Eigen::VectorXd state = random_state(robot, random).all();
  EXPECT_FALSE(mechanics.rows(MechanicsRow::torque, state.head(3)).ok());
  state[3] *= 2;
  const auto refused = mechanics.rows(MechanicsRow::torque, state);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("quaternion"), std::string::npos);
}

}  // namespace
}  // namespace heft
