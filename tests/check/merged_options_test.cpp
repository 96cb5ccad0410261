#include "host/identification/check/merged_options.hpp"

#include <gtest/gtest.h>

namespace heft::check {
namespace {

Robot arm() {
  Robot robot;
  for (const char* name : {"a", "b", "c"}) robot.coordinates.push_back({.name = name});
  return robot;
}

std::optional<std::string> merged(const std::vector<std::string>& options,
                                  const LogFormat& in_force = {}) {
  std::vector<Finding> findings;
  for (const std::string& yaml : options)
    findings.push_back({.name = "found", .severity = Severity::error, .fix = {.yaml = yaml}});
  return merged_options(findings, arm(), in_force);
}

TEST(MergedOptions, SectionsAndJointsJoin) {
  EXPECT_EQ(
      merged({"robot: {gravity: [0, 0, 0]}\n", "log: {torque_scale: 0.001}\n",
              "log: {angle_unit: {\"b\": deg}}\n", "log: {angle_unit: {\"c\": deg}}\n"}),
      "robot: {gravity: [0, 0, 0]}\nlog: {torque_scale: 0.001, angle_unit: {\"b\": deg, \"c\": deg}}\n");
}

TEST(MergedOptions, ScalesOfOneJointMultiply) {
  EXPECT_EQ(merged({"log: {torque_scale: {\"b\": -1}}\n",
                    "log: {torque_scale: {\"b\": 0.001, \"c\": 0.001}}\n"}),
            "log: {torque_scale: {\"b\": -0.001, \"c\": 0.001}}\n");
  EXPECT_EQ(merged({"log: {torque_scale: -1}\n", "log: {torque_scale: {\"b\": 0.001}}\n"}),
            "log: {torque_scale: {\"a\": -1, \"b\": -0.001, \"c\": -1}}\n");
  LogFormat doubled;
  doubled.torque_scale = 2;  // each option has it already
  EXPECT_EQ(merged({"log: {torque_scale: {\"a\": 2, \"b\": -2, \"c\": 2}}\n",
                    "log: {torque_scale: {\"a\": 2, \"b\": 2, \"c\": 0.002}}\n"},
                   doubled),
            "log: {torque_scale: {\"a\": 2, \"b\": -2, \"c\": 0.002}}\n");
}

TEST(MergedOptions, KeepsASingleOption) {
  const std::string yaml = "log: {position_scale: {\"a\": 0.001}}\n";
  EXPECT_EQ(merged({yaml, yaml}), yaml);
  EXPECT_EQ(merged({}), "");
}

TEST(MergedOptions, ListsThatDifferExcludeEachOther) {
  EXPECT_EQ(merged({"log: {torque: [\"1\", \"2\"]}\n", "log: {torque: [\"2\", \"1\"]}\n"}),
            std::nullopt);
}

}  // namespace
}  // namespace heft::check
