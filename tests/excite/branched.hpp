// A robot with every kind of joint.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "heft/robot/robot_document.hpp"

namespace heft::excite {

inline constexpr const char* kInertial =
    R"(<inertial><origin xyz="0.02 -0.03 0.1" rpy="0.1 0.2 0.3"/><mass value="2"/>
       <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.025" iyz="0.003" izz="0.01"/></inertial>)";

inline std::string link(const std::string& name) {
  return "<link name='" + name + "'>" + kInertial + "</link>";
}

inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& origin, const std::string& axis,
                         const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + "<origin " + origin + "/><axis xyz='" + axis +
         "'/><limit lower='-2' upper='2' effort='50' velocity='2'/>" + more + "</joint>";
}

/// A branched robot: revolute joints at every angle to each other, one that slides, one that
/// follows another.
inline Robot branched() {
  const std::string text =
      "<robot name='branched'><link name='base'/>" + link("a") + link("b") + link("c") + link("d") +
      link("e") + joint("ja", "revolute", "base", "a", "xyz='0 0 0.3' rpy='0.2 0 0'", "0 0 1") +
      joint("jb", "revolute", "a", "b", "xyz='0.1 0 0.2' rpy='1.5707963267948966 0 0'", "0 0 1") +
      joint("jc", "prismatic", "b", "c", "xyz='0 0.3 0' rpy='0 0.7 0.4'", "0.6 0 0.8") +
      joint("jd", "revolute", "c", "d", "xyz='0.2 0.1 0' rpy='0.3 -0.4 0.5'", "0 1 0") +
      joint("je", "revolute", "b", "e", "xyz='0 -0.2 0.1' rpy='0 0 0'", "0.36 0.48 0.8",
            "<mimic joint='jd' multiplier='-0.5' offset='0.1'/>") +
      "</robot>";
  auto robot = read_robot_text("branched.urdf", text, "");
  EXPECT_TRUE(robot) << (robot ? "" : robot.error().message());
  return *robot;
}

}  // namespace heft::excite
