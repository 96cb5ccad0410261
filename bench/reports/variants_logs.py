"""Variants about what stands in a log: clocks, units, models taken off, order of joints, rows of others, delays."""

import re

import numpy
from numpy import pi

import arms
from judge import (BASE, Rig, need, need_clean, need_mended, need_named, need_silent, Wrong, named, first_line)
from kinds import variant, variants

# ---- clocks whose resolution is near the period -------------------------------------------------------------------

CLOCK = "clock resolution"
CLOCK_IDS = ("time-quantized",)


def stamped(change):
    return lambda log: log.copy(t=change(log.t))


def write_npy(kind="f8"):
    def write(path, log):
        columns = log.columns()
        table = numpy.zeros(len(log.t), [(name, kind if name == "t" else "f8") for name in columns])
        for name, values in columns.items():
            table[name] = values
        numpy.save(path, table)
    return write


def write_h5(kind="f8"):
    def write(path, log):
        import h5py
        with h5py.File(path, "w") as file:
            for name, values in log.columns().items():
                file[name] = values.astype(kind if name == "t" else "f8")
    return write


def need_clock_right(rig):
    """The clock was rebuilt, or doubted."""
    done = rig.identify()
    need(done.code in (0, 4), f"exit {done.code}: {first_line(done.err)}")
    if named(done, CLOCK_IDS, None):
        return
    rig.need_right(done)


@variants(CLOCK, npy_float32_250_Hz_9_h=("npy", "f4", 250, 33000.0), h5_float32_500_Hz_20_h=("h5", "f4", 500, 72000.0),
          npy_float32_120_Hz_a_day=("npy", "f4", 120, 87000.0), h5_float32_1_kHz_4_h=("h5", "f4", 1000, 14500.0))
def float_stamps(bench, how):
    suffix, kind, rate, since = how
    need_clock_right(Rig(bench, arms.six_joints(), suffix=suffix, write=(write_npy if suffix == "npy" else write_h5)(kind),
                         fault=stamped(lambda t: t + since), how={"rate": rate, "seconds": 40}))


@variants(CLOCK, ticks_of_1_128_s_at_125_Hz=(125, 128), ticks_of_1_64_s_at_62_5_Hz=(62.5, 64), ticks_of_1_100_s_at_97_Hz=(97, 100),
          ticks_of_1_256_s_at_240_Hz=(240, 256))
def tick_clocks(bench, how):
    rate, ticks = how
    need_clock_right(Rig(bench, arms.four_joints(), fault=stamped(lambda t: 5 + numpy.floor(t * ticks) / ticks),
                         how={"rate": rate, "seconds": 40}))


@variant(CLOCK, "two decimals at 125 Hz")
def two_decimals(bench):
    need_clock_right(Rig(bench, arms.six_joints(), fault=stamped(lambda t: numpy.round(t + 12.3, 2)), how={"rate": 125, "seconds": 40}))


@variants(CLOCK, clean=True, float64_at_9_h=("f8", 250, 33000.0, None), float32_that_holds_every_stamp=("f4", 128, 40000.0, None),
          rows_really_lost=("f8", 250, 100.0, 43))
def exact_stamps(bench, how):
    kind, rate, since, lost = how

    def fault(log):
        keep = numpy.ones(len(log.t), bool)
        if lost:  # at random: rows lost evenly cannot be told from a coarse clock by stamps
            keep[1:] = numpy.random.default_rng(lost).random(len(log.t) - 1) > 1 / lost
        return log.copy(t=log.t + since).rows(keep)
    need_clean(Rig(bench, arms.six_joints(), suffix="npy", write=write_npy(kind), fault=fault, how={"rate": rate, "seconds": 40}), CLOCK_IDS)


# ---- units of sliding joints --------------------------------------------------------------------------------------

SLIDING = "units of sliding joints"
SLIDING_IDS = ("position-millimeters", "position-millimetres", "position-inches", "position-ticks")
SLIDING_WORDS = r"millimet|\bmm\b|inch|micromet|centimet|position_scale"


def scaled(factors, names=None):
    def fault(log):
        q = log.q.copy()
        for name, factor in factors.items():
            q[:, log.names.index(name)] *= factor
        return log.copy(q=q)
    return fault


@variants(SLIDING, gantry_in_mm={"x_rail": 1e3, "y_rail": 1e3, "z_rail": 1e3}, one_axis_in_mm={"z_rail": 1e3},
          gantry_in_inches=dict.fromkeys(("x_rail", "y_rail", "z_rail"), 1 / .0254),
          two_axes_in_mm={"x_rail": 1e3, "y_rail": 1e3},
          mm_and_degrees={"x_rail": 1e3, "y_rail": 1e3, "z_rail": 1e3, "spin": 180 / pi, "tilt": 180 / pi})
def gantry_units(bench, factors):
    need_mended(Rig(bench, arms.gantry(), fault=scaled(factors), recorder=arms.record_gantry),
                SLIDING_IDS + ("position-in-degrees",), SLIDING_WORDS + "|degrees")


@variant(SLIDING, "mm, effort limits without effect")
def gantry_wide_limits(bench):
    need_mended(Rig(bench, arms.gantry(effort=1e8), fault=scaled(dict.fromkeys(("x_rail", "y_rail", "z_rail"), 1e3)),
                    recorder=arms.record_gantry), SLIDING_IDS, SLIDING_WORDS)


@variant(SLIDING, "quill of a SCARA in mm")
def scara_units(bench):
    need_mended(Rig(bench, arms.scara(), fault=scaled({"quill": 1e3}), how=arms.SCARA_MOTION), SLIDING_IDS, SLIDING_WORDS)


@variants(SLIDING, clean=True, gantry_of_30_m=30.0, gantry_of_3_m=3.0)
def gantry_in_metres(bench, span):
    how = {"center": [span / 2, 0, 0, 0, 0], "amplitude": [span * .3, .5, .35, 1.6, .9], "speed": .5 if span > 10 else 1.0}
    need_clean(Rig(bench, arms.gantry(effort=40000, span=span), recorder=arms.record_gantry, how=how), SLIDING_IDS)


# ---- units of angles ----------------------------------------------------------------------------------------------

ANGLES = "units of angles"
ANGLE_IDS = ("position-turns", "position-ticks", "position-percent", "position-in-degrees")
ANGLE_WORDS = r"\bturns\b|revolutions|ticks|counts of an encoder|percent|degrees"
ARM = [f"a{k}" for k in range(1, 7)]


@variants(ANGLES, all_in_turns=dict.fromkeys(ARM, .5 / pi), one_joint_in_turns={"a3": .5 / pi}, wrist_in_turns=dict.fromkeys(ARM[3:], .5 / pi))
def turns(bench, factors):
    need_mended(Rig(bench, arms.six_joints(), fault=scaled(factors)), ANGLE_IDS, ANGLE_WORDS)


@variant(ANGLES, "four joints in turns, velocities too")
def turns_velocities(bench):
    need_mended(Rig(bench, arms.four_joints(), fault=lambda log: log.copy(q=log.q / (2 * pi), qd=log.qd / (2 * pi)), kinds=("q", "qd", "tau")),
                ANGLE_IDS, ANGLE_WORDS)


def ticks(turn, zero, joints=None):
    def fault(log):
        q = log.q.copy()
        for k, name in enumerate(log.names):
            if joints is None or name in joints:
                q[:, k] = numpy.round(log.q[:, k] * turn / (2 * pi) + zero)
        return log.copy(q=q)
    return fault


@variants(ANGLES, ticks_of_12_bits=(4096, 2048, None), ticks_of_16_bits=(65536, 32768, None), ticks_of_14_bits=(16384, 8192, None),
          ticks_in_two_joints=(4096, 2048, ("a2", "a5")))
def encoder_ticks(bench, how):
    # coarse ticks leave noise: the answer may be less precise
    need_mended(Rig(bench, arms.six_joints(), fault=ticks(*how)), ANGLE_IDS, ANGLE_WORDS, slack=.06, amber=True)


@variant(ANGLES, "percent of the range")
def percent(bench):
    need_mended(Rig(bench, arms.six_joints(), fault=lambda log: log.copy(q=(log.q + 2.9) / 5.8 * 200 - 100)), ("position-percent", "position-in-percent"),
                r"percent|range of the joint|-100|joint's range", slack=.05)


@variant(ANGLES, "encoder steps in rad", clean=True)
def coarse_radians(bench):
    done = Rig(bench, arms.six_joints(), fault=lambda log: log.copy(q=numpy.round(log.q * 4096 / (2 * pi)) * 2 * pi / 4096)).identify()
    spoken = [d["id"] for d in done.doubts if d["id"] in ANGLE_IDS]
    need(not spoken, f"false alarm {spoken}")


@variant(ANGLES, "small motion in rad", clean=True)
def small_motion(bench):
    need_clean(Rig(bench, arms.six_joints(), how={"amplitude": .25, "noise": .01, "coulomb": .3, "viscous": .2}), ANGLE_IDS, slack=.05)


@variant(ANGLES, "limits of a turn, wide motion", clean=True)
def wide_motion(bench):
    robot = arms.six_joints(lower=-6.3, upper=6.3)
    need_clean(Rig(bench, robot, how={"amplitude": 2.6, "speed": .5}), ANGLE_IDS)


# ---- torques from which a model was taken -------------------------------------------------------------------------

MODEL = "torques from which a model was taken"
MODEL_IDS = ("torque-without-gravity", "torque-external", "torque-below-gravity")
MODEL_WORDS = r"without gravity|no gravity|gravity (is|was) (missing|taken|compensated|removed)|external torque|compensat"


@variants(MODEL, six_joints=(arms.six_joints, {}), four_joints=(arms.four_joints, {}),
          no_friction=(arms.six_joints, {"viscous": 0.02, "coulomb": 0.02}), two_arms=(arms.two_arms, {"amplitude": .7}))
def gravity_taken(bench, how):
    maker, more = how
    need_mended(Rig(bench, maker(), how={"gravity": (0, 0, 0), **more}), MODEL_IDS[:1], MODEL_WORDS, slack=.05)


@variant(MODEL, "gravity and Coriolis taken off")
def coriolis_taken(bench):
    rig = Rig(bench, arms.six_joints(), how={"gravity": (0, 0, 0), "coriolis": False})
    need_named(rig.identify(), MODEL_IDS, MODEL_WORDS)


@variants(MODEL, external_torque=lambda rigid, friction, noise: noise + .02 * rigid, external_and_friction=lambda rigid, friction, noise: friction * .3 + 2 * noise)
def external(bench, torque_of):
    need_named(Rig(bench, arms.six_joints(), how={"torque_of": torque_of}).identify(), MODEL_IDS, MODEL_WORDS)


@variant(MODEL, "SCARA, whose turning joints feel no gravity", clean=True)
def level(bench):
    need_clean(Rig(bench, arms.scara(), how=arms.SCARA_MOTION), MODEL_IDS)


@variant(MODEL, "vertical axes only", clean=True)
def vertical_axes(bench):
    robot = arms.Robot([arms.Link("one", "base", (0, 0, .4), mass=6, size=(.5, .1, .1), center=(.2, .01, 0)),
                        arms.Link("two", "link_one", (.45, 0, 0), mass=3, size=(.4, .1, .1), center=(.15, -.02, 0)),
                        arms.Link("three", "link_two", (.35, 0, 0), mass=1, size=(.2, .06, .05), center=(.07, .01, 0))])
    need_clean(Rig(bench, robot), MODEL_IDS, slack=.04)


@variant(MODEL, "arm of 15 kg with its gravity", clean=True)
def with_gravity(bench):
    need_clean(Rig(bench, arms.six_joints(), how={"noise": .2}), MODEL_IDS, slack=.03)


# ---- units of torques ---------------------------------------------------------------------------------------------

TORQUES = "units of torques"
TORQUE_IDS = ("torque-unit", "torque-motor-side", "torque-scale", "torque-reversed", "torque-beyond-effort", "torque-below-gravity", "joint-reversed",
              "total-scale")


def times(factors):
    def fault(log):
        tau = log.tau.copy()
        for name, factor in (factors if isinstance(factors, dict) else dict.fromkeys(log.names, factors)).items():
            tau[:, log.names.index(name)] *= factor
        return log.copy(tau=tau)
    return fault


@variants(TORQUES, N_mm=1000.0, N_mm_in_two_joints={"a4": 1000.0, "a6": 1000.0}, reversed_in_one_joint={"a2": -1.0},
          reversed_in_three_joints={"a1": -1.0, "a3": -1.0, "a5": -1.0}, reversed_in_all=-1.0, N_mm_and_reversed={"a3": -1000.0})
def torque_units(bench, factors):
    need_mended(Rig(bench, arms.six_joints(), fault=times(factors)), TORQUE_IDS, r"N ?mm|reversed|sign", slack=.05, rounds=7)


@variants(TORQUES, per_mille_of_the_rating=dict(zip(ARM, [1000 / x for x in (120, 160, 80, 40, 25, 12)])),
          A_at_the_motor=dict(zip(ARM, [1 / x for x in (11.2, 13.5, 9.1, 6.4, 4.4, 3.1)])))
def torque_currents(bench, factors):
    # constants follow from the file's masses, which are 20 % off: the answer can be no better
    rig = Rig(bench, arms.six_joints(), fault=times(factors))
    need_mended(rig, [i for i in TORQUE_IDS if i != "total-scale"], r"current|per mille|torque constant|torque_scale", slack=.3, rounds=7, amber=True)


@variants(TORQUES, clean=True, robot_heavier_than_its_file=1.15, plain=1.0)
def torque_right(bench, heavier):
    robot = arms.six_joints()
    rig = Rig(bench, robot, fault=None)
    text = robot.urdf()
    for link in robot.links:
        text = text.replace(f'mass value="{link.mass:.9g}"', f'mass value="{link.mass / heavier:.9g}"')
    arms.write(rig.urdf, text)
    need_clean(rig, ("torque-unit", "torque-motor-side", "torque-reversed", "torque-beyond-effort"))


# ---- joints in another order --------------------------------------------------------------------------------------

ORDER = "permuted groups of joints"
ORDER_IDS = ("joints-permuted", "joints-swapped")
ORDER_WORDS = r"(order|which).{0,60}(joint|leg|arm|column)|permut"
DOG = {"amplitude": [.5, .8, .8] * 4, "viscous": .05, "coulomb": .08, "noise": .02}


def numbered(order):
    """Columns by number, the joints in another order than the robot's file."""
    def write(path, log):
        places = [log.names.index(name) for name in order]
        columns = {"t": log.t, **{f"q{k + 1}": log.q[:, p] for k, p in enumerate(places)},
                   **{f"tau{k + 1}": log.tau[:, p] for k, p in enumerate(places)}}
        arms.write_csv(path, columns)
    return write


def legs(*names):
    return [f"{leg}_{part}" for leg in names for part in ("hip", "thigh", "calf")]


@variants(ORDER, FR_FL_RR_RL=legs("FR", "FL", "RR", "RL"), rear_first=legs("RL", "RR", "FL", "FR"), crossed=legs("FR", "FL", "RL", "RR"),
          all_turned_round=legs("RR", "RL", "FR", "FL"), hips_thighs_calves=[f"{leg}_{part}" for part in ("hip", "thigh", "calf") for leg in ("FL", "FR", "RL", "RR")])
def legs_in_order(bench, order):
    need_mended(Rig(bench, arms.quadruped(), write=numbered(order), how=DOG), ORDER_IDS, ORDER_WORDS, slack=.05)


def sides(*names):
    return [f"{side}_{part}" for side in names for part in ("shoulder", "upper", "elbow", "wrist")]


@variant(ORDER, "right arm first")
def arms_in_order(bench):
    need_mended(Rig(bench, arms.other_shoulders(), write=numbered(sides("right", "left")), how={"amplitude": .7}), ORDER_IDS, ORDER_WORDS, slack=.05)


@variant(ORDER, "legs as in the file", clean=True)
def legs_right(bench):
    need_clean(Rig(bench, arms.quadruped(), write=numbered(legs("FL", "FR", "RL", "RR")), how=DOG), ORDER_IDS, slack=.04)


@variant(ORDER, "legs by name", clean=True)
def legs_named(bench):
    need_clean(Rig(bench, arms.quadruped(), how=DOG), ORDER_IDS, slack=.04)


# ---- rows of another source ---------------------------------------------------------------------------------------

FOREIGN = "rows of another source"
FOREIGN_IDS = ("rows-foreign",)
FOREIGN_WORDS = r"rows in which|second (publisher|source)|another (source|publisher|robot)|all columns"


def foreign(every, values=0.0, torque=0.0, later=.0015):
    """After every `every`-th row one of another publisher."""
    def fault(log):
        at = numpy.arange(0, len(log.t), every) + 1
        alien = numpy.broadcast_to(values, (log.q.shape[1],))
        return log.copy(t=numpy.insert(log.t, at, log.t[at - 1] + later), q=numpy.insert(log.q, at, alien, 0),
                        qd=numpy.insert(log.qd, at, 0, 0), qdd=numpy.insert(log.qdd, at, 0, 0),
                        tau=numpy.insert(log.tau, at, torque, 0), rigid=numpy.insert(log.rigid, at, 0, 0))
    return fault


HOME = numpy.array([0, -1.2, .8, 0, .4, 0])


@variants(FOREIGN, every_other_row=foreign(1), every_third_row=foreign(2), every_tenth_row=foreign(9), home_pose=foreign(1, HOME, .1),
          home_pose_every_fourth=foreign(3, HOME))
def foreign_rows(bench, fault):
    rig = Rig(bench, arms.six_joints(), fault=fault)
    need_mended(rig, FOREIGN_IDS, FOREIGN_WORDS, yaml_needed=False)
    need_mended_if_offered(rig, FOREIGN_IDS, FOREIGN_WORDS)


def need_mended_if_offered(rig, ids, pattern):
    """Where a remedy in YAML is printed, it works."""
    try:
        need_mended(rig, ids, pattern, slack=.03, amber=True)
    except Wrong as wrong:
        if "no remedy to apply" not in str(wrong):
            raise


@variant(FOREIGN, "every row twice, as a slow publisher holds it", clean=True)
def held_rows(bench):
    def fault(log):
        held = numpy.arange(len(log.t)) // 2 * 2
        return log.copy(q=log.q[held], qd=log.qd[held], qdd=log.qdd[held], tau=log.tau[held], rigid=log.rigid[held])
    done = Rig(bench, arms.six_joints(), fault=fault).identify()
    need(done.code in (0, 4), f"exit {done.code}: {first_line(done.err)}")
    spoken = [d["id"] for d in done.doubts if d["id"] in FOREIGN_IDS]
    need(not spoken, f"false alarm {spoken}")


@variant(FOREIGN, "two arms, one of which rests", clean=True)
def one_arm_rests(bench):
    robot = arms.two_arms()
    done = Rig(bench, robot, how={"amplitude": [.7] * 4 + [0.0] * 4}).identify()
    need(done.code in (0, 4), f"exit {done.code}: {first_line(done.err)}")
    spoken = [d["id"] for d in done.doubts if d["id"] in FOREIGN_IDS]
    need(not spoken, f"false alarm {spoken}")


@variant(FOREIGN, "robot that rests before and after", clean=True)
def rests(bench):
    def fault(log):
        def padded(x, still):
            first, last = (x[:1], x[-1:]) if still else (0 * x[:1], 0 * x[-1:])
            return numpy.concatenate([numpy.repeat(first, 400, 0), x, numpy.repeat(last, 400, 0)])
        n = len(log.t) + 800
        return log.copy(t=numpy.arange(n) / 250, q=padded(log.q, True), qd=padded(log.qd, False), qdd=padded(log.qdd, False),
                        tau=padded(log.tau, True), rigid=padded(log.rigid, True))
    done = Rig(bench, arms.six_joints(), fault=fault).identify()
    spoken = [d["id"] for d in done.doubts if d["id"] in FOREIGN_IDS]
    need(not spoken, f"false alarm {spoken}")


# ---- delays -------------------------------------------------------------------------------------------------------

DELAYS = "delays of 60 to 500 ms"
DELAY_IDS = ("torque-delay", "delay")
DELAY_WORDS = r"torque_delay_s|\bdelay|\blater than|\bearlier than|different times"


def held_back(seconds, joints=None):
    """The torque of row k is that of `seconds` before."""
    def fault(log):
        shift = round(seconds * 250)
        tau = numpy.full_like(log.tau, numpy.nan)
        n = len(log.t)
        for k, name in enumerate(log.names):
            s = shift if joints is None or name in joints else 0
            tau[max(0, s):n + min(0, s), k] = log.tau[max(0, -s):n - max(0, s), k]
        keep = numpy.isfinite(tau).all(axis=1)
        late = log.copy(tau=tau)
        return late.rows(keep)
    return fault


@variants(DELAYS, all_by_80_ms=(.08, None), all_by_150_ms=(.15, None), all_by_300_ms=(.3, None), all_by_450_ms=(.45, None), all_early_by_120_ms=(-.12, None),
          all_early_by_300_ms=(-.3, None), one_joint_by_160_ms=(.16, ("a2",)), one_joint_early_by_200_ms=(-.2, ("a3",)), two_joints_by_100_ms=(.1, ("a2", "a3")))
def delayed(bench, how):
    need_mended(Rig(bench, arms.six_joints(), fault=held_back(*how)), DELAY_IDS, DELAY_WORDS, slack=.04)


@variant(DELAYS, "four joints by 200 ms")
def delayed_four(bench):
    need_mended(Rig(bench, arms.four_joints(), fault=held_back(.2)), DELAY_IDS, DELAY_WORDS, slack=.04)


@variants(DELAYS, clean=True, none_six_joints=arms.six_joints, none_four_joints=arms.four_joints, none_two_arms=arms.two_arms)
def not_delayed(bench, maker):
    need_clean(Rig(bench, maker(), how={"amplitude": .7}), DELAY_IDS, slack=.03)


# ---- friction that is written back ----------------------------------------------------------------------------------

FRICTION = "friction in identified.urdf"


def dynamics_of(path):
    import xml.etree.ElementTree as tree
    return {joint.get("name"): {key: float(tag.get(key, 0)) for key in ("damping", "friction")} if (tag := joint.find("dynamics")) is not None else None
            for joint in tree.parse(path).getroot().iter("joint") if joint.get("type") != "fixed"}


def need_friction(done, joints, damping, friction, tolerance=.15):
    found = dynamics_of(done.folder / "identified.urdf")
    for k, name in enumerate(joints):
        tag = found[name]
        need(tag is not None, f"{name}: no <dynamics>")
        for key, truth in (("damping", damping), ("friction", friction)):
            value = numpy.broadcast_to(truth, (len(joints),))[k]
            need(abs(tag[key] - value) <= tolerance * value + .02, f"{name}: {key} {tag[key]:.4g} instead of {value:.4g}")


OLD = '<dynamics damping="7" friction="9"/>'


@variants(FRICTION, old_values_replaced=OLD, no_element_before="", only_damping_before='<dynamics damping="0.0"/>')
def friction_of_arm(bench, tag):
    rig = Rig(bench, arms.six_joints(more=tag))
    done = rig.identify()
    need(done.code in (0, 4), f"exit {done.code}")
    need_friction(done, rig.robot.joints, .8, 1.2)


@variant(FRICTION, "sliding joints")
def friction_of_gantry(bench):
    robot = arms.gantry()
    for link in robot.links:
        link.more = OLD
    rig = Rig(bench, robot, recorder=arms.record_gantry)
    need_friction(rig.identify(), robot.joints, arms.GANTRY_FRICTION["viscous"], arms.GANTRY_FRICTION["coulomb"], .2)


@variant(FRICTION, "what the file cannot say is listed")
def friction_left_out(bench):
    rig = Rig(bench, arms.six_joints(more=OLD))
    done = rig.identify(config={**BASE, "columns": ["viscous", {"coulomb": {"tanh_width": .05}}, "offset", "reflected_inertia"]})
    text = (done.folder / "identified.urdf").read_text()
    need(done.code in (0, 4), f"exit {done.code}")
    need("<!--" in text and re.search(r"<!--.*?(reflected|rotor|armature).*?-->", text, re.S), "no comment names the reflected inertia")


@variant(FRICTION, "--keep-dynamics", clean=True)
def friction_kept(bench):
    rig = Rig(bench, arms.six_joints(more=OLD))
    done = rig.identify("--keep-dynamics")
    need(done.code in (0, 4), f"exit {done.code}: {first_line(done.err)}")
    need(all(tag == {"damping": 7, "friction": 9} for tag in dynamics_of(done.folder / "identified.urdf").values()), "changed")
    rig.need_right(done)


@variant(FRICTION, "no friction columns", clean=True)
def friction_not_asked(bench):
    rig = Rig(bench, arms.six_joints(more=OLD), how={"viscous": 0, "coulomb": 0})
    done = rig.identify(config={**BASE, "columns": []})
    need(done.code in (0, 4), f"exit {done.code}: {first_line(done.err)}")
    found = dynamics_of(done.folder / "identified.urdf")
    need(all(tag == {"damping": 7, "friction": 9} for tag in found.values()), f"not identified, but changed: {found}")
    rig.need_right(done)
