// The C++ side of run.py: identifies the pendulum of examples/identify_arrays.cpp from arrays in
// memory and prints seconds of processor time a call, one a line. Usage: bench_arrays ROWS CALLS
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "heft/app/identify_files.hpp"
#include "heft/log/arrays.hpp"

namespace {

constexpr char kPendulum[] = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0.5 0 0"/><mass value="1.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" velocity="9" effort="60"/></joint>
</robot>
)";

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

heft::Result<heft::Done> measure(int rows, int calls) {
  std::vector<double> t(rows), q(rows), tau(rows);
  for (int i = 0; i < rows; ++i) {
    t[i] = 0.002 * i;
    q[i] = std::sin(3 * t[i]) + 0.5 * std::cos(5 * t[i]);
    const double qd = 3 * std::cos(3 * t[i]) - 2.5 * std::sin(5 * t[i]);
    const double qdd = -9 * std::sin(3 * t[i]) - 12.5 * std::cos(5 * t[i]);
    tau[i] = 0.5 * qdd - 9.81 * std::cos(q[i]) + 0.3 * qd;
  }
  for (int k = 0; k < calls; ++k) {
    const double begin = processor_seconds();
    HEFT_TRY(robot, heft::read_robot_text("robot.urdf", kPendulum, ""));
    HEFT_TRY(result,
             heft::identify_logs(std::move(robot), {heft::array_log("arrays", t, q, tau)}, {}, {}));
    std::printf("%.9f %.17g\n", processor_seconds() - begin, result.answer().parameters[1]);
  }
  return heft::Done{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: bench_arrays ROWS CALLS\n"), 100;
  const auto done = measure(std::atoi(argv[1]), std::atoi(argv[2]));
  if (!done) std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return done ? 0 : 1;
}
