#!/usr/bin/env bash
# mujoco 4.0.0, mujoco.sysid (pip install "mujoco[sysid]").
#
# Expected: an inertia parameter of one body, applied at its nominal value, gives the same model.
# Behavior: it sets the compiler's inertiafromgeom to auto for the whole model. Where the file has inertiafromgeom="true", bodies that
#           also have an <inertial> take that from then on, without a word: the parameter of one body changes masses of others, and
#           what is fitted is another robot.
# Seen:     before {'base': 1.0, 'tool': 0.5}
#           after  {'base': 3.0, 'tool': 0.5}
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check "mujoco[sysid]==4.0.0" || exit 77
cat >apply.py <<'END'
import sys

import mujoco
from mujoco import sysid

TEXT = """<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="base"><joint axis="0 1 0"/>
<inertial pos="0 0 0.1" mass="3" diaginertia="0.02 0.03 0.03"/><geom type="box" size="0.1 0.1 0.1" mass="1"/>
<body name="tool" pos="0 0 0.3"><joint axis="0 1 0"/><geom type="box" size="0.05 0.05 0.05" mass="0.5"/></body></body></worldbody></mujoco>"""


def masses(model):
    return {name: round(float(model.body(name).mass[0]), 6) for name in ("base", "tool")}


spec = mujoco.MjSpec.from_string(TEXT)
model = spec.compile()
parameter = sysid.body_inertia_param(spec, model, "tool", inertia_type=sysid.InertiaType.MassIpos)
changed = sysid.apply_param_modifiers(sysid.ParameterDict({"tool": parameter}), mujoco.MjSpec.from_string(TEXT))
print("before", masses(model))
print("after ", masses(changed))
sys.exit(0 if masses(model)["base"] == 1 and masses(changed)["base"] == 3 else 1)
END
env/bin/python apply.py
