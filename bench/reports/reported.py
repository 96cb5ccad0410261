"""The 47 reported cases: what practitioners reported in public, reduced to inputs of our own.

The number is that of the report; 5, 8, 13, 20 and 37 were not kept. Cases that variants generalize share their judges.
"""

import re

import numpy
from numpy import pi

import arms
import log_files
import sensor
import variants_hdf5 as hdf5
import variants_joints as joints
import variants_logs as logs
import variants_payload as loads
import variants_robots as robots
import variants_suggestions as suggestions
import variants_texts as texts
import variants_units as units
from judge import BASE, Rig, Wrong, first_line, need, need_finding, need_fixed, need_named, need_refused, remedies_in
from kinds import Variant

CASES = []


def case(number, title):
    def add(judge):
        CASES.append(Variant("reported", f"{number} {title}", judge))
        return judge

    return add


def csv_rig(bench, write, **how):
    return log_files.rig_of(bench, write, "csv", **how)


@case(1, "log of MATLAB, save -v7.3")
def matlab(bench):
    import hdf5storage

    def write(path, log):
        hdf5storage.savemat(
            str(path),
            {"t": log.t.reshape(-1, 1), "q": log.q, "tau": log.tau},
            format="7.3",
            oned_as="column",
            store_python_metadata=False,
        )

    log_files.need_read_or_told(log_files.rig_of(bench, write, "mat"), r"MATLAB|HDF5|user block", never="no column 't'")


@case(2, "log of MATLAB, h5create and h5write")
def h5write(bench):
    log_files.need_read_or_told(
        log_files.rig_of(bench, log_files.h5(lambda log: {"t": log.t[None, :], "q": log.q.T, "tau": log.tau.T})),
        hdf5.SIDE,
        never=r"did you mean 't1'",
    )


@case(3, "HDF5 packed by LZF, Blosc, Zstd")
def packed(bench):
    for how in (
        (lambda: {"compression": "lzf"}, None, r"lzf|32000"),
        (hdf5.plugin("Blosc"), None, r"blosc|32001"),
        (hdf5.plugin("Zstd"), None, r"zst|32015"),
    ):
        hdf5.missing_filters(bench, how)


@case(4, "tables of pandas, plain and with data columns")
def pandas_tables(bench):
    import pandas

    def write(data_columns):
        return lambda path, log: pandas.DataFrame(log.columns()).to_hdf(path, key="log", format="table", **data_columns)

    rig = log_files.rig_of(bench, write({"data_columns": True}))
    done = rig.identify()
    if done.code == 1:
        raise Wrong(f"with data columns: {first_line(done.err)}")
    rig.need_right(done)
    plain = log_files.rig_of(bench, write({}), tag="plain_")
    done = plain.identify()
    if done.code == 1:
        need("too many columns for a log" not in done.err, f"plain: {first_line(done.err)}")
        need(re.search("values_block_0", done.err), f"plain, members are not named: {first_line(done.err)}")
    else:
        plain.need_right(done)


@case(6, "structured array with members of six numbers")
def members(bench):
    log_files.need_read(
        log_files.rig_of(bench, hdf5.structured(lambda log: {"t": (log.t, "f8"), "q": (log.q, "f8"), "tau": (log.tau, "f8")}))
    )


@case(7, "stamps in float32, 250 Hz, 11 h after boot")
def float32(bench):
    logs.need_clock_right(
        Rig(
            bench,
            arms.six_joints(),
            suffix="h5",
            write=logs.write_h5("f4"),
            fault=logs.stamped(lambda t: t + 41234.5),
            how={"seconds": 60},
        )
    )


@case(9, "names behind a #, as numpy.savetxt writes them")
def savetxt(bench):
    for form in (
        lambda h, r: "# " + ",".join(h) + "\n" + texts.lines(r),
        lambda h, r: "# " + " ".join(h) + "\n" + texts.lines(r, " "),
    ):
        log_files.need_read_or_told(csv_rig(bench, texts.csv_of(form)), "#", never=r"delete the line")
    for form, pattern in (
        (lambda h, r: "# rig A, run 7\n# rate 250 Hz\n" + ",".join(h) + "\n" + texts.lines(r), "#|comment"),
        (
            lambda h, r: "Recorder;v2.1\nSample time;0.004\n\n" + ";".join(h) + "\n" + texts.lines(r, ";"),
            r"preamble|(above|before) the (header|names)|line 4|not the header|names (are|stand|begin)",
        ),
    ):
        log_files.need_read_or_told(csv_rig(bench, texts.csv_of(form)), pattern, never=r"delete the line")


@case(10, "rows that end with a comma")
def trailing(bench):
    log_files.need_read_or_told(
        csv_rig(bench, texts.csv_of(lambda h, r: ",".join(h) + "\n" + texts.lines(r, ",", ","))),
        r"last|trailing|ends? with|every row|one more|all rows",
        never="delete the line",
    )


def echo(log):
    """rostopic echo -p: joints in the order of their names."""
    order = sorted(range(6), key=lambda k: suggestions.UR[k])
    stamp = suggestions.nanoseconds(log)
    late = stamp + 1_500_000 + (numpy.arange(len(stamp)) * 7919 % 300) * 1000
    parts = {
        "%time": late,
        "field.header.seq": numpy.arange(len(stamp)),
        "field.header.stamp": stamp,
        "field.header.frame_id": numpy.full(len(stamp), "base", dtype=object),
    }
    parts.update({f"field.name{k}": numpy.full(len(stamp), suggestions.UR[j], dtype=object) for k, j in enumerate(order)})
    for kind, values in (("position", log.q), ("velocity", log.qd), ("effort", log.tau)):
        parts.update({f"field.{kind}{k}": values[:, j] for k, j in enumerate(order)})
    return parts


@case(11, "rostopic echo, joints by alphabet")
def rostopic(bench):
    rig = Rig(bench, arms.six_joints(suggestions.UR), write=suggestions.table_csv(echo))
    suggestions.need_suggested(rig)
    config = {
        "position": [f"field.position{k}" for k in (2, 1, 0, 3, 4, 5)],
        "torque": [f"field.effort{k}" for k in (2, 1, 0, 3, 4, 5)],
        "time_unit": "ns",
    }
    # by the stamps of arrival the answer is a little worse: only that the flag is read is asked
    done = rig.identify("--log.time", "%time", config={**BASE, "log": config})
    need(done.code in (0, 4), f"--log.time %time: {first_line(done.err)}")


@case(12, "table of bagpy: Time, secs, nsecs")
def bagpy(bench):
    def columns(log):
        stamp = suggestions.nanoseconds(log)
        return {
            "Time": suggestions.as_text(stamp, lambda x: f"{x / 1e9:.6f}"),
            "header.seq": numpy.arange(len(stamp)),
            "header.stamp.secs": stamp // 10**9,
            "header.stamp.nsecs": stamp % 10**9,
            "header.frame_id": numpy.full(len(stamp), "base", dtype=object),
            **suggestions.signals(log),
        }

    suggestions.need_suggested(csv_rig(bench, suggestions.table_csv(columns)))


@case(14, "columns of a joint's name, told by flag")
def by_flag(bench):
    texts.texts_by_flag(
        bench, ("{}_pos", "{}_eff", "t", None, ["--log.position", "{joint}_pos", "--log.torque", "{joint}_eff"])
    )
    texts.texts_by_flag(
        bench, ("pos_{}", "tau_{}", "# t", 0, ["--log.position", "pos_{i-1}", "--log.torque", "tau_{i-1}", "--log.time", "# t"])
    )


@case(15, "PlotJuggler")
def plotjuggler(bench):
    def columns(log):
        order = sorted(range(6), key=lambda k: suggestions.UR[k])
        parts = {"__time": suggestions.as_text(suggestions.nanoseconds(log), lambda x: f"{x / 1e9:.6f}")}
        for j in order:
            for kind, values in (("position", log.q), ("velocity", log.qd), ("effort", log.tau)):
                parts[f"/joint_states/{suggestions.UR[j]}/{kind}"] = values[:, j]
        return parts

    suggestions.need_suggested(Rig(bench, arms.six_joints(suggestions.UR), write=suggestions.table_csv(columns)))


@case(16, "stamps of seconds and nanoseconds without zeros")
def unpadded(bench):
    texts.done_right_or_told(csv_rig(bench, texts.stamps_as(texts.unpadded(17, 1))))


@case(17, "positions in turns")
def turns(bench):
    need_fixed(
        Rig(bench, arms.six_joints(), fault=lambda log: log.copy(q=log.q / (2 * pi))), units.ANGLE_IDS, units.ANGLE_WORDS
    )


@case(18, "ticks of a servo, percent of the range")
def ticks(bench):
    need_fixed(
        Rig(bench, arms.six_joints(), fault=units.ticks(4096, 2048)), units.ANGLE_IDS, units.ANGLE_WORDS, slack=0.06, amber=True
    )
    units.percent(bench)


@case(19, "gantry in millimeters")
def gantry(bench):
    need_fixed(
        Rig(
            bench,
            arms.gantry(),
            fault=units.scaled(dict.fromkeys(("x_rail", "y_rail", "z_rail"), 1e3)),
            recorder=arms.record_gantry,
        ),
        units.SLIDING_IDS,
        units.SLIDING_WORDS,
    )


@case(21, "torques without gravity")
def gravity(bench):
    need_fixed(Rig(bench, arms.six_joints(), how={"gravity": (0, 0, 0)}), units.MODEL_IDS[:1], units.MODEL_WORDS, slack=0.05)


@case(22, "base that leans by 3 degrees")
def leaning(bench):
    a = numpy.radians(3)
    rig = Rig(bench, arms.six_joints(), how={"gravity": (9.81 * numpy.sin(a), 0, -9.81 * numpy.cos(a))})
    need_fixed(rig, ("gravity-direction",))
    need_named(rig.identify(), ("gravity-direction",))


@case(23, "every other row all zeros, every 25th row zeros")
def second_publisher(bench):
    logs.foreign_rows(bench, logs.foreign(1))

    def fault(log):
        q, tau = log.q.copy(), log.tau.copy()
        q[::25], tau[::25] = 0, 0
        return log.copy(q=q, tau=tau)

    rig = Rig(bench, arms.six_joints(), fault=fault)
    done = bench.check("--robot", rig.urdf, "--log", rig.train)
    need_finding(done, [r"signal-spikes", r"rows-foreign", r"torque-jumps"], ("error", "warning"))


@case(24, "continuous joint from 0 to 360 degrees, and to 2 pi")
def wrapped(bench):
    robot = arms.six_joints()
    robot.links[0].kind = "continuous"
    for tag, turn, scale in (("rad_", 2 * pi, 1.0), ("deg_", 360.0, 180 / pi)):

        def fault(log):
            q = log.q * scale
            q[:, 0] = numpy.mod(q[:, 0], turn)
            return log.copy(q=q)

        rig = Rig(bench, robot, fault=fault, how={"amplitude": [3.6] + [0.9] * 5}, tag=tag)
        config = {**BASE, **({"log": {"angle_unit": "deg"}} if scale != 1 else {})}
        need_fixed(rig, ("position-wrapped",), r"unwrap|whole turn", config=config)


@case(25, "velocity in deg/s beside positions in rad")
def velocity(bench):
    rig = Rig(bench, arms.six_joints(), fault=lambda log: log.copy(qd=numpy.degrees(log.qd)), kinds=("q", "qd", "tau"))
    need_finding(bench.check("--robot", rig.urdf, "--log", rig.train), ["velocity-in-degrees"], ("error", "warning"))


@case(26, "robot with a gripper, log of the arm")
def gripper(bench):
    joints.locked_by_advice(bench, joints.ROBOTS["fingers"])


@case(27, "floating joint from world to base")
def floating(bench):
    joints.floating_root(bench, ("world", "float", "floating"))
    joints.world_is_no_body(bench)


@case(28, "fixed joint with an axis of one number")
def fixed_axis(bench):
    joints.unused_on_fixed(bench, '<axis xyz="100"/>')


@case(29, "limits that are infinite")
def infinite(bench):
    text = arms.six_joints().urdf()
    for change in (('lower="-2.9" upper="2.9"', 'lower="-Inf" upper="Inf"'), ('effort="400"', 'effort="inf"')):
        done = bench.run("observe", bench.write("robot.urdf", text.replace(*change)))
        need(
            done.code == 1 and re.search(r"robot\.urdf:\d+", done.err) and re.search("lower|upper|effort", done.err),
            f"exit {done.code}: {first_line(done.err)}",
        )


@case(30, "axes that are no unit vectors")
def axes(bench):
    for axis in ("0 0 0.01", "0 0 -1"):
        rig = Rig(bench, arms.six_joints())
        text = rig.urdf.read_text().replace('xyz="0 0 1"', f'xyz="{axis}"', 1)
        arms.write(rig.urdf, text)
        done = bench.check(rig.urdf)
        if axis.endswith("1") and "-" not in axis:
            need_finding(done, ["axis-not-unit"], ("warning", "note"))
        need(not [f for f in done.findings if f["severity"] == "error"], f"{axis}: errors")
    arms.write(rig.urdf, arms.six_joints().urdf(prior=5).replace('xyz="0 0 1"', 'xyz="0 0 0.01"', 1))
    need_finding(bench.check(rig.urdf), ["axis-not-unit"], ("warning",))
    rig.need_right(rig.identify())


@case(31, "${pi/2} left in an attribute")
def xacro(bench):
    joints.remnants(bench, ('rpy="1.57079633 0 0"', 'rpy="${pi/2} 0 0"'))


@case(32, "joints with unusual names")
def unusual(bench):
    for k, names in enumerate(
        (
            ["vx/waist", "vx/shoulder", "vx/elbow", "vx/roll", "vx/angle", "vx/rotate"],
            ["left-1", "left-2", "left-3", "left-4", "left-5", "left-6"],
            ["Revolute 1", "Revolute 2", "Revolute 3", "Revolute 4", "Revolute 5", "Revolute 6"],
            ["底座", "肩", "肘", "腕1", "腕2", "腕3"],
            ["1", "2", "3", "4", "5", "6"],
            ["t", "time", "q1", "tau_j", "qd", "q"],
        )
    ):
        rig = Rig(bench, arms.six_joints(names), tag=f"names{k}_")
        rig.need_right(rig.identify())


@case(33, "URDF in GBK, in UTF-16")
def encodings(bench):
    text = arms.six_joints().urdf().replace("link_a", "手臂")
    for content in (
        text.encode("gbk"),
        text.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="gb2312"?>').encode("gb2312"),
        text.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-16"?>').encode("utf-16"),
    ):
        done = bench.run("observe", bench.write("robot.urdf", content))
        need(done.code == 0 or (done.code == 1 and re.search("UTF-8", done.err)), f"exit {done.code}: {first_line(done.err)}")


@case(34, "limits with velocity 0")
def no_velocity(bench):
    robots.zero_limits(bench, (None, {"velocity": 0}))
    robots.zero_limits(bench, ("a5", {"velocity": 0}))
    robots.zero_range(bench, (None, 0.0))
    robots.no_mass(bench)


@case(35, "robot without any inertial")
def no_inertial(bench):
    text = re.sub(r"<inertial>.*?</inertial>", "", arms.six_joints().urdf())
    rig = Rig(bench, arms.six_joints())
    robot = bench.write("empty.urdf", text)
    done = bench.identify(robot, rig.train)
    need_refused(done, r"mass|inertia")


@case(36, "adapter plate")
def plate(bench):
    content = arms.inertial(0.6, (0.126, 0.146, 0.012)) + robots.shape('<box size="0.126 0.146 0.012"/>')
    for inside in (content, robots.shape('<box size="0.126 0.146 0.012"/>')):
        robots.need_not_millimeters(
            bench.check(
                bench.write(
                    "robot.urdf",
                    robots.chain("adapter", ("screwed", "fixed", "0 0 0.006", inside), ("top", "fixed", "0 0 0.006", "")),
                )
            )
        )


@case(38, "little finger and ring finger")
def fingers(bench):
    robots.no_pairs(
        bench, robots.fingers(("ff", 0.011, 0.042), ("mf", 0.012, 0.046), ("rf", 0.0105, 0.043), ("lf", 0.007, 0.033))
    )


@case(39, "heavy base")
def heavy(bench):
    for mass in (900, 300):
        robots.need_unchanged_by_fix(bench, robots.on_base(arms.inertial(mass, (1, 0.9, 0.8), (0, 0, -0.4))).urdf(), "base")


def scaled_arm(factor):
    robot = arms.six_joints()
    for link in robot.links:
        link.xyz, link.size, link.center = (tuple(factor * x for x in v) for v in (link.xyz, link.size, link.center))
        link.mass, link.effort = link.mass * factor**3, link.effort * factor**4
    u = factor**4
    return robot, {"viscous": 0.8 * u, "coulomb": 1.2 * u, "noise": 0.05 * u}


@case(40, "arms of 1.7 g and 0.1 g")
def tiny_arms(bench):
    for factor in (0.05, 0.02):
        robot, how = scaled_arm(factor)
        rig = Rig(bench, robot, how=how, tag=f"{factor}_")
        rig.need_right(rig.identify())
        need(rig.clean_error() < 0.03, f"off by {100 * rig.clean_error():.1f} %")


@case(41, "jaw of 0.1 g, sound and impossible")
def jaws(bench):
    body = (0.0001, (0.003, 0.003, 0.005))
    robots.sound_small(bench, body)
    robots.broken_triangle(bench, body)
    robots.negative_moment(bench, body)


@case(42, "arm eight times as large")
def crane(bench):
    robot, how = scaled_arm(8)
    rig = Rig(bench, robot, how=how)
    rig.need_right(rig.identify())
    need(rig.clean_error() < 0.03, f"off by {100 * rig.clean_error():.1f} %")
    need(not [f for f in bench.check(rig.urdf).findings if f["severity"] == "error"], "false errors")


@case(43, "mimic joints with multiplier and offset")
def mimic(bench):
    import pinocchio

    robot = arms.four_joints()
    factor, offset = -0.7, 0.3
    robot.links[2].more = f'<mimic joint="lift" multiplier="{factor}" offset="{offset}"/>'
    path = bench.write("robot.urdf", robot.urdf())
    random = numpy.random.default_rng(3)
    q, qd, qdd = (random.uniform(-1, 1, (20, 3)) * scale for scale in (1.5, 2, 5))
    states = bench.path("states.npy")
    numpy.save(states, numpy.hstack([q, qd, qdd]))
    done = bench.run("rows", "--robot", path, "--states", states, "--kind", "torque", "--out", bench.path("rows.npy"))
    need(done.code == 0, f"exit {done.code}: {first_line(done.err)}")
    rows = numpy.load(bench.path("rows.npy"))
    plain = arms.four_joints().urdf(for_pinocchio=True)
    whole = [
        numpy.column_stack([x[:, 0], x[:, 1], factor * x[:, 1] + shift, x[:, 2]])
        for x, shift in ((q, offset), (qd, 0), (qdd, 0))
    ]
    tau = arms.rigid_torque(plain, ["yaw", "lift", "bend", "roll"], *whole)
    truth = numpy.column_stack([tau[:, 0], tau[:, 1] + factor * tau[:, 2], tau[:, 3]])
    model = pinocchio.buildModelFromXML(plain)
    parameters = numpy.concatenate(
        [model.inertias[model.getJointId(n)].toDynamicParameters() for n in ("yaw", "lift", "bend", "roll")]
    )
    found = rows.reshape(20, 3, -1) @ parameters
    need(
        numpy.abs(found - truth).max() < 1e-6 * numpy.abs(truth).max(),
        f"torques differ by {numpy.abs(found - truth).max():.2g} N m",
    )


@case(44, "dimensions of 48 bodies, 10 of them on mimic joints")
def dimensions(bench):
    robot = joints.big_hand(10, 2, True, 28)
    joints.need_dimensions(bench, robot)


@case(45, "legs in the order of a robot's SDK")
def legs(bench):
    logs.legs_in_order(bench, logs.legs("FR", "FL", "RR", "RL"))


@case(46, "wrench from which the controller took the payload")
def compensated(bench):
    loads.not_there(bench, (sensor.moving, "R", False, sensor.NOTHING, (0.15, 0.01)))


@case(47, "sensor zeroed in the middle of a log")
def zeroed(bench):
    loads.offset_jumps(bench, (6.0, None))


@case(48, "orientation from world to sensor")
def transposed(bench):
    loads.other_way(bench, (sensor.moving, "T", False))
    loads.other_way(bench, (lambda: sensor.poses(14), "T", True))


@case(49, "columns wrench.force.x, and tx, ty, tz")
def wrench_names(bench):
    loads.names(bench, [f"wrench.{p}.{a}" for p in ("force", "torque") for a in "xyz"])
    loads.names(bench, ["fx", "fy", "fz", "tx", "ty", "tz"])


@case(50, "sensor turned by 45 degrees")
def turned(bench):
    motion = sensor.moving(seed=1)
    wrench, turn = sensor.wrench(motion), sensor.rotation(0, 0, -pi / 4)
    log = sensor.save(bench.path("log.csv"), sensor.table(motion, numpy.hstack([wrench[:, :3] @ turn, wrench[:, 3:] @ turn])))
    done = loads.payload(bench, log)
    found = loads.named(done, ("sensor-turned",), None)
    need(
        found and re.search(r"0\.78\d*", f"{found[0]['words']} {found[0].get('remedy')}"),
        f"exit {done.code}, doubts {done.ids}",
    )
    need(abs(done.json()["payload"]["mass"] - 1.62) < 0.03, f"mass {done.json()['payload']['mass']:.4g}")
    offer = remedies_in(found[0]["remedy"])[0]
    again = loads.payload(bench, log, config=offer)  # places are then in the axes of the turned sensor
    need(
        again.green and abs(again.json()["payload"]["mass"] - 1.62) < 0.03,
        f"after {offer}: exit {again.code}, doubts {again.ids}",
    )


@case(51, "poses within 10 degrees, and orientations as quaternions")
def near_poses(bench):
    motion = sensor.poses(12, 5, 0.09)
    log = sensor.save(bench.path("log.csv"), sensor.table(motion, sensor.wrench(motion, noise=(0.08, 0.004)), at_rest=True))
    found = loads.payload(bench, log).json()["payload"]
    low, high = found["intervals"]["mass"]
    need(low <= 1.62 <= high and high - low < 1, f"mass {low:.3g} to {high:.3g}, truth 1.62")
    motion = sensor.poses(14, 5)
    log = sensor.save(
        bench.path("quaternions.csv"), sensor.table(motion, sensor.wrench(motion, noise=(0.08, 0.004)), "q", at_rest=True)
    )
    done = loads.payload(bench, log)
    need(abs(done.json()["payload"]["mass"] - 1.62) < 0.05, f"by quaternions {done.json()['payload']['mass']:.4g} kg")


@case(52, "one joint alone")
def pendulum(bench):
    robot = arms.Robot(
        [arms.Link("pivot", "base", (0, 0, 0.5), (pi / 2, 0, 0), mass=2.4, size=(0.5, 0.06, 0.06), center=(0.2, 0.01, 0))]
    )
    rig = Rig(bench, robot, how={"amplitude": 1.2, "viscous": 0.1, "coulomb": 0.2, "noise": 0.02}, prior=3)
    done = rig.identify()
    need(done.code in (0, 4), f"exit {done.code}: {first_line(done.err)}")
    need(rig.error(done) < 0.02, f"off by {100 * rig.error(done):.1f} %")
    need(all(d in ("total-scale",) for d in done.ids), f"doubts {done.ids}")
