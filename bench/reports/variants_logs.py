"""Variants about rows of a log: coarse clocks, order of joints, rows of other publishers, delays; and friction that is written back."""

import re

import numpy

import arms
from judge import BASE, Rig, Wrong, first_line, named, need, need_clean, need_fixed
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


@variants(
    CLOCK,
    npy_float32_250_Hz_9_h=("npy", "f4", 250, 33000.0),
    h5_float32_500_Hz_20_h=("h5", "f4", 500, 72000.0),
    npy_float32_120_Hz_a_day=("npy", "f4", 120, 87000.0),
    h5_float32_1_kHz_4_h=("h5", "f4", 1000, 14500.0),
)
def float_stamps(bench, how):
    suffix, kind, rate, since = how
    need_clock_right(
        Rig(
            bench,
            arms.six_joints(),
            suffix=suffix,
            write=(write_npy if suffix == "npy" else write_h5)(kind),
            fault=stamped(lambda t: t + since),
            how={"rate": rate, "seconds": 40},
        )
    )


@variants(
    CLOCK,
    ticks_of_1_128_s_at_125_Hz=(125, 128),
    ticks_of_1_64_s_at_62_5_Hz=(62.5, 64),
    ticks_of_1_100_s_at_97_Hz=(97, 100),
    ticks_of_1_256_s_at_240_Hz=(240, 256),
)
def tick_clocks(bench, how):
    rate, ticks = how
    need_clock_right(
        Rig(
            bench,
            arms.four_joints(),
            fault=stamped(lambda t: 5 + numpy.floor(t * ticks) / ticks),
            how={"rate": rate, "seconds": 40},
        )
    )


@variant(CLOCK, "two decimals at 125 Hz")
def two_decimals(bench):
    need_clock_right(
        Rig(bench, arms.six_joints(), fault=stamped(lambda t: numpy.round(t + 12.3, 2)), how={"rate": 125, "seconds": 40})
    )


@variants(
    CLOCK,
    clean=True,
    float64_at_9_h=("f8", 250, 33000.0, None),
    float32_that_holds_every_stamp=("f4", 128, 40000.0, None),
    rows_really_lost=("f8", 250, 100.0, 43),
)
def exact_stamps(bench, how):
    kind, rate, since, lost = how

    def fault(log):
        keep = numpy.ones(len(log.t), bool)
        if lost:  # at random: rows lost evenly cannot be told from a coarse clock by stamps
            keep[1:] = numpy.random.default_rng(lost).random(len(log.t) - 1) > 1 / lost
        return log.copy(t=log.t + since).rows(keep)

    need_clean(
        Rig(bench, arms.six_joints(), suffix="npy", write=write_npy(kind), fault=fault, how={"rate": rate, "seconds": 40}),
        CLOCK_IDS,
    )


# ---- joints in another order --------------------------------------------------------------------------------------

ORDER = "permuted groups of joints"
ORDER_IDS = ("joints-permuted", "joints-swapped")
ORDER_WORDS = r"(order|which).{0,60}(joint|leg|arm|column)|permut"
DOG = {"amplitude": [0.5, 0.8, 0.8] * 4, "viscous": 0.05, "coulomb": 0.08, "noise": 0.02}


def numbered(order):
    """Columns by number, the joints in another order than the robot's file."""

    def write(path, log):
        places = [log.names.index(name) for name in order]
        columns = {
            "t": log.t,
            **{f"q{k + 1}": log.q[:, p] for k, p in enumerate(places)},
            **{f"tau{k + 1}": log.tau[:, p] for k, p in enumerate(places)},
        }
        arms.write_csv(path, columns)

    return write


def legs(*names):
    return [f"{leg}_{part}" for leg in names for part in ("hip", "thigh", "calf")]


@variants(
    ORDER,
    FR_FL_RR_RL=legs("FR", "FL", "RR", "RL"),
    rear_first=legs("RL", "RR", "FL", "FR"),
    crossed=legs("FR", "FL", "RL", "RR"),
    all_turned_round=legs("RR", "RL", "FR", "FL"),
    hips_thighs_calves=[f"{leg}_{part}" for part in ("hip", "thigh", "calf") for leg in ("FL", "FR", "RL", "RR")],
)
def legs_in_order(bench, order):
    need_fixed(Rig(bench, arms.quadruped(), write=numbered(order), how=DOG), ORDER_IDS, ORDER_WORDS, slack=0.05)


def sides(*names):
    return [f"{side}_{part}" for side in names for part in ("shoulder", "upper", "elbow", "wrist")]


@variant(ORDER, "right arm first")
def arms_in_order(bench):
    need_fixed(
        Rig(bench, arms.other_shoulders(), write=numbered(sides("right", "left")), how={"amplitude": 0.7}),
        ORDER_IDS,
        ORDER_WORDS,
        slack=0.05,
    )


@variant(ORDER, "legs as in the file", clean=True)
def legs_right(bench):
    need_clean(Rig(bench, arms.quadruped(), write=numbered(legs("FL", "FR", "RL", "RR")), how=DOG), ORDER_IDS, slack=0.04)


@variant(ORDER, "legs by name", clean=True)
def legs_named(bench):
    need_clean(Rig(bench, arms.quadruped(), how=DOG), ORDER_IDS, slack=0.04)


# ---- rows of another source ---------------------------------------------------------------------------------------

FOREIGN = "rows of another source"
FOREIGN_IDS = ("rows-foreign",)
FOREIGN_WORDS = r"rows in which|second (publisher|source)|another (source|publisher|robot)|all columns"


def foreign(every, values=0.0, torque=0.0, later=0.0015):
    """After every `every`-th row, one of another publisher."""

    def fault(log):
        at = numpy.arange(0, len(log.t), every) + 1
        alien = numpy.broadcast_to(values, (log.q.shape[1],))
        return log.copy(
            t=numpy.insert(log.t, at, log.t[at - 1] + later),
            q=numpy.insert(log.q, at, alien, 0),
            qd=numpy.insert(log.qd, at, 0, 0),
            qdd=numpy.insert(log.qdd, at, 0, 0),
            tau=numpy.insert(log.tau, at, torque, 0),
            rigid=numpy.insert(log.rigid, at, 0, 0),
        )

    return fault


HOME = numpy.array([0, -1.2, 0.8, 0, 0.4, 0])


@variants(
    FOREIGN,
    every_other_row=foreign(1),
    every_third_row=foreign(2),
    every_tenth_row=foreign(9),
    home_pose=foreign(1, HOME, 0.1),
    home_pose_every_fourth=foreign(3, HOME),
)
def foreign_rows(bench, fault):
    rig = Rig(bench, arms.six_joints(), fault=fault)
    need_fixed(rig, FOREIGN_IDS, FOREIGN_WORDS, yaml_needed=False)
    need_fixed_if_offered(rig, FOREIGN_IDS, FOREIGN_WORDS)


def need_fixed_if_offered(rig, ids, pattern):
    """A printed remedy in YAML works."""
    try:
        need_fixed(rig, ids, pattern, slack=0.03, amber=True)
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
    done = Rig(bench, robot, how={"amplitude": [0.7] * 4 + [0.0] * 4}).identify()
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
        return log.copy(
            t=numpy.arange(n) / 250,
            q=padded(log.q, True),
            qd=padded(log.qd, False),
            qdd=padded(log.qdd, False),
            tau=padded(log.tau, True),
            rigid=padded(log.rigid, True),
        )

    done = Rig(bench, arms.six_joints(), fault=fault).identify()
    spoken = [d["id"] for d in done.doubts if d["id"] in FOREIGN_IDS]
    need(not spoken, f"false alarm {spoken}")


# ---- delays -------------------------------------------------------------------------------------------------------

DELAYS = "delays of 60 to 500 ms"
DELAY_IDS = ("torque-delay", "delay")
DELAY_WORDS = r"torque_delay_s|\bdelay|\blater than|\bearlier than|different times"


def held_back(seconds, joints=None):
    """The torque of row k is that from `seconds` earlier."""

    def fault(log):
        shift = round(seconds * 250)
        tau = numpy.full_like(log.tau, numpy.nan)
        n = len(log.t)
        for k, name in enumerate(log.names):
            s = shift if joints is None or name in joints else 0
            tau[max(0, s) : n + min(0, s), k] = log.tau[max(0, -s) : n - max(0, s), k]
        keep = numpy.isfinite(tau).all(axis=1)
        late = log.copy(tau=tau)
        return late.rows(keep)

    return fault


@variants(
    DELAYS,
    all_by_80_ms=(0.08, None),
    all_by_150_ms=(0.15, None),
    all_by_300_ms=(0.3, None),
    all_by_450_ms=(0.45, None),
    all_early_by_120_ms=(-0.12, None),
    all_early_by_300_ms=(-0.3, None),
    one_joint_by_160_ms=(0.16, ("a2",)),
    one_joint_early_by_200_ms=(-0.2, ("a3",)),
    two_joints_by_100_ms=(0.1, ("a2", "a3")),
)
def delayed(bench, how):
    need_fixed(Rig(bench, arms.six_joints(), fault=held_back(*how)), DELAY_IDS, DELAY_WORDS, slack=0.04)


@variant(DELAYS, "four joints by 200 ms")
def delayed_four(bench):
    need_fixed(Rig(bench, arms.four_joints(), fault=held_back(0.2)), DELAY_IDS, DELAY_WORDS, slack=0.04)


@variants(DELAYS, clean=True, none_six_joints=arms.six_joints, none_four_joints=arms.four_joints, none_two_arms=arms.two_arms)
def not_delayed(bench, maker):
    need_clean(Rig(bench, maker(), how={"amplitude": 0.7}), DELAY_IDS, slack=0.03)


# ---- friction that is written back ----------------------------------------------------------------------------------

FRICTION = "friction in identified.urdf"


def dynamics_of(path):
    import xml.etree.ElementTree as tree

    return {
        joint.get("name"): {key: float(tag.get(key, 0)) for key in ("damping", "friction")}
        if (tag := joint.find("dynamics")) is not None
        else None
        for joint in tree.parse(path).getroot().iter("joint")
        if joint.get("type") != "fixed"
    }


def need_friction(done, joints, damping, friction, tolerance=0.15):
    found = dynamics_of(done.folder / "identified.urdf")
    for k, name in enumerate(joints):
        tag = found[name]
        need(tag is not None, f"{name}: no <dynamics>")
        for key, truth in (("damping", damping), ("friction", friction)):
            value = numpy.broadcast_to(truth, (len(joints),))[k]
            need(abs(tag[key] - value) <= tolerance * value + 0.02, f"{name}: {key} {tag[key]:.4g} instead of {value:.4g}")


OLD = '<dynamics damping="7" friction="9"/>'


@variants(FRICTION, old_values_replaced=OLD, no_element_before="", only_damping_before='<dynamics damping="0.0"/>')
def friction_of_arm(bench, tag):
    rig = Rig(bench, arms.six_joints(more=tag))
    done = rig.identify()
    need(done.code in (0, 4), f"exit {done.code}")
    need_friction(done, rig.robot.joints, 0.8, 1.2)


@variant(FRICTION, "sliding joints")
def friction_of_gantry(bench):
    robot = arms.gantry()
    for link in robot.links:
        link.more = OLD
    rig = Rig(bench, robot, recorder=arms.record_gantry)
    need_friction(rig.identify(), robot.joints, arms.GANTRY_FRICTION["viscous"], arms.GANTRY_FRICTION["coulomb"], 0.2)


@variant(FRICTION, "what the file cannot say is listed")
def friction_left_out(bench):
    rig = Rig(bench, arms.six_joints(more=OLD))
    done = rig.identify(
        config={**BASE, "columns": ["viscous", {"coulomb": {"tanh_width": 0.05}}, "offset", "reflected_inertia"]}
    )
    text = (done.folder / "identified.urdf").read_text()
    need(done.code in (0, 4), f"exit {done.code}")
    need(
        "<!--" in text and re.search(r"<!--.*?(reflected|rotor|armature).*?-->", text, re.S),
        "no comment names the reflected inertia",
    )


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
