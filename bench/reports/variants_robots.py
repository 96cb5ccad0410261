"""Variants about robot files: limits of zero, units told by one ratio, pairs by letters, small bodies, joints without columns, xacro."""

import re
import struct

import numpy

import arms
from arms import Link, Robot, inertial
from judge import BASE, Rig, Wrong, first_line, need, need_clean, need_finding, need_silent, remedies_in
from kinds import variant, variants

# ---- limits of zero as numbers -------------------------------------------------------------------------------------

ZERO = "limits of zero"


def table_of(path):
    return numpy.genfromtxt(path, delimiter=",", names=True, deletechars="")


def need_finite_log(bench, urdf, moves=True, *flags):
    """`heft simulate` writes numbers of a robot that moves, or refuses and says why."""
    done = bench.run("simulate", "--robot", urdf, "--duration", 6, "--rate", 200, "--out", "@OUT", *flags)
    if done.code != 0:
        need(done.code == 1 and re.search(r"limit|velocity|range|mass|stand|effort|motion", done.err, re.I), f"exit {done.code}: {first_line(done.err)}")
        return done
    for name in ("train.csv", "held_out.csv"):
        path = done.folder / name
        if path.exists():
            text = path.read_text()
            need("nan" not in text.split("\n", 1)[1].lower() and "inf" not in text.split("\n", 1)[1].lower(), f"{name} has nan or inf")
    truth = (done.folder / "truth.json").read_text() if (done.folder / "truth.json").exists() else ""
    need("nan" not in truth.lower(), "truth.json has nan")
    table = table_of(done.folder / "train.csv")
    still = [n for n in table.dtype.names if n.startswith("q_") and numpy.ptp(table[n]) < 1e-3]
    if still:
        need(re.search(r"still|stand|does not move|no motion|no range|velocity|limit", done.said, re.I), f"{still} stand still without a word")
    need(not (moves and still) or re.search(r"velocity|limit", done.said), f"{still} stand still")
    return done


@variants(ZERO, velocity_of_one_joint=("a3", {"velocity": 0}), velocity_next_to_nothing=("a2", {"velocity": 1e-300}), velocity_of_all=(None, {"velocity": 0}),
          effort_of_all=(None, {"effort": 0}), velocity_and_effort_of_one=("a5", {"velocity": 0, "effort": 0}))
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


@variants(ZERO, range_of_one_joint=("a2", .4), range_of_all=(None, 0.0))
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
        lines = [re.sub(rf'{key}="[^"]*"', f'{key}="0"', line) if joint is None or f'<joint name="{joint}"' in line else line for line in text.splitlines()]
        text = "\n".join(lines)
    arms.write(rig.urdf, text)
    done = rig.identify()
    rig.need_right(done)
    need(not re.search(r"\bnan\b", (done.folder / "result.json").read_text(), re.I), "nan in result.json")


@variants(ZERO, clean=True, usual={}, slow={"velocity": .3}, continuous={"kind": "continuous"})
def usual_limits(bench, changes):
    done = need_finite_log(bench, bench.write("robot.urdf", arms.six_joints(**changes).urdf()))
    need(done.code == 0, f"exit {done.code}: {first_line(done.err)}")
    table = table_of(done.folder / "train.csv")
    need(all(numpy.ptp(table[n]) > .02 for n in table.dtype.names if n.startswith("q_")), "hardly moves")


# ---- millimetres told by one ratio -----------------------------------------------------------------------------------

PLATES = "millimetres: short chains with broad bodies"


def chain(title, *links):
    """Links on fixed joints (or others): (joint, kind, xyz, content)."""
    lines, parent = [f'<?xml version="1.0"?>\n<robot name="{title}"><link name="root"/>'], "root"
    for joint, kind, xyz, content in links:
        limit = '<axis xyz="0 0 1"/><limit lower="-1.5" upper="1.5" effort="5" velocity="2"/>' if kind == "revolute" else \
            '<axis xyz="0 0 1"/><limit effort="5" velocity="2"/>' if kind == "continuous" else \
            '<axis xyz="1 0 0"/><limit lower="0" upper="0.03" effort="20" velocity="0.2"/>' if kind == "prismatic" else ""
        lines.append(f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{joint}_link"/><origin xyz="{xyz}"/>{limit}</joint>'
                     f'<link name="{joint}_link">{content}</link>')
        parent = f"{joint}_link"
    return "\n".join(lines) + "\n</robot>\n"


def shape(geometry, tag="collision"):
    return f"<{tag}><geometry>{geometry}</geometry></{tag}>"


def stl_box(size, scale=1.0):
    """A binary STL of a box about the origin."""
    x, y, z = (numpy.array(size) / 2 * scale)
    corners = numpy.array([[a, b, c] for a in (-x, x) for b in (-y, y) for c in (-z, z)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    content = b"\0" * 80 + struct.pack("<I", len(triangles))
    for t in triangles:
        content += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[k]) for k in t) + b"\0\0"
    return content


BROAD = {
    "turntable": chain("turntable", ("spin", "continuous", "0 0 0.015", shape('<cylinder radius="0.25" length="0.03"/>')), ("top", "fixed", "0 0 0.015", "")),
    "palm": chain("hand", ("flange", "fixed", "0 0 0.008", shape('<box size="0.11 0.19 0.05"/>')), ("jaw", "prismatic", "0.004 0 0.002", shape('<box size="0.02 0.03 0.05"/>'))),
    "pan_tilt": chain("head", ("pan", "revolute", "0 0 0.005", shape('<box size="0.12 0.14 0.06"/>')), ("tilt", "revolute", "0 0 0.004", shape('<sphere radius="0.07"/>'))),
    "table": chain("table", ("put", "fixed", "0 0 0", shape('<box size="1.6 0.8 0.04"/>')), ("mark", "fixed", "0 0 0.02", "")),
    "camera_mount": chain("mount", ("plate", "fixed", "0 0 0.003", shape('<box size="0.09 0.12 0.006"/>', "visual")), ("lens", "fixed", "0.002 0 0.001", shape('<cylinder radius="0.03" length="0.05"/>', "visual"))),
}


@variants(PLATES, **BROAD)
def broad(bench, text):
    need_not_millimetres(bench.check(bench.write("robot.urdf", text)))


def need_not_millimetres(done):
    need_silent(done, [r".*millimet.*", r"mesh-in.*"])
    need(not [f for f in done.findings if f["severity"] == "error"], f"errors {[f['name'] for f in done.findings if f['severity'] == 'error']}")


@variant(PLATES, "plate by a mesh in metres")
def mesh_plate(bench):
    bench.write("meshes/plate.stl", stl_box((.32, .28, .015)))
    text = chain("adapter", ("screwed", "fixed", "0 0 0.007", shape('<mesh filename="meshes/plate.stl"/>')), ("top", "fixed", "0 0 0.008", ""))
    need_not_millimetres(bench.check(bench.write("robot.urdf", text)))


@variants(PLATES, clean=True, arm_of_80_cm=(.12, .1, .3), arm_with_small_meshes=(.05, .06, .08))
def mesh_in_millimetres(bench, size):
    # evidence of two kinds: 1000 times too large for the chain, and for the mass as well
    bench.write("meshes/link.stl", stl_box(size, 1000))
    robot = arms.six_joints()
    text = re.sub(r'<box size="[^"]*"/>', '<mesh filename="meshes/link.stl"/>', robot.urdf())
    need_finding(bench.check(bench.write("robot.urdf", text)), [r".*millimet.*"], ("error", "warning"))


@variant(PLATES, "arm with boxes in metres", clean=True)
def arm_in_metres(bench):
    need_not_millimetres(bench.check(bench.write("robot.urdf", arms.six_joints().urdf())))


# ---- heavy bases, grams, and --fix -----------------------------------------------------------------------------------

HEAVY = "heavy bases and masses in grams"


def masses_of(path):
    return {m.group(1): float(m.group(2)) for m in re.finditer(r'<link name="([^"]+)">(?:(?!</link>).)*?<mass value="([^"]+)"', path.read_text(), re.S)}


def need_unchanged_by_fix(bench, text, link):
    robot = bench.write("robot.urdf", text)
    before = masses_of(robot)
    done = bench.check(robot)
    need_silent(done, [r"mass-in-grams", r"tensor-unit-slip", r".*millimet.*"], ("error", "warning"))
    need(not [f for f in done.findings if f["severity"] == "error"], f"errors {[(f['name'], f['subject']) for f in done.findings if f['severity'] == 'error']}")
    fixed = bench.path("fixed.urdf")
    bench.run("check", robot, "--fix", fixed)
    after = masses_of(fixed) if fixed.exists() else before
    need(after == before, f"--fix wrote {link} of {after.get(link)} kg for {before.get(link)} kg")


def on_base(content, root="base"):
    robot = arms.six_joints()
    robot.root, robot.root_content = root, content
    robot.links[0].parent = root
    return robot


@variants(HEAVY, vehicle_of_300_kg=inertial(300, (1.1, .7, .5)), ship_of_4_t=inertial(4000, (6, 2.4, 1.8)), bed_of_900_kg=inertial(900, (1.1, .9, .7), (0, 0, -.4)),
          bed_with_its_box=inertial(900, (1.1, .9, .7), (0, 0, -.4)) + '<collision><origin xyz="0 0 -.4"/><geometry><box size="1.1 .9 .7"/></geometry></collision>',
          pedestal_with_unread_mesh=inertial(450, (.5, .5, .9), (0, 0, -.4)) + '<collision><geometry><mesh filename="package://nowhere/bed.stl"/></geometry></collision>')
def heavy_root(bench, content):
    need_unchanged_by_fix(bench, on_base(content).urdf(), "base")


@variant(HEAVY, "vehicle screwed to the world")
def heavy_on_world(bench):
    robot = arms.six_joints()
    robot.links.insert(0, Link("screwed", "world", (0, 0, .3), kind="fixed", mass=520, size=(1.3, .8, .5), name="base", shape=False))
    robot.root = "world"
    need_unchanged_by_fix(bench, robot.urdf(), "base")


@variant(HEAVY, "wheels beside the arm")
def heavy_with_wheels(bench):
    robot = on_base(inertial(260, (.9, .6, .35)))
    for k, (x, y) in enumerate(((.3, .3), (.3, -.3), (-.3, .3), (-.3, -.3))):
        robot.links.append(Link(f"wheel_{k}", "base", (x, y, -.2), (0, 0, 0), (0, 1, 0), 1.1, (.2, .05, .2), kind="continuous", shape=False))
    need_unchanged_by_fix(bench, robot.urdf(), "base")


@variant(HEAVY, "counterweight of concrete")
def counterweight(bench):
    robot = arms.six_joints()
    robot.links.insert(0, Link("tower", "base", (0, 0, .5), mass=360, size=(.5, .55, .55), shape=False))
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
        links += [Link(f"{prefix}_mcp", "palm", (.03 - .022 * k, 0, .09), (0, 0, 0), (1, 0, 0), mass, (.014, .014, length), (0, 0, length / 2), lower=0, upper=1.5, effort=1, name=f"{prefix}_proximal", shape=False),
                  Link(f"{prefix}_pip", f"{prefix}_proximal", (0, 0, length), (0, 0, 0), (1, 0, 0), mass * .6, (.012, .012, length * .7), (0, 0, length * .35), lower=0, upper=1.5, effort=1, name=f"{prefix}_distal", shape=False)]
    return Robot(links, root="palm", root_content=inertial(.32, (.08, .03, .1)), title="hand")


def along(*names):
    """Different links of one chain."""
    links, parent = [], "base"
    for k, name in enumerate(names):
        links.append(Link(f"j_{name}", parent, (.02, 0, .2), (0, .3 * k, 0), (0, 0, 1), 2.6 / (k + 1), (.1, .08, .2 - .03 * k), (0, .01, .05), name=name))
        parent = name
    return Robot(links)


@variants(PAIRS, little_and_ring_finger=fingers(("ff", .012, .045), ("mf", .013, .05), ("rf", .0115, .046), ("lf", .007, .034)),
          little_and_ring_of_a_left_hand=fingers(("left_ff", .012, .045), ("left_rf", .0115, .046), ("left_lf", .007, .034)),
          lower_and_roll_link=along("l_link", "r_link", "tip"), rear_left_as_roll=along("rl_link", "rr_link"), front_lower_and_frame=along("fl", "fr", "x"),
          left_and_right_of_one_chain=along("l_arm", "r_arm", "l_hand", "r_hand"))
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


CUBES = {"of_0_3_g": (.0003, (.004, .004, .006)), "of_20_mg": (2e-5, (.002, .0025, .003)), "of_2_mg": (2e-6, (.001, .001, .0015))}


@variants(SMALL, **{f"triangle_broken_{name}": body for name, body in CUBES.items()})
def broken_triangle(bench, body):
    need_finding(bench.check(bench.write("robot.urdf", jaw(*body, (1, 1, 3.4)))), [r"triangle.*", r".*impossible.*", r"tensor-.*|products.*"], ("error",), "jaw")


@variants(SMALL, **{f"negative_moment_{name}": body for name, body in CUBES.items()})
def negative_moment(bench, body):
    need_finding(bench.check(bench.write("robot.urdf", jaw(*body, (1, 1, -.4)))), [r".*"], ("error",), "jaw")


@variants(SMALL, clean=True, **CUBES)
def sound_small(bench, body):
    done = bench.check(bench.write("robot.urdf", jaw(*body)))
    need_silent(done, [r"tensor-.*", r"triangle.*", r".*impossible.*", r"density.*", r"mass-.*"])


@variant(SMALL, "insect of 40 mg", clean=True)
def insect(bench):
    robot = arms.six_joints()
    for link in robot.links:
        link.xyz, link.size, link.center = (tuple(.014 * x for x in v) for v in (link.xyz, link.size, link.center))
        link.mass *= .014**3
        link.effort = 400 * .014**4
    need_silent(bench.check(bench.write("robot.urdf", robot.urdf())), [r"tensor-.*", r"triangle.*", r".*impossible.*"])


# ---- joints that the log does not have ----------------------------------------------------------------------------------

LOCKED = "joints without columns"


def with_more(*links):
    robot = arms.six_joints()
    robot.links += links
    return robot


HEAD = [Link("pan", "link_a1", (.05, 0, .15), (0, 0, 0), (0, 0, 1), .8, (.1, .1, .08), (0, 0, .03)), Link("tilt", "link_pan", (0, 0, .06), (0, 0, 0), (0, 1, 0), .6, (.09, .12, .1), (.03, 0, .04))]
PINCH = [Link("pinch", "link_a6", (0, 0, .06), (0, 0, 0), (0, 1, 0), .25, (.06, .07, .08), (.01, 0, .04), lower=0, upper=.9)]
ON_LIFT = [Link("lift", "base", (0, 0, .2), (0, 0, 0), (0, 0, 1), 9., (.3, .3, .4), (0, 0, 0), "prismatic", 0, .6, 900, .3)]


def on_lift():
    robot = arms.six_joints()
    robot.links[0].parent = "link_lift"
    robot.links = [*ON_LIFT, *robot.links]
    return robot


ROBOTS = {"fingers": (lambda: with_more(*arms.gripper_of(mimic=True)), {"finger_l": 0.0, "finger_r": 0.0}), "two_fingers_without_mimic": (lambda: with_more(*arms.gripper_of(mimic=False)), {"finger_l": 0.0, "finger_r": 0.0}),
          "pinch_gripper": (lambda: with_more(*PINCH), {"pinch": 0.0}), "head_beside_the_arm": (lambda: with_more(*HEAD), {"pan": 0.0, "tilt": 0.0}), "lift_below_the_arm": (on_lift, {"lift": 0.0})}
ARM = [f"a{k}" for k in range(1, 7)]


@variants(LOCKED, **ROBOTS)
def locked_by_advice(bench, how):
    """The error shows `joints: {locked: ..}`; numbers in it are places to fill in, here 0."""
    maker, standing = how
    rig = Rig(bench, maker(), standing=standing, names=ARM)
    done = rig.identify()
    need(done.code == 1, f"exit {done.code}")
    need(re.search(r"locked", done.err), f"no way out: {first_line(done.err)}")
    offers = [one for one in remedies_in(done.err, to_fill_in=True) if "locked" in one.get("joints", {})]
    need(offers, f"no YAML: {first_line(done.err)}")
    named = offers[0]["joints"]["locked"]
    joints = [j for j in standing if not (j == "finger_r" and how is ROBOTS["fingers"])]
    need(set(named) <= set(standing), f"locks {named}")
    locked = {j: 0.0 for j in (joints if set(named) < set(joints) else named)}
    rig.need_right(rig.identify(config={**BASE, "joints": {"locked": locked}}), slack=.03)


@variants(LOCKED, lift_at_35_cm=(on_lift, {"lift": .35}), head_turned=(lambda: with_more(*HEAD), {"pan": .7, "tilt": -.4}), pinch_half_open=(lambda: with_more(*PINCH), {"pinch": .45}),
          fingers_at_3_cm=(ROBOTS["fingers"][0], {"finger_l": .03}))
def locked_elsewhere(bench, how):
    maker, at = how
    standing = {**at, **({"finger_r": at["finger_l"]} if "finger_l" in at else {})}
    rig = Rig(bench, maker(), standing=standing, names=ARM)
    rig._clean_error = .02
    done = rig.identify(config={**BASE, "joints": {"locked": at}})
    rig.need_right(done, slack=.02)


@variant(LOCKED, "a locked joint that does not exist", clean=True)
def locked_unknown(bench):
    rig = Rig(bench, arms.six_joints())
    done = rig.identify(config={**BASE, "joints": {"locked": {"fingr": 0.02}}})
    need(done.code == 1 and "fingr" in done.err, f"exit {done.code}: {first_line(done.err)}")


@variant(LOCKED, "all columns there", clean=True)
def none_locked(bench):
    need_clean(Rig(bench, with_more(*PINCH), how={"amplitude": [.9] * 6 + [.4]}), slack=.03)


@variant(LOCKED, "one column misspelt", clean=True)
def misspelt(bench):
    rig = Rig(bench, arms.six_joints())
    log = bench.write("log.csv", rig.train.read_text().replace("q_a4", "q_a_4", 1))
    done = bench.identify(rig.urdf, log)
    need(done.code == 1 and "q_a4" in done.err and "q_a_4" in done.err, f"exit {done.code}: {first_line(done.err)}")


# ---- a floating joint between world and base ------------------------------------------------------------------------------

FLOATING = "floating world joints"


def floated(root="world", joint="float", kind="floating", mass=20):
    robot = arms.six_joints()
    robot.links.insert(0, Link(joint, root, kind=kind, mass=mass, size=(.4, .4, .3), name="base", axis=(0, 0, 1)))
    robot.root = root
    return robot


@variants(FLOATING, world=("world", "float", "floating"), odom=("odom", "root_joint", "floating"), planar=("odom", "wheels", "planar"), no_mass_in_between=("map", "virtual", "floating"))
def floating_root(bench, how):
    root, joint, kind = how
    rig = Rig(bench, arms.six_joints())
    robot = bench.write("floating.urdf", floated(root, joint, kind, 0 if root == "map" else 20).urdf(prior=5))
    done = bench.identify(robot, rig.train, held=rig.held)
    if done.code in (0, 4):
        rig.need_right(done)
        return
    need(done.code == 1 and re.search(rf"\b{joint}\b", done.err), f"joint not named: {first_line(done.err)}")
    need(not re.search(rf"no column 'q_{joint}\.", done.err.split("remedy")[0]) or re.search("locked|floating_base|fixed", done.err), f"cause: {first_line(done.err)}")
    need(re.search(r"floating_base|locked|type=\"?fixed|make it fixed|fixed", done.err), f"no way out: {first_line(done.err)}")
    for remedy in remedies_in(done.err)[:1]:
        if "joints" in remedy:
            again = bench.identify(robot, rig.train, held=rig.held, config={**BASE, **remedy})
            need(again.code in (0, 4), f"after {remedy}: {first_line(again.err)}")
            rig.need_right(again, slack=.03)


@variant(FLOATING, "world is no body")
def world_is_no_body(bench):
    plain = on_base(inertial(20, (.4, .4, .3)))
    counts = []
    for name, robot in (("plain", plain), ("floating", floated())):
        done = bench.run("observe", bench.write(f"{name}.urdf", robot.urdf()), "--floating")
        match = re.search(r"(\d+) of (\d+) parameters", done.out)
        if not match:
            need(name == "floating" and done.code == 1 and re.search("floating_base|float", done.err), f"{name}: exit {done.code}: {first_line(done.err)}")
            return
        counts.append(match.groups())
    need(counts[0] == counts[1], f"{counts[1]} parameters instead of {counts[0]}")


@variants(FLOATING, clean=True, fixed_to_the_world="fixed", root_is_the_base=None)
def fixed_root(bench, kind):
    rig = Rig(bench, arms.six_joints())
    if kind:
        robot = bench.write("fixed.urdf", floated(kind="fixed").urdf(prior=5))
        done = bench.identify(robot, rig.train, held=rig.held)
    else:
        done = rig.identify()
    rig.need_right(done, slack=.03)


# ---- numbers that have no meaning -----------------------------------------------------------------------------------------

UNUSED = "numbers without a use"
FIXED = '<joint name="tool" type="fixed"><parent link="link_a6"/><child link="tool"/><origin xyz="0 0 .08"/>{}</joint><link name="tool">' + inertial(.4, (.06, .06, .08), (0, 0, .03)) + "</link>"


@variants(UNUSED, axis_of_two_numbers='<axis xyz="0 1"/>', axis_that_is_a_letter='<axis xyz="z"/>', empty_axis='<axis xyz=""/>', axis_not_finite='<axis xyz="nan 0 1"/>',
          axis_of_zeros='<axis xyz="0 0 0"/>', limits_the_wrong_way_round='<limit lower="1" upper="-1" effort="0" velocity="0"/>')
def unused_on_fixed(bench, element):
    need_accepted(bench, tail=FIXED.format(element))


@variants(UNUSED, words_as_limits_of_a_fixed_joint='<limit lower="none" upper="none" effort="-" velocity=""/>', words_as_its_dynamics='<dynamics damping="x" friction=""/>')
def refused_by_others(bench, element):
    """Pinocchio (urdfdom) refuses these: read, or refused with the place."""
    need_accepted_or_placed(bench, tail=FIXED.format(element))


@variant(UNUSED, "axis of a floating joint")
def unused_on_floating(bench):
    text = floated().urdf().replace('type="floating">', 'type="floating"><axis xyz="5"/>')
    done = bench.run("observe", bench.write("robot.urdf", text))
    need("axis" not in done.err, f"exit {done.code}: {first_line(done.err)}")
    need_silent(bench.check(bench.write("robot.urdf", text)), ["not-a-number"], ("error",))


def need_accepted_or_placed(bench, **how):
    try:
        need_accepted(bench, **how)
    except Wrong as wrong:
        if not re.search(r"not-a-number", str(wrong)):
            raise
        done = bench.run("observe", "robot.urdf")
        need(done.code == 1 and re.search(r"robot\.urdf:\d+", done.err), f"exit {done.code}: {first_line(done.err)}")


def need_accepted(bench, tail="", change=lambda text: text, slack=.03):
    truth = arms.six_joints()
    truth.tail = FIXED.format("") if tail else ""
    rig = Rig(bench, truth)
    text = change(rig.urdf.read_text())
    if tail:
        text = text.replace(FIXED.format(""), tail)
    arms.write(rig.urdf, text)
    done = bench.check(rig.urdf)
    need(done.findings is not None and not [f for f in done.findings if f["severity"] == "error"],
         f"check: {first_line(done.err) or [f['name'] for f in done.findings]}")
    for command in ("observe",):
        seen = bench.run(command, rig.urdf)
        need(seen.code == 0, f"{command}: {first_line(seen.err)}")
    rig.need_right(rig.identify(), slack=slack)


def continuous(limit):
    return lambda text: re.sub(r'(<joint name="a1" type=")revolute(".*?)<limit[^>]*/>', rf"\1continuous\2{limit}", text)


@variants(UNUSED, range_of_a_continuous_joint_reversed='<limit lower="2" upper="-2" effort="400" velocity="6"/>', range_of_a_continuous_joint_of_zero='<limit lower="0" upper="0" effort="400" velocity="6"/>')
def unused_on_continuous(bench, limit):
    need_accepted(bench, change=continuous(limit))


@variants(UNUSED, infinite_range_of_a_continuous_joint='<limit lower="-inf" upper="inf" effort="400" velocity="6"/>', words_as_range_of_a_continuous_joint='<limit lower="none" upper="none" effort="400" velocity="6"/>')
def refused_range(bench, limit):
    need_accepted_or_placed(bench, change=continuous(limit))


@variants(UNUSED, clean=True, axis_of_a_joint_that_turns='xyz="100"', axis_that_is_no_number='xyz="0 0 z"')
def used_axis(bench, axis):
    text = arms.six_joints().urdf().replace('xyz="0 0 1"', axis, 1)
    done = bench.run("identify", "--robot", bench.write("robot.urdf", text), "--log", bench.write("l.csv", "t\n1\n"), "--out", "@OUT")
    need(done.code == 1 and "axis" in done.err, f"exit {done.code}: {first_line(done.err)}")


@variant(UNUSED, "fixed joint without an axis", clean=True)
def no_axis(bench):
    need_accepted(bench, tail=FIXED.format(""))


# ---- what is left of xacro ---------------------------------------------------------------------------------------------------

XACRO = "what is left of xacro"


@variants(XACRO, mass=('<mass value="4.1"', '<mass value="${arm_mass}"'), limit=('upper="2.9"', 'upper="${radians(166)}"'), argument=('effort="400"', 'effort="$(arg max_effort)"'),
          origin=('xyz="0 0 0.32"', 'xyz="0 0 ${base_height}"'), tensor=('ixy="0"', 'ixy="${ixy}"'), name=('<joint name="a1"', '<joint name="${prefix}a1"'),
          macro=('<link name="base">', '<xacro:macro name="arm" params="prefix"/><link name="base">'), call=('<link name="base">', '<xacro:arm prefix="left_"/><link name="base">'))
def remnants(bench, change):
    text = arms.six_joints().urdf()
    need(change[0] in text, "the variant is out of date")
    text = text.replace('<robot name="rig">', '<robot name="rig" xmlns:xacro="http://www.ros.org/wiki/xacro">').replace(*change, 1)
    robot = bench.write("robot.urdf", text)
    for words in (("identify", "--robot", robot, "--log", bench.write("l.csv", "t\n1\n"), "--out", "@OUT"), ("check", robot), ("observe", robot)):
        done = bench.run(*words)
        need(re.search("xacro", done.said.replace("xmlns:xacro", "")), f"{words[0]}: no word of xacro: {first_line(done.err or done.out)}")


@variants(XACRO, clean=True, name_space_alone=('<robot name="rig">', '<robot name="rig" xmlns:xacro="http://www.ros.org/wiki/xacro">'), comment=('<robot name="rig">', '<robot name="rig"><!-- made from ${file} by xacro -->'))
def expanded(bench, change):
    rig = Rig(bench, arms.six_joints())
    arms.write(rig.urdf, rig.urdf.read_text().replace(*change))
    rig.need_right(rig.identify())


# ---- mimic joints and dimensions ----------------------------------------------------------------------------------------------

MIMIC = "dimensions of hands with mimic joints"


def big_hand(fingers, phalanges, follow=True, arm=7, tilt=.3):
    """An arm of `arm` joints with a hand whose fingers' outer joints follow the first with a factor and an offset."""
    links, parent = [], "base"
    for k in range(arm):
        links.append(Link(f"s{k}", parent, (0, .02, .18), ((-1)**k * numpy.pi / 2, 0, 0), (0, 0, 1), max(.4, 2.0 - .2 * k), (.1, .1, .2), (0, .01, .06)))
        parent = f"link_s{k}"
    for f in range(fingers):
        before = parent
        for p in range(phalanges):
            more = f'<mimic joint="f{f}_0" multiplier="{.7 + .1 * p:g}" offset="{.05 * p:g}"/>' if follow and p else ""
            links.append(Link(f"f{f}_{p}", before, (.02 * f - .04, .005 * p, .04), (tilt * f, .05 * p, 0), (1, 0, 0), .03 / (p + 1), (.015, .015, .04), (0, .001, .02), lower=0, upper=1.4, effort=1, more=more))
            before = f"link_f{f}_{p}"
    return Robot(links, title="hand")


@variants(MIMIC, five_fingers_of_two=(5, 2, True, 7), five_of_three=(5, 3, True, 7), six_of_five=(6, 5, True, 7), hand_alone=(5, 4, True, 0), two_arms_worth=(10, 3, True, 12), sixty_bodies=(10, 4, True, 20))
def dimensions_of_hands(bench, how):
    need_dimensions(bench, big_hand(*how))


def need_dimensions(bench, robot, most_s=1.0):
    path = bench.write("robot.urdf", robot.urdf())
    done = bench.run("observe", path, "--dimensions")
    need(done.code == 0, f"exit {done.code}: {first_line(done.err)}")
    need(done.cpu_s < most_s, f"{done.cpu_s:.1f} s of CPU")
    need(not re.search("no dimensions|random motions", done.out), "no dimensions")
    plain = bench.run("observe", path)
    match = re.search(r"(\d+) of (\d+) parameters", plain.out)
    need(match, f"observe: {first_line(plain.out + plain.err)}")
    need(match.group(1) in re.findall(r"\d+", done.out), f"no dimensions like {match.group(1)}: {first_line(done.out)}")


@variants(MIMIC, clean=True, no_followers=(5, 3, False, 7), arm_alone=(0, 0, False, 7))
def dimensions_without(bench, how):
    need_dimensions(bench, big_hand(*how))
