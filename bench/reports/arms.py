"""Robots of solid boxes, motions of summed sines and torques by Pinocchio: the inputs of reported cases and their variants.

arm = six_joints()
log = record(arm, seed=1)                 # of the true robot
write(folder / "robot.urdf", arm.urdf(prior=5))   # masses and centers up to 20 % off
write_csv(folder / "train.csv", log)
"""

import dataclasses

import numpy
import pinocchio

GRAVITY = (0.0, 0.0, -9.81)


@dataclasses.dataclass
class Link:
    """A body and the joint that carries it. `size`: edges of the box [m]; `center` of the box in the link's frame."""

    joint: str
    parent: str
    xyz: tuple = (0, 0, 0)
    rpy: tuple = (0, 0, 0)
    axis: tuple = (0, 0, 1)
    mass: float = 0.0
    size: tuple = (0.1, 0.1, 0.1)
    center: tuple = (0, 0, 0)
    kind: str = "revolute"
    lower: float = -2.9
    upper: float = 2.9
    effort: float = 400
    velocity: float = 6
    name: str = ""
    more: str = ""  # elements inside <joint>
    shape: bool = True

    def __post_init__(self):
        self.name = self.name or f"link_{self.joint}"


def box_inertia(mass, size):
    a, b, c = size
    return mass / 12 * numpy.array([b * b + c * c, a * a + c * c, a * a + b * b])


def inertial(mass, size, center=(0, 0, 0)):
    i = box_inertia(mass, size)
    return (
        f'<inertial><origin xyz="{numbers(center)}"/><mass value="{mass:.9g}"/><inertia ixx="{i[0]:.9g}" ixy="0" ixz="0" '
        f'iyy="{i[1]:.9g}" iyz="0" izz="{i[2]:.9g}"/></inertial>'
    )


def numbers(values):
    return " ".join(f"{x:.9g}" for x in values)


@dataclasses.dataclass
class Robot:
    links: list
    root: str = "base"
    root_content: str = ""
    title: str = "rig"
    tail: str = ""

    @property
    def joints(self):
        return [link.joint for link in self.links if link.kind not in ("fixed",) and "<mimic" not in link.more]

    def urdf(self, prior=None, for_pinocchio=False):
        """The file; with `prior`, a seed, masses and centers are up to 20 % off."""
        random = numpy.random.default_rng(prior)
        root = f'<link name="{self.root}">{self.root_content}</link>'
        lines = ['<?xml version="1.0"?>', f'<robot name="{self.title}">', "  " + root]
        for link in self.links:
            off = (lambda: 1.0) if prior is None else (lambda: 1 + 0.2 * random.uniform(-1, 1))
            mass, center = link.mass * off(), numpy.array(link.center) * off()
            kind, limit = link.kind, ""
            if kind == "continuous" and for_pinocchio:
                kind, limit = (
                    "revolute",
                    f'<limit lower="-99" upper="99" effort="{link.effort:g}" velocity="{link.velocity:g}"/>',
                )
            elif kind == "continuous":
                limit = f'<limit effort="{link.effort:g}" velocity="{link.velocity:g}"/>'
            elif kind in ("revolute", "prismatic"):
                limit = (
                    f'<limit lower="{link.lower:g}" upper="{link.upper:g}" effort="{link.effort:g}" '
                    f'velocity="{link.velocity:g}"/>'
                )
            axis = "" if kind in ("fixed", "floating") else f'<axis xyz="{numbers(link.axis)}"/>'
            lines.append(
                f'  <joint name="{link.joint}" type="{kind}"><parent link="{link.parent}"/><child link="{link.name}"/>'
                f'<origin xyz="{numbers(link.xyz)}" rpy="{numbers(link.rpy)}"/>{axis}{limit}{link.more}</joint>'
            )
            body = inertial(mass, link.size, center) if link.mass else ""
            shape = (
                f'<collision><origin xyz="{numbers(center)}"/><geometry><box size="{numbers(link.size)}"/></geometry></collision>'
                if link.mass and link.shape
                else ""
            )
            lines.append(f'  <link name="{link.name}">{body}{shape}</link>')
        return "\n".join(lines) + "\n" + self.tail + "</robot>\n"


@dataclasses.dataclass
class Log:
    names: list
    t: numpy.ndarray
    q: numpy.ndarray
    qd: numpy.ndarray
    qdd: numpy.ndarray
    tau: numpy.ndarray
    rigid: numpy.ndarray  # torque of the bodies alone

    def copy(self, **changes):
        return dataclasses.replace(self, **{k: numpy.array(v) if not isinstance(v, list) else v for k, v in changes.items()})

    def rows(self, chosen):
        return self.copy(**{k: getattr(self, k)[chosen] for k in ("t", "q", "qd", "qdd", "tau", "rigid")})

    def columns(self, kinds=("q", "tau")):
        return {
            "t": self.t,
            **{f"{kind}_{name}": getattr(self, kind)[:, k] for kind in kinds for k, name in enumerate(self.names)},
        }


def model_of(text):
    return pinocchio.buildModelFromXML(text)


def motion(joints, seed, seconds=30, rate=250, amplitude=0.9, center=None, speed=1.0):
    random = numpy.random.default_rng(seed)
    t = numpy.arange(round(seconds * rate)) / rate
    amplitude = numpy.broadcast_to(amplitude, (joints,))
    q, qd, qdd = (numpy.zeros((len(t), joints)) for _ in range(3))
    for j in range(joints):
        w = 2 * numpy.pi * speed * random.uniform(0.1, 0.9, 5)
        phase, a = random.uniform(0, 2 * numpy.pi, 5), random.uniform(0.3, 1, 5)
        a *= amplitude[j] * 1.6 / a.sum()
        for wi, pi, ai in zip(w, phase, a):
            q[:, j] += ai * numpy.sin(wi * t + pi)
            qd[:, j] += ai * wi * numpy.cos(wi * t + pi)
            qdd[:, j] -= ai * wi * wi * numpy.sin(wi * t + pi)
    return t, q + (0 if center is None else numpy.asarray(center)), qd, qdd


def rigid_torque(text, names, q, qd, qdd, gravity=GRAVITY, standing=None):
    """Torques of the joints `names`, columns of q in their order; other joints stand at `standing` (a name that is missing: 0)."""
    model = model_of(text)
    model.gravity.linear = numpy.array(gravity)
    places = [model.joints[model.getJointId(name)].idx_v for name in names]
    full = [numpy.zeros((len(q), model.nv)) for _ in range(3)]
    for name, value in (standing or {}).items():
        if model.existJointName(name):
            full[0][:, model.joints[model.getJointId(name)].idx_q] = value
    for whole, part in zip(full, (q, qd, qdd)):
        whole[:, places] = part
    data = model.createData()
    return numpy.array([pinocchio.rnea(model, data, *row) for row in zip(*full)])[:, places]


def record(
    robot,
    seed=1,
    gravity=GRAVITY,
    viscous=0.8,
    coulomb=1.2,
    noise=0.05,
    coriolis=True,
    torque_of=None,
    names=None,
    standing=None,
    **how,
):
    """A log of the true robot. `torque_of(rigid, friction, noise)` replaces their sum."""
    text, names = robot.urdf(for_pinocchio=True), names or robot.joints
    t, q, qd, qdd = motion(len(names), seed, **how)
    rigid = rigid_torque(text, names, q, qd, qdd, gravity, standing)
    if not coriolis:  # of acceleration alone
        rigid = rigid_torque(text, names, q, 0 * qd, qdd, (0, 0, 0), standing)
    random = numpy.random.default_rng(seed + 1000)
    friction = viscous * qd + coulomb * numpy.tanh(qd / 0.05)
    white = noise * random.standard_normal(q.shape)
    tau = rigid + friction + white if torque_of is None else torque_of(rigid, friction, white)
    return Log(names, t, q + 3e-6 * random.standard_normal(q.shape), qd, qdd, tau, rigid)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write_csv(path, log, kinds=("q", "tau"), header=None, formats="%.9g", separator=","):
    columns = log.columns(kinds) if isinstance(log, Log) else log
    numpy.savetxt(
        path,
        numpy.column_stack(list(columns.values())),
        delimiter=separator,
        comments="",
        fmt=formats,
        header=separator.join(header or columns),
    )
    return path


def six_joints(names=None, **changes):
    """An arm of 15 kg with a vertical first axis and a spherical-like wrist."""
    names = names or [f"a{k}" for k in range(1, 7)]
    half = numpy.pi / 2
    rows = [
        (4.1, (0.13, 0.13, 0.22), (0, 0.012, -0.06), (0, 0, 0.32), (0, 0, 0)),
        (4.6, (0.42, 0.11, 0.1), (0.19, 0, 0.05), (0, 0, 0.06), (half, 0, 0)),
        (2.7, (0.1, 0.32, 0.11), (0.015, 0.13, -0.012), (0.42, 0, 0), (0, 0, 0)),
        (1.6, (0.09, 0.08, 0.21), (0, 0.004, 0.08), (0, 0.31, 0), (-half, 0, 0)),
        (1.2, (0.08, 0.11, 0.09), (0, 0.025, 0.012), (0, 0, 0.16), (half, 0, 0)),
        (0.7, (0.06, 0.07, 0.11), (0.012, 0, 0.055), (0, 0.085, 0), (-half, 0, 0)),
    ]
    links, parent = [], "base"
    for name, (mass, size, center, xyz, rpy) in zip(names, rows):
        links.append(Link(name, parent, xyz, rpy, mass=mass, size=size, center=center, **changes))
        parent = f"link_{name}"
    return Robot(links)


def four_joints(names=("yaw", "lift", "bend", "roll")):
    half = numpy.pi / 2
    rows = [
        (6.0, (0.2, 0.15, 0.25), (0.01, 0, -0.05), (0, 0, 0.4), (0, 0, 0)),
        (5.2, (0.5, 0.12, 0.1), (0.22, 0.01, 0), (0.05, 0, 0.05), (half, 0, 0)),
        (2.4, (0.35, 0.08, 0.09), (0.15, 0.02, 0.01), (0.5, 0, 0), (0, 0, 0)),
        (0.9, (0.09, 0.14, 0.1), (0.03, 0.01, 0.06), (0.36, 0, 0), (0, half, 0)),
    ]
    links, parent = [], "base"
    for name, (mass, size, center, xyz, rpy) in zip(names, rows):
        links.append(Link(name, parent, xyz, rpy, mass=mass, size=size, center=center))
        parent = f"link_{name}"
    return Robot(links, title="four")


def gantry(effort=4000, span=3.0):
    rows = [
        ("x_rail", 44.0, (0.3, 1.3, 0.2), (0, 0.12, 0), (0, 0, 1.6), (1, 0, 0), "prismatic", 0, span),
        ("y_rail", 19.0, (0.25, 0.3, 0.28), (0.01, 0, 0.06), (0, 0.1, 0), (0, 1, 0), "prismatic", -0.9, 0.9),
        ("z_rail", 8.5, (0.1, 0.12, 0.8), (0, 0.01, -0.2), (0.12, 0, 0), (0, 0, 1), "prismatic", -0.7, 0.7),
        ("spin", 2.4, (0.1, 0.09, 0.2), (0.04, -0.01, -0.09), (0, 0, -0.6), (0, 0, 1), "continuous", 0, 0),
        ("tilt", 1.4, (0.13, 0.06, 0.07), (0.06, 0.01, 0.01), (0, 0, -0.2), (0, 1, 0), "revolute", -2, 2),
    ]
    links, parent = [], "base"
    for name, mass, size, center, xyz, axis, kind, lower, upper in rows:
        links.append(Link(name, parent, xyz, (0, 0, 0), axis, mass, size, center, kind, lower, upper, effort))
        parent = f"link_{name}"
    return Robot(links, title="gantry")


GANTRY_FRICTION = {
    "viscous": numpy.array([30, 20, 15, 0.3, 0.3]),
    "coulomb": numpy.array([24, 17, 11, 0.5, 0.5]),
    "noise": numpy.array([0.8, 0.6, 0.5, 0.03, 0.03]),
}


def record_gantry(robot, seed, **how):
    return record(
        robot, seed, **{**GANTRY_FRICTION, "amplitude": [0.9, 0.5, 0.35, 1.6, 0.9], "center": [1.5, 0, 0, 0, 0], **how}
    )


def scara():
    return Robot(
        [
            Link("sh", "base", (0, 0, 0.4), (0, 0, 0), (0, 0, 1), 7.0, (0.4, 0.14, 0.12), (0.17, 0.01, 0.03)),
            Link("el", "link_sh", (0.35, 0, 0), (0, 0, 0), (0, 0, 1), 4.2, (0.3, 0.12, 0.1), (0.13, -0.01, 0.04)),
            Link(
                "quill",
                "link_el",
                (0.27, 0, 0.05),
                (0, 0, 0),
                (0, 0, 1),
                1.8,
                (0.04, 0.04, 0.4),
                (0.004, 0.002, -0.1),
                "prismatic",
                -0.2,
                0.2,
                900,
            ),
            Link("turn", "link_quill", (0, 0, -0.3), (0, 0, 0), (0, 0, 1), 0.7, (0.12, 0.05, 0.05), (0.03, 0.012, 0)),
        ],
        title="scara",
    )


SCARA_MOTION = {
    "amplitude": [1.1, 1.1, 0.12, 1.4],
    "viscous": numpy.array([0.8, 0.6, 12, 0.1]),
    "coulomb": numpy.array([1.5, 1.1, 6, 0.2]),
    "noise": numpy.array([0.05, 0.05, 0.2, 0.01]),
}


def quadruped(order=("FL", "FR", "RL", "RR"), prefix=""):
    """Twelve joints on a resting trunk; left and right are mirror images, and front equals rear."""
    links = []
    for leg in order:
        x, y = (0.19 if leg[0] == "F" else -0.19), (0.05 if leg[1] == "L" else -0.05)
        s = numpy.sign(y)
        hip, thigh, calf = (f"{prefix}{leg}_{part}" for part in ("hip", "thigh", "calf"))
        links += [
            Link(
                hip,
                "trunk",
                (x, y, 0),
                (0, 0, 0),
                (1, 0, 0),
                0.54,
                (0.06, 0.09, 0.06),
                (0.01 * numpy.sign(x), s * 0.03, 0),
                lower=-1.2,
                upper=1.2,
                effort=40,
                velocity=20,
            ),
            Link(
                thigh,
                f"link_{hip}",
                (0, s * 0.062, 0),
                (0, 0, 0),
                (0, 1, 0),
                0.63,
                (0.06, 0.05, 0.22),
                (0, s * 0.02, -0.03),
                lower=-3,
                upper=3,
                effort=40,
                velocity=20,
            ),
            Link(
                calf,
                f"link_{thigh}",
                (0, 0, -0.209),
                (0, 0, 0),
                (0, 1, 0),
                0.21,
                (0.03, 0.02, 0.2),
                (0.004, 0, -0.08),
                lower=-3,
                upper=3,
                effort=40,
                velocity=20,
            ),
        ]
    return Robot(links, root="trunk", root_content=inertial(3.3, (0.4, 0.2, 0.1)), title="dog")


def two_arms():
    links = []
    for side, s in (("left", 1), ("right", -1)):
        parent = "torso"
        for part, mass, size, center, xyz, axis in (
            ("shoulder", 2.2, (0.12, 0.14, 0.12), (0, s * 0.05, 0), (0, s * 0.2, 0.4), (0, 1, 0)),
            ("upper", 2.6, (0.1, 0.1, 0.3), (0.01, 0, -0.13), (0, s * 0.12, 0), (1, 0, 0)),
            ("elbow", 1.5, (0.08, 0.09, 0.26), (0.012, s * 0.01, -0.11), (0.02, 0, -0.3), (0, 1, 0)),
            ("wrist", 0.6, (0.07, 0.06, 0.12), (0.01, s * 0.006, -0.05), (0, 0, -0.26), (1, 0, 0)),
        ):
            links.append(Link(f"{side}_{part}", parent, xyz, (0, 0, 0), axis, mass, size, center))
            parent = f"link_{side}_{part}"
    return Robot(links, root="torso", root_content=inertial(18, (0.3, 0.4, 0.6)), title="two_arms")


def other_shoulders():
    """Two arms, of which the right one carries a heavier tool."""
    robot = two_arms()
    robot.links[-1].mass, robot.links[-1].center = 1.4, (0.02, -0.01, -0.09)
    return robot


def gripper_of(parent="link_a6", names=("finger_l", "finger_r"), mimic=True):
    more = f'<mimic joint="{names[0]}"/>' if mimic else ""
    return [
        Link(
            "hand_fix", parent, (0, 0, 0.06), kind="fixed", mass=0.5, size=(0.08, 0.1, 0.07), center=(0, 0, 0.02), name="palm"
        ),
        Link(
            names[0],
            "palm",
            (0, 0, 0.05),
            (0, 0, 0),
            (0, 1, 0),
            0.03,
            (0.02, 0.02, 0.06),
            (0, 0.01, 0.02),
            "prismatic",
            0,
            0.04,
            20,
            0.2,
        ),
        Link(
            names[1],
            "palm",
            (0, 0, 0.05),
            (0, 0, numpy.pi),
            (0, 1, 0),
            0.03,
            (0.02, 0.02, 0.06),
            (0, 0.01, 0.02),
            "prismatic",
            0,
            0.04,
            20,
            0.2,
            more=more,
        ),
    ]
