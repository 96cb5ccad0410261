#!/usr/bin/env python3
"""Puts faults into logs and counts which of them `heft identify` doubts, and what it says of clean ones.

Usage: bench/faults/run.py [--heft build/heft] [--data DIR] [--robots DIR] [--seeds N] [--clean N] [--json FILE] [--docs]

Simulated logs are Pinocchio's (bench/faults/arms.py): the demo arm and, of DIR/ (package example-robot-data), others. Real
ones are those of bench/real_logs, DIR (default $HEFT_DATA or ../shared/data). A fault is in training and held-out logs
alike. It is material if the model that was learned with it predicts the clean held-out log worse than 1.25 times the clean
model's error plus 0.3 points, or torques that differ by 3 %. --docs rewrites the table of docs/doubts.md. Exit codes: 0 all
musts reached, 1 one missed, 77 nothing to run on.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
REAL = {"franka_panda": ("log_train", "log_valid"), "kuka_kr300": ("log_train_A", "log_valid_C"),
        "staubli_tx40": ("log_train", "log_valid")}
SIMULATED = {"panda": "panda_description/urdf/panda.urdf", "ur5": "ur_description/urdf/ur5_robot.urdf",
             "xarm7": "xarm_description/urdf/xarm7.urdf"}
# clean ones alone: thresholds were not looked at on them
CLEAN_ONLY = {"ur3": "ur_description/urdf/ur3_robot.urdf", "ur10": "ur_description/urdf/ur10_robot.urdf",
              "z1": "z1_description/urdf/z1.urdf", "so_arm": "so_arm_description/urdf/so100.urdf"}
# doubts that say that something is wrong, not what
SYMPTOMS = {"error-large", "worse-than-urdf", "held-out-worse", "halves-differ", "stretches-differ", "joints-err-together",
            "price-of-physics", "channel-suspicious", "total-scale", "mass-absurd", "logs-disagree"}


def read_table(path):
    import numpy
    with open(path, newline="") as file:
        header = next(csv.reader(file))
    return header, numpy.genfromtxt(path, delimiter=",", skip_header=1)


def columns_of(header):
    """Indices of time, positions and torques, joints in the order of the file."""
    named = lambda *starts: [k for k, name in enumerate(header) if any(
        name.startswith(s) and (name[len(s):].isdigit() or name[len(s) - 1:len(s)] == "_") for s in starts)]
    return header.index("t"), named("q", "q_"), named("tau", "tau_")


def write_table(path, header, numbers):
    import numpy
    numpy.savetxt(path, numbers, delimiter=",", header=",".join(header), comments="", fmt="%.9g")


class Case:
    """One robot, its logs and its configuration, in a folder of its own."""

    def __init__(self, heft, folder, name, urdf, configuration, train, held_out):
        self.heft, self.folder, self.name, self.urdf, self.configuration = heft, folder, name, urdf, configuration
        self.train, self.held_out = train, held_out
        write_table(folder / "clean_held_out.csv", *held_out)
        self.clean = self.identify(train, held_out, "clean")

    def identify(self, train, held_out, name, urdf=None, flags=()):
        write_table(self.folder / "train.csv", *train)
        write_table(self.folder / "held_out.csv", *held_out)
        out = self.folder / name
        done = subprocess.run([self.heft, "identify", "--quiet", "--robot", urdf or self.urdf, "--config",
                               self.configuration, *flags, "--log",
                               self.folder / "train.csv", "--validate", self.folder / "held_out.csv", "--out", out],
                              capture_output=True, text=True)
        if done.returncode in (0, 3, 4):
            return json.loads((out / "result.json").read_text())
        if done.returncode == 1:
            return {"refused": done.stderr}
        sys.exit(f"{self.name}, {name}: exit code {done.returncode}: {done.stderr}")

    def predicted(self, name):
        """Torques that a result predicts for the clean held-out log, and its error on it."""
        import numpy
        out = self.folder / "predicted.csv"
        subprocess.run([self.heft, "predict", "--model", self.folder / name, "--log", self.folder / "clean_held_out.csv",
                        "--out", out], capture_output=True, text=True, check=True)
        header, numbers = read_table(out)
        pick = lambda start: numbers[:, [k for k, h in enumerate(header) if h.startswith(start)]]
        used = pick("used_") == 1
        measured, predicted = numpy.where(used, pick("measured_"), 0), numpy.where(used, pick("predicted_"), 0)
        return predicted, float(numpy.sqrt(((measured - predicted)**2).sum() / (measured**2).sum()))


def with_fault(table, fault, joint, random):
    import faults
    header, numbers = table
    changed = faults.Table(header, numbers, columns_of(header))
    fault.apply(changed, joint, random)
    return header, changed.numbers


def open_doubts(result):
    return [d for d in result.get("doubts", []) if d["severity"] == "serious" and not d["accepted"]]


def other_robot(case, fault, joint):
    """A joint further on in the chain that the fault changes, and the changed file."""
    names = [name.split("_", 1)[1] for name in case.train[0] if name.startswith("tau_")]
    text = case.urdf.read_text()
    for k in range(len(names)):
        candidate = (joint + k) % len(names)
        if candidate == 0:
            continue  # where the first joint stands is a matter of the base
        changed = fault.of_robot(text, names[candidate])
        if changed != text:
            path = case.folder / "other.urdf"
            path.write_text(changed)
            return candidate, path
    return joint, None


def error_when_mended(case, result, train, held_out, first):
    """The held-out error after the YAML of the first hypothesis was pasted into the configuration, if it is the first doubt."""
    hypotheses = result.get("hypotheses", [])
    if not hypotheses or hypotheses[0]["id"] != first or not hypotheses[0]["yaml"]:
        return None
    section, key, value = re.fullmatch(r"(\w+): \{(\w+): (.*)\}\s*", hypotheses[0]["yaml"]).groups()
    result = case.identify(train, held_out, "mended", flags=[f"--{section}.{key}", value])
    return result["validation"]["overall_relative"] if "validation" in result else None


def run_fault(case, fault, seed):
    import numpy
    random = numpy.random.default_rng([seed, zlib.crc32(f"{case.name} {fault.name}".encode())])
    num_joints = len(columns_of(case.train[0])[2])
    joint = int(random.integers(num_joints))
    train, held_out = (with_fault(table, fault, joint, random) for table in (case.train, case.held_out))
    urdf = case.urdf
    if fault.of_robot:
        joint, urdf = other_robot(case, fault, joint)
        if urdf is None:
            return None  # that joint has nothing to change
    result = case.identify(train, held_out, "faulty", urdf)
    row = {"robot": case.name, "fault": fault.name, "seed": seed, "joint": joint, "counts": fault.counts,
           "clean_error": None, "error": None}
    if "refused" in result:
        return {**row, "found": True, "named": True, "material": True, "ids": ["refused"]}
    ids = [d["id"] for d in open_doubts(result)]
    clean, clean_error = case.predicted("clean")
    faulty, error = case.predicted("faulty")
    change = float(numpy.sqrt(((faulty - clean)**2).sum() / (clean**2).sum()))
    first = ids[0] if ids else None
    mended = error_when_mended(case, result, train, held_out, first)
    return {**row, "found": bool(ids), "named": first in fault.ids, "ids": ids, "clean_error": clean_error, "error": error,
            "mended_error": mended, "material": change > .03 or error > 1.25 * clean_error + .003}


def all_faults(case, seeds):
    import faults
    rows = [run_fault(case, fault, seed) for fault in faults.FAULTS for seed in seeds]
    return [row for row in rows if row is not None]


def real_cases(heft, data, folder):
    for name, (train, held_out) in REAL.items():
        source = data / name
        if (source / "robot.urdf").exists():
            own = folder / name
            own.mkdir()
            yield Case(heft, own, name, source / "robot.urdf", ROOT / "bench" / "real_logs" / f"{name}.yaml",
                       read_table(source / f"{train}.csv"), read_table(source / f"{held_out}.csv"))


def simulated_files(robots):
    files = {"demo": ROOT / "tools" / "demo" / "arm.urdf"}
    if robots:
        files.update({name: robots / path for name, path in {**SIMULATED, **CLEAN_ONLY}.items() if (robots / path).exists()})
    return files


def simulated_case(heft, folder, name, urdf, seed):
    import arms
    import numpy
    own = folder / f"{name}_{seed}"
    own.mkdir()
    (own / "arm.yaml").write_text(arms.CONFIGURATION)
    arm, random = arms.Arm(urdf, seed), numpy.random.default_rng(1000 + seed)
    return Case(heft, own, name, urdf, own / "arm.yaml", arm.log(arms.TRAIN_S, random), arm.log(arms.HELD_OUT_S, random))


def share(rows, key):
    return sum(bool(row[key]) for row in rows) / len(rows) if rows else float("nan")


def table_of(cases):
    lines = ["| fault | material | found | named rightly | silent on |", "|---|---|---|---|---|"]
    for name in dict.fromkeys(case["fault"] for case in cases):
        material = [case for case in cases if case["fault"] == name and case["material"]]
        silent = sorted({case["robot"] for case in material if not case["found"]})
        note = "" if all(case["counts"] for case in material) else " (no log can tell)"
        found = sum(case["found"] for case in material)
        named = sum(case["named"] for case in material)
        lines.append(f"| {name}{note} | {len(material)} of {sum(case['fault'] == name for case in cases)} | {found} | {named} "
                     f"| {', '.join(silent)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", type=pathlib.Path, default=ROOT / "build" / "heft")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("HEFT_DATA", ROOT / "../shared/data")))
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--clean", type=int, default=10, help="clean logs of every simulated robot, each another robot and motion")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="rewrite the table of docs/doubts.md")
    options = parser.parse_args()
    try:
        import pinocchio  # noqa: F401
        import faults
    except ImportError as missing:
        print(f"needs {missing.name}")
        return heft_bench.NOTHING_TO_RUN_ON

    cases, alarms, num_clean, real_alarms = [], [], 0, []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for case in real_cases(options.heft, options.data, folder):
            real_alarms += [f"{case.name}: {d['id']}" for d in open_doubts(case.clean)]
            cases += all_faults(case, range(options.seeds))
        for name, urdf in simulated_files(options.robots).items():
            seeds = 0 if name in CLEAN_ONLY else options.seeds
            for seed in range(max(options.clean, seeds)):
                case = simulated_case(options.heft, folder, name, urdf, seed)
                num_clean += 1
                alarms += [f"{name} {seed}: {d['id']}" for d in open_doubts(case.clean)]
                if seed < seeds:
                    cases += all_faults(case, [seed])
    return report_on(options, cases, alarms, num_clean, real_alarms)


def report_on(options, cases, alarms, num_clean, real_alarms):
    material = [case for case in cases if case["material"] and case["counts"]]
    simulated = [case for case in material if case["robot"] not in REAL]
    real = [case for case in material if case["robot"] in REAL]
    report = heft_bench.Report()
    report.add("material faults without a serious doubt, simulated", 100 * (1 - share(simulated, "found")), "%", must=10, goal=5,
               smaller_is_better=True)
    report.add("the same, real logs", 100 * (1 - share(real, "found")), "%")
    found = [case for case in material if case["found"]]
    wrongly = [case for case in found if not case["named"] and case["ids"] and case["ids"][0] not in SYMPTOMS]
    report.add("first doubt names another cause", 100 * len(wrongly) / max(1, len(found)), "%", must=5, smaller_is_better=True)
    report.add("first doubt names the cause", 100 * share(found, "named"), "%")
    pasted = [case for case in found if case.get("mended_error") is not None and case["named"]]
    if pasted:
        report.add("YAML pasted: held-out error <= 1.1 times the clean twin's",
                   100 * sum(case["mended_error"] <= 1.1 * case["clean_error"] for case in pasted) / len(pasted), "%", must=80,
                   goal=90)
    report.add(f"serious doubts on {num_clean} clean simulated logs", len(alarms), "doubts", must=num_clean / 100,
               smaller_is_better=True)
    report.add("serious doubts on clean real logs", len(real_alarms), "doubts", must=0, smaller_is_better=True)
    for line in alarms + real_alarms:
        print("  alarm:", line)
    table = table_of(cases)
    print("\n".join(table))
    if options.docs:
        page = ROOT / "docs" / "doubts.md"
        text = page.read_text()
        start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        page.write_text(text[:start] + "\n" + "\n".join(table) + "\n" + text[end:])
    return report.finish(options.json, cases=cases)


if __name__ == "__main__":
    sys.exit(main())
