// The terminal report and the JSON of small robots, character by character where it matters.
#include <gtest/gtest.h>

#include "observe/json.hpp"
#include "tests/observe/builders.hpp"

namespace heft {
namespace {

Robot arm_with_rotor() {
  Robot robot = parallel_2r_arm({0, 0, -9.81});
  add_rotor(robot, 0, 1, 10, Eigen::Isometry3d(Eigen::Translation3d(0.25, 0, 0)));
  return robot;
}

// With H the mass matrix, H_22 = Izz_2 + 100 I and H_12 = Izz_2 + 10 I + ... tell the rotor's I
// from the link's Izz_2; torque 1 alone sees H_11 and H_12, in which Izz_1 + 0.25 m_2 + 0.0625 m_r
// + I + Izz_2 and Izz_2 + 10 I stand.
TEST(Report, Table) {
  const Result<Observability> observed = observe(arm_with_rotor());
  ASSERT_TRUE(observed.ok());
  EXPECT_EQ(format_observability(*observed),
            R"(parallel_2r: 5 identifiable combinations of 24 parameters (4 without rotors)

            dim V  dim K  dim T  base parameters
  b1            2      1      9                1
  b2            4      4     10                4
  V: velocities that the body can have, gravity counted as one
  K: combinations of its parameters that would show if all other bodies were known
  T: combinations that could move to its parent without changing any torque

  ● alone   ◐ in combination   ○ not at all

            m  mcx  mcy  mcz  Ixx  Ixy  Iyy  Ixz  Iyz  Izz
  b1        ○    ○    ○    ○    ○    ○    ○    ○    ○    ◐
  b2        ◐    ●    ●    ○    ○    ○    ○    ○    ○    ●

            m  mc_axial  I_perp  I_axial
  rotor_b2  ◐         ○       ○        ●

identifiable combinations
  Izz_b1 + 0.25 m_b2 + 0.0625 m_rotor_b2
  mcx_b2
  mcy_b2
  Izz_b2
  I_axial_rotor_b2

identifiable from one channel alone
  j1: 4 combinations, 2 parameters by themselves
  j2: 4 combinations, 4 parameters by themselves
)");
}

TEST(Report, DimensionsOnly) {
  ObserveOptions options;
  options.dimensions_only = true;
  const Result<Observability> observed = observe(arm_with_rotor(), options);
  ASSERT_TRUE(observed.ok());
  const std::string text = format_observability(*observed);
  EXPECT_NE(text.find("dim V"), std::string::npos);
  EXPECT_EQ(text.find("\nidentifiable combinations\n"), std::string::npos);
}

TEST(Report, Json) {
  const Result<Observability> observed = observe(arm_with_rotor());
  ASSERT_TRUE(observed.ok());
  const nlohmann::json json = observability_json(*observed);
  EXPECT_EQ(json["schema"], "heft-observe-1");
  EXPECT_EQ(json.at("num_parameters"), 24);
  EXPECT_EQ(json.at("parameters").size(), 24u);
  EXPECT_EQ(json.at("parameters").at(20).at("body"), "rotor_b2");
  EXPECT_EQ(json.at("parameters").at(20).at("name"), "m");
  EXPECT_EQ(json.at("parameters").at(20).at("visibility"), "in_combination");
  EXPECT_EQ(json.at("parameters").at(9).at("is_base"), true);
  EXPECT_EQ(json.at("parameters").at(10).at("is_base"), false);
  EXPECT_EQ(json.at("identifiable").at(0).at("m_rotor_b2"), 0.0625);
  EXPECT_EQ(json.at("null_basis").size() + json.at("identifiable").size(), 24u);
  EXPECT_EQ(json.at("joints").at(1).at("bodies"), (nlohmann::json{"b2", "rotor_b2"}));
  EXPECT_EQ(json.at("channels").at(1).at("channel"), "j2");
  EXPECT_EQ(json.at("channels").at(1).at("alone"),
            (nlohmann::json{"mcx_b2", "mcy_b2", "Izz_b2", "I_axial_rotor_b2"}));
}

}  // namespace
}  // namespace heft
