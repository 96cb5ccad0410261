// Identifies a robot from its URDF and a (simulated) log: bodies with intervals and a certificate.
#include <cstdio>
#include <filesystem>

#include "heft/identify/identify.hpp"
#include "heft/report/report.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/simulate/simulate.hpp"

namespace {

constexpr char kArm[] = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="4"/>
    <inertia ixx="0.01" iyy="0.06" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.15 0 0"/><mass value="2"/>
    <inertia ixx="0.004" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="60"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/>
    <origin xyz="0.4 0 0"/><limit lower="-2" upper="2" velocity="4" effort="30"/></joint>
</robot>
)";

heft::Result<heft::Identification> weigh(const std::filesystem::path& folder) {
  HEFT_TRY(drawn, heft::read_robot_text("arm.urdf", kArm, ""));
  HEFT_TRY(setup, heft::make_setup(drawn));
  heft::IdentifyRequest request{.setup = std::move(setup)};

  // a real arm differs from its drawing; the second of its two logs is held out
  heft::SimulateOptions options{.duration_s = 30, .rate_hz = 500, .perturbation = 0.1};
  HEFT_TRY(truth, heft::simulated_truth(drawn, options));
  for (auto* logs : {&request.training_logs, &request.validation_logs}) {
    logs->push_back(
        (folder / ("log_" + std::to_string(options.trajectory_seed++) + ".csv")).string());
    HEFT_CHECK(heft::simulate_log(truth, options, logs->back().name()));
  }
  return heft::identify(request);
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "heft_weigh_robot";
  std::filesystem::create_directories(folder);
  const auto identification = weigh(folder);
  std::filesystem::remove_all(folder);
  if (!identification)
    return std::fprintf(stderr, "%s\n", identification.error().message().c_str()), 1;
  std::printf("%s", heft::summary_text(*identification).c_str());
  return identification->optimum->certificate.certified ? 0 : 1;
}
