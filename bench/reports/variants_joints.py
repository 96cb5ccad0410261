"""Variants about joints: without columns, floating at the root, unused numbers, xacro, mimic joints."""

import re

import numpy

import arms
from arms import Link, Robot, inertial
from judge import BASE, Rig, Wrong, first_line, need, need_clean, need_silent, remedies_in
from kinds import variant, variants
from variants_robots import on_base

# ---- joints that the log does not have ----------------------------------------------------------------------------------

LOCKED = "joints without columns"


def with_more(*links):
    robot = arms.six_joints()
    robot.links += links
    return robot


HEAD = [
    Link("pan", "link_a1", (0.05, 0, 0.15), (0, 0, 0), (0, 0, 1), 0.8, (0.1, 0.1, 0.08), (0, 0, 0.03)),
    Link("tilt", "link_pan", (0, 0, 0.06), (0, 0, 0), (0, 1, 0), 0.6, (0.09, 0.12, 0.1), (0.03, 0, 0.04)),
]
PINCH = [
    Link("pinch", "link_a6", (0, 0, 0.06), (0, 0, 0), (0, 1, 0), 0.25, (0.06, 0.07, 0.08), (0.01, 0, 0.04), lower=0, upper=0.9)
]
ON_LIFT = [
    Link("lift", "base", (0, 0, 0.2), (0, 0, 0), (0, 0, 1), 9.0, (0.3, 0.3, 0.4), (0, 0, 0), "prismatic", 0, 0.6, 900, 0.3)
]


def on_lift():
    robot = arms.six_joints()
    robot.links[0].parent = "link_lift"
    robot.links = [*ON_LIFT, *robot.links]
    return robot


ROBOTS = {
    "fingers": (lambda: with_more(*arms.gripper_of(mimic=True)), {"finger_l": 0.0, "finger_r": 0.0}),
    "two_fingers_without_mimic": (lambda: with_more(*arms.gripper_of(mimic=False)), {"finger_l": 0.0, "finger_r": 0.0}),
    "pinch_gripper": (lambda: with_more(*PINCH), {"pinch": 0.0}),
    "head_beside_the_arm": (lambda: with_more(*HEAD), {"pan": 0.0, "tilt": 0.0}),
    "lift_below_the_arm": (on_lift, {"lift": 0.0}),
}
ARM = [f"a{k}" for k in range(1, 7)]


@variants(LOCKED, **ROBOTS)
def locked_by_advice(bench, how):
    """The error shows `joints: {locked: ..}`; its numbers are placeholders, here 0."""
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
    rig.need_right(rig.identify(config={**BASE, "joints": {"locked": locked}}), slack=0.03)


@variants(
    LOCKED,
    lift_at_35_cm=(on_lift, {"lift": 0.35}),
    head_turned=(lambda: with_more(*HEAD), {"pan": 0.7, "tilt": -0.4}),
    pinch_half_open=(lambda: with_more(*PINCH), {"pinch": 0.45}),
    fingers_at_3_cm=(ROBOTS["fingers"][0], {"finger_l": 0.03}),
)
def locked_elsewhere(bench, how):
    maker, at = how
    standing = {**at, **({"finger_r": at["finger_l"]} if "finger_l" in at else {})}
    rig = Rig(bench, maker(), standing=standing, names=ARM)
    rig._clean_error = 0.02
    done = rig.identify(config={**BASE, "joints": {"locked": at}})
    rig.need_right(done, slack=0.02)


@variant(LOCKED, "a locked joint that does not exist", clean=True)
def locked_unknown(bench):
    rig = Rig(bench, arms.six_joints())
    done = rig.identify(config={**BASE, "joints": {"locked": {"fingr": 0.02}}})
    need(done.code == 1 and "fingr" in done.err, f"exit {done.code}: {first_line(done.err)}")


@variant(LOCKED, "all columns there", clean=True)
def none_locked(bench):
    need_clean(Rig(bench, with_more(*PINCH), how={"amplitude": [0.9] * 6 + [0.4]}), slack=0.03)


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
    robot.links.insert(0, Link(joint, root, kind=kind, mass=mass, size=(0.4, 0.4, 0.3), name="base", axis=(0, 0, 1)))
    robot.root = root
    return robot


@variants(
    FLOATING,
    world=("world", "float", "floating"),
    odom=("odom", "root_joint", "floating"),
    planar=("odom", "wheels", "planar"),
    no_mass_in_between=("map", "virtual", "floating"),
)
def floating_root(bench, how):
    root, joint, kind = how
    rig = Rig(bench, arms.six_joints())
    robot = bench.write("floating.urdf", floated(root, joint, kind, 0 if root == "map" else 20).urdf(prior=5))
    done = bench.identify(robot, rig.train, held=rig.held)
    if done.code in (0, 4):
        rig.need_right(done)
        return
    need(done.code == 1 and re.search(rf"\b{joint}\b", done.err), f"joint not named: {first_line(done.err)}")
    need(
        not re.search(rf"no column 'q_{joint}\.", done.err.split("remedy")[0])
        or re.search("locked|floating_base|fixed", done.err),
        f"cause: {first_line(done.err)}",
    )
    need(re.search(r"floating_base|locked|type=\"?fixed|make it fixed|fixed", done.err), f"no way out: {first_line(done.err)}")
    for remedy in remedies_in(done.err)[:1]:
        if "joints" in remedy:
            again = bench.identify(robot, rig.train, held=rig.held, config={**BASE, **remedy})
            need(again.code in (0, 4), f"after {remedy}: {first_line(again.err)}")
            rig.need_right(again, slack=0.03)


@variant(FLOATING, "world is no body")
def world_is_no_body(bench):
    plain = on_base(inertial(20, (0.4, 0.4, 0.3)))
    counts = []
    for name, robot in (("plain", plain), ("floating", floated())):
        done = bench.run("observe", bench.write(f"{name}.urdf", robot.urdf()), "--floating")
        match = re.search(r"(\d+) of (\d+) parameters", done.out)
        if not match:
            need(
                name == "floating" and done.code == 1 and re.search("floating_base|float", done.err),
                f"{name}: exit {done.code}: {first_line(done.err)}",
            )
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
    rig.need_right(done, slack=0.03)


# ---- numbers that have no meaning -----------------------------------------------------------------------------------------

UNUSED = "numbers without a use"
FIXED = (
    '<joint name="tool" type="fixed"><parent link="link_a6"/><child link="tool"/><origin xyz="0 0 .08"/>{}</joint><link name="tool">'
    + inertial(0.4, (0.06, 0.06, 0.08), (0, 0, 0.03))
    + "</link>"
)


@variants(
    UNUSED,
    axis_of_two_numbers='<axis xyz="0 1"/>',
    axis_that_is_a_letter='<axis xyz="z"/>',
    empty_axis='<axis xyz=""/>',
    axis_not_finite='<axis xyz="nan 0 1"/>',
    axis_of_zeros='<axis xyz="0 0 0"/>',
    limits_the_wrong_way_round='<limit lower="1" upper="-1" effort="0" velocity="0"/>',
)
def unused_on_fixed(bench, element):
    need_accepted(bench, tail=FIXED.format(element))


@variants(
    UNUSED,
    words_as_limits_of_a_fixed_joint='<limit lower="none" upper="none" effort="-" velocity=""/>',
    words_as_its_dynamics='<dynamics damping="x" friction=""/>',
)
def refused_by_others(bench, element):
    """Pinocchio (urdfdom) rejects these: they are read, or rejected with the place."""
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


def need_accepted(bench, tail="", change=lambda text: text, slack=0.03):
    truth = arms.six_joints()
    truth.tail = FIXED.format("") if tail else ""
    rig = Rig(bench, truth)
    text = change(rig.urdf.read_text())
    if tail:
        text = text.replace(FIXED.format(""), tail)
    arms.write(rig.urdf, text)
    done = bench.check(rig.urdf)
    need(
        done.findings is not None and not [f for f in done.findings if f["severity"] == "error"],
        f"check: {first_line(done.err) or [f['name'] for f in done.findings]}",
    )
    for command in ("observe",):
        seen = bench.run(command, rig.urdf)
        need(seen.code == 0, f"{command}: {first_line(seen.err)}")
    rig.need_right(rig.identify(), slack=slack)


def continuous(limit):
    return lambda text: re.sub(r'(<joint name="a1" type=")revolute(".*?)<limit[^>]*/>', rf"\1continuous\2{limit}", text)


@variants(
    UNUSED,
    range_of_a_continuous_joint_reversed='<limit lower="2" upper="-2" effort="400" velocity="6"/>',
    range_of_a_continuous_joint_of_zero='<limit lower="0" upper="0" effort="400" velocity="6"/>',
)
def unused_on_continuous(bench, limit):
    need_accepted(bench, change=continuous(limit))


@variants(
    UNUSED,
    infinite_range_of_a_continuous_joint='<limit lower="-inf" upper="inf" effort="400" velocity="6"/>',
    words_as_range_of_a_continuous_joint='<limit lower="none" upper="none" effort="400" velocity="6"/>',
)
def refused_range(bench, limit):
    need_accepted_or_placed(bench, change=continuous(limit))


@variants(UNUSED, clean=True, axis_of_a_joint_that_turns='xyz="100"', axis_that_is_no_number='xyz="0 0 z"')
def used_axis(bench, axis):
    text = arms.six_joints().urdf().replace('xyz="0 0 1"', axis, 1)
    done = bench.run(
        "identify", "--robot", bench.write("robot.urdf", text), "--log", bench.write("l.csv", "t\n1\n"), "--out", "@OUT"
    )
    need(done.code == 1 and "axis" in done.err, f"exit {done.code}: {first_line(done.err)}")


@variant(UNUSED, "fixed joint without an axis", clean=True)
def no_axis(bench):
    need_accepted(bench, tail=FIXED.format(""))


# ---- what is left of xacro ---------------------------------------------------------------------------------------------------

XACRO = "what is left of xacro"


@variants(
    XACRO,
    mass=('<mass value="4.1"', '<mass value="${arm_mass}"'),
    limit=('upper="2.9"', 'upper="${radians(166)}"'),
    argument=('effort="400"', 'effort="$(arg max_effort)"'),
    origin=('xyz="0 0 0.32"', 'xyz="0 0 ${base_height}"'),
    tensor=('ixy="0"', 'ixy="${ixy}"'),
    name=('<joint name="a1"', '<joint name="${prefix}a1"'),
    macro=('<link name="base">', '<xacro:macro name="arm" params="prefix"/><link name="base">'),
    call=('<link name="base">', '<xacro:arm prefix="left_"/><link name="base">'),
)
def remnants(bench, change):
    text = arms.six_joints().urdf()
    need(change[0] in text, "the variant is out of date")
    text = text.replace('<robot name="rig">', '<robot name="rig" xmlns:xacro="http://www.ros.org/wiki/xacro">').replace(
        *change, 1
    )
    robot = bench.write("robot.urdf", text)
    for words in (
        ("identify", "--robot", robot, "--log", bench.write("l.csv", "t\n1\n"), "--out", "@OUT"),
        ("check", robot),
        ("observe", robot),
    ):
        done = bench.run(*words)
        need(
            re.search("xacro", done.said.replace("xmlns:xacro", "")),
            f"{words[0]}: no word of xacro: {first_line(done.err or done.out)}",
        )


@variants(
    XACRO,
    clean=True,
    name_space_alone=('<robot name="rig">', '<robot name="rig" xmlns:xacro="http://www.ros.org/wiki/xacro">'),
    comment=('<robot name="rig">', '<robot name="rig"><!-- made from ${file} by xacro -->'),
)
def expanded(bench, change):
    rig = Rig(bench, arms.six_joints())
    arms.write(rig.urdf, rig.urdf.read_text().replace(*change))
    rig.need_right(rig.identify())


# ---- mimic joints and dimensions ----------------------------------------------------------------------------------------------

MIMIC = "dimensions of hands with mimic joints"


def big_hand(fingers, phalanges, follow=True, arm=7, tilt=0.3):
    """An arm of `arm` joints with a hand whose fingers' outer joints follow the first with a factor and an offset."""
    links, parent = [], "base"
    for k in range(arm):
        links.append(
            Link(
                f"s{k}",
                parent,
                (0, 0.02, 0.18),
                ((-1) ** k * numpy.pi / 2, 0, 0),
                (0, 0, 1),
                max(0.4, 2.0 - 0.2 * k),
                (0.1, 0.1, 0.2),
                (0, 0.01, 0.06),
            )
        )
        parent = f"link_s{k}"
    for f in range(fingers):
        before = parent
        for p in range(phalanges):
            more = f'<mimic joint="f{f}_0" multiplier="{0.7 + 0.1 * p:g}" offset="{0.05 * p:g}"/>' if follow and p else ""
            links.append(
                Link(
                    f"f{f}_{p}",
                    before,
                    (0.02 * f - 0.04, 0.005 * p, 0.04),
                    (tilt * f, 0.05 * p, 0),
                    (1, 0, 0),
                    0.03 / (p + 1),
                    (0.015, 0.015, 0.04),
                    (0, 0.001, 0.02),
                    lower=0,
                    upper=1.4,
                    effort=1,
                    more=more,
                )
            )
            before = f"link_f{f}_{p}"
    return Robot(links, title="hand")


@variants(
    MIMIC,
    five_fingers_of_two=(5, 2, True, 7),
    five_of_three=(5, 3, True, 7),
    six_of_five=(6, 5, True, 7),
    hand_alone=(5, 4, True, 0),
    two_arms_worth=(10, 3, True, 12),
    sixty_bodies=(10, 4, True, 20),
)
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
