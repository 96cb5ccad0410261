"""Random trees as URDF: 3 to 12 revolute or prismatic joints, bodies anywhere, boxes as shapes."""
import numpy as np


def random_tree(random, name):
    count = int(random.integers(3, 13))
    text = [f'<robot name="{name}">', '<link name="base"/>']
    for i in range(count):
        mass = random.uniform(0.5, 5)
        size = random.uniform(0.05, 0.3, 3)
        xx, yy, zz = (mass / 12 * (size[(k + 1) % 3]**2 + size[(k + 2) % 3]**2) for k in range(3))
        com = random.normal(size=3) * 0.05
        parent = "base" if i == 0 else f"l{int(random.integers(max(0, i - 3), i))}"
        axis = random.normal(size=3)
        axis /= np.linalg.norm(axis)
        kind = "prismatic" if random.uniform() < 0.15 else "revolute"
        place, turn = random.uniform(-0.4, 0.4, 3), random.uniform(-np.pi, np.pi, 3)
        reach = 0.4 if kind == "prismatic" else random.uniform(1, 2.9)

        def words(values):
            return " ".join(f"{value:.6g}" for value in values)
        text.append(f'<link name="l{i}"><inertial><origin xyz="{words(com)}"/><mass value="{mass:.6g}"/>'
                    f'<inertia ixx="{xx:.6g}" ixy="0" ixz="0" iyy="{yy:.6g}" iyz="0" izz="{zz:.6g}"/></inertial></link>')
        text.append(f'<joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/><origin xyz="{words(place)}" rpy="{words(turn)}"/>'
                    f'<axis xyz="{words(axis)}"/><limit lower="{-reach:.6g}" upper="{reach:.6g}" effort="{random.uniform(200, 400):.6g}" velocity="2"/></joint>')
    return "\n".join([*text, "</robot>"])
