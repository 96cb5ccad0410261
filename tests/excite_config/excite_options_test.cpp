// Limits and beliefs from YAML: every form of a number per joint, and the errors with their places.
#include "excite_config/excite_options.hpp"

#include <gtest/gtest.h>

namespace heft {
namespace {

Robot arm() {
  Robot robot;
  for (const char* name : {"a", "b"}) robot.coordinates.push_back({.name = name});
  return robot;
}

TEST(ExciteOptions, NumbersOfJointsInEveryForm) {
  ExciteOptions options;
  const auto read = excite_options_from_yaml(
      "limits:\n"
      "  position: {scale: 0.9, values: {a: [-1, 2], b: 3}}\n"
      "  velocity: {values: [4, 5]}\n"
      "  jerk: {values: 6}\n"
      "  torque: {deviations: 1, values: {b: 7}}\n"
      "  clearance: 0.02\n"
      "  couplings:\n"
      "    - {name: m, of: {a: 1, b: -0.5}, position: [-1, 1], velocity: 2}\n"
      "beliefs: {noise: [0.1, 0.2], rotor: {a: 0.3}, samples_per_second: 30}\n",
      "limits.yaml", arm(), options);
  ASSERT_TRUE(read) << read.error().message();
  using Numbers = std::map<std::string, double>;
  const LimitOptions& limits = options.limits;
  EXPECT_EQ(limits.position.scale, 0.9);
  EXPECT_EQ(limits.position.ranges.at("a"), std::pair(-1.0, 2.0));
  EXPECT_EQ(limits.position.values, (Numbers{{"b", 3}}));
  EXPECT_EQ(limits.velocity.values, (Numbers{{"a", 4}, {"b", 5}}));
  EXPECT_EQ(limits.jerk.values, (Numbers{{"a", 6}, {"b", 6}}));
  EXPECT_TRUE(limits.acceleration.values.empty());
  EXPECT_EQ(limits.torque.values, (Numbers{{"b", 7}}));
  EXPECT_EQ(limits.torque_deviations, 1.0);
  EXPECT_EQ(options.clearance.margin, 0.02);
  ASSERT_EQ(limits.couplings.size(), 1u);
  EXPECT_EQ(limits.couplings[0].of, (Numbers{{"a", 1}, {"b", -0.5}}));
  EXPECT_EQ(limits.couplings[0].position, std::pair(-1.0, 1.0));
  EXPECT_EQ(limits.couplings[0].velocity, 2.0);
  EXPECT_FALSE(limits.couplings[0].jerk);
  EXPECT_EQ(options.beliefs.noise, (Numbers{{"a", 0.1}, {"b", 0.2}}));
  EXPECT_EQ(options.beliefs.rotor, (Numbers{{"a", 0.3}}));
  EXPECT_EQ(options.beliefs.samples_per_second, 30);
}

TEST(ExciteOptions, ErrorsNamePlaceAndOption) {
  const struct {
    const char *yaml, *where, *what;
  } kWrong[] = {
      {"[1]", "limits.yaml:1", "must be a mapping of sections"},
      {"\nlimit: {}", "limits.yaml:2", "unknown option 'limit'"},
      {"limits:\n  velocty: {scale: 1}", "limits.yaml:2", "unknown option 'velocty'"},
      {"limits:\n  velocity: {deviations: 1}", "limits.yaml:2", "unknown option 'deviations'"},
      {"limits: {velocity: 3}", "limits.yaml:1", "velocity must be a mapping of options"},
      {"limits: {velocity: {values: [1, 2, 3]}}", "limits.yaml:1",
       "values has 3 values for 2 joints"},
      {"limits: {velocity: {values: {a: fast}}}", "limits.yaml:1",
       "values of a: cannot read 'fast'"},
      {"limits: {velocity: {values: {a: [1, 2]}}}", "limits.yaml:1", "values of a: cannot read"},
      {"limits: {position: {values: {a: [1]}}}", "limits.yaml:1", "values of a: cannot read"},
      {"limits: {couplings: {name: m}}", "limits.yaml:1", "couplings must be a list of mappings"},
      {"limits:\n  couplings:\n    - {name: m}", "limits.yaml:3", "a coupling has no joints"},
      {"limits:\n  couplings:\n    - {of: {a: 1}, position: 2}", "limits.yaml:3",
       "position: cannot read '2'"},
      {"beliefs: {noise_of_effort: .inf}", "limits.yaml:1", "noise_of_effort: cannot read '.inf'"},
  };
  for (const auto& [yaml, where, what] : kWrong) {
    ExciteOptions options;
    const auto read = excite_options_from_yaml(yaml, "limits.yaml", arm(), options);
    ASSERT_FALSE(read) << yaml;
    EXPECT_EQ(read.error().where, where) << yaml;
    EXPECT_NE(read.error().what.find(what), std::string::npos) << read.error().what;
  }
}

}  // namespace
}  // namespace heft
