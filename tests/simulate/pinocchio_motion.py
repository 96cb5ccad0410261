#!/usr/bin/env python3
"""Simulated floating bases against Pinocchio, and against MuJoCo if it is installed.

Usage: pinocchio_motion.py PROGRAM

PROGRAM is floating_states. At every row, inverse dynamics of Pinocchio with the wrenches of the feet must give the torques of the
joints, and zero for the base, to 1e-10 of the largest; the base's pose, rate and accelerations must be derivatives of each other;
without feet on the ground, the center of mass falls freely. If this interpreter has no Pinocchio, the one of HEFT_PYTHON_PEERS runs
the script. Exit codes: 0 agrees, 1 differs, 77 no Pinocchio.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

FLAT = {"stance": ["left:plane:0", "right:plane:0"], "step": ["left:plane:0", "right:plane:0"],
        "flight": ["left:plane:0", "right:line:0"], "hung": [], "mounted": ["left:plane:0"],
        "trot": ["left:plane:0", "right:point:0.02"]}
PERIOD = 1 / 200


def inertial(mass, com, size):
    i = mass * size * size
    return (f'<inertial><origin xyz="{com}" rpy="0.1 0.2 0.3"/><mass value="{mass}"/>'
            f'<inertia ixx="{i}" iyy="{1.2 * i}" izz="{0.9 * i}" ixy="{0.1 * i}" ixz="0" iyz="0"/></inertial>')


def biped(floats=False):
    """With a joint to the world, as MuJoCo needs it."""
    text = '<robot name="biped"><link name="trunk">' + inertial(9, "0.01 0 0.05", 0.15) + "</link>"
    if floats:
        text = text.replace('<link name="trunk">', '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>'
                            '<link name="world"/><link name="trunk">')
        text += '<joint name="free" type="floating"><parent link="world"/><child link="trunk"/></joint>'
    for name, y in (("left", 0.1), ("right", -0.1)):
        parent = "trunk"
        for link, axis, xyz, mass, com in (("hip", "1 0 0", f"0 {y} 0", 0.8, "0 0.01 -0.02"), ("thigh", "0 1 0", "0.02 0 -0.05", 2, "0 0.01 -0.1"),
                                           ("shank", "0 1 0", "0 0 -0.25", 1.1, "0.01 0 -0.1")):
            child = f"{name}_{link}"
            text += (f'<link name="{child}">{inertial(mass, com, 0.06)}</link><joint name="{child}" type="continuous"><parent link="{parent}"/>'
                     f'<child link="{child}"/><origin xyz="{xyz}" rpy="0.05 0 0.1"/><axis xyz="{axis}"/></joint>')
            parent = child
        text += (f'<link name="{name}"/><joint name="{name}_sole" type="fixed"><parent link="{parent}"/><child link="{name}"/>'
                 f'<origin xyz="0.03 0.01 -0.24" rpy="0.1 -0.2 0.3"/></joint>')
    return text + "</robot>"


class Motion:
    """What the program prints."""

    def __init__(self, program, path, gait, feet):
        import numpy as np

        header, *rows = subprocess.run([program, path, gait, *feet], capture_output=True, text=True, check=True).stdout.splitlines()
        self.names, self.frames = header.split(), [foot.split(":")[0] for foot in feet]
        n, data = len(self.names), np.array([row.split() for row in rows], float)
        ends = np.cumsum([n, n, n, 3, 3, 3, 3, 4, n + 6] + [1, 6] * len(feet))
        (self.q, self.qd, self.qdd, self.w, self.wd, self.u, self.place, self.quaternion, self.torque,
         *of_feet) = np.split(data, ends[:-1], axis=1)
        self.loads, self.wrenches = [load[:, 0] for load in of_feet[::2]], of_feet[1::2]


def by_pinocchio(model, motion):
    """Torques in the program's order, the base's first, and the accelerations of the center of mass minus gravity, in the world."""
    import numpy as np
    import pinocchio as pin

    data = model.createData()
    joints = [model.getJointId(name) for name in motion.names]
    columns = [model.joints[joint].idx_v for joint in joints]
    torques, falls = [], []
    for i in range(len(motion.q)):
        q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        q[3:7] = motion.quaternion[i]
        for joint, angle in zip(joints, motion.q[i]):
            k = model.joints[joint].idx_q
            q[k:k + 2] = np.cos(angle), np.sin(angle)
        v[3:6], a[:3], a[3:6] = motion.w[i], motion.u[i], motion.wd[i]
        v[columns], a[columns] = motion.qd[i], motion.qdd[i]
        forces = [pin.Force.Zero() for _ in range(model.njoints)]
        for name, wrench in zip(motion.frames, motion.wrenches):
            frame = model.frames[model.getFrameId(name)]
            forces[frame.parentJoint] += frame.placement.act(pin.Force(wrench[i][:3], wrench[i][3:]))
        tau = pin.rnea(model, data, q, v, a, pin.StdVec_Force(forces) if hasattr(pin, "StdVec_Force") else forces)
        torques.append(tau[[*range(6), *columns]])
        pin.centerOfMass(model, data, q, v, a)
        falls.append(data.acom[0].copy())
    return np.array(torques), np.array(falls)


def by_mujoco(motion, path):
    """The same torques by MuJoCo; None without it."""
    if importlib.util.find_spec("mujoco") is None:
        return None
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.gravity[:] = 0
    data = mujoco.MjData(model)
    columns = [model.joint(name).dofadr[0] for name in motion.names]
    torques = []
    for i in range(0, len(motion.q), 20):
        x, y, z, w = motion.quaternion[i]
        data.qpos[:7] = [0, 0, 0, w, x, y, z]
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, data.qpos[3:7])
        R = R.reshape(3, 3)
        data.qvel[:3], data.qvel[3:6], data.qacc[:3], data.qacc[3:6] = 0, motion.w[i], R @ motion.u[i], motion.wd[i]
        for column, q, qd, qdd in zip(columns, motion.q[i], motion.qd[i], motion.qdd[i]):
            data.qpos[column + 1], data.qvel[column], data.qacc[column] = q, qd, qdd
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        pushed = np.zeros(model.nv)
        for name, wrench in zip(motion.frames, motion.wrenches):
            body = model.body(name).id
            of_foot = data.xmat[body].reshape(3, 3)
            mujoco.mj_applyFT(model, data, of_foot @ wrench[i][:3], of_foot @ wrench[i][3:], data.xpos[body], body, pushed)
        mujoco.mj_inverse(model, data)
        tau = data.qfrc_inverse - pushed
        torques.append(np.concatenate([R.T @ tau[:3], tau[3:6], tau[columns]]))
    return np.array(torques)


def motion_errors(motion):
    """Largest differences between the base's accelerations and differences of its pose, relative to the largest acceleration."""
    import numpy as np
    import pinocchio as pin

    R = np.array([pin.Quaternion(*quaternion[[3, 0, 1, 2]]).matrix() for quaternion in motion.quaternion])
    rates = np.array([pin.log3(R[i - 1].T @ R[i + 1]) for i in range(1, len(R) - 1)]) / (2 * PERIOD)
    wd = (motion.w[2:] - motion.w[:-2]) / (2 * PERIOD)
    a = (motion.place[2:] - 2 * motion.place[1:-1] + motion.place[:-2]) / PERIOD**2 + [0, 0, 9.81]
    u = np.einsum("nij,nj->ni", R[1:-1], motion.u[1:-1])
    # at touchdown, accelerations change within a few rows, which differences smear: medians
    return [np.median(np.abs(left - right)) / np.abs(right).max() for left, right in
            ((rates, motion.w[1:-1]), (wd, motion.wd[1:-1]), (a, u))]


def wrong(program, folder, gait):
    import numpy as np
    import pinocchio as pin

    (folder / "biped.urdf").write_text(biped())
    (folder / "free.urdf").write_text(biped(True))
    motion = Motion(program, folder / "biped.urdf", gait, FLAT[gait])
    model = pin.buildModelFromXML(biped(), pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()  # a - g is given
    torques, falls = by_pinocchio(model, motion)
    size = np.abs(motion.torque).max()
    errors = {"Pinocchio": (np.abs(torques - motion.torque).max() / size, 1e-10)}
    weight = 9.81 * pin.computeTotalMass(model)
    if gait not in ("hung", "mounted"):
        errors["base"] = (np.abs(motion.torque[:, :6]).max() / weight, 1e-10)
    mujoco = by_mujoco(motion, folder / "free.urdf")
    if mujoco is not None:
        errors["MuJoCo"] = (np.abs(mujoco - motion.torque[::20]).max() / size, 1e-9)
    for name, error in zip(("rate", "angular acceleration", "acceleration"), motion_errors(motion)):
        errors[name] = (error, 2e-3)
    in_air = np.sum(motion.loads, axis=0) == 0 if motion.loads else np.zeros(len(motion.q), bool)
    if gait == "flight":
        assert 0.05 < in_air.mean() < 0.3, in_air.mean()
        errors["free fall"] = (np.abs(falls[in_air]).max() / 9.81, 1e-10)
    if gait == "step":
        assert all(0.1 < (load == 0).mean() < 0.5 for load in motion.loads)
    for name, (error, bound) in errors.items():
        print(f"{gait}: {name} {error:.2g}")
        if not error < bound:
            yield name


def main():
    if importlib.util.find_spec("pinocchio") is None:
        peers = os.environ.get("HEFT_PYTHON_PEERS")
        if not peers or "HEFT_MOTION_ASKED" in os.environ:
            print("no Pinocchio: pip install pin, or set HEFT_PYTHON_PEERS")
            sys.exit(77)
        sys.exit(subprocess.run([peers, *sys.argv], env={**os.environ, "HEFT_MOTION_ASKED": "1"}).returncode)
    with tempfile.TemporaryDirectory() as folder:
        found = [f"{gait}: {name}" for gait in FLAT for name in wrong(sys.argv[1], pathlib.Path(folder), gait)]
    sys.exit(f"differs: {', '.join(found)}" if found else 0)


if __name__ == "__main__":
    main()
