"""MuJoCo's own numbers as ground truth for what Heft reads from an MJCF file. Shares no code with heft_robot.mjcf."""
import math
import xml.etree.ElementTree as ElementTree

import mujoco
import numpy as np

import heft_robot as heft
from heft_robot import mjcf

FUNCTIONS = {"sin": math.sin, "cos": math.cos, "abs": abs}


def rotation(quaternion):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, float))
    return matrix.reshape(3, 3)


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


class Comparison:
    """One model, as Heft reads it (`read`) and as MuJoCo does (`model`); constraints are disabled."""

    def __init__(self, path):
        self.read = mjcf.read(path)
        self.robot = heft.Robot.from_mjcf(path)
        mujoco.set_mju_user_warning(lambda words: None)  # else MuJoCo writes a file to the working directory
        self.model = mujoco.MjModel.from_xml_path(str(path))
        mujoco.set_mju_user_warning(None)
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self.model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)
        self.data = mujoco.MjData(self.model)
        self.place = {name: k for k, name in enumerate(self.robot.joints)}
        self.expressions = self._expressions()

    def _expressions(self):
        """(joint, factor, code): known torques, and columns with the model's values."""
        config, priors, result = self.read.config, dict(self.read.priors), []
        for joint, text in config.get("known_torque", {}).items():
            result.append((joint, 1.0, compile(text, joint, "eval")))
        for column in config.get("columns", []):
            if isinstance(column, dict) and "expression" in column:
                value = priors.pop(column["expression"]["name"], 0.0)  # a change of armature is 0
                for joint, text in column["expression"].get("rows", {}).items():
                    result.append((joint, value, compile(text, joint, "eval")))
        names = {joint: next(word for word in self._words(joint)) for joint in self.robot.joints}
        for key, value in priors.items():
            kind, _, joint = key.partition(" ")
            if kind == "viscous":  # coulomb is a constraint in MuJoCo, armature a known torque
                result.append((joint, value, compile("qd" + names[joint], key, "eval")))
        return result

    def _words(self, joint):
        yield "_" + "".join(chr(b) if chr(b).isalnum() and b < 128 else "_" for b in joint.encode())

    def body_error(self):
        """Largest relative difference of mass, com and inertia of a link from the compiled body."""
        links = {link.get("name"): link.find("inertial") for link in ElementTree.fromstring(self.read.urdf).findall("link")}
        worst = 0.0
        for body in self.read.bodies:
            if body.link is None or self.model.body_weldid[body.id] == 0:
                continue
            inertial, m = links[body.link], self.model.body_mass[body.id]
            tensor = rotation(self.model.body_iquat[body.id])
            tensor = tensor @ np.diag(self.model.body_inertia[body.id]) @ tensor.T
            if inertial is None:
                worst = max(worst, m)
                continue
            value = {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
            read = np.array([[value["ixx"], value["ixy"], value["ixz"]], [value["ixy"], value["iyy"], value["iyz"]],
                             [value["ixz"], value["iyz"], value["izz"]]])
            com = np.array([float(x) for x in inertial.find("origin").get("xyz").split()]) + body.offset
            worst = max(worst, abs(float(inertial.find("mass").get("value")) - m) / m,
                        np.abs(read - tensor).max() / max(np.abs(tensor).max(), 1e-300),
                        np.abs(com - self.model.body_ipos[body.id]).max() / max(np.abs(com).max(), 1e-3))
        return worst

    def states(self, count, seed=0):
        """Random q, qd, qdd of Heft's coordinates; a moving base as in Robot.regressor()."""
        random = np.random.default_rng(seed)
        n = len(self.robot.joints)
        q, qd, qdd = random.uniform(-1.2, 1.2, (count, n)), random.normal(size=(count, n)), random.normal(size=(count, n))
        if self.robot.floating_base:
            quaternion = random.normal(size=(count, 4))
            base = np.hstack([random.normal(size=(count, 3)), quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)])
            q, qd, qdd = np.hstack([base, q]), *(np.hstack([random.normal(size=(count, 6)), x]) for x in (qd, qdd))
        return q, qd, qdd

    def in_mujoco(self, q, qd, qdd):
        """qpos, qvel, qacc, and (nv, channels) velocities per velocity of a channel."""
        model, base = self.model, 6 if self.robot.floating_base else 0
        qpos, qvel, qacc = model.qpos0.copy(), np.zeros(model.nv), np.zeros(model.nv)
        G = np.zeros((model.nv, base + len(self.robot.joints)))
        joint_q = q[7:] if base else q
        for index in range(model.njnt):
            name = self.joint_name(index)
            kind, a, d = int(model.jnt_type[index]), model.jnt_qposadr[index], model.jnt_dofadr[index]
            if kind == mujoco.mjtJoint.mjJNT_FREE and base:
                self._base(q, qd, qdd, a, d, qpos, qvel, qacc, G)
            elif kind in (int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)):
                self._angles(kind, name, joint_q, qd[base:], qdd[base:], a, d, qpos, qvel, qacc, G[:, base:])
            elif name in self.place:
                k = self.place[name]
                qpos[a], qvel[d], qacc[d], G[d, base + k] = joint_q[k], qd[base + k], qdd[base + k], 1
        self._couple(qpos, qvel, qacc, G)
        return qpos, qvel, qacc, G

    def joint_name(self, index):
        name = mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_JOINT, index)
        dof = self.model.jnt_dofadr[index]
        return name or next((joint.mjcf for joint in self.read.joints if joint.dof == dof), "")

    def _base(self, q, qd, qdd, a, d, qpos, qvel, qacc, G):
        """Heft uses velocities and the spatial acceleration in the base's axes, MuJoCo linear ones in the world's."""
        quaternion = np.r_[q[6], q[3:6]]
        R, w = rotation(quaternion), qd[3:6]
        qpos[a:a + 3], qpos[a + 3:a + 7] = q[:3], quaternion
        qvel[d:d + 3], qvel[d + 3:d + 6] = R @ qd[:3], w
        qacc[d:d + 3], qacc[d + 3:d + 6] = R @ (qdd[:3] + np.cross(w, qd[:3])), qdd[3:6]
        G[d:d + 3, :3], G[d + 3:d + 6, 3:6] = R, np.eye(3)

    def _angles(self, kind, name, q, qd, qdd, a, d, qpos, qvel, qacc, G):
        """Yaw, pitch, roll of a ball or free joint."""
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            at = [self.place[f"{name}.{part}"] for part in "xyz"]
            qpos[a:a + 3], qvel[d:d + 3], qacc[d:d + 3] = q[at], qd[at], qdd[at]
            G[[d, d + 1, d + 2], at] = 1
            a, d = a + 3, d + 3
        at = [self.place[f"{name}.{part}"] for part in ("yaw", "pitch", "roll")]
        (y, p, r), (yd, pd, rd), (ydd, pdd, rdd) = q[at], qd[at], qdd[at]
        quaternion = np.array([1.0, 0, 0, 0])
        for axis, angle in (((0, 0, 1), y), ((0, 1, 0), p), ((1, 0, 0), r)):
            turn, product = np.zeros(4), np.zeros(4)
            mujoco.mju_axisAngle2Quat(turn, np.array(axis, float), angle)
            mujoco.mju_mulQuat(product, quaternion, turn)
            quaternion = product
        sp, cp, sr, cr = math.sin(p), math.cos(p), math.sin(r), math.cos(r)
        E = np.array([[-sp, 0, 1], [sr * cp, cr, 0], [cr * cp, -sr, 0]])
        Ed = np.array([[-cp * pd, 0, 0], [cr * rd * cp - sr * sp * pd, -sr * rd, 0], [-sr * rd * cp - cr * sp * pd, -cr * rd, 0]])
        qpos[a:a + 4], qvel[d:d + 3], qacc[d:d + 3] = quaternion, E @ [yd, pd, rd], E @ [ydd, pdd, rdd] + Ed @ [yd, pd, rd]
        G[d:d + 3, at] = E

    def _couple(self, qpos, qvel, qacc, G):
        """Sets coupled joints, in as many rounds as the longest possible chain."""
        model = self.model
        for _ in range(model.neq):
            for index in np.flatnonzero((model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)) & (model.eq_active0 != 0)):
                first, second = model.eq_obj1id[index], model.eq_obj2id[index]
                c0, c1 = model.eq_data[index, :2]
                a, d = model.jnt_qposadr[first], model.jnt_dofadr[first]
                qpos[a], qvel[d], qacc[d], G[d] = model.qpos0[a] + c0, 0, 0, 0
                if second >= 0:
                    b, e = model.jnt_qposadr[second], model.jnt_dofadr[second]
                    qpos[a] += c1 * (qpos[b] - model.qpos0[b])
                    qvel[d], qacc[d], G[d] = c1 * qvel[e], c1 * qacc[e], c1 * G[e]

    def passive(self, q, qd, qdd):
        """Known torques and columns of all channels, according to Heft's options."""
        base = 6 if self.robot.floating_base else 0
        torque = np.zeros(len(qd))
        variables = dict(FUNCTIONS)
        for joint, k in self.place.items():
            for word in self._words(joint):
                variables["q" + word] = q[k + (7 if base else 0)]
                variables["qd" + word], variables["qdd" + word] = qd[base + k], qdd[base + k]
        for joint, factor, code in self.expressions:
            torque[base + self.place[joint]] += factor * eval(code, {"__builtins__": {}}, variables)
        return torque

    def errors(self, count=100, seed=0):
        """Largest relative differences of inverse dynamics and of M over random states."""
        q, qd, qdd = self.states(count, seed)
        prior = self.robot.prior.reshape(-1)
        Y = self.robot.regressor(q, qd, qdd)
        torque_error = mass_error = 0.0
        for k in range(count):
            heft_torque = Y[k] @ prior + self.passive(q[k], qd[k], qdd[k])
            qpos, qvel, qacc, G = self.in_mujoco(q[k], qd[k], qdd[k])
            self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = qpos, qvel, qacc
            mujoco.mj_inverse(self.model, self.data)
            truth = G.T @ self.data.qfrc_inverse
            size = max(np.abs(truth).max(), self._size(G))
            torque_error = max(torque_error, np.abs(heft_torque - truth).max() / size)
            if k < max(count // 10, 3):
                mass_error = max(mass_error, self._mass_error(q[k], G, prior))
        return torque_error, mass_error

    def _size(self, G):
        """Largest relative differences of additive torques: gravity and velocity terms, and passive ones."""
        return max(np.abs(G.T @ self.data.qfrc_bias).max(), np.abs(G.T @ self.data.qfrc_passive).max())

    def _mass_error(self, q, G, prior):
        n = G.shape[1]
        states = np.tile(q, (n + 1, 1))
        accelerations = np.vstack([np.zeros(n), np.eye(n)])
        torques = self.robot.regressor(states, np.zeros((n + 1, n)), accelerations) @ prior
        still = self.passive(q, np.zeros(n), np.zeros(n))
        M = np.array([torques[k + 1] + self.passive(q, np.zeros(n), accelerations[k + 1]) - torques[0] - still for k in range(n)]).T
        truth = np.zeros((self.model.nv, n))
        for k in range(n):
            column = np.zeros(self.model.nv)
            mujoco.mj_mulM(self.model, self.data, column, np.ascontiguousarray(G[:, k]))
            truth[:, k] = column
        truth = G.T @ truth
        return np.abs(M - truth).max() / np.abs(truth).max()


#: arrays that follow from masses and inertias, and paths of files
OF_INERTIA = set("""body_mass body_ipos body_iquat body_inertia body_subtreemass body_invweight0 body_sameframe body_simple dof_M0
    dof_invweight0 dof_simplenum dof_length geom_sameframe site_sameframe tendon_invweight0 actuator_acc0 cam_pos0 cam_poscom0 light_pos0
    light_poscom0 bvh_aabb bvh_child bvh_depth bvh_nodeid paths mesh_pathadr tex_pathadr hfield_pathadr skin_pathadr""".split())
DYNAMICS = {"dof_armature", "dof_damping", "dof_frictionloss"}


def changed_arrays(before, after):
    """Names of arrays that differ in any bit between two compiled models and do not follow from inertia."""
    names = set()
    for name in dir(before):
        a, b = getattr(before, name), getattr(after, name)
        if not name.startswith("_") and isinstance(a, np.ndarray) and (a.shape != b.shape or a.tobytes() != b.tobytes()):
            names.add(name)
    return names - OF_INERTIA


def total_mass(model):
    return float(model.body_mass[model.body_weldid > 0].sum())
