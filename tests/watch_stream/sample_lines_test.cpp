// Lines of text to samples: units, offsets and names of columns, against numbers worked out by
// hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/watch_stream/identified_arm.hpp"
#include "watch_stream/sample_lines.hpp"

namespace heft {
namespace {

constexpr char kHeader[] = "t,q_shoulder,q_elbow,tau_shoulder,tau_elbow";

Result<SampleLines> lines_of(const std::string& header, const LogFormat& format = {}) {
  return SampleLines::make(header, identified_arm(), format, "input:1");
}

TEST(SampleLines, ReadsColumnsInAnyOrderAndLeavesOthersOut) {
  auto lines = *lines_of("note, tau_elbow ,\"t\",q_elbow,q_shoulder,tau_shoulder\r");
  ASSERT_TRUE(lines.read("idle,-2.5,\"0.125\", 1e-1 ,0.2,3\r"));
  EXPECT_EQ(lines.time(), 0.125);
  EXPECT_EQ(lines.position(), (std::vector<double>{0.2, 0.1}));
  EXPECT_EQ(lines.torque(), (std::vector<double>{3, -2.5}));
}

TEST(SampleLines, ConvertsUnits) {
  LogFormat format;
  format.time_unit = "ms";
  format.angle_unit = "deg";
  format.position_offset = 0.25;
  format.torque_scale = -2;
  format.torque_offset = 1;
  auto lines = *lines_of(kHeader, format);
  ASSERT_TRUE(lines.read("1500,90,-180,4,0.5"));
  EXPECT_DOUBLE_EQ(lines.time(), 1.5);
  EXPECT_DOUBLE_EQ(lines.position()[0], std::acos(0.0) - 0.25);
  EXPECT_DOUBLE_EQ(lines.position()[1], -2 * std::acos(0.0) - 0.25);
  EXPECT_DOUBLE_EQ(lines.torque()[0], -9);
  EXPECT_DOUBLE_EQ(lines.torque()[1], -2);
}

TEST(SampleLines, NamesColumnsByTheFormat) {
  LogFormat format;
  format.time = "stamp";
  format.position = {"state[{i-1}]"};
  format.torque = {"state[{i+1}]"};
  auto lines = *lines_of("stamp,state[0],state[1],state[2],state[3]", format);
  ASSERT_TRUE(lines.read("1,2,3,4,5"));
  EXPECT_EQ(lines.position(), (std::vector<double>{2, 3}));
  EXPECT_EQ(lines.torque(), (std::vector<double>{4, 5}));
}

TEST(SampleLines, WhatIsNotANumberIsNan) {
  auto lines = *lines_of(kHeader);
  ASSERT_TRUE(lines.read("x,,nan,1.5.2," + std::string(500, '9')));
  EXPECT_TRUE(std::isnan(lines.time()));
  for (const double q : lines.position()) EXPECT_TRUE(std::isnan(q));
  for (const double tau : lines.torque()) EXPECT_TRUE(std::isnan(tau));
}

TEST(SampleLines, AnotherNumberOfFieldsIsRefused) {
  auto lines = *lines_of(kHeader);
  EXPECT_FALSE(lines.read("1,2,3,4"));
  EXPECT_FALSE(lines.read("1,2,3,4,5,6"));
  EXPECT_FALSE(lines.read(""));
}

TEST(SampleLines, HeadersAndFormatsThatDoNotFitAreRefused) {
  const auto missing = lines_of("t,q_shoulder,tau_shoulder,tau_elbow");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "input:1");
  EXPECT_FALSE(lines_of("time,q_shoulder,q_elbow,tau_shoulder,tau_elbow"));
  LogFormat format;
  format.time_unit = "iso";
  EXPECT_EQ(lines_of(kHeader, format).error().where, "log.time_unit");
}

}  // namespace
}  // namespace heft
