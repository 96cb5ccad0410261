#!/usr/bin/env bash
# mujoco-usd-converter 0.8.0 (of the Newton project), which brings mujoco 3.16.0 and usd-exchange 3.0.1.
#
# Expected: physics:principalAxes of the USD file is the orientation of <inertial>, in whichever of MJCF's ways it is written, as it is
#           for the orientation of <body>.
# Behavior: quat and fullinertia survive. euler, axisangle, xyaxes and zaxis become the identity without a word: the diagonal inertia is
#           right, its axes are the body's, and the simulated robot has another inertia. The same keys on <body> are converted.
# Seen:     (angles in degrees between the axes of inertia, and between the bodies, of MuJoCo and of the USD file)
#           quat       inertia  0.0  body  0.0
#           euler      inertia 90.0  body  0.0
#           axisangle  inertia 90.0  body  0.0
#           xyaxes     inertia 90.0  body  0.0
#           zaxis      inertia 90.0  body  0.0
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check mujoco-usd-converter==0.8.0 mujoco==3.16.0 usd-exchange==3.0.1 || exit 77
cat >convert.py <<'END'
import sys

import mujoco
import mujoco_usd_converter
import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

# One rotation, by 90 degrees about x, in five ways.
WAYS = {"quat": "1 1 0 0", "euler": "90 0 0", "axisangle": "1 0 0 90", "xyaxes": "1 0 0 0 0 1", "zaxis": "0 -1 0"}
TEXT = """<mujoco model="arm"><worldbody><body name="link" pos="0 0 1" {way}="{value}"><joint axis="0 1 0"/>
<inertial pos="0 0 0.1" mass="3" diaginertia="0.02 0.03 0.04" {way}="{value}"/><geom size="0.1"/></body></worldbody></mujoco>"""


def quaternion(value):
    return np.array([value.GetReal(), *value.GetImaginary()])


def degrees(first, second):
    return float(np.degrees(2 * np.arccos(min(1.0, abs(np.dot(first, second))))))


same = True
for way, value in WAYS.items():
    with open("arm.xml", "w") as file:
        file.write(TEXT.format(way=way, value=value))
    model = mujoco.MjModel.from_xml_path("arm.xml")
    stage = Usd.Stage.Open(mujoco_usd_converter.Converter().convert("arm.xml", way).path)
    link = next(prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.MassAPI) and prim.GetName() == "link")
    mass = UsdPhysics.MassAPI(link)
    assert np.allclose(mass.GetDiagonalInertiaAttr().Get(), model.body("link").inertia)
    inertia = degrees(model.body("link").iquat, quaternion(mass.GetPrincipalAxesAttr().Get()))
    pose = UsdGeom.Xformable(link).ComputeLocalToWorldTransform(Usd.TimeCode.Default()).ExtractRotationQuat()
    body = degrees(model.body("link").quat, quaternion(pose))
    print(f"{way:10} inertia {inertia:4.1f}  body {body:4.1f}")
    same &= abs(inertia - (0 if way == "quat" else 90)) < 0.1 and body < 0.1
sys.exit(0 if same else 1)
END
env/bin/python convert.py 2>log || { status=$?; cat log; exit $status; }
