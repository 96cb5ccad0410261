"""Variants about `heft check --suggest`: a suggestion, applied unchanged, must give the result of the plain log."""

import copy

import numpy
import yaml

import arms
from judge import BASE, Rig, first_line, merged, need
from kinds import variant, variants
from log_files import rig_of

# ---- suggestions ---------------------------------------------------------------------------------------------------

SUGGEST = "suggestions"
EPOCH = 1_700_000_123


def table_csv(columns):
    """`columns(log)`: header -> texts or numbers of the rows, in order."""

    def write(path, log):
        parts = columns(log)
        texts = [
            [x if isinstance(x, str) else f"{x:.9g}" if isinstance(x, float) else str(x) for x in values.tolist()]
            for values in parts.values()
        ]
        path.write_text(",".join(parts) + "\n" + "".join(",".join(row) + "\n" for row in zip(*texts)))

    return write


def nanoseconds(log, since=EPOCH, late_ns=0):
    return since * 10**9 + 123_456_789 + numpy.round(log.t * 1e9).astype(numpy.int64) + late_ns


def as_text(values, form):
    return numpy.array([form(x) for x in values.tolist()], dtype=object)


def signals(log, position="position_{}", torque="effort_{}", order=None):
    order = range(len(log.names)) if order is None else order
    return {
        **{position.format(k): log.q[:, j] for k, j in enumerate(order)},
        **{torque.format(k): log.tau[:, j] for k, j in enumerate(order)},
    }


def need_suggested(rig):
    """The suggestion, applied unchanged, gives the result of the plain log."""
    path = rig.bench.path("suggested.yaml")
    done = rig.bench.run("check", "--robot", rig.urdf, "--log", rig.train, "--suggest", path)
    need(path.exists(), f"no suggestion (exit {done.code}): {first_line(done.err)}")
    text = path.read_text()
    answer = rig.identify(config=merged(copy.deepcopy(BASE), yaml.safe_load(text)))
    need(answer.code in (0, 4), f"suggested {text[:200]!r}: exit {answer.code}: {first_line(answer.err)}")
    rig.need_right(
        answer, f"suggested {' '.join(line for line in text.splitlines() if not line.strip().startswith('#'))[:160]!r}: "
    )


@variants(
    SUGGEST,
    two_pairs_of_one_stamp=lambda log: {
        "Time": as_text(nanoseconds(log), lambda x: f"{x / 1e9:.6f}"),
        "secs": nanoseconds(log) // 10**9,
        "nsecs": nanoseconds(log) % 10**9,
        **signals(log),
    },
    time_beside_nanosec=lambda log: {
        "rosbagTimestamp": nanoseconds(log, late_ns=2_000_000),
        "stamp.sec": nanoseconds(log) // 10**9,
        "stamp.nanosec": nanoseconds(log) % 10**9,
        **signals(log),
    },
    two_clocks=lambda log: {
        "recv_nsec": nanoseconds(log, late_ns=700_123_456) % 10**9,
        "recv_sec": nanoseconds(log, late_ns=700_123_456) // 10**9,
        "stamp_sec": nanoseconds(log) // 10**9,
        "stamp_nsec": nanoseconds(log) % 10**9,
        **signals(log),
    },
    whole_seconds_and_another_clock=lambda log: {
        "time": nanoseconds(log, late_ns=400_000_000) // 10**9,
        "header.stamp.nsecs": nanoseconds(log) % 10**9,
        "header.stamp.secs": nanoseconds(log) // 10**9,
        **signals(log),
    },
    index_first=lambda log: {"index": numpy.arange(len(log.t)), "elapsed": log.t, **signals(log)},
    index_without_a_name=lambda log: {"": numpy.arange(len(log.t)), "stamp": log.t + 12.5, **signals(log)},
    sequence_number=lambda log: {"seq": 41_000 + numpy.arange(len(log.t)), "t_rel": log.t, **signals(log)},
)
def suggested_clocks(bench, columns):
    need_suggested(rig_of(bench, table_csv(columns), "csv"))


UR = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
PANDA_LIKE = ["waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate"]


@variants(
    SUGGEST,
    names_by_alphabet=(UR, "field.name{}", "field.position{}", "field.effort{}", "time"),
    names_of_another_arm=(PANDA_LIKE, "name_{}", "position_{}", "effort_{}", "Time"),
    names_in_brackets=(UR, "/joint_states/name[{}]", "/joint_states/position[{}]", "/joint_states/effort[{}]", "t"),
)
def suggested_order(bench, how):
    names, name, position, torque, time = how

    def columns(log):
        order = sorted(range(6), key=lambda k: names[k])
        return {
            time: log.t + 3,
            **{name.format(k): numpy.full(len(log.t), names[j], dtype=object) for k, j in enumerate(order)},
            **signals(log, position, torque, order),
        }

    need_suggested(Rig(bench, arms.six_joints(names), write=table_csv(columns)))


@variant(SUGGEST, "names with a gripper between")
def suggested_with_gripper(bench):
    def columns(log):
        order = [0, 1, 6, 2, 3, 4, 5]
        q, tau = (numpy.column_stack([x, numpy.full(len(x), 0.02)]) for x in (log.q, log.tau))
        names = UR + ["gripper"]
        return {
            "t": log.t,
            **{f"name_{k}": numpy.full(len(log.t), names[j], dtype=object) for k, j in enumerate(order)},
            **{f"position_{k}": q[:, j] for k, j in enumerate(order)},
            **{f"effort_{k}": tau[:, j] for k, j in enumerate(order)},
        }

    need_suggested(Rig(bench, arms.six_joints(UR), write=table_csv(columns)))


@variants(
    SUGGEST,
    clean=True,
    by_number=lambda log: {"time": log.t, **signals(log)},
    stamp_of_two_columns=lambda log: {
        "stamp.sec": nanoseconds(log) // 10**9,
        "stamp.nanosec": nanoseconds(log) % 10**9,
        **signals(log),
    },
    epoch=lambda log: {
        "timestamp": as_text(nanoseconds(log), lambda x: f"{x / 1e9:.6f}"),
        **signals(log, "actual_q_{}", "actual_current_{}"),
    },
)
def suggested_before(bench, columns):
    need_suggested(rig_of(bench, table_csv(columns), "csv"))
