// Real logs compared with the golden problems made from them (golden/sdp): the kept rows, and the
// sums over rows of squared torque, velocity and acceleration, which the problems contain as tau2
// and on the diagonal of Q.
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

std::filesystem::path directory(const char* variable, const char* otherwise) {
  const char* named = std::getenv(variable);
  return named != nullptr ? named : otherwise;
}

class RealLogTest : public testing::Test {
 protected:
  const std::filesystem::path data_ = directory("HEFT_DATA", HEFT_DATA_DEFAULT);
  const std::filesystem::path golden_ = directory("HEFT_GOLDEN", HEFT_GOLDEN_DEFAULT) / "sdp";

  bool absent(const std::string& log, const std::string& golden) const {
    return !std::filesystem::exists(data_ / log) || !std::filesystem::exists(golden_ / golden);
  }
  nlohmann::json problem(const std::string& name) const {
    return nlohmann::json::parse(std::ifstream(golden_ / name));
  }

  static ConditioningRun arm(int num_joints) {
    std::vector<std::string> joints;
    for (int k = 1; k <= num_joints; ++k) joints.push_back("joint_" + std::to_string(k));
    return {arm_of(joints)};
  }

  static std::vector<int> rows_per_joint(const std::vector<Conditioned>& logs) {
    std::vector<int> rows;
    for (const Conditioned& log : logs) {
      const Eigen::ArrayXXd weight = log.all(&Samples::weight);
      rows.resize(static_cast<std::size_t>(weight.cols()), 0);
      for (int c = 0; c < weight.cols(); ++c) rows[c] += static_cast<int>(weight.col(c).sum());
    }
    return rows;
  }

  // sum of weight x^2 over the rows of one joint
  static double square_sum(const std::vector<Conditioned>& logs, Eigen::ArrayXXd Samples::* member,
                           int joint) {
    double sum = 0;
    for (const Conditioned& log : logs)
      sum += (log.all(&Samples::weight).col(joint) * log.all(member).col(joint).square()).sum();
    return sum;
  }

  static double weighted_torque(const nlohmann::json& golden,
                                const std::vector<Conditioned>& logs) {
    double sum = 0;
    for (std::size_t k = 0; k < golden["joint_weights"].size(); ++k)
      sum += golden["joint_weights"][k].get<double>() *
             square_sum(logs, &Samples::torque, static_cast<int>(k));
    return sum;
  }

  // Compares the diagonal of Q at the columns "<joint>.<kind>" with weighted sums of squares of
  // `member`.
  static void expect_diagonal(const nlohmann::json& golden, const std::vector<Conditioned>& logs,
                              const std::string& kind, Eigen::ArrayXXd Samples::* member,
                              double tolerance) {
    const auto columns = golden["columns"].get<std::vector<std::string>>();
    const auto joints = golden["source"]["joints"].get<std::vector<std::string>>();
    const std::size_t size = golden["size"]["parameters"];
    const std::size_t bodies = size - columns.size();  // columns name what follows the bodies, or
                                                       // everything
    int compared = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::size_t joint = 0; joint < joints.size(); ++joint) {
        if (columns[k] != joints[joint] + "." + kind) continue;
        const std::size_t row = bodies + k;
        const double expected = golden["Q_upper"][row * size - row * (row - 1) / 2];
        const double found = golden["joint_weights"][joint].get<double>() *
                             square_sum(logs, member, static_cast<int>(joint));
        EXPECT_NEAR(found, expected, tolerance * expected) << columns[k];
        ++compared;
      }
    }
    EXPECT_EQ(compared, static_cast<int>(joints.size()));
  }

  static void print(const std::string& name, const std::vector<int>& rows) {
    std::cout << name << ": rows per joint";
    for (const int n : rows) std::cout << " " << n;
    std::cout << "\n";
  }
};

constexpr const char* kAbsent =
    "needs the real logs and golden problems: set HEFT_DATA and HEFT_GOLDEN";

// The torque of the hydraulic counterbalance on joint 2, from the data set's README.
const std::string kCounterbalance = [] {
  const std::string delta = "(q2 - pi/2 + 95*pi/180)";
  const std::string length = "sqrt(0.8^2 + 0.2^2 - 2*0.8*0.2*cos" + delta + ")";
  const std::string area = "(pi*(0.055^2 - 0.030^2)/4)";
  const std::string pressure =
      "(1.01*296.8*328*0.159/(0.00096 - (" + length + " - 0.6)*" + area + "))";
  return "0.8*0.2*sin" + delta + "/" + length + "*" + pressure + "*" + area;
}();

TEST_F(RealLogTest, Kr300KeepsTheGoldenRowsAndSums) {
  if (absent("kuka_kr300/log_train_A.csv", "kuka_kr300_AB.json")) GTEST_SKIP() << kAbsent;
  ConditioningRun run = arm(6);
  run.options.lowpass_hz = 8;
  run.options.trim = 50;
  run.options.keep_every = 2;
  run.options.dead_band = {0.02};
  run.derived.known_torque[1] = kCounterbalance;
  std::vector<Conditioned> logs;
  for (const char* name : {"A", "B"}) {
    logs.push_back(run((data_ / fmt::format("kuka_kr300/log_train_{}.csv", name)).string()));
    ASSERT_TRUE(logs.back().ok()) << logs.back().error();
    EXPECT_EQ(logs.back().summary->num_interpolated, 0);
  }
  const std::vector<Conditioned> first = {logs[0]};
  for (const auto& [name, used] :
       {std::pair("kuka_kr300_A.json", first), {"kuka_kr300_AB.json", logs}}) {
    const auto golden = problem(name);
    print(name, rows_per_joint(used));
    EXPECT_EQ(rows_per_joint(used), golden["size"]["rows_per_joint"].get<std::vector<int>>());
    const double tau2 = golden["tau2"];
    EXPECT_NEAR(weighted_torque(golden, used), tau2, 1e-9 * tau2);
    // stamps read 0.0039999999: the mean step is 2.5e-8 shorter than the 4 ms of the golden
    // derivatives
    expect_diagonal(golden, used, "viscous", &Samples::velocity, 2.1 * 2.5e-8);
    expect_diagonal(golden, used, "rotor", &Samples::acceleration, 4.1 * 2.5e-8);
  }
}

TEST_F(RealLogTest, PandaKeepsTheGoldenRowsAndSums) {
  if (absent("franka_panda/log_train.csv", "franka_panda.json")) GTEST_SKIP() << kAbsent;
  ConditioningRun run = arm(7);
  run.options.resample_hz = 1000;
  run.options.velocity = VelocitySource::logged;
  run.options.trim = 200;
  run.options.keep_every = 4;
  const std::vector<Conditioned> logs = {run((data_ / "franka_panda/log_train.csv").string())};
  ASSERT_TRUE(logs[0].ok()) << logs[0].error();
  EXPECT_EQ(logs[0].summary->num_segments, 1);
  EXPECT_NEAR(logs[0].summary->jitter, (8.81 - 0.99) / 0.99, 0.1);
  const auto golden = problem("franka_panda.json");
  print("franka_panda.json", rows_per_joint(logs));
  EXPECT_EQ(rows_per_joint(logs), golden["size"]["rows_per_joint"].get<std::vector<int>>());
  const double tau2 = golden["tau2"];
  EXPECT_NEAR(weighted_torque(golden, logs), tau2, 1e-9 * tau2);
  expect_diagonal(golden, logs, "viscous", &Samples::velocity, 1e-9);
}

TEST_F(RealLogTest, Tx40KeepsTheGoldenRows) {
  if (absent("staubli_tx40/log_train.csv", "staubli_tx40.json")) GTEST_SKIP() << kAbsent;
  ConditioningRun run = arm(6);
  run.options.lowpass_hz = 60;
  run.options.torque_lowpass_hz = 20;
  run.options.trim = 25;
  run.options.keep_every = 5;
  run.options.dead_band = {0.0501, 0.0501, 0.0750, 0.0716, 0.0559, 0.1222};
  const std::vector<Conditioned> logs = {run((data_ / "staubli_tx40/log_train.csv").string())};
  ASSERT_TRUE(logs[0].ok()) << logs[0].error();
  const auto golden = problem("staubli_tx40.json");
  const std::vector<int> rows = rows_per_joint(logs);
  print("staubli_tx40.json", rows);
  // the golden rows went through a second filter, so that one row of joint 2, whose speed is within
  // 2e-4 of the dead band, is judged differently; sums of squares differ for the same reason
  const auto expected = golden["size"]["rows_per_joint"].get<std::vector<int>>();
  for (std::size_t k = 0; k < rows.size(); ++k)
    EXPECT_NEAR(rows[k], expected[k], k == 1 ? 1 : 0) << k;
  const double tau2 = golden["tau2"];
  EXPECT_NEAR(weighted_torque(golden, logs), tau2, 1e-3 * tau2);
}

}  // namespace
}  // namespace heft
