// The robot behind a simulated log.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "heft/simulate/simulate.hpp"
#include "tests/fuzz/small_robot.hpp"

namespace heft {
namespace {

TEST(SimulatedTruth, DependsOnItsSeedAlone) {
  const Robot& robot = fuzz::small_robot();
  const auto first = simulated_truth(robot, {.seed = 3}),
             again = simulated_truth(robot, {.seed = 3}),
             other = simulated_truth(robot, {.seed = 4});
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->parameters, again->parameters);
  EXPECT_NE(first->parameters, other->parameters);
}

TEST(SimulatedTruth, IsReadBackAsItWasWritten) {
  const auto truth = simulated_truth(fuzz::small_robot(), {});
  ASSERT_TRUE(truth);
  const auto path = std::filesystem::temp_directory_path() /
                    ("heft_truth_" + std::to_string(::getpid()) + ".json");
  ASSERT_TRUE(write_truth(*truth, path.string()));
  const auto read = read_truth(path.string(), *truth->plan);
  std::filesystem::remove(path);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, truth->parameters);
}

TEST(Simulation, NamesTheOptionThatIsWrong) {
  const auto checked = check_simulation({.torque_noise = -1});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().where, "torque_noise");
}

}  // namespace
}  // namespace heft
