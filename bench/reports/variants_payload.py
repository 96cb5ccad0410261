"""Variants about payloads: no payload, an offset that jumps, an inverse orientation, names of columns."""

import re

import numpy

import arms
import sensor
from judge import CONTROLLER_FILES, first_line, merged, named, need, need_refused, remedies_in
from kinds import variant, variants


def payload(bench, log, *flags, config=None):
    return bench.run("payload", "--log", log, "--out", "@OUT", *flags, *(["--config", bench.config(config)] if config else []))


def files_of(done):
    return [name for name in CONTROLLER_FILES if (done.folder / name).exists()]


def is_weighed(done, body, tolerance=0.04):
    found = done.json()["payload"]
    return (
        abs(found["mass"] - body.mass) <= tolerance * body.mass
        and numpy.linalg.norm(numpy.array(found["com"]) - body.com) <= tolerance * 0.15 + 0.004
    )


def need_weighed(done, body, tolerance=0.04, amber=False, what=""):
    need(done.code in (0, 4), f"{what}exit {done.code}: {first_line(done.err)}")
    found = done.json()["payload"]
    need(
        is_weighed(done, body, tolerance),
        f"{what}{'green, but ' if done.green else ''}mass {found['mass']:.4g} instead of {body.mass} kg, com {found['com']}, doubts {done.ids}",
    )
    need(amber or done.green, f"{what}right, but doubts {done.ids}")


# ---- a payload that is not there -----------------------------------------------------------------------------------

NOTHING = "payload that is not there"


def need_nothing(done):
    if done.code == 1:
        need(
            re.search(r"no payload|nothing|compensat|positive mass|not determine", done.err, re.I),
            f"refused for another reason: {first_line(done.err)}",
        )
    else:
        need(
            done.code == 4 and "no-payload" in done.ids,
            f"exit {done.code}, {'green, ' if done.green else ''}doubts {done.ids}, mass {done.json()['payload']['mass']:.3g}",
        )
    need(not files_of(done), f"files for controllers: {files_of(done)}")


@variants(
    NOTHING,
    moving_with_gravity=(sensor.moving, "g", False, sensor.NOTHING, (0.15, 0.01)),
    poses=(sensor.poses, "R", True, sensor.NOTHING, (0.08, 0.004)),
    poses_by_gravity=(sensor.poses, "g", True, sensor.NOTHING, (0.3, 0.02)),
    noisy_and_short=(lambda: sensor.moving(4), "R", False, sensor.NOTHING, (0.8, 0.05)),
    two_grams_in_noise=(
        lambda: sensor.moving(6),
        "R",
        False,
        sensor.Body(0.0005, (0, 0, 0.05), numpy.eye(3) * 1e-6),
        (1.5, 0.1),
    ),
    forces_of_poses_alone=(lambda: sensor.poses(20), None, True, sensor.NOTHING, (0.1, 0.01)),
)
def not_there(bench, how):
    motion, turn, at_rest, body, noise = how
    motion = motion()
    forces = sensor.wrench(motion, body, noise=noise, bias=(-4, 7, 1.5, 0.3, -0.2, 0.06))
    need_nothing(payload(bench, sensor.save(bench.path("log.csv"), sensor.table(motion, forces, turn, at_rest))))


@variant(NOTHING, "no offset either")
def nothing_at_all(bench):
    motion = sensor.moving(seed=4)
    forces = sensor.wrench(motion, sensor.NOTHING, bias=(0,) * 6)
    need_nothing(payload(bench, sensor.save(bench.path("log.csv"), sensor.table(motion, forces))))


@variant(NOTHING, "center of mass four meters away")
def far_away(bench):
    motion = sensor.moving(seed=6)
    forces = sensor.wrench(motion, sensor.Body(1.1, (0.3, 0.1, 4.0), numpy.eye(3) * 0.01))
    done = payload(bench, sensor.save(bench.path("log.csv"), sensor.table(motion, forces)))
    need(
        done.ids and any(re.search(r"far|unit|torque", f"{d['id']} {d['words']}") for d in done.serious),
        f"exit {done.code}, doubts {done.ids}",
    )


@variant(NOTHING, "by joint torques, with nothing in the hand")
def nothing_by_torques(bench):
    robot = arms.six_joints()
    urdf = bench.write("robot.urdf", robot.urdf(prior=5))
    train, empty = (arms.write_csv(bench.path(f"{seed}.csv"), arms.record(robot, seed)) for seed in (1, 2))
    model = bench.identify(urdf, train)
    need_nothing(bench.run("payload", "--model", model.folder, "--link", "link_a6", "--log", empty, "--out", "@OUT"))


@variants(
    NOTHING,
    clean=True,
    light_one=(sensor.Body(0.05, (0, 0.004, 0.03), numpy.diag([2e-5, 2e-5, 1e-5])), (0.01, 0.0004)),
    heavy_one=(sensor.Body(), (0.15, 0.01)),
    poses_of_80_g=(sensor.Body(0.08, (0.01, 0, 0.04), numpy.diag([1e-4, 1e-4, 5e-5])), (0.01, 0.0005)),
)
def is_there(bench, how):
    body, noise = how
    motion = sensor.poses(16, 8) if body.mass == 0.08 else sensor.moving(seed=7)
    done = payload(
        bench,
        sensor.save(
            bench.path("log.csv"), sensor.table(motion, sensor.wrench(motion, body, noise=noise), at_rest=body.mass == 0.08)
        ),
    )
    need_weighed(done, body, 0.08)
    need(len(files_of(done)) == 3, f"files for controllers: {files_of(done)}")


# ---- an offset that jumps ------------------------------------------------------------------------------------------

JUMPS = "payload: an offset that jumps"


def need_jump(done, at_s, rows=None):
    found = named(done, ("offset-jumps",), None)
    need(found, f"not named: exit {done.code}, doubts {done.ids}")
    times = [float(x) for x in re.findall(r"(\d+(?:\.\d+)?) ?s\b", found[0]["words"])] + [
        found[0].get("from_s") or -9,
        found[0].get("to_s") or -9,
    ]
    need(
        at_s is None or any(abs(x - at_s) < 0.5 for x in times),
        f"no time of the jump ({at_s} s): {first_line(found[0]['words'])}",
    )


@variants(
    JUMPS,
    zeroed_at_4_s=(4.0, None),
    force_by_a_few_newton=(7.5, (2.5, -1.5, 3, 0, 0, 0)),
    torque_alone=(5.0, (0, 0, 0, 0.25, -0.2, 0.1)),
    jump_near_the_end=(10.0, (-6, 2, 1, 0.1, 0, 0.05)),
    sign_of_offset=(3.0, (-6, 4, -10, -0.2, -0.4, 0.1)),
)
def offset_jumps(bench, how):
    at, jump = how
    motion = sensor.moving(seed=11)
    forces = sensor.wrench(motion)
    k = int(at * 200)
    forces[k:] += -forces[k - 5 : k].mean(0) if jump is None else numpy.array(jump)
    log = sensor.save(bench.path("log.csv"), sensor.table(motion, forces))
    done = payload(bench, log)
    need_jump(done, at)
    offers = remedies_in(*(f"{d['words']} {d.get('remedy') or ''}" for d in named(done, ("offset-jumps",), None)))
    if offers:
        need_weighed(payload(bench, log, config=offers[0]), sensor.Body(), 0.06, amber=True, what=f"after {offers[0]}: ")


@variant(JUMPS, "between poses")
def jump_between_poses(bench):
    motion = sensor.poses(20, 3)
    forces = sensor.wrench(motion, noise=(0.08, 0.004))
    forces[11:] += [4, -3, 6, 0.2, 0.1, -0.3]
    done = payload(bench, sensor.save(bench.path("log.csv"), sensor.table(motion, forces, at_rest=True)))
    need(named(done, ("offset-jumps",), r"offset.{0,40}(jump|change)"), f"not named: exit {done.code}, doubts {done.ids}")


@variant(JUMPS, "another body from 6 s on", clean=True)
def another_body(bench):
    motion = sensor.moving(seed=12)
    forces, other = sensor.wrench(motion), sensor.wrench(motion, sensor.Body(2.9, (0.01, 0.02, 0.11)))
    forces[1200:] = other[1200:]
    done = payload(bench, sensor.save(bench.path("log.csv"), sensor.table(motion, forces)))
    need("offset-jumps" not in done.ids, "called a jump of the offset")
    need("payload-changes" in done.ids, f"doubts {done.ids}")


@variants(JUMPS, clean=True, steady=0, steady_and_noisy=1)
def steady(bench, seed):
    motion = sensor.moving(seed=20 + seed)
    body = sensor.Body()
    need_weighed(
        payload(
            bench,
            sensor.save(
                bench.path("log.csv"),
                sensor.table(motion, sensor.wrench(motion, body, noise=(0.15 + seed * 0.5, 0.01 + 0.03 * seed))),
            ),
        ),
        body,
        0.08,
    )


# ---- an orientation the other way ----------------------------------------------------------------------------------

OTHER_WAY = "payload: orientation the other way"
WORDS = r"transpos|inverse|world to (the )?sensor|other way|the wrong way"


def need_weighed_after_advice(bench, log, body, ids, pattern, tolerance=0.06):
    config = {}
    for _ in range(3):
        done = payload(bench, log, config=config or None)
        if done.green:
            need_weighed(done, body, tolerance, what=f"after {config}: ")
            return
        found = named(done, ids, pattern)
        need(
            found,
            f"not named{f' after {config}' if config else ''}: exit {done.code}: {first_line(done.err) if done.code == 1 else done.ids}",
        )
        offers = [
            o for o in remedies_in(*(f"{d['words']} {d.get('remedy') or ''}" for d in found)) if "payload" in o or "log" in o
        ]
        need(offers, f"named, but no remedy to apply: {first_line(found[0]['words'])}")
        merged(config, offers[0])
    need_weighed(payload(bench, log, config=config), body, tolerance, what=f"after {config}: ")


@variants(
    OTHER_WAY,
    moving=(lambda: sensor.moving(seed=31), "T", False),
    moving_slowly=(lambda: sensor.moving(20, turns=(1.4, 1.0, 1.5), way=0.05, seed=32), "T", False),
    twenty_poses=(lambda: sensor.poses(20, 33), "T", True),
    nine_poses=(lambda: sensor.poses(9, 34), "T", True),
    quaternions_of_poses=(lambda: sensor.poses(16, 35), "qT", True),
)
def other_way(bench, how):
    motion, turn, at_rest = how
    motion = motion()
    log = sensor.save(bench.path("log.csv"), sensor.table(motion, sensor.wrench(motion, noise=(0.08, 0.004)), turn, at_rest))
    need_weighed_after_advice(bench, log, sensor.Body(), ("orientation-transposed", "transposed"), WORDS)


@variants(
    OTHER_WAY,
    clean=True,
    moving_as_documented=("R", False),
    poses_as_documented=("R", True),
    quaternions_as_documented=("q", True),
)
def right_way(bench, how):
    turn, at_rest = how
    motion = sensor.poses(16, 41) if at_rest else sensor.moving(seed=42)
    done = payload(
        bench,
        sensor.save(bench.path("log.csv"), sensor.table(motion, sensor.wrench(motion, noise=(0.08, 0.004)), turn, at_rest)),
    )
    need_weighed(done, sensor.Body(), 0.05)


# ---- names of columns ----------------------------------------------------------------------------------------------

NAMES = "payload: names of columns"


@variants(
    NAMES,
    topic=[f"/ft/wrench/{p}/{a}" for p in ("force", "torque") for a in "xyz"],
    capitals=["Fx", "Fy", "Fz", "Tx", "Ty", "Tz"],
    tx=["fx", "fy", "fz", "tx", "ty", "tz"],
    words=[f"{p}_{a}" for p in ("force", "torque") for a in "xyz"],
    dots=[f"wrench.{p}.{a}" for p in ("force", "torque") for a in "xyz"],
    moments=["fx", "fy", "fz", "mx", "my", "mz"],
    numbers=[f"ft[{k}]" for k in range(6)],
)
def names(bench, header):
    motion = sensor.moving(seed=51)
    log = sensor.save(bench.path("log.csv"), sensor.table(motion, sensor.wrench(motion), names=header))
    done = payload(bench, log)
    if done.code in (0, 4):
        need_weighed(done, sensor.Body())
        return
    offers = [one for one in remedies_in(done.err)]
    if offers:
        tried = payload(bench, log, config=offers[0])
        if tried.code in (0, 4):
            need_weighed(tried, sensor.Body(), what=f"after {offers[0]}: ")
            return
    # an option that the message names takes six names
    option = re.search(r"\b(payload|log)\.(?!csv)([a-z_]+)", done.err)
    need(option, f"no option named: {first_line(done.err)}")
    config = {option.group(1): {option.group(2): header}}
    need_weighed(payload(bench, log, config=config), sensor.Body(), what=f"after {config}: ")


@variant(NAMES, "a column that is really missing", clean=True)
def really_missing(bench):
    motion = sensor.moving(seed=52)
    columns = sensor.table(motion, sensor.wrench(motion))
    del columns["ny"]
    need_refused(payload(bench, sensor.save(bench.path("log.csv"), columns)), r"\bny\b")


@variant(NAMES, "names as documented", clean=True)
def documented(bench):
    motion = sensor.moving(seed=53)
    need_weighed(payload(bench, sensor.save(bench.path("log.csv"), sensor.table(motion, sensor.wrench(motion)))), sensor.Body())
