#include "leg_ends.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/factorizations.hpp"
#include "model/wrench_row.hpp"
#include "robot/link_place.hpp"

namespace heft::check {

namespace {

/// J' of a force in the base's axes: channels x 3.
Eigen::MatrixXd force_rows(const BaseLog& log, const LegEnd& end, Eigen::Index row) {
  const FrameRows frame = frame_rows(*log.plan, end.body, end.X_body_link,
                                     log.samples.position.row(row).transpose().matrix());
  return frame.J_transposed.leftCols<3>() * frame.X_base_frame.linear().transpose();
}

Eigen::Vector3d up_at(const BaseLog& log, Eigen::Index row) {
  return log.samples.base_motion.row(row).tail<3>().transpose().matrix().normalized();
}

/// Least squares with a small ridge, for postures in which forces are not determined.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& y) {
  constexpr double kRidge = 1e-3;
  Eigen::MatrixXd G = A.transpose() * A;
  G.diagonal().array() += kRidge * G.trace() / static_cast<double>(G.rows()) + 1e-12;
  return G.ldlt().solve(A.transpose() * y);
}

/// Torques of used joints that the bodies of the file leave.
Eigen::VectorXd joint_errors(const BaseLog& log, Eigen::Index row) {
  Eigen::VectorXd errors = (log.samples.torque.row(row) - log.torque.row(row)).transpose();
  errors =
      errors.cwiseProduct((log.samples.weight.row(row).transpose() > 0).cast<double>().matrix());
  for (std::size_t c = 0; c < log.plan->channels.size(); ++c)
    if (log.plan->channels[c].coordinate < 0) errors[static_cast<Eigen::Index>(c)] = 0;
  return errors;
}

Eigen::MatrixXd of_joints(const BaseLog& log, Eigen::MatrixXd rows) {
  for (std::size_t c = 0; c < log.plan->channels.size(); ++c)
    if (log.plan->channels[c].coordinate < 0) rows.row(static_cast<Eigen::Index>(c)).setZero();
  return rows;
}

/// Forces at ends that explain the torques of the joints at a row, in the base's axes.
Eigen::VectorXd forces_at(const BaseLog& log, const std::vector<LegEnd>& ends, Eigen::Index row) {
  Eigen::MatrixXd A(log.plan->num_channels(), 3 * std::ssize(ends));
  for (std::size_t k = 0; k < ends.size(); ++k)
    A.middleCols<3>(3 * static_cast<Eigen::Index>(k)) = force_rows(log, ends[k], row);
  // tau = tau_file - J'f
  return -least_squares(of_joints(log, std::move(A)), joint_errors(log, row));
}

}  // namespace

Result<std::vector<LegEnd>> leg_ends(const RegressorPlan& plan) {
  const Robot& robot = plan.robot;
  std::vector<bool> is_inner(robot.bodies.size(), false);
  for (const Body& body : robot.bodies)
    if (body.parent >= 0 && !body.is_rotor) is_inner[static_cast<std::size_t>(body.parent)] = true;
  std::vector<LegEnd> ends;
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Body& body = robot.bodies[static_cast<std::size_t>(b)];
    if (is_inner[static_cast<std::size_t>(b)] || body.is_rotor || body.coordinate < 0) continue;
    LegEnd end{body.name, b, Eigen::Isometry3d::Identity()};
    for (const std::string& link : body.merged_links) {
      HEFT_TRY(place, find_link(robot, link, link));
      if (place.X_body_link.translation().norm() > end.X_body_link.translation().norm() + 1e-9)
        end = {link, b, place.X_body_link};
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

EndForce force_at(const BaseLog& log, const LegEnd& end) {
  const BaseScale scale = scale_of(log);
  const Eigen::MatrixXd residual = residual_of(log);
  double left = 0, all = 0, upward = 0, square = 0;
  const auto scaled = [&](auto wrench) {
    wrench /= scale.force;
    wrench.template bottomRows<3>() /= scale.length;
    return wrench;
  };
  for (Eigen::Index i = 0; i < residual.rows(); ++i) {
    const Eigen::VectorXd y = scaled(residual.row(i).transpose().eval());
    const Eigen::MatrixXd A =
        scaled(Eigen::MatrixXd(force_rows(log, end, i).topRows<kBaseChannels>()));
    const Eigen::VectorXd force = least_squares(A, y);
    left += (y - A * force).squaredNorm();
    all +=
        scaled(log.torque.row(i).head<kBaseChannels>().matrix().transpose().eval()).squaredNorm();
    upward += force.dot(up_at(log, i));
    square += force.squaredNorm();
  }
  const auto count = static_cast<double>(residual.rows());
  return {left / all, upward / count / scale.force, std::sqrt(square / count) / scale.force};
}

bool has_wrench(const BaseLog& log, const LegEnd& end) {
  constexpr double kNear = 0.05;  // [m], the size of a foot
  const FrameRows frame = frame_rows(*log.plan, end.body, end.X_body_link,
                                     log.samples.position.row(0).transpose().matrix());
  return std::ranges::any_of(log.wrenches, [&](const PushedRows& wrench) {
    return (wrench.place - frame.X_base_frame.translation()).norm() < kNear;
  });
}

LegForces leg_forces(const BaseLog& log, const std::vector<LegEnd>& ends) {
  constexpr Eigen::Index kStride = 4;
  constexpr double kLoaded = 0.1;
  const auto count = static_cast<Eigen::Index>(ends.size());
  double product = 0, weight2 = 0, sum2 = 0, num = 0;
  Eigen::VectorXd of_end = Eigen::VectorXd::Zero(count);
  for (Eigen::Index i = 0; i < log.samples.size(); i += kStride) {
    const Eigen::VectorXd forces = forces_at(log, ends, i);
    const Eigen::Vector3d moved = log.torque.row(i).head<3>().transpose().matrix();
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (Eigen::Index k = 0; k < count; ++k) {
      sum += forces.segment<3>(3 * k);
      of_end[k] += forces.segment<3>(3 * k).dot(up_at(log, i));
    }
    product += sum.dot(moved);
    weight2 += moved.squaredNorm();
    sum2 += sum.squaredNorm();
    ++num;
  }
  LegForces result;
  if (!(weight2 > 0) || !(sum2 > 0)) return result;
  result.of_weight = product / weight2;
  result.alike = product * product / (weight2 * sum2);
  const double weight = std::sqrt(weight2 / num);
  for (Eigen::Index k = 0; k < count; ++k)
    if (of_end[k] / num > kLoaded * weight)
      result.loaded.push_back(ends[static_cast<std::size_t>(k)].link);
  return result;
}

Result<ContactForceRows> contact_forces(const BaseLog& log) {
  std::vector<LegEnd> ends;
  for (const ContactRows& contact : log.contacts) {
    HEFT_TRY(place, find_link(log.plan->robot, contact.frame, contact.frame));
    ends.push_back({contact.frame, place.body, place.X_body_link});
  }
  const double weight = scale_of(log).force;
  ContactForceRows rows;
  rows.upward.resize(log.samples.size(), std::ssize(ends));
  rows.size = rows.upward;
  for (Eigen::Index i = 0; i < rows.size.rows(); ++i) {
    const Eigen::VectorXd forces = forces_at(log, ends, i);
    for (Eigen::Index k = 0; k < rows.size.cols(); ++k) {
      rows.upward(i, k) = forces.segment<3>(3 * k).dot(up_at(log, i)) / weight;
      rows.size(i, k) = forces.segment<3>(3 * k).norm() / weight;
    }
  }
  return rows;
}

Result<std::vector<StateForces>> state_forces(const BaseLog& log) {
  HEFT_TRY(forces, contact_forces(log));
  const Eigen::ArrayXXd& upward = forces.upward;
  Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(upward.cols(), 2), num = sum;  // apart, touching
  for (Eigen::Index i = 0; i < upward.rows(); ++i)
    for (Eigen::Index k = 0; k < upward.cols(); ++k) {
      const auto& touches = log.contacts[static_cast<std::size_t>(k)].touches;
      const int column = touches[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
      sum(k, column) += upward(i, k);
      ++num(k, column);
    }
  std::vector<StateForces> means;
  const Eigen::ArrayXXd mean = sum / num.max(1);
  for (Eigen::Index k = 0; k < upward.cols(); ++k) means.push_back({mean(k, 1), mean(k, 0)});
  return means;
}

}  // namespace heft::check
