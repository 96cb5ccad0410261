// Logs larger than memory: the check of a log reads as many rows as allowed, and says so.

#include <gtest/gtest.h>
#include <unistd.h>

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

}  // namespace
}  // namespace heft::check
