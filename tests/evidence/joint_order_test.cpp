// A robot with two arms and numbered columns: the log's order may differ from the robot's.
#include <algorithm>

#include "check/joint_orders.hpp"
#include "planar_arm.hpp"

namespace heft {
namespace {

constexpr double kTurned = 1.2;  // rad, from the first arm's base to the second's

/// Two planar arms on one base; the second stands turned in the plane.
std::string two_arms() {
  const std::string arm = kArm;
  const auto part = [&](const std::string& prefix, const std::string& place) {
    std::string text = arm.substr(arm.find("<link name=\"upper\">"));
    text.resize(text.find("</robot>"));
    for (const char* name : {"upper", "lower", "shoulder", "elbow"})
      for (std::size_t at = text.find('"' + std::string(name)); at != std::string::npos;
           at = text.find('"' + std::string(name), at + 1))
        text.insert(at + 1, prefix);
    text.insert(text.find("<axis"), place);
    return text;
  };
  return "<robot name=\"two arms\"><link name=\"base\"/>" + part("a_", "") +
         part("b_", "<origin xyz=\"0 0 1\" rpy=\"0 0 1.2\"/>") + "</robot>";
}

/// Columns t, four positions, four torques.
Eigen::ArrayXXd recorded_by_two(double phase) {
  const Eigen::ArrayXXd a = recorded(phase), b = recorded(phase + 0.5);
  Eigen::ArrayXXd log(a.rows(), 9);
  log << a.leftCols(3), b.col(1) - kTurned, b.col(2), a.rightCols(2), b.rightCols(2);
  return log;
}

class TwoArms : public ::testing::Test {
 protected:
  TwoArms() {
    request_.setup =
        *make_setup(*read_robot_text("two.urdf", two_arms(), "", {.gravity = {0, -kGravity, 0}}));
    request_.gathering.conditioning.lowpass_hz = 15;
    request_.estimation.uncertainty.bootstrap = 0;
  }

  Identification identified() {
    const auto log_of = [](const Eigen::ArrayXXd& log, const std::string& name) {
      const auto columns = [&](Eigen::Index first, Eigen::Index count) {
        return ArrayView(&log(0, first), log.rows(), count, 1, log.rows());
      };
      return array_log(name, columns(0, 1), columns(1, 4), columns(5, 4));
    };
    request_.training_logs = {log_of(train_, "train")};
    request_.validation_logs = {log_of(held_out_, "held out")};
    auto result = identify(request_);
    EXPECT_TRUE(result) << result.error().message();
    return std::move(*result);
  }

  void read_as(const std::vector<int>& order) {
    for (Eigen::ArrayXXd* log : {&train_, &held_out_}) {
      const Eigen::ArrayXXd old = *log;
      for (int k = 0; k < 4; ++k) {
        log->col(1 + k) = old.col(1 + order[static_cast<std::size_t>(k)]);
        log->col(5 + k) = old.col(5 + order[static_cast<std::size_t>(k)]);
      }
    }
  }

  IdentifyRequest request_;
  Eigen::ArrayXXd train_ = recorded_by_two(0.3), held_out_ = recorded_by_two(1.4);
};

std::vector<std::string> serious_of(const Identification& result) {
  std::vector<std::string> ids;
  for (const Doubt& doubt : doubts_about(result))
    if (doubt.serious) ids.push_back(doubt.id);
  return ids;
}

TEST_F(TwoArms, InTheRobotsOrderAreNotDoubted) {
  EXPECT_EQ(serious_of(identified()), std::vector<std::string>());
}

TEST_F(TwoArms, ExchangedAreNamedByOneLineAndTheOptionReadsThem) {
  read_as({2, 3, 0, 1});
  const Identification faulty = identified();
  EXPECT_EQ(serious_of(faulty), std::vector<std::string>{"joints-permuted"});
  ASSERT_FALSE(faulty.second_pass.evidence.hypotheses.empty());
  const Hypothesis& best = faulty.second_pass.evidence.hypotheses.front();
  EXPECT_EQ(
      best.yaml,
      "log: {position: [\"q3\", \"q4\", \"q1\", \"q2\"], torque: [\"tau3\", \"tau4\", \"tau1\", "
      "\"tau2\"]}\n");
  request_.gathering.log.position = {"q3", "q4", "q1", "q2"};
  request_.gathering.log.torque = {"tau3", "tau4", "tau1", "tau2"};
  EXPECT_EQ(serious_of(identified()), std::vector<std::string>());
}

TEST_F(TwoArms, LevelByLevelAreNamed) {
  read_as({0, 2, 1, 3});  // both shoulders before both elbows: q2 and q3 exchanged
  const auto ids = serious_of(identified());
  ASSERT_FALSE(ids.empty());
  EXPECT_TRUE(ids.front() == "joints-swapped" || ids.front() == "joints-permuted") << ids.front();
}

TEST(JointOrders, LikeGroupsAreSubtreesOfOneStructure) {
  const Robot robot = *read_robot_text("two.urdf", two_arms(), "", {});
  EXPECT_TRUE(branches(robot));
  EXPECT_EQ(like_groups(robot), (std::vector<LikeGroups>{{{0, 1}, {2, 3}}}));
  EXPECT_EQ(order_of_groups(4, {{0, 1}, {2, 3}}, {1, 0}), (JointOrder{2, 3, 0, 1}));
  const Robot chain = *read_robot_text("planar.urdf", kArm, "", {});
  EXPECT_FALSE(branches(chain));
  EXPECT_TRUE(like_groups(chain).empty());
  EXPECT_TRUE(orders_of_all(chain).empty());  // an exchange of two is tried elsewhere
}

}  // namespace
}  // namespace heft
