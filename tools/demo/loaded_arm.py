#!/usr/bin/env python3
"""The demo arm with 2 kg on its gripper, 30 mm to the side and 80 mm in front: a URDF for logs of a loaded robot.

Usage: tools/demo/loaded_arm.py OUT.urdf
"""
import pathlib
import sys

MASS, COM = 2.0, (0.03, 0.0, 0.08)
SIZE = (0.1, 0.08, 0.12)
PAYLOAD = """\
  <link name="payload">
    <inertial>
      <origin xyz="{} {} {}"/>
      <mass value="{}"/>
      <inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/>
    </inertial>
  </link>
  <joint name="grasp" type="fixed"><parent link="gripper"/><child link="payload"/></joint>
</robot>"""


def loaded_arm():
    """Text of the URDF."""
    x, y, z = (MASS / 12 * side**2 for side in SIZE)
    text = pathlib.Path(__file__).with_name("arm.urdf").read_text()
    return text.replace("</robot>", PAYLOAD.format(*COM, MASS, y + z, x + z, x + y))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(loaded_arm())
