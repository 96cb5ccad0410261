#!/usr/bin/env bash
# mujoco 4.0.0 and Pinocchio 4.1.0 (pin on PyPI), a gripper that MjSpec.attach puts on an arm.
#
# Expected: Pinocchio reads the robot that MjSpec.to_xml() wrote, or says that it cannot: MuJoCo reads it back with the same masses.
# Behavior: attach puts the gripper into a <frame>, and to_xml keeps that element. Pinocchio's MJCF reader passes over <frame> with all
#           bodies and joints in it and does not warn. The arm alone is a valid model, so that its torques look right, and everything
#           computed from it lacks the load. The same bodies without the <frame> are all read.
# Seen:     MuJoCo, as attached     2 degrees of freedom, 4.0 kg
#           MuJoCo, read back       2 degrees of freedom, 4.0 kg
#           Pinocchio               1 degrees of freedom, 3.0 kg
#           Pinocchio, no <frame>   2 degrees of freedom, 4.0 kg
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check mujoco==4.0.0 pin==4.1.0 || exit 77
cat >attach.py <<'END'
import sys

import mujoco
import pinocchio as pin

ARM = """<mujoco><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
<inertial pos="0 0 0.2" mass="3" diaginertia="0.03 0.03 0.02"/><site name="flange" pos="0 0 0.4"/></body></worldbody></mujoco>"""
GRIPPER = """<mujoco><worldbody><body name="finger"><joint name="slide" type="slide" axis="1 0 0"/>
<inertial pos="0 0 0.05" mass="1" diaginertia="0.002 0.002 0.001"/></body></worldbody></mujoco>"""


def of_mujoco(model):
    return model.nv, round(float(model.body_mass.sum()), 6)


def of_pinocchio(text):
    with open("robot.xml", "w") as file:
        file.write(text)
    model = pin.buildModelFromMJCF("robot.xml")
    return model.nv, round(pin.computeTotalMass(model), 6)


arm = mujoco.MjSpec.from_string(ARM)
arm.attach(mujoco.MjSpec.from_string(GRIPPER), site=arm.site("flange"), prefix="gripper/")
attached = of_mujoco(arm.compile())
text = arm.to_xml()
without = text.replace('<frame pos="0 0 0.4">', "").replace("</frame>", "")
assert without.count("<frame") == 0 and without != text
found = {"MuJoCo, as attached": attached, "MuJoCo, read back": of_mujoco(mujoco.MjModel.from_xml_string(text)),
         "Pinocchio": of_pinocchio(text), "Pinocchio, no <frame>": of_pinocchio(without)}
for name, (freedoms, mass) in found.items():
    print(f"{name:22}  {freedoms} degrees of freedom, {mass} kg")
sys.exit(0 if list(found.values()) == [(2, 4.0), (2, 4.0), (1, 3.0), (2, 4.0)] else 1)
END
env/bin/python attach.py
