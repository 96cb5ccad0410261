// The order of a robot's logs, which decides which logs are neighbors in the blocks of its noise.
#include "resolved_robot.hpp"

#include <algorithm>

#include "tests/fleet/stored_leaves.hpp"

namespace heft {
namespace {

class OrderOfLogs : public StoredLeaves {
 protected:
  OrderOfLogs() {
    double phase = 2;
    for (const char* name : {"c", "d", "e", "f"}) add_log(name, phase += 0.4);
    rows_[0].start_s = 9;  // a and its earlier part are one log with two leaves
    rows_.push_back(rows_[0]);
    rows_.back().start_s = 1, rows_.back().end_s = 8;
    sha256_.push_back(sha256_[0]);
  }

  /// The robot of these rows, whose keys depend on the cutoff.
  ResolvedRobot resolved(double lowpass_hz) {
    RobotSetups setups([&](const std::string&) {
      Configuration configuration;
      configuration.conditioning.lowpass_hz = lowpass_hz;
      return configuration;
    });
    const FleetPlan plan = plan_fleet({.path = "fleet.csv", .rows = rows_});
    LogDigests digests(*store_);
    return *resolve(plan, plan.robots.front(), setups, digests, true, {});
  }
};

TEST_F(OrderOfLogs, DependsOnTheirBytesAlone) {
  std::sort(sha256_.begin(), sha256_.end());
  int num_by_key = 0;
  for (const double lowpass_hz : {5.0, 6.0, 7.0, 8.0}) {
    std::reverse(rows_.begin(), rows_.end());
    const ResolvedRobot robot = resolved(lowpass_hz);
    ASSERT_TRUE(robot.errors.empty()) << robot.errors.front().message();
    EXPECT_EQ(robot.training_digests, sha256_);
    const std::vector<FleetRow>& rows = robot.input.training;
    const std::vector<std::string>& keys = robot.input.leaf_keys;
    ASSERT_EQ(rows.size(), sha256_.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      EXPECT_EQ(keys[k], robot.setup->leaf_key(sha256_[k], rows[k]));
      if (k == 0 || sha256_[k] != sha256_[k - 1]) continue;
      EXPECT_LT(rows[k - 1].start_s, rows[k].start_s);
    }
    num_by_key += std::is_sorted(keys.begin(), keys.end()) ? 1 : 0;
  }
  EXPECT_EQ(num_by_key, 0) << "keys in order would prove nothing";
}

}  // namespace
}  // namespace heft
