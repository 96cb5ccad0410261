#!/usr/bin/env bash
# mujoco 4.0.0, mujoco.sysid (pip install "mujoco[sysid]").
#
# Expected: a parameter of body_inertia_param(), of any InertiaType, applied at its nominal value, gives the same model.
# Behavior: InertiaType.Pseudo raises for every body, and the message blames the body's mass and inertia, which are fine.
#           apply_body_theta_inertia() sets inertia to 0 beside fullinertia, which the compiler of 4.0.0 no longer takes (3.5.0 and
#           3.7.0 do). InertiaType.Mass raises a TypeError in all of these versions, as it sets mass to an array of one number.
#           InertiaType.MassIpos works.
# Seen:     4.0.0 Pseudo ValueError: Error: mass and inertia of moving bodies must be larger than mjMINVAL
#           4.0.0 Mass TypeError: (): incompatible function arguments. The following argument types are supported:
#           4.0.0 MassIpos is the same model
#           3.7.0 Pseudo is the same model
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >apply.py <<'END'
import sys

import mujoco
from mujoco import sysid

TEXT = """<mujoco><worldbody><body name="arm"><joint axis="0 1 0"/>
<inertial pos="0.1 0.01 0.02" mass="1.5" diaginertia="0.02 0.03 0.03"/></body></worldbody></mujoco>"""
same = True
for line in sys.argv[1:]:
    kind, expected = line.split("=")
    spec = mujoco.MjSpec.from_string(TEXT)
    model = spec.compile()
    try:
        parameter = sysid.body_inertia_param(spec, model, "arm", inertia_type=sysid.InertiaType[kind])
        changed = sysid.apply_param_modifiers(sysid.ParameterDict({"arm": parameter}), mujoco.MjSpec.from_string(TEXT))
        moments = [sorted(m.body_inertia[1]) + [m.body_mass[1]] for m in (changed, model)]  # principal moments come in another order
        words = "is the same model" if all(abs(x - y) < 1e-12 for x, y in zip(*moments)) else "is another model"
    except (ValueError, TypeError) as error:
        words = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    print(mujoco.__version__, kind, words)
    same = same and words.startswith(expected)
sys.exit(0 if same else 1)
END
for version in 4.0.0 3.7.0; do
    python3 -m venv "env$version"
    "env$version/bin/pip" install -q --disable-pip-version-check "mujoco[sysid]==$version" || exit 77
done
env4.0.0/bin/python apply.py "Pseudo=ValueError: Error: mass and inertia" Mass=TypeError "MassIpos=is the same"
env3.7.0/bin/python apply.py "Pseudo=is the same"
