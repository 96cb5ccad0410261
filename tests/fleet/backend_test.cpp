// The backend that computes for a fleet.
#include "robot_setup.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fleet/stored_leaves.hpp"

namespace heft {
namespace {

TEST(BackendOfAFleet, IsADeviceByNameAlone) {
  Configuration configuration;
  configuration.backend = {.kind = BackendKind::automatic, .threads = 7};
  EXPECT_EQ(backend_of(configuration, 3).kind, BackendKind::cpu);
  EXPECT_EQ(backend_of(configuration, 3).threads, 3);
  configuration.backend.kind = BackendKind::cuda;
  EXPECT_EQ(backend_of(configuration, 3).kind, BackendKind::cuda);
}

using SetupsOfAFleet = StoredLeaves;

TEST_F(SetupsOfAFleet, AreMadeOnceWhileTheyAreInUse) {
  const std::string robot = rows_[0].robot;
  int num_made = 0;
  RobotSetups setups([&](const std::string&) {
    ++num_made;
    return Result<Configuration>(Configuration());
  });
  const auto of = [&](int config) { return *setups.of(robot, std::to_string(config)); };
  const auto in_use = of(0);
  constexpr int kMore = 70;  // than are kept
  for (int config = 1; config <= kMore; ++config) of(config);
  EXPECT_EQ(num_made, 1 + kMore);
  EXPECT_EQ(of(0), in_use);
  EXPECT_EQ(num_made, 1 + kMore);
  of(1);
  EXPECT_EQ(num_made, 2 + kMore);
}

TEST_F(SetupsOfAFleet, SumOnTheCpuIfTheRobotIsSmall) {
  RobotSetup setup = *robot_;
  EXPECT_FALSE(setup.conditions_on_device());
  setup.configuration.backend.kind = BackendKind::cuda;
  EXPECT_TRUE(setup.conditions_on_device());
  EXPECT_EQ(setup.backend_of_sums(3).kind, BackendKind::cpu);
  EXPECT_EQ(setup.backend_of_sums(3).threads, 3);
  const auto large = std::make_shared<RegressorPlan>(setup.setup.plan());
  while (large->layout.num_parameters() <= 220) large->layout.bodies.emplace_back("more");
  setup.setup.model.plan = large;
  EXPECT_EQ(setup.backend_of_sums(3).kind, BackendKind::cuda);
}

}  // namespace
}  // namespace heft
