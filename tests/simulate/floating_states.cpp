// Prints a simulated motion of a floating base in full precision, for comparison with other
// programs.
//
// Usage: floating_states ROBOT.urdf GAIT [FRAME:TYPE:RADIUS ..]
// The robot's file is the truth, without friction and noise. Output: a line of the coordinates'
// names; per row q, qd, qdd; w, wd, a - g of the base; its pose; torques of all channels; per foot
// its load and its wrench.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <sstream>

#include "heft/robot/robot_document.hpp"
#include "simulate/floating_motion.hpp"

namespace heft {
namespace {

constexpr double kRate = 200;

ContactSpec contact_of(const std::string& word) {
  std::istringstream parts(word);
  std::string frame, type, radius;
  std::getline(parts, frame, ':'), std::getline(parts, type, ':'), std::getline(parts, radius);
  return {.frame = frame,
          .type = enum_value<ContactType>(type).value_or(ContactType::point),
          .radius = std::stod(radius)};
}

/// q_k = sum of two sines.
void joints_at(double t, Eigen::VectorXd& q, Eigen::VectorXd& qd, Eigen::VectorXd& qdd) {
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    const double w = 2 + 0.3 * static_cast<double>(k), phase = 1.7 * static_cast<double>(k);
    q[k] = 0.2 * std::sin(w * t + phase) + 0.1 * std::sin(3 * w * t);
    qd[k] = 0.2 * w * std::cos(w * t + phase) + 0.3 * w * std::cos(3 * w * t);
    qdd[k] = -0.2 * w * w * std::sin(w * t + phase) - 0.9 * w * w * std::sin(3 * w * t);
  }
}

template <class Row>
void print_row(const Row& row) {
  for (const double value : row) fmt::print("{:.17g} ", value);
}

int fail(const Error& error) {
  std::cerr << error.message() << "\n";
  return 1;
}

int run(int argc, char** argv) {
  const auto robot = read_robot(argv[1], {.floating_base = true});
  if (!robot) return fail(robot.error());
  SimulateOptions options{.perturbation = 0, .friction = 0};
  options.base.gait = enum_value<Gait>(argv[2]).value_or(Gait::stance);
  for (int k = 3; k < argc; ++k) options.base.contacts.push_back(contact_of(argv[k]));
  const auto truth = simulated_truth(*robot, options);
  if (!truth) return fail(truth.error());
  const auto feet = simulated_feet(*robot, options.base);
  if (!feet) return fail(feet.error());
  const Eigen::Index n = robot->num_coordinates(), rows = 801;
  const JointMotion motion = [n](double t, Eigen::VectorXd& q, Eigen::VectorXd& qd,
                                 Eigen::VectorXd& qdd) {
    q.resize(n), qd.resize(n), qdd.resize(n);
    joints_at(t, q, qd, qdd);
  };
  Samples joints;
  joints.time.setLinSpaced(rows, 0, static_cast<double>(rows - 1) / kRate);
  joints.position.resize(rows, n), joints.velocity.resize(rows, n);
  joints.acceleration.resize(rows, n);
  for (Eigen::Index i = 0; i < rows; ++i) {
    Eigen::VectorXd q, qd, qdd;
    motion(joints.time[i], q, qd, qdd);
    joints.position.row(i) = q.transpose(), joints.velocity.row(i) = qd.transpose();
    joints.acceleration.row(i) = qdd.transpose();
  }
  const auto simulated = floating_motion(*truth, options, *feet, joints, motion);
  if (!simulated) return fail(simulated.error());
  for (const Coordinate& coordinate : robot->coordinates) fmt::print("{} ", coordinate.name);
  fmt::print("\n");
  for (Eigen::Index i = 0; i < rows; ++i) {
    const std::initializer_list<const Eigen::ArrayXXd*> arrays = {
        &joints.position,     &joints.velocity,
        &joints.acceleration, &simulated->samples.base_motion,
        &simulated->pose,     &simulated->samples.torque};
    for (const Eigen::ArrayXXd* array : arrays) print_row(array->row(i));
    for (std::size_t k = 0; k < feet->size(); ++k) {
      fmt::print("{:.17g} ", simulated->loads(i, static_cast<Eigen::Index>(k)));
      print_row(simulated->wrenches[k].row(i));
    }
    fmt::print("\n");
  }
  return 0;
}

}  // namespace
}  // namespace heft

int main(int argc, char** argv) {
  if (argc < 3) return 100;
  return heft::run(argc, argv);
}
