#!/usr/bin/env python3
"""URDF files of public robots written as MJCF and USD and read back: masses, centers of mass, tensors, joints, mass matrix.

    bench/mjcf/round_trips.py [--robots DIR] [--json FILE] [--show]

DIR holds URDF files (default: those of PyPI's example-robot-data). Truth is the URDF's own numbers, turned by elementary rotations in
this file, MuJoCo's compiled model, and Pinocchio's mass matrix where pin is installed. Refused files are listed with the reason; each must
name a link or joint. Run it with a Python that has numpy, mujoco and usd-core. Exit codes: 0 all musts reached, 1 one missed, 77 a
package or the robots are missing.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "python")]
import heft_bench  # noqa: E402

STATES = 100
ROBOTS = "cmeel.prefix/share/example-robot-data/robots"


def robots_folder():
    """Where example-robot-data of PyPI lies; None without it."""
    return next((folder for folder in (pathlib.Path(path) / ROBOTS for path in sys.path if path) if folder.is_dir()), None)


def elementary(np, axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def elements_of(text, tag):
    """Elements of a URDF; prefixes of their names are dropped, as not every file declares them."""
    return ElementTree.fromstring(re.sub(r"(</?)[A-Za-z_]\w*:(?=\w)", r"\1", text)).findall(tag)


def bodies_of(np, text):
    """(mass, com, tensor about it in the link's axes) of every link with mass."""
    found = {}
    for link in elements_of(text, "link"):
        inertial = link.find("inertial")
        if inertial is None or inertial.find("mass") is None or float(inertial.find("mass").get("value")) == 0:
            continue
        origin, t = inertial.find("origin"), {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
        xyz, rpy = ([float(x) for x in (origin.get(key) or "0 0 0").split()] if origin is not None else [0, 0, 0] for key in ("xyz", "rpy"))
        R = elementary(np, 2, rpy[2]) @ elementary(np, 1, rpy[1]) @ elementary(np, 0, rpy[0])
        xy, xz, yz = (t.get(key, 0.0) for key in ("ixy", "ixz", "iyz"))
        I = np.array([[t["ixx"], xy, xz], [xy, t["iyy"], yz], [xz, yz, t["izz"]]])
        found[link.get("name")] = (float(inertial.find("mass").get("value")), np.array(xyz), R @ I @ R.T)
    return found


def joints_of(text):
    """{name: (type, lower, upper, effort, damping, friction, mimic)} of joints that move; limits that limit nothing are None."""
    found = {}
    for joint in elements_of(text, "joint"):
        kind, limit, dynamics, mimic = joint.get("type"), joint.find("limit"), joint.find("dynamics"), joint.find("mimic")
        if kind in (None, "fixed"):
            continue
        number = lambda element, key: float(element.get(key, 0)) if element is not None else 0.0  # noqa: E731
        lower, upper, effort = (number(limit, key) for key in ("lower", "upper", "effort"))
        limited = kind in ("revolute", "prismatic") and lower < upper and not (lower < -1e12 and upper > 1e12)
        found[joint.get("name")] = ("slide" if kind == "prismatic" else "hinge", *((lower, upper) if limited else (None, None)),
                                    effort if 0 < effort < 1e12 else None, number(dynamics, "damping"), number(dynamics, "friction"),
                                    None if mimic is None else (mimic.get("joint"), *(float(mimic.get(key, value)) for key, value in (
                                        ("multiplier", 1), ("offset", 0)))))
    return found


def difference(np, bodies, truth):
    """Largest relative difference of masses and tensors, and of centers of mass in m; a body that is missing counts as infinite."""
    worst = 0.0
    for name, (mass, com, tensor) in truth.items():
        if name not in bodies:
            return float("inf")
        m, c, I = bodies[name]
        size = max(np.abs(tensor).max(), 1e-300)
        worst = max(worst, abs(m - mass) / mass, np.abs(np.asarray(c) - com).max(), np.abs(I - tensor).max() / size)
    return worst


def compiled(np, mujoco, path):
    """Bodies of MuJoCo's compiled model, and the model."""
    model, bodies = mujoco.MjModel.from_xml_path(str(path)), {}
    for at in range(1, model.nbody):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[at])
        R = R.reshape(3, 3)
        bodies[model.body(at).name] = (model.body_mass[at], model.body_ipos[at], R @ np.diag(model.body_inertia[at]) @ R.T)
    return bodies, model


def mass_matrix_difference(np, mujoco, pin, urdf, model):
    """Largest relative difference of MuJoCo's M from Pinocchio's over random states."""
    peer, data, random, worst = pin.buildModelFromUrdf(str(urdf)), mujoco.MjData(model), np.random.default_rng(0), 0.0
    peer_data = peer.createData()
    names = [model.joint(at).name for at in range(model.njnt)]
    order = [names.index(peer.names[at]) for at in range(1, peer.njoints)]
    mine, theirs = [model.jnt_dofadr[at] for at in order], [peer.joints[at].idx_v for at in range(1, peer.njoints)]
    for _ in range(STATES):
        q = pin.neutral(peer)
        for at in range(1, peer.njoints):
            x, joint = random.uniform(-np.pi, np.pi), peer.joints[at]
            data.qpos[model.jnt_qposadr[order[at - 1]]] = x
            q[joint.idx_q:joint.idx_q + joint.nq] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
        mujoco.mj_forward(model, data)
        M, full = np.triu(pin.crba(peer, peer_data, q)), np.zeros((model.nv, model.nv))
        M = M + np.triu(M, 1).T
        full_mass_matrix(mujoco, model, data, full)
        full[np.diag_indices(model.nv)] -= model.dof_armature
        worst = max(worst, np.abs(full[np.ix_(mine, mine)] - M[np.ix_(theirs, theirs)]).max() / np.abs(M).max())
    return worst


def full_mass_matrix(mujoco, model, data, full):
    try:
        mujoco.mj_fullM(model, data, full)  # from MuJoCo 4 on
    except TypeError:
        mujoco.mj_fullM(model, full, data.qM)


def usd_bodies(np, stage):
    """Bodies of a stage by name, from its 64-bit attributes and from UsdPhysics'."""
    from pxr import Gf, UsdPhysics

    doubles, floats = {}, {}
    for prim in stage.Traverse():
        if not prim.HasAPI(UsdPhysics.MassAPI):
            continue  # a frame, or a shape
        m, *first, Ixx, Ixy, Iyy, Ixz, Iyz, Izz = prim.GetAttribute("heft:parameters").Get()
        c = np.array(first) / m
        xx, yy, zz, xy, xz, yz = prim.GetAttribute("newton:inertia").Get()
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        about_origin = np.array([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])
        moved = tensor + m * (c @ c * np.eye(3) - np.outer(c, c))
        assert np.abs(about_origin - moved).max() <= 1e-14 * np.abs(moved).max()
        doubles[prim.GetName()] = (m, c, tensor)
        api = UsdPhysics.MassAPI(prim)
        turn = Gf.Quatd(api.GetPrincipalAxesAttr().Get()).GetNormalized()
        R = np.stack([np.array(turn.Transform(Gf.Vec3d(*unit))) for unit in np.eye(3)], 1)
        floats[prim.GetName()] = (api.GetMassAttr().Get(), np.array(api.GetCenterOfMassAttr().Get()),
                                  R @ np.diag(np.array(api.GetDiagonalInertiaAttr().Get())) @ R.T)
    return doubles, floats


class Walk:
    """All robots of a folder."""

    def __init__(self, folder, show):
        import mujoco
        import numpy
        from pxr import Tf, Usd

        self.np, self.mujoco, self.usd, self.tf, self.folder, self.show = numpy, mujoco, Usd, Tf, folder, show
        try:
            import pinocchio
        except ImportError:
            pinocchio = None
        self.pin, self.refused, self.joints_differ = pinocchio, [], []
        self.worst = {"mjcf": {}, "M": {}, "urdf": {}, "usd": {}, "usd floats": {}}

    def run(self):
        from heft_robot import HeftError
        from heft_robot.robot_files import convert_robot

        for path in sorted(self.folder.rglob("*.urdf")):
            with tempfile.TemporaryDirectory() as scratch:
                scratch = pathlib.Path(scratch)
                for target, measure in (("robot.xml", self.mjcf), ("robot.usda", self.to_usd)):
                    try:
                        convert_robot(path, scratch / target)
                    except HeftError as error:
                        self.refused.append((path.name, target, error))
                        continue
                    measure(convert_robot, path, scratch)
        return self

    def mjcf(self, convert_robot, path, scratch):
        np, text = self.np, path.read_text()
        truth, joints = bodies_of(np, text), joints_of(text)
        bodies, model = compiled(np, self.mujoco, scratch / "robot.xml")
        if "world" in truth and truth["world"][0]:
            truth.pop("world")
        self.worst["mjcf"][path.name] = difference(np, bodies, truth)
        if self.pin is not None:
            self.worst["M"][path.name] = mass_matrix_difference(np, self.mujoco, self.pin, path, model)
        convert_robot(scratch / "robot.xml", scratch / "back.urdf")
        back = (scratch / "back.urdf").read_text()
        self.worst["urdf"][path.name] = difference(np, bodies_of(np, back), truth)
        if joints_of(back) != joints:
            self.joints_differ.append(path.name)

    def to_usd(self, _, path, scratch):
        truth = {self.tf.MakeValidIdentifier(name): body for name, body in bodies_of(self.np, path.read_text()).items()}
        doubles, floats = usd_bodies(self.np, self.usd.Stage.Open(str(scratch / "robot.usda")))
        self.worst["usd"][path.name] = difference(self.np, doubles, truth)
        self.worst["usd floats"][path.name] = difference(self.np, floats, truth)

    def report(self, file):
        report = heft_bench.Report(file)
        for key, name, most in (("mjcf", "URDF to MJCF, MuJoCo's bodies", 1e-12), ("M", "URDF to MJCF, M against Pinocchio's", 1e-12),
                                ("urdf", "URDF to MJCF to URDF, bodies", 1e-12), ("usd", "URDF to USD, 64-bit bodies", 1e-12),
                                ("usd floats", "URDF to USD, 32-bit bodies", 1e-6)):
            found = self.worst[key]
            if key == "M" and self.pin is None:
                print("left out: the mass matrix, as pin is not installed")
                continue
            report.add(f"{name}: robots", len(found), "", must=30)
            report.add(f"{name}: largest difference", max(found.values(), default=None), "relative, m", must=most, smaller_is_better=True)
            if self.show:
                print(*(f"{key:10} {robot:40} {value:.2g}" for robot, value in found.items()), sep="\n")
        report.add("round trip: robots with other joints, limits, efforts, friction or couplings", len(self.joints_differ), "", must=0,
                   smaller_is_better=True)
        unnamed = [one for one in self.refused if not re.search(r"(link|joint|robot) '|no links", str(one[2]))]
        report.add("refused without a link or joint named", len(unnamed), "", must=0, smaller_is_better=True)
        for name in self.joints_differ:
            print(f"other joints: {name}")
        for name, target, error in self.refused:
            print(f"refused: {name} as {target}: {error.what[:150]}")
        return report.finish(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=pathlib.Path, default=robots_folder())
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="a line for every robot")
    options = parser.parse_args()
    heft_bench.require(["numpy", "mujoco", "pxr"], remedy="pip install mujoco usd-core")
    if options.robots is None or not any(options.robots.rglob("*.urdf")):
        print("nothing to run on: no URDF files; pip install example-robot-data, or name a folder: --robots DIR")
        return heft_bench.NOTHING_TO_RUN_ON
    os.environ.setdefault("TF_ENV_SETTING_ALERTS_ENABLED", "0")
    return Walk(options.robots, options.show).run().report(options.json)


if __name__ == "__main__":
    sys.exit(main())
