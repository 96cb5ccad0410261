#include "tests/oracle/newton_euler.hpp"

namespace heft::oracle {

std::vector<BodyMotion> body_motions(const Robot& robot, const Motion& motion) {
  const BodyMotion base{
      Matrix3r::Identity(), Vector3r::Zero(), motion.base_angular_velocity.cast<Real>(),
      motion.base_angular_acceleration.cast<Real>(), motion.base_specific_force.cast<Real>()};
  std::vector<BodyMotion> motions;
  for (const Body& body : robot.bodies) {
    const BodyMotion& parent = body.parent < 0 ? base : motions[body.parent];
    // rates of turning about and sliding along the axis: position, velocity, acceleration
    std::array<Real, 3> turn{}, slide{};
    if (body.type != JointType::rigid) {
      const int k = body.coordinate;
      const Real n = body.ratio;
      const std::array<Real, 3> joint{n * motion.q[k] + body.offset, n * motion.qd[k],
                                      n * motion.qdd[k]};
      if (body.type != JointType::prismatic) turn = joint;
      if (body.type == JointType::prismatic) slide = joint;
      if (body.type == JointType::helical)
        for (int i = 0; i < 3; ++i) slide[i] = body.pitch * joint[i];
    }
    const Matrix3r R_zero = parent.R * exact_rotation(body.X_parent_body.linear());
    const Vector3r axis = exact_direction(body.axis);
    const Vector3r z = R_zero * axis;
    const Vector3r r = parent.R * body.X_parent_body.translation().cast<Real>() + z * slide[0];

    BodyMotion own;
    own.R = R_zero * Eigen::AngleAxis<Real>(turn[0], axis).toRotationMatrix();
    own.p = parent.p + r;
    own.w = parent.w + z * turn[1];
    own.wd = parent.wd + z * turn[2] + parent.w.cross(z) * turn[1];
    own.a = parent.a + parent.wd.cross(r) + parent.w.cross(parent.w.cross(r)) +
            2 * parent.w.cross(z) * slide[1] + z * slide[2];
    motions.push_back(own);
  }
  return motions;
}

Wrench body_wrench(const BodyMotion& body, const BodyParameters& parameters) {
  const Eigen::Matrix<Real, 10, 1> pi = parameters.cast<Real>();
  Matrix3r tensor;  // Heft's order: Ixx, Ixy, Iyy, Ixz, Iyz, Izz
  tensor << pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9];
  const Vector3r h = body.R * pi.segment<3>(1);
  const Matrix3r I = body.R * tensor * body.R.transpose();
  return {pi[0] * body.a + body.wd.cross(h) + body.w.cross(body.w.cross(h)),
          I * body.wd + body.w.cross(I * body.w) + h.cross(body.a)};
}

Wrench moved(const Wrench& wrench, const Vector3r& from, const Vector3r& to) {
  return {wrench.force, wrench.torque + (from - to).cross(wrench.force)};
}

Real joint_torque(const Body& body, const BodyMotion& motion, const Wrench& wrench) {
  const Vector3r z = motion.R * exact_direction(body.axis);
  Real torque = 0;
  if (body.type == JointType::revolute) torque = z.dot(wrench.torque);
  if (body.type == JointType::prismatic) torque = z.dot(wrench.force);
  if (body.type == JointType::helical)
    torque = z.dot(wrench.torque) + body.pitch * z.dot(wrench.force);
  return body.ratio * torque;
}

Eigen::Matrix<Real, 6, 1> in_axes(const Matrix3r& R, const Wrench& wrench) {
  Eigen::Matrix<Real, 6, 1> components;
  components << R.transpose() * wrench.force, R.transpose() * wrench.torque;
  return components;
}

Eigen::VectorXd newton_euler_torques(const Robot& robot, const Motion& motion) {
  const std::vector<BodyMotion> motions = body_motions(robot, motion);
  std::vector<Wrench> wrenches;
  for (int j = 0; j < robot.num_bodies(); ++j) {
    const Body& body = robot.bodies[j];
    wrenches.push_back(body.has_parameters ? body_wrench(motions[j], body.prior) : Wrench{});
  }
  const int first = num_base_channels(robot);
  Eigen::Matrix<Real, Eigen::Dynamic, 1> tau(num_channels(robot));
  tau.setZero();
  for (int j = robot.num_bodies() - 1; j >= 0; --j) {
    const Body& body = robot.bodies[j];
    if (body.type != JointType::rigid)
      tau[first + body.coordinate] += joint_torque(body, motions[j], wrenches[j]);
    if (body.parent < 0) continue;
    const Wrench handed_on = moved(wrenches[j], motions[j].p, motions[body.parent].p);
    wrenches[body.parent].force += handed_on.force;
    wrenches[body.parent].torque += handed_on.torque;
  }
  if (robot.floating_base) tau.head<6>() = in_axes(motions[0].R, wrenches[0]);
  return tau.cast<double>();
}

Eigen::MatrixXd newton_euler_wrench_regressor(const Robot& robot, const Motion& motion, int body) {
  const std::vector<BodyMotion> motions = body_motions(robot, motion);
  Eigen::Matrix<Real, 6, Eigen::Dynamic> Y(6, num_columns(robot));
  Y.setZero();
  int column = 0;
  for (int j = 0; j < robot.num_bodies(); ++j) {
    if (!robot.bodies[j].has_parameters) continue;
    for (int parameter = 0; parameter < 10; ++parameter, ++column) {
      if (!is_outward(robot, j, body)) continue;
      const Wrench wrench = body_wrench(motions[j], BodyParameters::Unit(parameter));
      Y.col(column) = in_axes(motions[body].R, moved(wrench, motions[j].p, motions[body].p));
    }
  }
  return Y.cast<double>();
}

Eigen::MatrixXd newton_euler_regressor(const Robot& robot, const Motion& motion) {
  const std::vector<BodyMotion> motions = body_motions(robot, motion);
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> joints(robot.num_coordinates(),
                                                             num_columns(robot));
  joints.setZero();
  int column = 0;
  for (int j = 0; j < robot.num_bodies(); ++j) {
    if (!robot.bodies[j].has_parameters) continue;
    for (int parameter = 0; parameter < 10; ++parameter, ++column) {
      const Wrench wrench = body_wrench(motions[j], BodyParameters::Unit(parameter));
      for (int i = j; i >= 0; i = robot.bodies[i].parent) {
        const Body& ancestor = robot.bodies[i];
        if (ancestor.type == JointType::rigid) continue;
        const Wrench felt = moved(wrench, motions[j].p, motions[i].p);
        joints(ancestor.coordinate, column) += joint_torque(ancestor, motions[i], felt);
      }
    }
  }
  Eigen::MatrixXd Y(num_channels(robot), num_columns(robot));
  if (robot.floating_base) Y.topRows<6>() = newton_euler_wrench_regressor(robot, motion, 0);
  Y.bottomRows(robot.num_coordinates()) = joints.cast<double>();
  return Y;
}

}  // namespace heft::oracle
