// States of random robots for Mechanics, and the same for the oracles.
#pragma once

#include "heft/mechanics/mechanics.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::testing {

/// A robot's q, qd, qdd; of a floating base also its pose, in Pinocchio's order.
struct State {
  Eigen::VectorXd q, qd, qdd;

  Eigen::VectorXd all() const {
    Eigen::VectorXd numbers(q.size() + qd.size() + qdd.size());
    numbers << q, qd, qdd;
    return numbers;
  }
};

inline State random_state(const Robot& robot, oracle::Random& random) {
  const oracle::Motion motion = oracle::random_motion(robot, random);
  if (!robot.floating_base) return {motion.q, motion.qd, motion.qdd};
  State state;
  const auto n = motion.q.size();
  state.q.resize(7 + n), state.qd.resize(6 + n), state.qdd.resize(6 + n);
  state.q << random.normal3(), random.normal_vector(4).normalized(), motion.q;
  state.qd << random.normal_vector(6), motion.qd;
  state.qdd << 3 * random.normal_vector(6), motion.qdd;
  return state;
}

/// What the oracles call the same state.
inline oracle::Motion motion_of(const Robot& robot, const State& state) {
  if (!robot.floating_base)
    return oracle::motion_on_standing_base(robot, state.q, state.qd, state.qdd);
  const auto n = robot.num_coordinates();
  oracle::Motion motion{state.q.tail(n), state.qd.tail(n), state.qdd.tail(n)};
  const Eigen::Quaterniond turned(state.q[6], state.q[3], state.q[4], state.q[5]);
  const Eigen::Vector3d v = state.qd.head<3>(), w = state.qd.segment<3>(3),
                        vd = state.qdd.head<3>();
  motion.base_angular_velocity = w;
  motion.base_angular_acceleration = state.qdd.segment<3>(3);
  motion.base_specific_force =
      vd + w.cross(v) - turned.toRotationMatrix().transpose() * robot.gravity;
  return motion;
}

}  // namespace heft::testing
