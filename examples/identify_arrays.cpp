// Identifies a robot without a log file: times, positions and torques are arrays in memory.
#include <cmath>
#include <cstdio>

#include "heft/identify/identify.hpp"
#include "heft/log/arrays.hpp"
#include "heft/robot/robot_document.hpp"

namespace {

constexpr double kMass = 2, kLength = 0.5, kGravity = 9.81;

/// The drawing, whose mass is a quarter too small.
constexpr char kPendulum[] = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0.5 0 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="9" effort="60"/></joint>
</robot>
)";

/// 40 s at 500 Hz: columns t, q, tau = I qdd - m g l cos q + friction.
Eigen::ArrayXXd swing() {
  Eigen::ArrayXXd log(20000, 3);
  auto t = log.col(0), q = log.col(1), tau = log.col(2);
  t = Eigen::ArrayXd::LinSpaced(log.rows(), 0, 0.002 * static_cast<double>(log.rows() - 1));
  q = (3 * t).sin() + 0.5 * (5 * t).cos();
  const Eigen::ArrayXd qd = 3 * (3 * t).cos() - 2.5 * (5 * t).sin();
  const Eigen::ArrayXd qdd = -9 * (3 * t).sin() - 12.5 * (5 * t).cos();
  tau = kMass * kLength * (kLength * qdd - kGravity * q.cos()) + 0.3 * qd;
  return log;
}

heft::Result<double> first_moment() {
  HEFT_TRY(robot, heft::read_robot_text("pendulum.urdf", kPendulum, ""));
  HEFT_TRY(setup, heft::make_setup(robot));
  const Eigen::ArrayXXd log = swing();
  const auto column = [&log](int k) { return heft::ArrayView(&log(0, k), log.rows(), 1, 1, 0); };
  heft::IdentifyRequest request{.setup = std::move(setup)};
  request.training_logs = {heft::array_log("swing", column(0), column(1), column(2))};
  HEFT_TRY(identified, heft::identify(request));
  return identified.answer().parameters[heft::core::kMcx];
}

}  // namespace

int main() {
  const auto moment = first_moment();
  if (!moment) return std::fprintf(stderr, "%s\n", moment.error().message().c_str()), 1;
  std::printf("m l = %.4f kg m, true value %.4f\n", *moment, kMass * kLength);
  return std::abs(*moment - kMass * kLength) < 0.01 ? 0 : 1;
}
