#!/usr/bin/env python3
"""Writes a URDF of the demo arm with a payload on its gripper, to simulate logs of a loaded robot.

Usage: tools/demo/loaded_arm.py OUT.urdf [MASS,X,Y,Z ..]

Every body has a mass [kg] at a place in the gripper's frame [m]; unless one is named, 2 kg, 30 mm to the side and 80 mm in front.
"""
import pathlib
import sys

MASS, COM = 2.0, (0.03, 0.0, 0.08)
SIZE = (0.1, 0.08, 0.12)
PAYLOAD = """\
  <link name="payload{}">
    <inertial>
      <origin xyz="{} {} {}"/>
      <mass value="{}"/>
      <inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/>
    </inertial>
  </link>
  <joint name="grasp{}" type="fixed"><parent link="gripper"/><child link="payload{}"/></joint>
"""


def loaded_arm(bodies=((MASS, COM),)):
    """Text of the URDF; `bodies`: mass and center of mass of each body on the gripper."""
    text = pathlib.Path(__file__).with_name("arm.urdf").read_text().replace("</robot>", "")
    for k, (mass, com) in enumerate(bodies):
        x, y, z = (mass / 12 * side**2 for side in SIZE)
        text += PAYLOAD.format(k, *com, mass, y + z, x + z, x + y, k, k)
    return text + "</robot>\n"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    bodies = [(mass, tuple(at)) for mass, *at in ([float(x) for x in words.split(",")] for words in sys.argv[2:])]
    pathlib.Path(sys.argv[1]).write_text(loaded_arm(bodies or ((MASS, COM),)))
