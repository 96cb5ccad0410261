"""Clean logs as users have them: any rate from 30 to 1000 Hz, friction up to 80 % of a joint's torque; and public logs of real robots.

Every log is another robot, motion, rate and friction. Friction is Coulomb's and viscous, by other widths than the columns'; half of
the logs have colored noise; half are read with Heft's default columns and conditioning, as a first user does, and those arms have
no reflected inertia; the others with reflected_inertia among the columns. A serious doubt about such a log is a false alarm.
"""

import itertools
import json
import pathlib
import subprocess
import tempfile

FRICTION_SHARE = 0.8
RATES_HZ = (30, 40, 50, 62.5, 100, 125, 200, 250, 500, 1000)
DEFAULT, WITH_ROTORS = "robot: {{gravity: [0, 0, -9.81]}}\n", """robot: {{gravity: [0, 0, -9.81]}}
conditioning: {{lowpass_hz: {lowpass_hz:g}}}
columns: [default, reflected_inertia]
"""
# pairs of training and held-out logs of the real robots; one log against itself is split in halves
REAL = {"franka_panda": [("log_train", "log_valid"), ("log_valid", "log_train"), ("log_train", None), ("log_valid", None)],
        "kuka_kr300": [("log_train_A", "log_valid_C"), ("log_train_B", "log_valid_C"), ("log_train_A", "log_train_B")],
        "staubli_tx40": [("log_train", "log_valid"), ("log_valid", "log_train"), ("log_train", None)]}


def simulated(options, name, urdf, k):
    """Heft's statements about the k-th clean log, of this robot."""
    import arms
    import cases
    import numpy
    drawn = numpy.random.default_rng(70000 + k)
    rate_hz, with_rotors, memory_s = drawn.choice(RATES_HZ), drawn.random() < 0.5, drawn.choice((0.0, 0.02))
    arm = arms.Arm(urdf, 5000 + k, FRICTION_SHARE, float(rate_hz))
    if not with_rotors:
        arm.rotor = 0 * arm.rotor
    random = numpy.random.default_rng(9000 + k)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        configuration = WITH_ROTORS if with_rotors else DEFAULT
        (folder / "arm.yaml").write_text(configuration.format(lowpass_hz=min(10, rate_hz / 6)))
        for log, duration in (("train", arms.TRAIN_S), ("held_out", arms.HELD_OUT_S)):
            cases.write_table(folder / f"{log}.csv", *arm.log_and_noise(duration, random, memory_s)[0])
        if options.keep:
            kept = options.keep / f"{k:03d}_{name}"
            kept.mkdir(parents=True, exist_ok=True)
            for path in folder.iterdir():
                (kept / path.name).write_bytes(path.read_bytes())
        row = identified(options.heft, urdf, folder / "arm.yaml", folder / "train.csv", folder / "held_out.csv", folder / "out")
    return {"robot": name, "log": k, "rate_hz": float(rate_hz), "with_rotors": bool(with_rotors), "colored": bool(memory_s), **row}


def identified(heft, urdf, configuration, train, held_out, out):
    """Serious doubts and the held-out error, or the error message."""
    command = [heft, "identify", "--quiet", "--threads", "1", "--robot", urdf, "--config", configuration, "--log", train, "--validate", held_out,
               "--out", out]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        return {"alarms": ["refused"], "words": [done.stderr.strip()], "error": None}
    result = json.loads((out / "result.json").read_text())
    serious = [d for d in result["doubts"] if d["severity"] == "serious" and not d["accepted"]]
    return {"alarms": [d["id"] for d in serious], "words": [d["words"] for d in serious],
            "error": result["validation"]["overall_relative"]}


def real(options):
    """Heft's statements about the real logs with the configurations of bench/real_logs, one after the other."""
    import cases
    configurations = pathlib.Path(__file__).resolve().parent.parent / "real_logs"
    for robot, pairs in REAL.items():
        source = options.data / robot
        if not (source / "robot.urdf").exists():
            continue
        for train, held_out in pairs:
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                first, second = source / f"{train}.csv", source / f"{held_out}.csv"
                if held_out is None:
                    first, second = folder / "first_half.csv", folder / "second_half.csv"
                    for path, table in zip((first, second), cases.halves(cases.read_table(source / f"{train}.csv"))):
                        cases.write_table(path, *table)
                row = identified(options.heft, source / "robot.urdf", configurations / f"{robot}.yaml", first, second, folder / "out")
            yield {"robot": robot, "train": train, "held_out": held_out or "its second half", **row}


def show(row):
    log = f"{row['robot']} {row['log']} at {row['rate_hz']:g} Hz" if "log" in row else f"{row['robot']} {row['train']}, {row['held_out']}"
    for alarm, words in zip(row["alarms"], row["words"]):
        print(f"  {log}: {alarm}: {words}", flush=True)


def measure(report, options, robots, pool_map=map):
    """Adds the two rows about clean logs to the report; `robots`: name to file. Returns everything that was found, one entry per log."""
    names = list(itertools.islice(itertools.cycle(robots), options.clean_logs))
    tasks = [(options, name, robots[name], k) for k, name in enumerate(names) if options.one is None or k in options.one]
    found = []
    for row in pool_map(simulated, *zip(*tasks)):
        show(row)
        found.append(row)
    if found:
        report.add(f"simulated logs with a serious doubt, of {len(found)} clean ones at {RATES_HZ[0]} to {RATES_HZ[-1]} Hz, friction up to "
                   f"{100 * FRICTION_SHARE:.0f} % of the torque", sum(bool(row["alarms"]) for row in found), "logs",
                   must=len(found) // 100, goal=0, smaller_is_better=True)
    of_real = []
    for row in real(options):
        show(row)
        of_real.append(row)
    if of_real:
        report.add(f"real logs with a serious doubt, of {len(of_real)} pairs of {len({row['robot'] for row in of_real})} robots",
                   sum(bool(row["alarms"]) for row in of_real), "logs", must=0, smaller_is_better=True)
    return found + of_real
