"""Variants about bodies in robot files: limits of zero, units told by one ratio, pairs by letters, small bodies."""

import re
import struct

import numpy

import arms
from arms import Link, Robot, inertial
from judge import Rig, first_line, need, need_finding, need_silent
from kinds import variant, variants

# ---- limits of zero as numbers -------------------------------------------------------------------------------------

ZERO = "limits of zero"


def table_of(path):
    return numpy.genfromtxt(path, delimiter=",", names=True, deletechars="")


def need_finite_log(bench, urdf, moves=True, *flags):
    """`heft simulate` writes numbers of a moving robot, or gives an error with the reason."""
    done = bench.run("simulate", "--robot", urdf, "--duration", 6, "--rate", 200, "--out", "@OUT", *flags)
    if done.code != 0:
        need(
            done.code == 1 and re.search(r"limit|velocity|range|mass|stand|effort|motion", done.err, re.I),
            f"exit {done.code}: {first_line(done.err)}",
        )
        return done
    for name in ("train.csv", "held_out.csv"):
        path = done.folder / name
        if path.exists():
            text = path.read_text()
            need(
                "nan" not in text.split("\n", 1)[1].lower() and "inf" not in text.split("\n", 1)[1].lower(),
                f"{name} has nan or inf",
            )
    truth = (done.folder / "truth.json").read_text() if (done.folder / "truth.json").exists() else ""
    need("nan" not in truth.lower(), "truth.json has nan")
    table = table_of(done.folder / "train.csv")
    still = [n for n in table.dtype.names if n.startswith("q_") and numpy.ptp(table[n]) < 1e-3]
    if still:
        need(
            re.search(r"still|stand|does not move|no motion|no range|velocity|limit", done.said, re.I),
            f"{still} stand still without a word",
        )
    need(not (moves and still) or re.search(r"velocity|limit", done.said), f"{still} stand still")
    return done


@variants(
    ZERO,
    velocity_of_one_joint=("a3", {"velocity": 0}),
    velocity_next_to_nothing=("a2", {"velocity": 1e-300}),
    velocity_of_all=(None, {"velocity": 0}),
    effort_of_all=(None, {"effort": 0}),
    velocity_and_effort_of_one=("a5", {"velocity": 0, "effort": 0}),
)
def zero_limits(bench, how):
    joint, changes = how
    robot = arms.six_joints()
    for link in robot.links:
        if joint in (None, link.joint):
            for key, value in changes.items():
                setattr(link, key, value)
    need_finite_log(bench, bench.write("robot.urdf", robot.urdf()))


@variant(ZERO, "sliding joints without velocity")
def zero_gantry(bench):
    robot = arms.gantry()
    for link in robot.links:
        link.velocity = 0
    need_finite_log(bench, bench.write("robot.urdf", robot.urdf()))


@variants(ZERO, range_of_one_joint=("a2", 0.4), range_of_all=(None, 0.0))
def zero_range(bench, how):
    joint, at = how
    robot = arms.six_joints()
    for link in robot.links:
        if joint in (None, link.joint):
            link.lower = link.upper = at
    need_finite_log(bench, bench.write("robot.urdf", robot.urdf()), moves=False)


@variant(ZERO, "robot without any mass")
def no_mass(bench):
    robot = arms.six_joints()
    text = re.sub(r"<inertial>.*?</inertial>", "", robot.urdf())
    done = bench.run("simulate", "--robot", bench.write("robot.urdf", text), "--duration", 6, "--rate", 200, "--out", "@OUT")
    need(re.search(r"mass|inerti", done.said, re.I), f"exit {done.code}, and no word about the mass")
    need(done.code in (0, 1), f"exit {done.code}")


@variants(ZERO, identify=("a4", {"velocity": 0}), identify_without_effort=(None, {"effort": 0}))
def zero_identify(bench, how):
    joint, changes = how
    rig = Rig(bench, arms.six_joints())
    text = rig.urdf.read_text()
    for key in changes:
        lines = [
            re.sub(rf'{key}="[^"]*"', f'{key}="0"', line) if joint is None or f'<joint name="{joint}"' in line else line
            for line in text.splitlines()
        ]
        text = "\n".join(lines)
    arms.write(rig.urdf, text)
    done = rig.identify()
    rig.need_right(done)
    need(not re.search(r"\bnan\b", (done.folder / "result.json").read_text(), re.I), "nan in result.json")


@variants(ZERO, clean=True, usual={}, slow={"velocity": 0.3}, continuous={"kind": "continuous"})
def usual_limits(bench, changes):
    done = need_finite_log(bench, bench.write("robot.urdf", arms.six_joints(**changes).urdf()))
    need(done.code == 0, f"exit {done.code}: {first_line(done.err)}")
    table = table_of(done.folder / "train.csv")
    need(all(numpy.ptp(table[n]) > 0.02 for n in table.dtype.names if n.startswith("q_")), "hardly moves")


# ---- millimeters told by one ratio -----------------------------------------------------------------------------------

PLATES = "millimeters: short chains with broad bodies"


def chain(title, *links):
    """Links on fixed joints (or others): (joint, kind, xyz, content)."""
    lines, parent = [f'<?xml version="1.0"?>\n<robot name="{title}"><link name="root"/>'], "root"
    for joint, kind, xyz, content in links:
        limit = (
            '<axis xyz="0 0 1"/><limit lower="-1.5" upper="1.5" effort="5" velocity="2"/>'
            if kind == "revolute"
            else '<axis xyz="0 0 1"/><limit effort="5" velocity="2"/>'
            if kind == "continuous"
            else '<axis xyz="1 0 0"/><limit lower="0" upper="0.03" effort="20" velocity="0.2"/>'
            if kind == "prismatic"
            else ""
        )
        lines.append(
            f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{joint}_link"/><origin xyz="{xyz}"/>{limit}</joint>'
            f'<link name="{joint}_link">{content}</link>'
        )
        parent = f"{joint}_link"
    return "\n".join(lines) + "\n</robot>\n"


def shape(geometry, tag="collision"):
    return f"<{tag}><geometry>{geometry}</geometry></{tag}>"


def stl_box(size, scale=1.0):
    """A binary STL of a box about the origin."""
    x, y, z = numpy.array(size) / 2 * scale
    corners = numpy.array([[a, b, c] for a in (-x, x) for b in (-y, y) for c in (-z, z)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    content = b"\0" * 80 + struct.pack("<I", len(triangles))
    for t in triangles:
        content += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[k]) for k in t) + b"\0\0"
    return content


BROAD = {
    "turntable": chain(
        "turntable",
        ("spin", "continuous", "0 0 0.015", shape('<cylinder radius="0.25" length="0.03"/>')),
        ("top", "fixed", "0 0 0.015", ""),
    ),
    "palm": chain(
        "hand",
        ("flange", "fixed", "0 0 0.008", shape('<box size="0.11 0.19 0.05"/>')),
        ("jaw", "prismatic", "0.004 0 0.002", shape('<box size="0.02 0.03 0.05"/>')),
    ),
    "pan_tilt": chain(
        "head",
        ("pan", "revolute", "0 0 0.005", shape('<box size="0.12 0.14 0.06"/>')),
        ("tilt", "revolute", "0 0 0.004", shape('<sphere radius="0.07"/>')),
    ),
    "table": chain("table", ("put", "fixed", "0 0 0", shape('<box size="1.6 0.8 0.04"/>')), ("mark", "fixed", "0 0 0.02", "")),
    "camera_mount": chain(
        "mount",
        ("plate", "fixed", "0 0 0.003", shape('<box size="0.09 0.12 0.006"/>', "visual")),
        ("lens", "fixed", "0.002 0 0.001", shape('<cylinder radius="0.03" length="0.05"/>', "visual")),
    ),
}


@variants(PLATES, **BROAD)
def broad(bench, text):
    need_not_millimeters(bench.check(bench.write("robot.urdf", text)))


def need_not_millimeters(done):
    need_silent(done, [r".*millimet.*", r"mesh-in.*"])
    need(
        not [f for f in done.findings if f["severity"] == "error"],
        f"errors {[f['name'] for f in done.findings if f['severity'] == 'error']}",
    )


@variant(PLATES, "plate by a mesh in meters")
def mesh_plate(bench):
    bench.write("meshes/plate.stl", stl_box((0.32, 0.28, 0.015)))
    text = chain(
        "adapter",
        ("screwed", "fixed", "0 0 0.007", shape('<mesh filename="meshes/plate.stl"/>')),
        ("top", "fixed", "0 0 0.008", ""),
    )
    need_not_millimeters(bench.check(bench.write("robot.urdf", text)))


@variants(PLATES, clean=True, arm_of_80_cm=(0.12, 0.1, 0.3), arm_with_small_meshes=(0.05, 0.06, 0.08))
def mesh_in_millimeters(bench, size):
    # evidence of two kinds: 1000 times too large for the chain, and for the mass as well
    bench.write("meshes/link.stl", stl_box(size, 1000))
    robot = arms.six_joints()
    text = re.sub(r'<box size="[^"]*"/>', '<mesh filename="meshes/link.stl"/>', robot.urdf())
    need_finding(bench.check(bench.write("robot.urdf", text)), [r".*millimet.*"], ("error", "warning"))


@variant(PLATES, "arm with boxes in meters", clean=True)
def arm_in_meters(bench):
    need_not_millimeters(bench.check(bench.write("robot.urdf", arms.six_joints().urdf())))


# ---- heavy bases, grams, and --fix -----------------------------------------------------------------------------------

HEAVY = "heavy bases and masses in grams"


def masses_of(path):
    return {
        m.group(1): float(m.group(2))
        for m in re.finditer(r'<link name="([^"]+)">(?:(?!</link>).)*?<mass value="([^"]+)"', path.read_text(), re.S)
    }


def need_unchanged_by_fix(bench, text, link):
    robot = bench.write("robot.urdf", text)
    before = masses_of(robot)
    done = bench.check(robot)
    need_silent(done, [r"mass-in-grams", r"tensor-unit-slip", r".*millimet.*"], ("error", "warning"))
    need(
        not [f for f in done.findings if f["severity"] == "error"],
        f"errors {[(f['name'], f['subject']) for f in done.findings if f['severity'] == 'error']}",
    )
    fixed = bench.path("fixed.urdf")
    bench.run("check", robot, "--fix", fixed)
    after = masses_of(fixed) if fixed.exists() else before
    need(after == before, f"--fix wrote {link} of {after.get(link)} kg for {before.get(link)} kg")


def on_base(content, root="base"):
    robot = arms.six_joints()
    robot.root, robot.root_content = root, content
    robot.links[0].parent = root
    return robot


@variants(
    HEAVY,
    vehicle_of_300_kg=inertial(300, (1.1, 0.7, 0.5)),
    ship_of_4_t=inertial(4000, (6, 2.4, 1.8)),
    bed_of_900_kg=inertial(900, (1.1, 0.9, 0.7), (0, 0, -0.4)),
    bed_with_its_box=inertial(900, (1.1, 0.9, 0.7), (0, 0, -0.4))
    + '<collision><origin xyz="0 0 -.4"/><geometry><box size="1.1 .9 .7"/></geometry></collision>',
    pedestal_with_unread_mesh=inertial(450, (0.5, 0.5, 0.9), (0, 0, -0.4))
    + '<collision><geometry><mesh filename="package://nowhere/bed.stl"/></geometry></collision>',
)
def heavy_root(bench, content):
    need_unchanged_by_fix(bench, on_base(content).urdf(), "base")


@variant(HEAVY, "vehicle screwed to the world")
def heavy_on_world(bench):
    robot = arms.six_joints()
    robot.links.insert(
        0, Link("screwed", "world", (0, 0, 0.3), kind="fixed", mass=520, size=(1.3, 0.8, 0.5), name="base", shape=False)
    )
    robot.root = "world"
    need_unchanged_by_fix(bench, robot.urdf(), "base")


@variant(HEAVY, "wheels beside the arm")
def heavy_with_wheels(bench):
    robot = on_base(inertial(260, (0.9, 0.6, 0.35)))
    for k, (x, y) in enumerate(((0.3, 0.3), (0.3, -0.3), (-0.3, 0.3), (-0.3, -0.3))):
        robot.links.append(
            Link(
                f"wheel_{k}", "base", (x, y, -0.2), (0, 0, 0), (0, 1, 0), 1.1, (0.2, 0.05, 0.2), kind="continuous", shape=False
            )
        )
    need_unchanged_by_fix(bench, robot.urdf(), "base")


@variant(HEAVY, "counterweight of concrete")
def counterweight(bench):
    robot = arms.six_joints()
    robot.links.insert(0, Link("tower", "base", (0, 0, 0.5), mass=360, size=(0.5, 0.55, 0.55), shape=False))
    robot.links[1].parent = "link_tower"
    need_unchanged_by_fix(bench, robot.urdf(), "link_tower")


@variants(HEAVY, clean=True, forearm=("link_a3", 2700), shoulder_and_tensor=("link_a2", 4600))
def really_grams(bench, how):
    link, grams = how
    text = arms.six_joints().urdf()
    part = re.search(rf'<link name="{link}">.*?</link>', text, re.S).group(0)
    wrong = re.sub(r'<mass value="[^"]*"', f'<mass value="{grams}"', part)
    if link == "link_a2":  # the tensor in g m^2, too
        wrong = re.sub(r'(i[xyz]{2})="([^"]*)"', lambda m: f'{m.group(1)}="{float(m.group(2)) * 1000:.9g}"', wrong)
    robot = bench.write("robot.urdf", text.replace(part, wrong))
    need_finding(bench.check(robot), [r"mass-in-grams", r".*gram.*"], ("error", "warning"), link)
    fixed = bench.path("fixed.urdf")
    bench.run("check", robot, "--fix", fixed)
    after = masses_of(fixed)[link] if fixed.exists() else grams
    need(abs(after - grams / 1000) < 1e-6 or (link == "link_a2" and after == grams), f"--fix wrote {after} kg")


@variant(HEAVY, "arm alone", clean=True)
def plain_arm(bench):
    need_unchanged_by_fix(bench, arms.six_joints().urdf(), "base")


# ---- pairs by letters -------------------------------------------------------------------------------------------------

PAIRS = "mirror pairs by letters"


def fingers(*prefixes):
    links = []
    for k, (prefix, mass, length) in enumerate(prefixes):
        links += [
            Link(
                f"{prefix}_mcp",
                "palm",
                (0.03 - 0.022 * k, 0, 0.09),
                (0, 0, 0),
                (1, 0, 0),
                mass,
                (0.014, 0.014, length),
                (0, 0, length / 2),
                lower=0,
                upper=1.5,
                effort=1,
                name=f"{prefix}_proximal",
                shape=False,
            ),
            Link(
                f"{prefix}_pip",
                f"{prefix}_proximal",
                (0, 0, length),
                (0, 0, 0),
                (1, 0, 0),
                mass * 0.6,
                (0.012, 0.012, length * 0.7),
                (0, 0, length * 0.35),
                lower=0,
                upper=1.5,
                effort=1,
                name=f"{prefix}_distal",
                shape=False,
            ),
        ]
    return Robot(links, root="palm", root_content=inertial(0.32, (0.08, 0.03, 0.1)), title="hand")


def along(*names):
    """Different links of one chain."""
    links, parent = [], "base"
    for k, name in enumerate(names):
        links.append(
            Link(
                f"j_{name}",
                parent,
                (0.02, 0, 0.2),
                (0, 0.3 * k, 0),
                (0, 0, 1),
                2.6 / (k + 1),
                (0.1, 0.08, 0.2 - 0.03 * k),
                (0, 0.01, 0.05),
                name=name,
            )
        )
        parent = name
    return Robot(links)


@variants(
    PAIRS,
    little_and_ring_finger=fingers(("ff", 0.012, 0.045), ("mf", 0.013, 0.05), ("rf", 0.0115, 0.046), ("lf", 0.007, 0.034)),
    little_and_ring_of_a_left_hand=fingers(("left_ff", 0.012, 0.045), ("left_rf", 0.0115, 0.046), ("left_lf", 0.007, 0.034)),
    lower_and_roll_link=along("l_link", "r_link", "tip"),
    rear_left_as_roll=along("rl_link", "rr_link"),
    front_lower_and_frame=along("fl", "fr", "x"),
    left_and_right_of_one_chain=along("l_arm", "r_arm", "l_hand", "r_hand"),
)
def no_pairs(bench, robot):
    need_silent(bench.check(bench.write("robot.urdf", robot.urdf())), [r"mirror-.*"])


@variant(PAIRS, "leg heavier than its image", clean=True)
def heavier_leg(bench):
    robot = arms.quadruped()
    next(l for l in robot.links if l.joint == "FR_thigh").mass = 1.02
    need_finding(bench.check(bench.write("robot.urdf", robot.urdf())), [r"mirror-mass-differs"], ("error", "warning"))


@variant(PAIRS, "arm heavier than its image", clean=True)
def heavier_arm(bench):
    robot = arms.two_arms()
    next(l for l in robot.links if l.joint == "left_upper").mass = 4.1
    need_finding(bench.check(bench.write("robot.urdf", robot.urdf())), [r"mirror-mass-differs"], ("error", "warning"))


@variants(PAIRS, clean=True, dog=arms.quadruped(), two_arms=arms.two_arms())
def like_pairs(bench, robot):
    need_silent(bench.check(bench.write("robot.urdf", robot.urdf())), [r"mirror-.*"])


# ---- small bodies -------------------------------------------------------------------------------------------------------

SMALL = "bodies below a gram"


def jaw(mass, size, factors=(1, 1, 1)):
    i = arms.box_inertia(mass, size) * factors
    return f'''<?xml version="1.0"?>
<robot name="jaw"><link name="shaft"/>
 <joint name="grip" type="revolute"><parent link="shaft"/><child link="jaw"/><origin xyz="0 0 {2 * size[2]}"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort=".01" velocity="3"/></joint>
 <link name="jaw"><inertial><origin xyz="0 0 {size[2] / 2}"/><mass value="{mass}"/><inertia ixx="{i[0]:.5g}" ixy="0" ixz="0" iyy="{i[1]:.5g}" iyz="0" izz="{i[2]:.5g}"/></inertial>
  <collision><origin xyz="0 0 {size[2] / 2}"/><geometry><box size="{size[0]} {size[1]} {size[2]}"/></geometry></collision></link>
</robot>
'''


CUBES = {
    "of_0_3_g": (0.0003, (0.004, 0.004, 0.006)),
    "of_20_mg": (2e-5, (0.002, 0.0025, 0.003)),
    "of_2_mg": (2e-6, (0.001, 0.001, 0.0015)),
}


@variants(SMALL, **{f"triangle_broken_{name}": body for name, body in CUBES.items()})
def broken_triangle(bench, body):
    moments = arms.box_inertia(*body)
    factor = 1.7 * (moments[0] + moments[1]) / moments[2]  # the third moment is 1.7 times the sum of the others
    need_finding(
        bench.check(bench.write("robot.urdf", jaw(*body, (1, 1, factor)))),
        [r"triangle.*", r".*impossible.*", r"tensor-.*|products.*"],
        ("error",),
        "jaw",
    )


@variants(SMALL, **{f"negative_moment_{name}": body for name, body in CUBES.items()})
def negative_moment(bench, body):
    need_finding(bench.check(bench.write("robot.urdf", jaw(*body, (1, 1, -0.4)))), [r".*"], ("error",), "jaw")


@variants(SMALL, clean=True, **CUBES)
def sound_small(bench, body):
    done = bench.check(bench.write("robot.urdf", jaw(*body)))
    need_silent(done, [r"tensor-.*", r"triangle.*", r".*impossible.*", r"density.*", r"mass-.*"])


@variant(SMALL, "insect of 40 mg", clean=True)
def insect(bench):
    robot = arms.six_joints()
    for link in robot.links:
        link.xyz, link.size, link.center = (tuple(0.014 * x for x in v) for v in (link.xyz, link.size, link.center))
        link.mass *= 0.014**3
        link.effort = 400 * 0.014**4
    need_silent(bench.check(bench.write("robot.urdf", robot.urdf())), [r"tensor-.*", r"triangle.*", r".*impossible.*"])
