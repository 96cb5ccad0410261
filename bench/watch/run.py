#!/usr/bin/env python3
"""heft watch on arms by an independent oracle (arm.py): time of a sample, certified answers, faults found, false alarms, memory.

Usage: bench/watch/run.py [--heft build/heft] [--json FILE] [--arms 3] [--runs 5] [--hours 24] [--seed 1] [--only faults,healthy,humanoid,replay]

Each fault is put in after 40 s of a log at 1 kHz: --runs times in each of --arms arms, at another joint and with other noise each time.
The faults of a run continue one healthy log by its snapshot. Zeros of some joints hardly change the torque: perfect.py computes the chance
with which a detector that knows the arm names a fault within 10 s; faults with a chance below 99 % are shown, but not required.

False alarms are counted over --hours of samples at 100 Hz whose friction grows by 5 % a day, replayed as fast as it goes: changes are
looked for 20 times a second at any rate. Memory is compared between the first hour (or third) and the end. The humanoid has 36 joints and
random motion of heft simulate. Replay runs the unit test of the sums without forgetting and reads how far they are from those of the
batch. Exit codes: 0 all musts reached, 1 one missed, 77 no NumPy.
"""

import argparse
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

heft_bench.require(["numpy"])
import numpy as np  # noqa: E402

from arm import Arm  # noqa: E402
from perfect import PerfectDetector  # noqa: E402

URDF = heft_bench.ROOT / "tools" / "demo" / "arm.urdf"
ONSET, AFTER, RATE = 40, 20, 1000
NAMEABLE = 0.99  # chance of a perfect detector


def text_of(rows):
    row = ",".join(["%.9g"] * rows.shape[1]) + "\n"
    return row * len(rows) % tuple(rows.ravel().tolist())


def identified(heft, arm, folder, rate=RATE):
    rows = arm.log(np.arange(-60, 0, 1 / rate))
    rows[:, 0] += 60
    (folder / "train.csv").write_text(arm.header() + "\n" + text_of(rows))
    done = subprocess.run([heft, "identify", "--robot", URDF, "--config", URDF.with_suffix(".yaml"), "--log", folder / "train.csv",
                           "--out", folder / "model"], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)
    return folder / "model"


def watched(heft, model, text, *flags):
    done = subprocess.run([heft, "watch", "--model", model, *flags], input=text, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def faults_at(arm, j):
    """name -> (what may be said, the same for the perfect detector, options of Arm.log)."""
    name = arm.joints[j]["name"]

    def at(value, other=1.0):
        return np.where(np.arange(len(arm.joints)) == j, value, other)

    friction, gain, zero = {f"coulomb {name}", f"viscous {name}"}, {f"gain {name}"}, {f"zero {name}"}
    return {
        "friction +20 %": (friction, friction, {"friction": at(1.2)}),
        "payload 2 %": ({f"payload {last_link()}"}, {f"payload {len(arm.joints) - 1}"}, {"payload": 0.02 * arm.mass()}),
        "gain -10 %": (gain, gain, {"gain": at(0.9)}),
        "zero 0.5 degrees": (zero, zero, {"zero": at(np.radians(0.5), 0.0)}),
    }


def last_link():
    import xml.etree.ElementTree as ElementTree
    joints = [joint for joint in ElementTree.parse(URDF).getroot().findall("joint") if joint.get("type") != "fixed"]
    return joints[-1].find("child").get("link")


class Found:
    """Faults that were put in: whether they were named, when, and their onset."""

    def __init__(self):
        self.named, self.delays, self.onsets, self.not_nameable = [], [], [], []

    def add(self, changes, right, is_nameable):
        first = changes[0] if changes else {"t": np.inf, "what": None, "onset_s": np.inf}
        is_right = first["what"] in right and first["t"] >= ONSET
        (self.named if is_nameable else self.not_nameable).append(is_right)
        if not is_nameable:
            return
        self.delays.append(first["t"] - ONSET if first["t"] >= ONSET else np.inf)
        if is_right:
            self.onsets.append(abs(first["onset_s"] - ONSET))

    def all_named(self):
        return 100 * np.mean(self.named) if self.named else None


def find_faults(heft, arms, folder, runs, report):
    t = np.arange(0, ONSET + AFTER, 1 / RATE)
    split = np.searchsorted(t, ONSET)
    found, totals, number = {}, [], 0
    for arm in arms:
        model = identified(heft, arm, folder)
        perfect = PerfectDetector(arm, ONSET, RATE)
        for _ in range(runs):
            (folder / "healthy.bin").unlink(missing_ok=True)
            lines, said = watched(heft, model, arm.header() + "\n" + text_of(arm.log(t[:split])), "--snapshot", folder / "healthy.bin")
            totals.append((lines, said))
            early = [line for line in lines if line["type"] == "change"]
            for kind, (right, of_perfect, options) in faults_at(arm, (2 * number + 1) % len(arm.joints)).items():
                shutil.copy(folder / "healthy.bin", folder / "fault.bin")
                lines, _ = watched(heft, model, arm.header() + "\n" + text_of(arm.log(t[split:], **options)), "--snapshot", folder / "fault.bin")
                changes = early + [line for line in lines if line["type"] == "change"]
                chance = perfect.chance(of_perfect, **options)
                found.setdefault(kind, Found()).add(changes, right, chance >= NAMEABLE)
                print(f"{kind}: {sorted(right)}: {[(line['what'], round(line['t'], 1)) for line in changes[:3]]}"
                      + ("" if chance >= NAMEABLE else f"; a perfect detector names it with {100 * chance:.0f} %"), flush=True)
            number += 1
    report_faults(found, report)
    report_times(totals, report)


def report_faults(found, report):
    for kind, of_kind in found.items():
        report.add(f"{kind}: named correctly", of_kind.all_named(), "%")
        report.add(f"{kind}: detection time, median", np.median(of_kind.delays) if of_kind.delays else None, "s", must=10, goal=4,
                   smaller_is_better=True)
    named = [x for of_kind in found.values() for x in of_kind.named]
    others = [x for of_kind in found.values() for x in of_kind.not_nameable]
    onsets = [x for of_kind in found.values() for x in of_kind.onsets]
    report.add("faults put in", len(named) + len(others), "")
    report.add("faults that a perfect detector names", len(named), "")
    report.add("faults named correctly, of these", 100 * np.mean(named) if named else None, "%", must=95, goal=99)
    report.add("faults named correctly, of all", 100 * np.mean(named + others), "%")
    report.add("error of the onset, median", np.median(onsets) if onsets else None, "s", must=2, goal=2, smaller_is_better=True)


def report_times(totals, report):
    """`totals`: lines of healthy logs, and what the program said at their end."""
    medians = [line["latency_us"] for lines, _ in totals for line in lines if line["type"] == "state" and line["latency_us"]]
    ends = [re.search(r"([\d.]+) us at 99.99 %.*?([\d.]+) answers per second of CPU", said, re.DOTALL) for _, said in totals]
    is_certified = all(lines[-1]["certified"] for lines, _ in totals) and all(ends)
    report.add("CPU time of a sample, median", np.median(medians), "us", must=20, goal=8, smaller_is_better=True)
    report.add("CPU time of a sample, 99.99 %", np.median([float(end[1]) for end in ends]) if all(ends) else None, "us", must=200, goal=60,
               smaller_is_better=True)
    report.add("certified answers per second of one core", np.median([float(end[2]) for end in ends]) if is_certified else None, "1/s",
               must=20, goal=100)


def memory_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def count_false_alarms(heft, arm, folder, hours, report):
    rate, chunk, day = 100, 600, 86400
    chunks = max(6, round(hours * 3600 / chunk))
    model = identified(heft, arm, folder, rate)
    sizes, before = {}, resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+") as out, subprocess.Popen([heft, "watch", "--model", model, "--every", str(60 * rate)],
                                                               stdin=subprocess.PIPE, stdout=out, text=True) as running:
        running.stdin.write(arm.header() + "\n")
        for k in range(chunks):
            t = k * chunk + np.arange(0, chunk, 1 / rate)
            running.stdin.write(text_of(arm.log(t, friction=(1 + 0.05 * t / day)[:, None])))
            running.stdin.flush()
            sizes[k] = memory_kb(running.pid)
        running.stdin.close()
        if running.wait() not in (0, 3):
            sys.exit(f"heft watch ended with {running.returncode}")
        out.seek(0)
        lines = [json.loads(line) for line in out]
    skipped = [line["what"] for line in lines if line["type"] == "error"]
    if skipped:
        sys.exit(f"heft watch skipped samples: {skipped[:3]}")
    after, own = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    print(f"processor time: heft {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.0f} s, simulation {own.ru_utime:.0f} s")
    alarms = [line for line in lines if line["type"] == "change"]
    print("false alarms:", [(line["what"], line["t"], line["size"]) for line in alarms])
    report.add("hours of samples with drifting friction", chunks * chunk / 3600, "h", goal=24)
    report.add("false alarms in them", len(alarms), "", must=1, goal=0, smaller_is_better=True)
    first = min(6, chunks // 3) - 1
    report.add(f"growth of memory from {(first + 1) * chunk / 3600:.2g} h on", sizes[chunks - 1] - sizes[first], "kB", must=64,
               goal=0, smaller_is_better=True)


def humanoid_urdf():
    """36 joints: waist and neck of three each, arms of eight, legs of seven, all below a fixed pelvis."""
    lines = ['<robot name="humanoid">', '<link name="pelvis"/>']

    def add(chain, count, parent, first):
        for k in range(count):
            name, axis = f"{chain}_{k + 1}", ("1 0 0", "0 1 0", "0 0 1")[k % 3]
            length = 0.05 + 0.05 * (k % 3)
            mass = 4 / (1 + 0.5 * k)
            inertia = mass * 0.01
            lines.append(f'<link name="{name}"><inertial><origin xyz="0.01 0.005 {-length / 2}"/><mass value="{mass}"/><inertia ixx='
                         f'"{inertia}" ixy="0" ixz="0" iyy="{inertia}" iyz="0" izz="{0.5 * inertia}"/></inertial></link>')
            lines.append(f'<joint name="{name}_joint" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz='
                         f'"{first if k == 0 else f"0 0 {-length}"}"/><axis xyz="{axis}"/>'
                         f'<limit lower="-1.5" upper="1.5" effort="{60 / (1 + 0.3 * k)}" velocity="3"/></joint>')
            parent = name
        return parent

    chest = add("waist", 3, "pelvis", "0 0 0.1")
    add("neck", 3, chest, "0 0 0.4")
    for side, y in (("left", 0.2), ("right", -0.2)):
        add(f"{side}_arm", 8, chest, f"0 {y} 0.3")
        add(f"{side}_leg", 7, "pelvis", f"0 {y / 2} -0.1")
    return "\n".join(lines + ["</robot>"])


def time_humanoid(heft, folder, report):
    folder.mkdir()
    (folder / "humanoid.urdf").write_text(humanoid_urdf())
    for words in (["simulate", "--robot", folder / "humanoid.urdf", "--duration", 30, "--held-out", 30, "--rate", 500, "--out", folder],
                  ["identify", "--robot", folder / "humanoid.urdf", "--log", folder / "train.csv", "--out", folder / "model"]):
        done = subprocess.run([heft, *map(str, words)], capture_output=True, text=True)
        if done.returncode not in (0, 4):
            sys.exit(done.stderr)
    lines, said = watched(heft, folder / "model", (folder / "held_out.csv").read_text())
    print("humanoid:", said.strip(), {line["type"]: line["what"] for line in lines if line["type"] != "state"})
    found = re.search(r"([\d.]+) us each.*?([\d.]+) answers per second of CPU", said, re.DOTALL)
    report.add("humanoid of 36 joints: CPU time of a sample, median", float(found[1]) if found else None, "us")
    report.add("humanoid of 36 joints: certified answers per second of one core",
               float(found[2]) if found and lines[-1]["certified"] else None, "1/s", must=2, goal=10)


def compare_replay(heft, report):
    program = pathlib.Path(heft).resolve().parent / "tests" / "watch" / "watch_test"
    if not program.exists():
        return print(f"replay: {program} is not built")
    done = subprocess.run([program, "--gtest_filter=Watcher.SumsWithoutForgettingAreThoseOfTheBatch"], capture_output=True, text=True)
    found = re.search(r"largest relative difference ([\d.e+-]+)", done.stdout)
    report.add("sums without forgetting against the batch", float(found[1]) if found and done.returncode == 0 else None, "", must=1e-12,
               smaller_is_better=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft")
    parser.add_argument("--json")
    parser.add_argument("--arms", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5, help="of each fault in each arm")
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--seed", type=int, default=1, help="of the first arm, its motion and its noise; the others follow")
    parser.add_argument("--only", default="faults,healthy,humanoid,replay")
    options = parser.parse_args()
    heft_bench.require(files=[options.heft], remedy="cmake --build build")
    report = heft_bench.Report(options.json)
    arms = [Arm(URDF, np.random.default_rng(options.seed + k)) for k in range(options.arms)]
    parts = options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if "faults" in parts:
            find_faults(options.heft, arms, folder, options.runs, report)
        if "replay" in parts:
            compare_replay(options.heft, report)
        if "humanoid" in parts:
            time_humanoid(options.heft, folder / "humanoid", report)
        if "healthy" in parts:
            count_false_alarms(options.heft, arms[0], folder, options.hours, report)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
