"""The robots of the benchmark: URDF files of random arms and a humanoid, and the tables of a robot that
peer_pinocchio.cpp builds its model from.

Axes and placements of the random robots are unaligned, but the axis of every joint is z of its frame, for which
both libraries have their fastest code.
"""

import math
import pathlib
import random

HUMANOID_LIMBS = (6, 6, 7, 7, 2, 2)  # two legs, two arms, spine, neck: 30 joints on a floating root


def inertial(rng):
    moment = [rng.uniform(0.01, 0.1) for _ in range(3)]
    centre = " ".join(f"{rng.uniform(-0.1, 0.1):.6f}" for _ in range(3))
    return (f'<inertial><origin xyz="{centre}"/><mass value="{rng.uniform(1, 5):.6f}"/>'
            f'<inertia ixx="{moment[0]:.6f}" ixy="0" ixz="0" iyy="{moment[1]:.6f}" iyz="0" '
            f'izz="{max(moment[2], abs(moment[0] - moment[1]) + 0.001):.6f}"/></inertial>')


def joint(rng, name, parent, child):
    place = " ".join(f"{rng.uniform(-0.4, 0.4):.6f}" for _ in range(3))
    turn = " ".join(f"{rng.uniform(-math.pi, math.pi):.6f}" for _ in range(3))
    return (f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{place}" rpy="{turn}"/><axis xyz="0 0 1"/>'
            f'<limit lower="-3" upper="3" velocity="3" effort="100"/></joint>')


def tree(name, limbs, seed):
    """URDF of chains with these numbers of joints, all on one root link."""
    rng = random.Random(seed)
    parts = [f'<robot name="{name}"><link name="root">{inertial(rng)}</link>']
    for limb, length in enumerate(limbs):
        parent = "root"
        for k in range(length):
            link = f"link_{limb}_{k}"
            parts.append(f'<link name="{link}">{inertial(rng)}</link>')
            parts.append(joint(rng, f"joint_{limb}_{k}", parent, link))
            parent = link
    return "\n".join(parts + ["</robot>\n"])


def write_random_robots(folder):
    """[(name, path, floating)] of the three random robots."""
    made = []
    for name, limbs, floating in (("arm6", (6,), False), ("arm7", (7,), False),
                                  ("humanoid36", HUMANOID_LIMBS, True)):
        path = folder / f"{name}.urdf"
        path.write_text(tree(name, limbs, seed=len(limbs) + limbs[0]))
        made.append((name, path, floating))
    return made


def example_robots():
    """UR5, xArm 7, Talos and G1 of the package example-robot-data, if it is installed beside pinocchio."""
    import pinocchio
    robots = pathlib.Path(pinocchio.__file__).parents[4] / "share/example-robot-data/robots"
    made = (("ur5", robots / "ur_description/urdf/ur5_robot.urdf", False),
            ("xarm7", robots / "xarm_description/urdf/xarm7.urdf", False),
            ("talos", robots / "talos_data/robots/talos_reduced.urdf", True),
            ("g1", robots / "g1_description/urdf/g1_29dof_rev_1_0.urdf", True))
    return [robot for robot in made if robot[1].exists()]


def write_peer_tables(urdf, floating, path):
    """What peer_pinocchio.cpp reads: gravity, then one line a joint: type, axis, parent, rotation, translation."""
    import pinocchio
    root = (pinocchio.JointModelFreeFlyer(),) if floating else ()
    model = pinocchio.buildModelFromUrdf(str(urdf), *root)
    lines = [f"{model.njoints - 1}"]
    for i in range(1, model.njoints):
        kind, axis = model.joints[i].shortname(), "0 0 0"
        if "Unaligned" in kind:
            axis = " ".join(repr(x) for x in model.joints[i].extract().axis)
        place = model.jointPlacements[i]
        numbers = [*place.rotation.flatten(), *place.translation]
        lines.append(f"{kind} {axis} {model.parents[i]} " + " ".join(repr(float(x)) for x in numbers))
    path.write_text("\n".join(lines) + "\n")
