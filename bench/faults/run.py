#!/usr/bin/env python3
"""Puts faults into logs and counts which of them `heft identify` doubts, what it calls them, and what it says of clean ones.

Usage: bench/faults/run.py [--heft build/heft] [--data DIR] [--robots DIR] [--seeds N] [--clean N] [--only NAMES] [--jobs N]
                           [--json FILE] [--docs]
       bench/faults/run.py --only clean [--clean-logs N] [--json FILE]   (bench/faults/clean_logs.py: other rates, more friction)

Simulated logs are Pinocchio's (bench/faults/arms.py): the demo arm and robots of DIR/ (package example-robot-data). Real ones
are those of bench/real_logs, DIR (default $HEFT_DATA or ../shared/data). A fault is in training and held-out logs alike, and, a few
of every robot, in the training log only, in the held-out one only, or in one of two training logs. Joint and motion follow the
seed; from the second seed on, so does how large the fault is. It is material if the model that was learned with it predicts the
clean held-out log worse than 1.25 times the clean model's error plus 0.3 points, or torques that differ by 3 %. --docs rewrites the
tables of docs/doubts.md. Exit codes: 0 all musts reached, 1 one missed, 77 nothing to run on.
"""

import argparse
import concurrent.futures
import os
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
REAL = {"franka_panda": ("log_train", "log_valid"), "kuka_kr300": ("log_train_A", "log_valid_C"),
        "staubli_tx40": ("log_train", "log_valid")}
# faults are put into the logs of these; thresholds were set on the first
SIMULATED = {"ur5": "ur_description/urdf/ur5_robot.urdf", "xarm7": "xarm_description/urdf/xarm7.urdf"}
UNSEEN = {"ur10": "ur_description/urdf/ur10_robot.urdf", "z1": "z1_description/urdf/z1.urdf"}
# clean ones alone
CLEAN_ONLY = {"panda": "panda_description/urdf/panda.urdf", "ur3": "ur_description/urdf/ur3_robot.urdf",
              "so100": "so_arm_description/urdf/so100.urdf", "so101": "so_arm_description/urdf/so101.urdf",
              "finger": "finger_edu_description/robots/finger_edu.urdf", "solo": "solo_description/robots/solo.urdf",
              "solo12": "solo_description/robots/solo12.urdf", "a1": "a1_description/urdf/a1.urdf",
              "go1": "go1_description/urdf/go1.urdf", "go2": "go2_description/urdf/go2.urdf",
              "laikago": "laikago_description/urdf/laikago.urdf", "b1": "b1_description/urdf/b1.urdf",
              "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
              "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf", "hyq": "hyq_description/robots/hyq_no_sensors.urdf"}
# of these, some whose legs are put into another order
LEGGED = {"go2", "solo12", "hyq"}
# doubts that say that something is wrong, not what
SYMPTOMS = {"error-large", "worse-than-urdf", "held-out-worse", "halves-differ", "stretches-differ", "joints-err-together",
            "price-of-physics", "channel-suspicious", "total-scale", "mass-absurd", "logs-disagree", "refused"}
EVERY = 12  # of the faults that are in all logs, so many are one that is in some of them, too


def real_case(heft, data, folder, name):
    import cases
    train, held_out = REAL[name]
    source = data / name
    return cases.Case(heft, folder, name, source / "robot.urdf", ROOT / "bench" / "real_logs" / f"{name}.yaml",
                      cases.read_table(source / f"{train}.csv"), cases.read_table(source / f"{held_out}.csv"))


def simulated_case(heft, folder, name, urdf, seed):
    """The case, and for its noise: relative rms that the true robot leaves, the bracket that Heft says, the fit."""
    import arms
    import cases
    import numpy
    (folder / "arm.yaml").write_text(arms.CONFIGURATION)
    arm, random = arms.Arm(urdf, seed), numpy.random.default_rng(1000 + seed)
    memory_s = 0.02 if seed % 2 else 0.0
    train, _ = arm.log_and_noise(arms.TRAIN_S, random, memory_s)
    held_out, noise = arm.log_and_noise(arms.HELD_OUT_S, random, memory_s)
    case = cases.Case(heft, folder, name, urdf, folder / "arm.yaml", train, held_out)
    return case, float(arm.noise_left(held_out, noise))


def faults_of(case, seed, offset):
    """All faults in all logs, and some in some."""
    import cases
    import faults
    rows = []
    for k, fault in enumerate(faults.FAULTS):
        if fault.of_legs != case.has_legs:
            continue
        rows.append(case.run_fault(fault, seed))
        on_log = not fault.of_robot and not fault.of_gravity
        for i, faulty_logs in enumerate(cases.FAULTY_LOGS[1:]):
            if on_log and (k + offset + 4 * i) % EVERY == 0:
                rows.append(case.run_fault(fault, seed, faulty_logs))
    return [row for row in rows if row is not None]


def robot_rows(options, name, urdf, seed, with_faults, offset):
    """What is learned from one robot: its faults, the alarms of its clean logs, its floor, its cost."""
    import cases
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if urdf is None:
            case, noise = real_case(options.heft, options.data, folder, name), None
        else:
            case, noise = simulated_case(options.heft, folder, name, urdf, seed)
        if "refused" in case.clean:
            sys.exit(f"{name}: {case.clean['refused']}")
        lower, upper = case.clean["reference"]["floor_overall_relative"]
        evidence = cases.seconds_of(case.clean, "evidence")
        row = {"robot": name, "seed": seed, "real": urdf is None, "alarms": cases.open_doubts(case.clean),
               "noise": noise, "floor": [lower, upper], "error": case.clean["validation"]["overall_relative"],
               "hypotheses": cases.hypotheses_of(case.clean), "evidence_s": evidence, "all_s": cases.seconds_of(case.clean)}
        found = faults_of(case, seed, offset) if with_faults else []
    for fault in found:
        if fault["material"] and fault["counts"] and not (fault["found"] and fault["named"]):
            print(f"  {name} {seed}: {fault['fault']} ({fault['faulty_logs']}): {fault['ids'] or 'silent'}", flush=True)
    for alarm in row["alarms"]:
        print(f"  {name} {seed}: alarm on clean logs: {alarm}", flush=True)
    return row, found


def files_of(options):
    """Name and file of every robot whose logs are simulated."""
    files = {"demo": ROOT / "tools" / "demo" / "arm.urdf"}
    if options.robots:
        files.update({name: options.robots / path for name, path in {**SIMULATED, **UNSEEN, **CLEAN_ONLY}.items()})
    return files


def tasks(options):
    """(name, urdf or None, seed, with faults) of every robot and seed."""
    wanted = options.only.split(",") if options.only else None
    is_wanted = lambda name: wanted is None or name in wanted
    for name in REAL:
        if (options.data / name / "robot.urdf").exists() and is_wanted(name):
            yield from ((name, None, seed, True) for seed in range(options.seeds))
    for name, urdf in files_of(options).items():
        if urdf.exists() and is_wanted(name):
            seeds = 0 if name in CLEAN_ONLY and name not in LEGGED else options.seeds
            yield from ((name, urdf, seed, seed < seeds) for seed in range(max(options.clean, seeds)))


def share(rows, key):
    return sum(bool(row[key]) for row in rows) / len(rows) if rows else float("nan")


def table_of(cases):
    lines = ["| fault | material | found | named rightly | silent on |", "|---|---|---|---|---|"]
    def line(title, rows):
        material = [row for row in rows if row["material"]]
        silent = sorted({row["robot"] for row in material if not row["found"]})
        note = "" if all(row["counts"] for row in material) else " (no log can tell)"
        return (f"| {title}{note} | {len(material)} of {len(rows)} | {sum(row['found'] for row in material)} "
                f"| {sum(row['named'] for row in material)} | {', '.join(silent)} |")
    for name in dict.fromkeys(row["fault"] for row in cases):
        lines.append(line(name, [row for row in cases if row["fault"] == name and row["faulty_logs"] == "all logs"]))
    for faulty_logs in dict.fromkeys(row["faulty_logs"] for row in cases):
        if faulty_logs != "all logs":
            lines.append(line(f"any, {faulty_logs}", [row for row in cases if row["faulty_logs"] == faulty_logs and row["counts"]]))
    return lines


def add_faults(report, cases):
    material = [case for case in cases if case["material"] and case["counts"]]
    of_robots = lambda names: [case for case in material if case["robot"] in names]
    seen = of_robots({"demo", *SIMULATED, *LEGGED})
    unseen = of_robots(UNSEEN)
    for title, rows, must in (("simulated robots", seen + unseen, 2.5), ("those that thresholds were set on", seen, 10),
                              ("those that no threshold was set on", unseen, 10), ("real logs", of_robots(REAL), None)):
        if rows:
            report.add(f"material faults without a serious doubt, {title}", 100 * (1 - share(rows, "found")), "%", must=must,
                       smaller_is_better=True)
    found = [case for case in material if case["found"]]
    wrongly = [case for case in found if not case["named"] and case["ids"][0] not in SYMPTOMS]
    report.add("first doubt names another cause", 100 * len(wrongly) / max(1, len(found)), "%", must=5, smaller_is_better=True)
    report.add("first doubt names the cause", 100 * share(found, "named"), "%")
    correctable = [case for case in found if case["remedy"]]
    is_corrected = lambda case: case["corrected_error"] is not None and case["corrected_error"] <= 1.1 * case["clean_error"]
    if correctable:
        report.add("YAML of the first hypothesis pasted: held-out error <= 1.1 times the clean twin's",
                   100 * sum(map(is_corrected, correctable)) / len(correctable), "%", must=80, goal=90)
    slow = [case["evidence_s"] for case in cases if case.get("evidence_s") is not None]
    if slow:
        report.add("evidence on a faulty log, the slowest", max(slow), "s", must=5, smaller_is_better=True)


def add_clean(report, clean):
    simulated, real = [row for row in clean if not row["real"]], [row for row in clean if row["real"] and row["seed"] == 0]
    robots = len({row["robot"] for row in simulated})
    alarms = sum(len(row["alarms"]) > 0 for row in simulated)
    report.add(f"clean simulated logs with a serious doubt, of {len(simulated)} of {robots} robots", alarms, "logs",
               must=max(1, len(simulated) // 100), smaller_is_better=True)
    unseen = [row for row in simulated if row["robot"] in {**UNSEEN, **CLEAN_ONLY}]
    report.add(f"of these, of {len(unseen)} of robots that no threshold was set on", sum(len(row["alarms"]) > 0 for row in unseen), "logs")
    report.add("clean real logs with a serious doubt", sum(len(row["alarms"]) > 0 for row in real), "logs", must=0, smaller_is_better=True)
    for title, odd in (("white", 0), ("colored", 1)):
        rows = [row for row in simulated if row["seed"] % 2 == odd]
        holds = [row["floor"][0] <= row["noise"] <= row["floor"][1] <= row["error"] for row in rows]
        if holds:
            report.add(f"floor holds the truth, {title} noise", 100 * sum(holds) / len(holds), "%", must=90)
    if clean:
        report.add("cost of evidence on clean logs, median", 100 * statistics.median(
            row["evidence_s"] / (row["all_s"] - row["evidence_s"]) for row in clean), "%", must=30, goal=15, smaller_is_better=True)


def only_clean(options):
    """Clean logs alone, of other rates and with more friction. Returns the exit code."""
    import clean_logs
    robots = {name: urdf for name, urdf in files_of(options).items() if urdf.exists()}
    report = heft_bench.Report()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        found = clean_logs.measure(report, options, robots, pool.map)
    return report.finish(options.json, clean=found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", type=pathlib.Path, default=ROOT / "build" / "heft")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("HEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--clean", type=int, default=15, help="clean logs of every simulated robot, each another robot and motion")
    parser.add_argument("--only", help="robots by name, with commas; clean: logs of other rates with more friction, and real ones")
    parser.add_argument("--clean-logs", type=int, default=300, help="of --only clean")
    parser.add_argument("--one", type=lambda text: {int(k) for k in text.split(",")}, help="of --only clean, these logs alone, by number")
    parser.add_argument("--keep", type=pathlib.Path, help="of --only clean, a folder for the simulated logs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="rewrite the tables of docs/doubts.md")
    options = parser.parse_args()
    try:
        import pinocchio  # noqa: F401
        import scipy  # noqa: F401
        if options.only == "clean":
            return only_clean(options)
        work = [(options, *task, k) for k, task in enumerate(tasks(options))]
    except ImportError as missing:
        print(f"needs {missing.name}")
        return heft_bench.NOTHING_TO_RUN_ON
    if options.jobs > 1:
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            done = list(pool.map(robot_rows, *zip(*work)))
    else:
        done = [robot_rows(*task) for task in work]
    clean = [row for row, _ in done]
    cases = [case for _, found in done for case in found]
    report = heft_bench.Report()
    if cases:
        add_faults(report, cases)
    add_clean(report, clean)
    table = table_of(cases)
    print("\n".join(table))
    if options.docs:
        heft_bench.write_between(ROOT / "docs" / "doubts.md", BEGIN, END, table)
    return report.finish(options.json, cases=cases, clean=clean)


if __name__ == "__main__":
    sys.exit(main())
