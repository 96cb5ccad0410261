#!/usr/bin/env python3
"""heft watch on arms by an independent oracle (arm.py): time of a sample, certified answers, faults found, false alarms, memory.

Usage: bench/watch/run.py [--heft build/heft] [--json FILE] [--runs 5] [--hours 24] [--seed 1] [--only faults,healthy,humanoid,replay]

Each fault is put in after 40 s of a log at 1 kHz, --runs times, at another joint and with other noise each time. False alarms are
counted over --hours of samples at 100 Hz whose friction grows by 5 % a day, replayed as fast as it goes: changes are looked for 20 times
a second at any rate. Memory is compared between the first hour (or third) and the end. The humanoid has 36 joints and random motion of
heft simulate. Replay runs the unit test of the sums without forgetting and reads how far they are from those of the batch. Exit codes:
0 all musts reached, 1 one missed, 77 no NumPy.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

heft_bench.require(["numpy"])
import numpy as np  # noqa: E402

from arm import Arm  # noqa: E402

URDF = heft_bench.ROOT / "tools" / "demo" / "arm.urdf"
ONSET, AFTER, RATE = 40, 20, 1000
TOLD = 30  # log likelihood ratio below which a zero is not put in: the axis is vertical, or nothing hangs off it


def text_of(rows):
    return "\n".join(",".join(f"{x:.9g}" for x in row) for row in rows) + "\n"


def identified(heft, arm, folder, rate=RATE):
    rows = arm.log(np.arange(-60, 0, 1 / rate))
    rows[:, 0] += 60
    (folder / "train.csv").write_text(arm.header() + "\n" + text_of(rows))
    done = subprocess.run([heft, "identify", "--robot", URDF, "--config", URDF.with_suffix(".yaml"), "--log", folder / "train.csv",
                           "--out", folder / "model"], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)
    return folder / "model"


def watched(heft, model, text):
    done = subprocess.run([heft, "watch", "--model", model], input=text, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def evidence_of_zero(arm, zero):
    """Log likelihood ratio of ten seconds of samples, if all else were known: what no method exceeds."""
    t = np.arange(0, 10, 0.01)
    q, qd, qdd = arm.motion(t)
    change = (arm.rigid_torques(q - zero, qd, qdd) - arm.rigid_torques(q, qd, qdd)) / (arm.noise * arm.rms)
    return 0.5 * (change ** 2).sum() * RATE / 100


def faults(arm):
    """name -> (what may be said, options of Arm.log) of a joint."""
    names = [joint["name"] for joint in arm.joints]
    count = len(names)

    def at(joint, value, other=1.0):
        return np.where(np.arange(count) == joint, value, other)

    zeros = [j for j in range(count) if evidence_of_zero(arm, at(j, np.radians(0.5), 0.0)) > TOLD]

    def told(joint):
        return min(zeros, key=lambda j: (abs(j - joint), j))

    return {
        "friction +20 %": lambda j: ({f"coulomb {names[j]}", f"viscous {names[j]}"}, {"friction": at(j, 1.2)}),
        "payload 2 %": lambda j: (None, {"payload": 0.02 * arm.mass()}),
        "gain -10 %": lambda j: ({f"gain {names[j]}"}, {"gain": at(j, 0.9)}),
        "zero 0.5 degrees": lambda j: ({f"zero {names[told(j)]}"}, {"zero": at(told(j), np.radians(0.5), 0.0)}),
    }


def last_link():
    import xml.etree.ElementTree as ElementTree
    joints = [joint for joint in ElementTree.parse(URDF).getroot().findall("joint") if joint.get("type") != "fixed"]
    return joints[-1].find("child").get("link")


def find_faults(heft, arm, model, runs, report):
    t = np.arange(0, ONSET + AFTER, 1 / RATE)
    split = np.searchsorted(t, ONSET)
    delays, onsets, named, total = [], [], 0, 0
    medians, latest, lines = [], "", []
    for kind, make in faults(arm).items():
        right, times = 0, []
        for run in range(runs):
            what, options = make((2 * run + 1) % len(arm.joints))
            what = what or {f"payload {last_link()}"}
            rows = np.vstack([arm.log(t[:split]), arm.log(t[split:], **options)])
            lines, latest = watched(heft, model, arm.header() + "\n" + text_of(rows))
            medians += [line["latency_us"] for line in lines if line["type"] == "state" and line["latency_us"]]
            changes = [line for line in lines if line["type"] == "change"]
            total += 1
            first = changes[0] if changes else {"t": np.inf, "what": None, "onset_s": np.inf}
            is_right = first["what"] in what and first["t"] >= ONSET
            right += is_right
            times.append(first["t"] - ONSET if first["t"] >= ONSET else np.inf)
            if is_right:
                onsets.append(abs(first["onset_s"] - ONSET))
            print(f"{kind}: {sorted(what)}: {[(line['what'], round(line['t'], 1)) for line in changes[:3]]}", flush=True)
        named += right
        delays += times
        report.add(f"{kind}: named correctly", 100 * right / runs, "%")
        report.add(f"{kind}: detection time, median", np.median(times), "s", must=10, goal=4, smaller_is_better=True)
    report.add("faults named correctly", 100 * named / total, "%", must=95, goal=99)
    report.add("error of the onset, median", np.median(onsets) if onsets else None, "s", must=2, goal=2, smaller_is_better=True)
    report.add("CPU time of a sample, median", np.median(medians), "us", must=20, goal=8, smaller_is_better=True)
    found = re.search(r"([\d.]+) us at 99.99 %.*?([\d.]+) answers per second of CPU", latest, re.DOTALL)
    report.add("CPU time of a sample, 99.99 %", float(found[1]) if found else None, "us", must=200, goal=60, smaller_is_better=True)
    report.add("certified answers per second of one core", float(found[2]) if found and lines[-1]["certified"] else None, "1/s", must=20,
               goal=100)


def memory_kb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def count_false_alarms(heft, arm, folder, hours, report):
    rate, chunk, day = 100, 600, 86400
    chunks = max(6, round(hours * 3600 / chunk))
    model = identified(heft, arm, folder, rate)
    sizes = {}
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
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--seed", type=int, default=1, help="of the arm, its motion and its noise")
    parser.add_argument("--only", default="faults,healthy,humanoid,replay")
    options = parser.parse_args()
    heft_bench.require(files=[options.heft], remedy="cmake --build build")
    report = heft_bench.Report(options.json)
    arm = Arm(URDF, np.random.default_rng(options.seed))
    parts = options.only.split(",")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if "faults" in parts:
            find_faults(options.heft, arm, identified(options.heft, arm, folder), options.runs, report)
        if "replay" in parts:
            compare_replay(options.heft, report)
        if "humanoid" in parts:
            time_humanoid(options.heft, folder / "humanoid", report)
        if "healthy" in parts:
            count_false_alarms(options.heft, arm, folder, options.hours, report)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
