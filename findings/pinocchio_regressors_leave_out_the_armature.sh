#!/usr/bin/env bash
# Pinocchio 4.1.0 (pin on PyPI), a robot with reflected rotor inertia: <joint armature="0.5"> of an MJCF file.
#
# Expected: computeJointTorqueRegressor(q, v, a) times the robot's dynamic parameters is rnea(q, v, a), as its documentation says, and
#           computeKineticEnergyRegressor times them is computeKineticEnergy: all four take the same model.
# Behavior: rnea, crba and computeKineticEnergy contain the armature; both regressors leave it out, and no parameter stands for it.
#           With one armature of 0.5 kg m^2 the torques differ by exactly armature * a. A least-squares identification on top of the
#           regressor therefore puts the rotor's inertia into the links, although the model knows it.
# Seen:     armature 0.0: torques differ by -4.4e-16, energies by -1.4e-17
#           armature 0.5: torques differ by 1.0e+00 (armature * a = 1.0e+00), energies by 2.0e-01 (armature * v^2 / 2 = 2.0e-01)
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the package cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check pin==4.1.0 || exit 77
cat >compare.py <<'END'
import sys

import numpy as np
import pinocchio as pin

ARM = """<mujoco><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" armature="{armature}"/>
  <inertial pos="0 0 0.2" mass="3" diaginertia="0.03 0.04 0.02"/>
  <body name="lower" pos="0 0 0.4"><joint name="elbow" axis="0 1 0"/>
    <inertial pos="0 0 0.1" mass="1" diaginertia="0.005 0.005 0.001"/></body></body></worldbody></mujoco>"""
q, v, a = np.array([0.3, -0.8]), np.array([0.9, -1.1]), np.array([2.0, 1.5])


def differences(armature):
    with open("arm.xml", "w") as file:
        file.write(ARM.format(armature=armature))
    model = pin.buildModelFromMJCF("arm.xml")
    data = model.createData()
    assert np.array_equal(model.armature, [armature, 0])
    parameters = np.concatenate([model.inertias[i].toDynamicParameters() for i in range(1, model.njoints)])
    torque = pin.rnea(model, data, q, v, a) - pin.computeJointTorqueRegressor(model, data, q, v, a) @ parameters
    energy = pin.computeKineticEnergy(model, data, q, v) - pin.computeKineticEnergyRegressor(model, data, q, v) @ parameters
    return torque, float(np.ravel(energy)[0])


same = True
for armature in (0.0, 0.5):
    torque, energy = differences(armature)
    of_rotor, energy_of_rotor = armature * a[0], 0.5 * armature * v[0] ** 2
    print(f"armature {armature}: torques differ by {torque[0]:.1e}, {torque[1]:.1e} (armature * a = {of_rotor:.1e}),",
          f"energies by {energy:.1e} (armature * v^2 / 2 = {energy_of_rotor:.1e})")
    same &= bool(np.allclose(torque, [of_rotor, 0], atol=1e-12) and abs(energy - energy_of_rotor) < 1e-12)
sys.exit(0 if same else 1)
END
env/bin/python compare.py
