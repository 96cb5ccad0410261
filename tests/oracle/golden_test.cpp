// Both oracles compared with results computed elsewhere: Pinocchio's on 26 robots and the
// identifiability data set's on arms with rotors. According to their own cross-checks, 1e-12 of the
// largest entry is a safe tolerance.
#include "tests/oracle/golden.hpp"

#include <gtest/gtest.h>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/golden_rpna.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/point_mass_lagrangian.hpp"

namespace heft::oracle {
namespace {

constexpr double kTolerance = 1e-12;

void expect_close(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& theirs,
                  const std::string& what) {
  ASSERT_EQ(ours.rows(), theirs.rows()) << what;
  ASSERT_EQ(ours.cols(), theirs.cols()) << what;
  EXPECT_LE(largest_difference(ours, theirs), kTolerance * largest_entry(theirs)) << what;
}

TEST(Golden, DynamicsOfTwentySixRobots) {
  const auto golden = golden_directory();
  if (!golden) GTEST_SKIP() << kNoGolden;
  int num_regressors = 0;
  const std::vector<std::string> names = golden_dynamics_names(*golden);
  ASSERT_EQ(names.size(), 26u);
  for (const std::string& name : names) {
    const GoldenRobot loaded = load_golden_dynamics(*golden, name);
    ASSERT_EQ(loaded.states.size(), 6u) << name;
    for (const GoldenState& state : loaded.states) {
      const std::string what = name + " " + state.kind;
      expect_close(point_mass_torques(loaded.robot, state.motion), state.tau,
                   what + ": point masses");
      expect_close(newton_euler_torques(loaded.robot, state.motion), state.tau,
                   what + ": Newton-Euler");
      if (!state.Y) continue;
      ++num_regressors;
      expect_close(newton_euler_regressor(loaded.robot, state.motion), *state.Y,
                   what + ": regressor");
    }
  }
  EXPECT_EQ(num_regressors, 52);
}

TEST(Golden, TorquesOfArmsWithRotors) {
  const auto golden = golden_directory();
  if (!golden) GTEST_SKIP() << kNoGolden;
  for (const char* name : kRpnaNames) {
    const RpnaGolden loaded = load_golden_rpna(*golden, name);
    ASSERT_EQ(loaded.samples.size(), 6u) << name;
    int num_regressors = 0;
    for (const RpnaSample& sample : loaded.samples) {
      const auto& [motion, tau_links, tau_links_and_rotors, Y_links] = sample;
      expect_close(point_mass_torques(loaded.links, motion), tau_links, name);
      expect_close(newton_euler_torques(loaded.links, motion), tau_links, name);
      expect_close(point_mass_torques(loaded.links_and_rotors, motion), tau_links_and_rotors, name);
      expect_close(newton_euler_torques(loaded.links_and_rotors, motion), tau_links_and_rotors,
                   name);
      if (!Y_links) continue;
      ++num_regressors;
      expect_close(newton_euler_regressor(loaded.links, motion), *Y_links, name);
    }
    EXPECT_EQ(num_regressors, 1) << name;
  }
}

}  // namespace
}  // namespace heft::oracle
