"""What sysid.py runs with the interpreter that has mujoco.sysid: `sysid_fit.py FOLDER PART ITERATIONS`; needs no Heft.

FOLDER holds arm.xml and train.npz (t, qpos, qvel, torque). Writes found.xml, the model with the answer, and found.json:
{"version", "seconds", "cpu_seconds", "parameters", "inertia", "tried": {way: error}}. PART: seconds of one simulated part of the log.
ITERATIONS: the most that mujoco.sysid makes.
"""
import json
import pathlib
import sys
import time

import mujoco
import numpy as np

#: from the most general to the least: ten parameters of a body; mass, center of mass and a factor of inertia; a factor of both
WAYS = ("Pseudo", "MassIpos", "Mass")


def inertia_parameters(sysid, text, way):
    """A parameter of every body, and its start. ValueError, TypeError and others: sysid cannot apply it to this model."""
    spec = mujoco.MjSpec.from_string(text)
    model = spec.compile()
    names = [body.name for body in spec.bodies[1:]]
    found = [sysid.body_inertia_param(spec, model, name, inertia_type=sysid.InertiaType[way], scale_rot_inertia=True) for name in names]
    for parameter in found:  # at the model's own values the model is the same
        changed = sysid.apply_param_modifiers(sysid.ParameterDict({parameter.name: parameter}), mujoco.MjSpec.from_string(text))
        if max(abs(changed.body_mass - model.body_mass).max(), abs(changed.body_ipos - model.body_ipos).max()) > 1e-9:
            raise ValueError(f"{parameter.name} at its nominal value changes masses of the model")
    return found


def joint_parameters(sysid, text):
    """Armature, damping and frictionloss of every joint."""
    spec, found = mujoco.MjSpec.from_string(text), []
    for joint in spec.joints:
        for attribute in ("armature", "damping", "frictionloss"):
            own = np.atleast_1d(getattr(joint, attribute)).astype(float)

            def change(spec, parameter, name=joint.name, attribute=attribute, own=own):
                value = own.copy()
                value[0] = parameter.value[0]  # MuJoCo 4 has coefficients of damping
                setattr(spec.joint(name), attribute, value if len(own) > 1 else value[0])

            found.append(sysid.Parameter(f"{joint.name} {attribute}", own[0], 0.0, 10 * own[0], modifier=change))
    return found


def sequences_of(sysid, text, log, part):
    """The log as parts that start at measured states: open-loop motion diverges over longer times."""
    spec = mujoco.MjSpec.from_string(text)
    model = spec.compile()
    steps, t = max(2, round(part / model.opt.timestep)), log["t"]
    starts = range(0, len(t) - steps, steps)
    states = [sysid.create_initial_state(model, log["qpos"][k], log["qvel"][k]) for k in starts]
    times = t[:steps + 1] - t[0]
    controls = [sysid.TimeSeries(times, log["torque"][k:k + steps + 1]) for k in starts]
    sensors = np.hstack([log["qpos"], log["qvel"]])
    measured = [sysid.TimeSeries.from_names(times, sensors[k:k + steps + 1], model) for k in starts]
    return sysid.ModelSequences("arm", spec, [f"part {k}" for k in starts], states, controls, measured)


def main():
    folder, part = pathlib.Path(sys.argv[1]), float(sys.argv[2])
    from mujoco import sysid

    text, log, tried = (folder / "arm.xml").read_text(), dict(np.load(folder / "train.npz")), {}
    report = {"version": mujoco.__version__, "tried": tried}
    bodies = None
    for way in WAYS:
        try:
            bodies = inertia_parameters(sysid, text, way)
            report["inertia"] = way
            break
        except Exception as error:  # any: what it says is the report
            tried[way] = " ".join(f"{type(error).__name__}: {error}".split())[:160]
    if bodies is None:
        (folder / "found.json").write_text(json.dumps(report))
        return
    began, worked = time.perf_counter(), time.process_time()
    parameters = sysid.ParameterDict({p.name: p for p in (*bodies, *joint_parameters(sysid, text))})
    residual = sysid.build_residual_fn(models_sequences=[sequences_of(sysid, text, log, part)])
    answer, _ = sysid.optimize(initial_params=parameters, residual_fn=residual, optimizer="mujoco", max_iters=int(sys.argv[3]))
    report["seconds"], report["cpu_seconds"] = time.perf_counter() - began, time.process_time() - worked
    report["parameters"] = int(answer.size)
    spec = sysid.apply_param_modifiers_spec(answer, mujoco.MjSpec.from_string(text))
    spec.compile()
    (folder / "found.xml").write_text(spec.to_xml())
    (folder / "found.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main()
