#include "simulate/floating_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base_reference.hpp"
#include "linalg/factorizations.hpp"
#include "model/cross_matrix.hpp"
#include "model/wrench_row.hpp"

namespace heft {

namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

constexpr double kGravity = 9.81;

struct BaseState {
  Eigen::Vector3d position, velocity;  ///< in the world
  Eigen::Quaterniond orientation;      ///< world from base
  Eigen::Vector3d w;                   ///< in the base's axes
};

/// What moves the base at one time.
struct BaseAction {
  Eigen::Vector3d u, wd;           ///< in the base's axes
  std::vector<Vector6d> wrenches;  ///< per foot, about the frame's origin and in its axes
};

/// A foot at one time, in base axes.
struct FootPose {
  Eigen::Isometry3d X_base_frame;
  double load = 0;
};

/// Directions in which a foot can push, as wrenches on the base, and their weights.
struct FootDirections {
  Eigen::Matrix<double, 6, 6> G;  ///< about the root link's origin, in base axes
  Vector6d weight;                ///< 0: cannot push
};

FootDirections directions_of(const SimulatedFoot& foot, const FootPose& pose,
                             const Eigen::Matrix3d& R_base_world) {
  constexpr double kTangential = 0.36;  // square of a friction coefficient of 0.6
  constexpr double kHalfWidth = 0.05;   // of a sole [m]
  FootDirections directions;
  const Eigen::Vector3d contact =
      pose.X_base_frame.translation() - foot.radius * R_base_world.col(2);
  directions.G.setZero();
  directions.G.topLeftCorner<3, 3>() = R_base_world;
  directions.G.bottomLeftCorner<3, 3>() = cross_matrix(contact) * R_base_world;
  directions.G.bottomRightCorner<3, 3>() = pose.X_base_frame.linear();
  directions.weight << kTangential, kTangential, 1, 0, 0, 0;
  if (foot.type != ContactType::point)
    directions.weight.tail<3>().setConstant(kHalfWidth * kHalfWidth);
  if (foot.type == ContactType::line) directions.weight[3 + static_cast<int>(foot.axis)] = 0;
  directions.weight *= pose.load;
  return directions;
}

/// Wrench on the frame, in its axes, of forces in world axes and torques in the frame's.
Vector6d in_frame(const SimulatedFoot& foot, const FootPose& pose,
                  const Eigen::Matrix3d& R_base_world, const Vector6d& push) {
  const Eigen::Matrix3d R_frame_world = pose.X_base_frame.linear().transpose() * R_base_world;
  const Eigen::Vector3d force = R_frame_world * push.head<3>();
  const Eigen::Vector3d arm = -foot.radius * R_frame_world.col(2);
  Vector6d wrench;
  wrench << force, push.tail<3>() + arm.cross(force);
  return wrench;
}

bool is_carried(Gait gait) {
  return gait == Gait::hung || gait == Gait::mounted;
}

class Simulation {
 public:
  Simulation(const SimulatedTruth& truth, const SimulatedBase& base,
             const std::vector<SimulatedFoot>& feet, std::uint64_t seed)
      : plan_(*truth.plan), gait_(base.gait), feet_(feet), reference_(base, seed) {}

  BaseState start() const {
    const BaseTarget target = reference_.at(0);
    return {target.position, target.velocity, target.orientation,
            target.orientation.conjugate() * target.angular_velocity};
  }

  /// Feet at a posture. Groups of feet are those of the first posture.
  std::vector<FootPose> poses(const Eigen::VectorXd& q, double t) {
    std::vector<FootPose> list;
    for (const SimulatedFoot& foot : feet_)
      list.push_back({frame_rows(plan_, foot.place.body, foot.place.X_body_link, q).X_base_frame});
    if (group_.size() != list.size()) group_ = groups(list);
    const std::vector<double> loads = foot_loads(gait_, group_, t);
    for (std::size_t k = 0; k < list.size(); ++k) list[k].load = loads[k];
    return list;
  }

  BaseAction action(const BaseState& state, const BaseEquation& equation,
                    const std::vector<FootPose>& poses, double t) const {
    BaseAction action;
    const Vector6d wanted = wanted_motion(state, t);
    action.u = wanted.head<3>(), action.wd = wanted.tail<3>();
    action.wrenches.assign(feet_.size(), Vector6d::Zero());
    if (is_carried(gait_)) return action;
    const Vector6d bias = equation.bias(state.w);
    const Vector6d pushed = push(state, equation.M * wanted + bias, equation, poses, action);
    const Vector6d motion = Eigen::LDLT<Matrix6d>(equation.M).solve(pushed - bias);
    action.u = motion.head<3>(), action.wd = motion.tail<3>();
    return action;
  }

  /// Whether the base is far from its reference.
  bool has_fallen(const BaseState& state, double t) const {
    constexpr double kFar = 1.0, kSteep = 1.2;  // [m], [rad]
    const BaseTarget target = reference_.at(t);
    return !((state.position - target.position).norm() < kFar &&
             state.orientation.angularDistance(target.orientation) < kSteep);
  }

 private:
  /// u and wd that bring the base back to its reference.
  Vector6d wanted_motion(const BaseState& state, double t) const {
    constexpr double kRate = 12;  // [rad/s], critically damped
    const BaseTarget target = reference_.at(t);
    const Eigen::Vector3d acceleration = target.acceleration +
                                         2 * kRate * (target.velocity - state.velocity) +
                                         kRate * kRate * (target.position - state.position);
    const Eigen::AngleAxisd turn(target.orientation * state.orientation.conjugate());
    const double angle =
        turn.angle() > std::numbers::pi ? turn.angle() - 2 * std::numbers::pi : turn.angle();
    const Eigen::Vector3d angular =
        target.angular_acceleration +
        2 * kRate * (target.angular_velocity - state.orientation * state.w) +
        kRate * kRate * angle * turn.axis();
    const Eigen::Quaterniond to_base = state.orientation.conjugate();
    Vector6d motion;
    motion << to_base * (acceleration + Eigen::Vector3d(0, 0, kGravity)), to_base * angular;
    return motion;
  }

  /// Chooses the wrenches of the feet and returns their sum on the base.
  Vector6d push(const BaseState& state, const Vector6d& wanted, const BaseEquation& equation,
                const std::vector<FootPose>& poses, BaseAction& action) const {
    constexpr double kCost = 1e-4;    // lambda
    constexpr double kLength = 0.2;   // that compares torques with forces [m]
    constexpr double kMostLoad = 20;  // force on a foot at touchdown, of the weight
    const Eigen::Matrix3d R_base_world = state.orientation.toRotationMatrix().transpose();
    Vector6d scale;
    scale << 1, 1, 1, kLength * kLength, kLength * kLength, kLength * kLength;
    Matrix6d A = kCost * Matrix6d(scale.asDiagonal());
    std::vector<FootDirections> directions;
    for (std::size_t k = 0; k < feet_.size(); ++k) {
      directions.push_back(directions_of(feet_[k], poses[k], R_base_world));
      const FootDirections& of_foot = directions.back();
      A += of_foot.G * of_foot.weight.asDiagonal() * of_foot.G.transpose();
    }
    const Vector6d multiplier = Eigen::LDLT<Matrix6d>(A).solve(wanted);
    Vector6d sum = Vector6d::Zero();
    for (std::size_t k = 0; k < feet_.size(); ++k) {
      if (!(poses[k].load > 0)) continue;
      Vector6d pushed =
          directions[k].weight.asDiagonal() * (directions[k].G.transpose() * multiplier);
      const double most = kMostLoad * poses[k].load * equation.mass() * kGravity;
      pushed *= std::min(1.0, most / std::max(pushed.head<3>().norm(), 1e-12));
      sum += directions[k].G * pushed;
      action.wrenches[k] = in_frame(feet_[k], poses[k], R_base_world, pushed);
    }
    return sum;
  }

  /// Diagonal halves of a quadruped, sides of a biped.
  static std::vector<int> groups(const std::vector<FootPose>& poses) {
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    for (const FootPose& pose : poses)
      center += pose.X_base_frame.translation() / static_cast<double>(poses.size());
    std::vector<int> list;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Eigen::Vector3d place = poses[k].X_base_frame.translation() - center;
      list.push_back(poses.size() == 4 ? (place.x() * place.y() > 0 ? 1 : 0)
                                       : static_cast<int>(k % 2));
    }
    return list;
  }

  const RegressorPlan& plan_;
  Gait gait_;
  const std::vector<SimulatedFoot>& feet_;
  BaseReference reference_;
  std::vector<int> group_;
};

Eigen::Quaterniond turned(const Eigen::Quaterniond& orientation, const Eigen::Vector3d& by) {
  const double angle = by.norm();
  if (angle == 0) return orientation;
  return (orientation * Eigen::Quaterniond(Eigen::AngleAxisd(angle, by / angle))).normalized();
}

/// The state after a step with the mean of the accelerations at both ends.
BaseState advanced(const BaseState& from, const BaseAction& first, const BaseAction& last,
                   const Eigen::Quaterniond& last_orientation, double step) {
  const Eigen::Vector3d gravity(0, 0, -kGravity);
  const Eigen::Vector3d a = from.orientation * first.u + gravity;
  const Eigen::Vector3d b = last_orientation * last.u + gravity;
  BaseState to;
  to.velocity = from.velocity + step * (a + b) / 2;
  to.position = from.position + step * from.velocity + step * step * (2 * a + b) / 6;
  to.w = from.w + step * (first.wd + last.wd) / 2;
  // the angle of a step, of third order: w is linear in time
  const Eigen::Vector3d turn = step * (from.w + to.w) / 2 + step * step / 12 * from.w.cross(to.w);
  to.orientation = turned(from.orientation, turn);
  return to;
}

/// Motion of the joints at the steps of the simulation; every `stride`-th is a row of the log.
struct Steps {
  Samples joints;
  Eigen::Index stride = 1;
};

Steps steps_of(const Samples& rows, const JointMotion& between) {
  constexpr double kLongest = 0.5e-3;  // [s]
  if (!between || rows.size() < 2) return {rows, 1};
  Steps steps;
  const double period = rows.time[1] - rows.time[0];
  steps.stride = std::max<Eigen::Index>(1, std::lround(std::ceil(period / kLongest - 1e-6)));
  const Eigen::Index count = (rows.size() - 1) * steps.stride + 1;
  Samples& joints = steps.joints;
  joints.time.resize(count);
  for (const auto array : {&Samples::position, &Samples::velocity, &Samples::acceleration})
    (joints.*array).resize(count, rows.position.cols());
  Eigen::VectorXd q, qd, qdd;
  for (Eigen::Index i = 0; i < count; ++i) {
    joints.time[i] = rows.time[i / steps.stride] + static_cast<double>(i % steps.stride) * period /
                                                       static_cast<double>(steps.stride);
    between(joints.time[i], q, qd, qdd);
    joints.position.row(i) = q.transpose();
    joints.velocity.row(i) = qd.transpose();
    joints.acceleration.row(i) = qdd.transpose();
  }
  return steps;
}

Samples rows_of(const Samples& joints, Eigen::Index first, Eigen::Index count) {
  Samples part;
  part.time = joints.time.segment(first, count);
  part.position = joints.position.middleRows(first, count);
  part.velocity = joints.velocity.middleRows(first, count);
  part.acceleration = joints.acceleration.middleRows(first, count);
  return part;
}

void record(const BaseState& state, const BaseAction& action, const std::vector<FootPose>& poses,
            Eigen::Index row, FloatingMotion& motion) {
  motion.samples.base_motion.row(row) << state.w.transpose().array(), action.wd.transpose().array(),
      action.u.transpose().array();
  motion.pose.row(row) << state.position.transpose().array(),
      state.orientation.coeffs().transpose().array();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    motion.wrenches[k].row(row) = action.wrenches[k].transpose().array();
    motion.loads(row, static_cast<Eigen::Index>(k)) = poses[k].load;
  }
}

/// The torque of every channel: Y x - J'w.
Result<Done> add_torques(const SimulatedTruth& truth, const std::vector<SimulatedFoot>& feet,
                         FloatingMotion& motion) {
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu}));
  const PredictJob job{truth.plan.get(), &motion.samples, &truth.parameters};
  Eigen::ArrayXXd torque;
  HEFT_CHECK(backend->predict({&job, 1}, {&torque, 1}));
  for (std::size_t k = 0; k < feet.size(); ++k)
    for (Eigen::Index i = 0; i < motion.samples.size(); ++i) {
      if (!(motion.loads(i, static_cast<Eigen::Index>(k)) > 0)) continue;
      const FrameRows frame = frame_rows(*truth.plan, feet[k].place.body, feet[k].place.X_body_link,
                                         motion.samples.position.row(i).transpose().matrix());
      torque.row(i) -=
          (frame.J_transposed * motion.wrenches[k].row(i).transpose().matrix()).transpose().array();
    }
  motion.samples.torque = std::move(torque);
  return Done{};
}

/// Why the base is far from its reference. No gait keeps a robot up on two points or lines, on
/// which it tips over.
Error fall(const SimulatedBase& base, const std::vector<SimulatedFoot>& feet, double t) {
  if (is_carried(base.gait))  // nothing disturbs the base but steps of the rows of a slow log
    return Error{"motion",
                 fmt::format("has too few rows to integrate the motion of the base ({:.2f} s)", t),
                 "give at least 20 rows per second"};
  const bool have_soles = std::any_of(feet.begin(), feet.end(), [](const SimulatedFoot& foot) {
    return foot.type == ContactType::plane;
  });
  constexpr std::size_t kFeetThatStand = 3;
  return Error{"gait", fmt::format("the robot falls at {:.2f} s: its feet cannot support it", t),
               have_soles || feet.size() >= kFeetThatStand
                   ? "choose stance or step, or reduce the speed"
                   : "give the feet soles: contacts: [{frame: " + feet.front().frame +
                         ", type: plane, state: ..}, ..]"};
}

}  // namespace

Result<FloatingMotion> floating_motion(const SimulatedTruth& truth, const SimulateOptions& options,
                                       const std::vector<SimulatedFoot>& feet,
                                       const Samples& joints, const JointMotion& between,
                                       const Progress& progress) {
  constexpr Eigen::Index kBlock = 1024;
  const Steps steps = steps_of(joints, between);
  const Eigen::Index count = steps.joints.size();
  FloatingMotion motion;
  motion.samples = joints;
  motion.samples.base_motion.setZero(joints.size(), 9);
  motion.pose.setZero(joints.size(), 7);
  motion.wrenches.assign(feet.size(), Eigen::ArrayXXd::Zero(joints.size(), 6));
  motion.loads.setZero(joints.size(), static_cast<Eigen::Index>(feet.size()));

  Simulation simulation(truth, options.base, feet, options.seed ^ (options.trajectory_seed << 32));
  BaseState state = simulation.start();
  for (Eigen::Index first = 0; first < count; first += kBlock) {
    HEFT_CHECK(report_progress(progress, "simulating the base",
                               static_cast<double>(first) / static_cast<double>(count)));
    // a block ends with the first step of the next one
    const Eigen::Index size = std::min(kBlock + 1, count - first);
    HEFT_TRY(equations, base_equations(truth, rows_of(steps.joints, first, size)));
    for (Eigen::Index k = 0; k < std::min(kBlock, size); ++k) {
      const Eigen::Index i = first + k;
      const double t = steps.joints.time[i];
      const BaseEquation& equation = equations[static_cast<std::size_t>(k)];
      if (!(equation.mass() > 0))
        return Error{truth.plan->robot.source, "has no mass", "add inertial elements to its links"};
      const auto poses = simulation.poses(steps.joints.position.row(i).transpose().matrix(), t);
      const BaseAction action = simulation.action(state, equation, poses, t);
      if (i % steps.stride == 0) record(state, action, poses, i / steps.stride, motion);
      if (k + 1 >= size) break;
      if (simulation.has_fallen(state, t)) return fall(options.base, feet, t);
      // Heun: the action at the end of the step from a prediction
      const double next = steps.joints.time[i + 1], step = next - t;
      BaseState ahead = advanced(state, action, action, state.orientation, step);
      const auto poses_ahead =
          simulation.poses(steps.joints.position.row(i + 1).transpose().matrix(), next);
      const BaseAction action_ahead =
          simulation.action(ahead, equations[static_cast<std::size_t>(k + 1)], poses_ahead, next);
      state = advanced(state, action, action_ahead, ahead.orientation, step);
    }
  }
  HEFT_CHECK(add_torques(truth, feet, motion));
  return motion;
}

}  // namespace heft
