// Stamps in two columns, also in headers with very many columns; columns of joints with other
// names.
#include "readers/column_guess.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace heft {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(StampPairs, AreSecondsAndNanosecondsOfOneName) {
  EXPECT_EQ(stamp_pairs({"header.stamp.nsecs", "q", "header.stamp.secs", "nanosec", "sec"}),
            (Pairs{{2, 0}, {4, 3}}));
  EXPECT_EQ(stamp_pairs({"a.sec", "b.nanosec"}), Pairs{});
}

TEST(StampPairs, OfManyColumnsTakeATimeThatGrowsWithTheirNumber) {
  constexpr std::size_t kColumns = 100'000;  // a search of all for each would take minutes
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kColumns; ++k) names.push_back("c" + std::to_string(k) + ".nanosec");
  names.push_back("c7.sec");
  const std::clock_t start = std::clock();
  EXPECT_EQ(stamp_pairs(names), (Pairs{{kColumns, 7}}));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 10);
}

TEST(OtherJoints, HavePositionAndTorqueOfOneName) {
  Robot robot;
  for (const char* name : {"joint_1", "joint_2"}) robot.coordinates.push_back({.name = name});
  using Names = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(
      columns_of_other_joints(
          {"t", "q_joint_1", "tau_joint_1", "q_elbow", "tau_elbow", "gripper_position"}, robot),
      (Names{{"q_elbow", "tau_elbow"}}));
  EXPECT_EQ(
      columns_of_other_joints({"t", "q_joint_1", "q_joint_2", "tau_joint_1", "tau_elbow"}, robot),
      Names{});
}

}  // namespace
}  // namespace heft
