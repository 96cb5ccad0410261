// A robot with one revolute and one prismatic joint, for readers that need one.
#pragma once

#include "heft/robot/robot_document.hpp"
#include "tests/fuzz/bytes_file.hpp"

namespace heft::fuzz {

inline constexpr const char* kSmallRobot = R"(<robot name="crane">
  <link name="base"/>
  <link name="boom"><inertial><origin xyz="0.4 0 0.1"/><mass value="3"/>
    <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <link name="hook"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.002"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="boom"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="50" velocity="5"/></joint>
  <joint name="lift" type="prismatic"><parent link="boom"/><child link="hook"/><origin xyz="0.8 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="50" velocity="2"/></joint>
</robot>
)";

inline const Robot& small_robot() {
  static const Robot robot = *read_robot_text("crane.urdf", kSmallRobot, "");
  return robot;
}

}  // namespace heft::fuzz
