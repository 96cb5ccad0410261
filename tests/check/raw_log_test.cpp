// Logs larger than memory: the check of a log reads as many rows as allowed, and says so.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "heft/robot/robot_document.hpp"
#include "host/identification/check/log_facts.hpp"

namespace heft::check {
namespace {

constexpr const char* kPendulum = R"(<robot name="pendulum"><link name="a"/><link name="b"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)";
constexpr int kNumRows = 1000;

class RawLogTest : public testing::Test {
 protected:
  // a name of its own: other cases run beside this one
  RawLogTest()
      : path_(testing::TempDir() + "heft_raw_log_test_" + std::to_string(::getpid()) + ".csv") {
    std::ofstream file(path_);
    file << "t,q1,tau1\n";
    for (int k = 0; k < kNumRows; ++k) file << 0.01 * k << ',' << k << ",1\n";
    log_.robot = *read_robot_text("pendulum.urdf", kPendulum, "");
    log_.channels = default_channels(log_.robot);
  }
  ~RawLogTest() override { std::filesystem::remove(path_); }

  void read(std::size_t most_numbers) {
    auto raw = read_raw_log(path_, log_.robot, log_.channels, log_.options, most_numbers);
    ASSERT_TRUE(raw) << raw.error().message();
    log_.raw = *std::move(raw);
  }

  std::string path_;
  LogFacts log_;
};

TEST_F(RawLogTest, TruncatesALongLogAndReportsWhere) {
  read(2 * 600 + 1);  // position and torque of 600 rows, and not one number too many
  EXPECT_EQ(log_.raw.num_rows(), 600);
  EXPECT_EQ(log_.raw.position(0)[599], 599);
  const MaybeLogEvidence evidence = log_cut(log_);
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->measure, 600);
  EXPECT_EQ(evidence->line, 601);  // below the header
}

TEST_F(RawLogTest, ALogThatFitsIsReadToItsEnd) {
  read(2 * kNumRows);
  EXPECT_EQ(log_.raw.num_rows(), kNumRows);
  EXPECT_FALSE(log_cut(log_));
}

TEST_F(RawLogTest, RulesNameTheLineBesideMissingNumbers) {
  read(2 * kNumRows);
  auto position = log_.raw.values.col(log_.raw.columns.first_position);
  auto torque = log_.raw.values.col(log_.raw.columns.torque[0]);
  for (int k = 0; k < kNumRows; ++k) {
    position[k] = std::sin(0.05 * k);
    torque[k] = 3 * std::cos(0.05 * k);
  }
  const JointLog joint{.joint = 0, .channel = 0, .moves = true};
  EXPECT_FALSE(torque_saturated(log_, joint));
  EXPECT_FALSE(signal_spikes(log_, log_.raw.columns.first_position));
  torque.segment(500, 10).setConstant(5);
  torque[3] = torque[10] = std::nan("");
  position[300] += 0.5;
  const MaybeLogEvidence clipped = torque_saturated(log_, joint),
                         spike = signal_spikes(log_, log_.raw.columns.first_position);
  ASSERT_TRUE(clipped && spike);
  EXPECT_EQ(clipped->line, 502);  // row 500 below the header
  EXPECT_EQ(clipped->measure, 5);
  EXPECT_NEAR(clipped->rows_share, 10.0 / (kNumRows - 2), 1e-12);
  EXPECT_EQ(spike->line, 302);
}

// Stamps 0, 0.25, 1, 1.25, .. and a pause.
TEST_F(RawLogTest, PlacesOfRowsBetweenTheirNeighbors) {
  {
    std::ofstream file(path_);
    file << "t,q1,tau1\n";
    for (int k = 0; k < 40; ++k)
      file << 0.25 * (k % 2) + k / 2 + (k >= 20 ? 1000 : 0) << ',' << k << ",1\n";
  }
  read(2 * kNumRows);
  const Eigen::ArrayXd& places = log_.raw.place_between;
  ASSERT_EQ(places.size(), 40);
  for (const Eigen::Index outside : {0, 19, 20, 39}) EXPECT_TRUE(std::isnan(places[outside]));
  for (const Eigen::Index odd : {1, 3, 21}) EXPECT_DOUBLE_EQ(places[odd], 0.25);
  for (const Eigen::Index even : {2, 4, 22}) EXPECT_DOUBLE_EQ(places[even], 0.75);
}

}  // namespace
}  // namespace heft::check
