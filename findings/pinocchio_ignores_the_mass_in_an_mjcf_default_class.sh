#!/usr/bin/env bash
# Pinocchio 4.1.0 (pin on PyPI), next to mujoco 4.0.0: an MJCF file whose geoms take their mass from a class of <default>.
#
# Expected: Pinocchio gives the bodies the masses that MuJoCo gives them: it applies the type, size and density of the class.
# Behavior: it applies all attributes of the class but mass. A geom whose class has a mass weighs 1000 kg/m^3 times its volume, and one
#           whose class says mass="0" (the way to keep a part for show out of the inertia) is added to the body. No warning.
# Seen:     class has density="500": MuJoCo 8.0 kg, Pinocchio 8.0 kg
#           class has mass="3":      MuJoCo 3.0 kg, Pinocchio 16.0 kg
#           class has mass="0":      MuJoCo 1.0 kg, Pinocchio 17.0 kg
#           geom  has mass="3":      MuJoCo 3.0 kg, Pinocchio 3.0 kg
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check mujoco==4.0.0 pin==4.1.0 || exit 77
cat >weigh.py <<'END'
import sys

import mujoco
import pinocchio as pin

TEXT = """<mujoco><default><default class="case"><geom type="box" size="0.1 0.1 0.2" {of_class}/></default></default><worldbody>
<body name="link"><joint name="hinge" axis="0 1 0"/><geom class="case" {of_geom}/>{more}</body></worldbody></mujoco>"""
MOTOR = '<geom size="0.1" mass="1"/>'
CASES = [("class", 'density="500"', "", (8, 8)), ("class", 'mass="3"', "", (3, 16)), ("class", 'mass="0"', MOTOR, (1, 17)),
         ("geom ", 'mass="3"', "", (3, 3))]

same = True
for place, attribute, more, expected in CASES:
    words = {"of_class": "", "of_geom": "", ("of_" + place.strip()): attribute}
    with open("robot.xml", "w") as file:
        file.write(TEXT.format(more=more, **words))
    masses = (float(mujoco.MjModel.from_xml_path("robot.xml").body_mass.sum()), pin.computeTotalMass(pin.buildModelFromMJCF("robot.xml")))
    print(f"{place} has {attribute + ':':14} MuJoCo {masses[0]:.1f} kg, Pinocchio {masses[1]:.1f} kg")
    same &= all(abs(mass - value) < 1e-6 for mass, value in zip(masses, expected))
sys.exit(0 if same else 1)
END
env/bin/python weigh.py
