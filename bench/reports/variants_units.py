"""Variants about the meaning of numbers in a log: units of prismatic joints, angles and torques, subtracted models."""

import numpy
from numpy import pi

import arms
from judge import Rig, need, need_clean, need_fixed, need_named
from kinds import variant, variants

# ---- units of sliding joints --------------------------------------------------------------------------------------

SLIDING = "units of sliding joints"
SLIDING_IDS = ("position-millimeters", "position-inches", "position-ticks")
SLIDING_WORDS = r"millimet|\bmm\b|inch|micromet|centimet|position_scale"


def scaled(factors, names=None):
    def fault(log):
        q = log.q.copy()
        for name, factor in factors.items():
            q[:, log.names.index(name)] *= factor
        return log.copy(q=q)

    return fault


@variants(
    SLIDING,
    gantry_in_mm={"x_rail": 1e3, "y_rail": 1e3, "z_rail": 1e3},
    one_axis_in_mm={"z_rail": 1e3},
    gantry_in_inches=dict.fromkeys(("x_rail", "y_rail", "z_rail"), 1 / 0.0254),
    two_axes_in_mm={"x_rail": 1e3, "y_rail": 1e3},
    mm_and_degrees={"x_rail": 1e3, "y_rail": 1e3, "z_rail": 1e3, "spin": 180 / pi, "tilt": 180 / pi},
)
def gantry_units(bench, factors):
    need_fixed(
        Rig(bench, arms.gantry(), fault=scaled(factors), recorder=arms.record_gantry),
        SLIDING_IDS + ("position-in-degrees",),
        SLIDING_WORDS + "|degrees",
    )


@variant(SLIDING, "mm, effort limits without effect")
def gantry_wide_limits(bench):
    need_fixed(
        Rig(
            bench,
            arms.gantry(effort=1e8),
            fault=scaled(dict.fromkeys(("x_rail", "y_rail", "z_rail"), 1e3)),
            recorder=arms.record_gantry,
        ),
        SLIDING_IDS,
        SLIDING_WORDS,
    )


@variant(SLIDING, "quill of a SCARA in mm")
def scara_units(bench):
    need_fixed(Rig(bench, arms.scara(), fault=scaled({"quill": 1e3}), how=arms.SCARA_MOTION), SLIDING_IDS, SLIDING_WORDS)


@variants(SLIDING, clean=True, gantry_of_30_m=30.0, gantry_of_3_m=3.0)
def gantry_in_meters(bench, span):
    how = {"center": [span / 2, 0, 0, 0, 0], "amplitude": [span * 0.3, 0.5, 0.35, 1.6, 0.9], "speed": 0.5 if span > 10 else 1.0}
    need_clean(Rig(bench, arms.gantry(effort=40000, span=span), recorder=arms.record_gantry, how=how), SLIDING_IDS)


# ---- units of angles ----------------------------------------------------------------------------------------------

ANGLES = "units of angles"
ANGLE_IDS = ("position-turns", "position-ticks", "position-percent", "position-in-degrees")
ANGLE_WORDS = r"\bturns\b|revolutions|ticks|counts of an encoder|percent|degrees"
ARM = [f"a{k}" for k in range(1, 7)]


@variants(
    ANGLES,
    all_in_turns=dict.fromkeys(ARM, 0.5 / pi),
    one_joint_in_turns={"a3": 0.5 / pi},
    wrist_in_turns=dict.fromkeys(ARM[3:], 0.5 / pi),
)
def turns(bench, factors):
    need_fixed(Rig(bench, arms.six_joints(), fault=scaled(factors)), ANGLE_IDS, ANGLE_WORDS)


@variant(ANGLES, "four joints in turns, velocities too")
def turns_velocities(bench):
    need_fixed(
        Rig(
            bench,
            arms.four_joints(),
            fault=lambda log: log.copy(q=log.q / (2 * pi), qd=log.qd / (2 * pi)),
            kinds=("q", "qd", "tau"),
        ),
        ANGLE_IDS,
        ANGLE_WORDS,
    )


def ticks(turn, zero, joints=None):
    def fault(log):
        q = log.q.copy()
        for k, name in enumerate(log.names):
            if joints is None or name in joints:
                q[:, k] = numpy.round(log.q[:, k] * turn / (2 * pi) + zero)
        return log.copy(q=q)

    return fault


@variants(
    ANGLES,
    ticks_of_12_bits=(4096, 2048, None),
    ticks_of_16_bits=(65536, 32768, None),
    ticks_of_14_bits=(16384, 8192, None),
    ticks_in_two_joints=(4096, 2048, ("a2", "a5")),
)
def encoder_ticks(bench, how):
    # coarse ticks leave noise: the answer may be less precise
    need_fixed(Rig(bench, arms.six_joints(), fault=ticks(*how)), ANGLE_IDS, ANGLE_WORDS, slack=0.06, amber=True)


@variant(ANGLES, "percent of the range")
def percent(bench):
    need_fixed(
        Rig(bench, arms.six_joints(), fault=lambda log: log.copy(q=(log.q + 2.9) / 5.8 * 200 - 100)),
        ("position-percent", "position-in-percent"),
        r"percent|range of the joint|-100|joint's range",
        slack=0.05,
    )


@variant(ANGLES, "encoder steps in rad", clean=True)
def coarse_radians(bench):
    done = Rig(
        bench, arms.six_joints(), fault=lambda log: log.copy(q=numpy.round(log.q * 4096 / (2 * pi)) * 2 * pi / 4096)
    ).identify()
    spoken = [d["id"] for d in done.doubts if d["id"] in ANGLE_IDS]
    need(not spoken, f"false alarm {spoken}")


@variant(ANGLES, "small motion in rad", clean=True)
def small_motion(bench):
    need_clean(
        Rig(bench, arms.six_joints(), how={"amplitude": 0.25, "noise": 0.01, "coulomb": 0.3, "viscous": 0.2}),
        ANGLE_IDS,
        slack=0.05,
    )


@variant(ANGLES, "limits of a turn, wide motion", clean=True)
def wide_motion(bench):
    robot = arms.six_joints(lower=-6.3, upper=6.3)
    need_clean(Rig(bench, robot, how={"amplitude": 2.6, "speed": 0.5}), ANGLE_IDS)


# ---- torques from which a model was taken -------------------------------------------------------------------------

MODEL = "torques from which a model was taken"
MODEL_IDS = ("torque-without-gravity", "torque-external", "torque-below-gravity")
MODEL_WORDS = r"without gravity|no gravity|gravity (is|was) (missing|taken|compensated|removed)|external torque|compensat"


@variants(
    MODEL,
    six_joints=(arms.six_joints, {}),
    four_joints=(arms.four_joints, {}),
    no_friction=(arms.six_joints, {"viscous": 0.02, "coulomb": 0.02}),
    two_arms=(arms.two_arms, {"amplitude": 0.7}),
)
def gravity_taken(bench, how):
    maker, more = how
    need_fixed(Rig(bench, maker(), how={"gravity": (0, 0, 0), **more}), MODEL_IDS[:1], MODEL_WORDS, slack=0.05)


@variant(MODEL, "gravity and Coriolis taken off")
def coriolis_taken(bench):
    rig = Rig(bench, arms.six_joints(), how={"gravity": (0, 0, 0), "coriolis": False})
    need_named(rig.identify(), MODEL_IDS, MODEL_WORDS)


@variants(
    MODEL,
    external_torque=lambda rigid, friction, noise: noise + 0.02 * rigid,
    external_and_friction=lambda rigid, friction, noise: friction * 0.3 + 2 * noise,
)
def external(bench, torque_of):
    need_named(Rig(bench, arms.six_joints(), how={"torque_of": torque_of}).identify(), MODEL_IDS, MODEL_WORDS)


@variant(MODEL, "SCARA, whose turning joints feel no gravity", clean=True)
def level(bench):
    need_clean(Rig(bench, arms.scara(), how=arms.SCARA_MOTION), MODEL_IDS)


@variant(MODEL, "vertical axes only", clean=True)
def vertical_axes(bench):
    robot = arms.Robot(
        [
            arms.Link("one", "base", (0, 0, 0.4), mass=6, size=(0.5, 0.1, 0.1), center=(0.2, 0.01, 0)),
            arms.Link("two", "link_one", (0.45, 0, 0), mass=3, size=(0.4, 0.1, 0.1), center=(0.15, -0.02, 0)),
            arms.Link("three", "link_two", (0.35, 0, 0), mass=1, size=(0.2, 0.06, 0.05), center=(0.07, 0.01, 0)),
        ]
    )
    need_clean(Rig(bench, robot), MODEL_IDS, slack=0.04)


@variant(MODEL, "arm of 15 kg with its gravity", clean=True)
def with_gravity(bench):
    need_clean(Rig(bench, arms.six_joints(), how={"noise": 0.2}), MODEL_IDS, slack=0.03)


# ---- units of torques ---------------------------------------------------------------------------------------------

TORQUES = "units of torques"
TORQUE_IDS = (
    "torque-unit",
    "torque-motor-side",
    "torque-scale",
    "torque-reversed",
    "torque-beyond-effort",
    "torque-below-gravity",
    "joint-reversed",
    "total-scale",
)


def times(factors):
    def fault(log):
        tau = log.tau.copy()
        for name, factor in (factors if isinstance(factors, dict) else dict.fromkeys(log.names, factors)).items():
            tau[:, log.names.index(name)] *= factor
        return log.copy(tau=tau)

    return fault


@variants(
    TORQUES,
    N_mm=1000.0,
    N_mm_in_two_joints={"a4": 1000.0, "a6": 1000.0},
    reversed_in_one_joint={"a2": -1.0},
    reversed_in_three_joints={"a1": -1.0, "a3": -1.0, "a5": -1.0},
    reversed_in_all=-1.0,
    N_mm_and_reversed={"a3": -1000.0},
)
def torque_units(bench, factors):
    need_fixed(Rig(bench, arms.six_joints(), fault=times(factors)), TORQUE_IDS, r"N ?mm|reversed|sign", slack=0.05, rounds=7)


@variants(
    TORQUES,
    per_mille_of_the_rating=dict(zip(ARM, [1000 / x for x in (120, 160, 80, 40, 25, 12)])),
    A_at_the_motor=dict(zip(ARM, [1 / x for x in (11.2, 13.5, 9.1, 6.4, 4.4, 3.1)])),
)
def torque_currents(bench, factors):
    # constants follow from the file's masses, which are 20 % off: the answer can be no better
    rig = Rig(bench, arms.six_joints(), fault=times(factors))
    need_fixed(
        rig,
        [i for i in TORQUE_IDS if i != "total-scale"],
        r"current|per mille|torque constant|torque_scale",
        slack=0.3,
        rounds=7,
        amber=True,
    )


@variants(TORQUES, clean=True, robot_heavier_than_its_file=1.15, plain=1.0)
def torque_right(bench, heavier):
    robot = arms.six_joints()
    rig = Rig(bench, robot, fault=None)
    text = robot.urdf()
    for link in robot.links:
        text = text.replace(f'mass value="{link.mass:.9g}"', f'mass value="{link.mass / heavier:.9g}"')
    arms.write(rig.urdf, text)
    need_clean(rig, ("torque-unit", "torque-motor-side", "torque-reversed", "torque-beyond-effort"))
