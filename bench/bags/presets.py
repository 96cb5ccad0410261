#!/usr/bin/env python3
"""Presets of devices: logs in the convention of a device, read by the right preset and by all wrong ones.

Usage: bench/bags/presets.py [--heft build/heft] [--json FILE] [--every] [--only DEVICE ..] [--sample N]

Writes the log of a simulated arm as every device does. The right preset must give the parameters of the plain log with `log.device` alone;
where the torque is a current or a share, it must ask for log.torque_scale and give them with it. Every preset whose numbers differ from
the device's must be refused or lead to a serious doubt. Without --every, wrong presets are tried on one log of each kind of numbers.
--only tries the logs of these devices; --sample tries N of the wrong presets, always the same ones.
Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

ARM = ROOT / "tools" / "demo" / "arm.urdf"
JOINTS = [f"joint_{i}" for i in range(1, 8)]
TURN = 2 * math.pi


def same(x):
    return x


def negated(x):
    return -x


def over(gain):
    return lambda x: x / gain


def code16(x):
    return (x + 12.5) / 25 * 65535


def code12(most):
    return lambda x: (x + most) / (2 * most) * 4095


#: kinds of positions and torques; counts and codes are not rounded, so that the answer is that of the plain log
ANGLES = {"rad": same, "deg": math.degrees, "circle": lambda x: math.degrees(x % TURN), "wrapped": lambda x: math.remainder(x, TURN),
          "turns": lambda x: x / TURN, "counts": lambda x: 2048 + x * 4096 / TURN, "code16": code16}
TORQUES = {"N m": same, "negated": negated, "12 bits of 10": code12(10), "12 bits of 28": code12(28), "12 bits of 54": code12(54)}
Convention = collections.namedtuple("Convention", "angle torque time ticks gain", defaults=("rad", "N m", "t", 1, 0))

DEVICES = {
    "ur_rtde": Convention(time="timestamp", gain=11.5),
    "ur_rtde_torque": Convention(time="timestamp"),
    "ur_ros2_driver": Convention(gain=9.0),
    "franka": Convention(),
    "franka_log": Convention(time="time", ticks=1e3),
    "franka_ros2": Convention(),
    "kuka_fri": Convention(torque="negated"),
    "drake_iiwa": Convention(torque="negated", time="utime", ticks=1e6),
    "lbr_fri_ros2": Convention(torque="negated"),
    "kinova_kortex": Convention(angle="circle"),
    "ros2_kortex": Convention(angle="wrapped"),
    "kinova_jaco": Convention(time="utime", ticks=1e6),
    "xarm": Convention(angle="deg"),
    "xarm_ros2": Convention(),
    "mecademic": Convention(angle="deg", gain=0.32),
    "feetech_sts3215": Convention(angle="counts", gain=0.0081),
    "feetech_sts3215_load": Convention(angle="counts", gain=0.003),
    "dynamixel_xm430": Convention(angle="counts", gain=0.0048),
    "dynamixel_ros2_counts": Convention(gain=0.0048),
    "dynamixel_ros2_torque": Convention(),
    "moteus": Convention(angle="turns"),
    "odrive": Convention(angle="turns"),
    "odrive_ros2_control": Convention(),
    "unitree": Convention(),
    "damiao": Convention(),
    "damiao_dm4310": Convention("code16", "12 bits of 10"),
    "damiao_dm4340": Convention("code16", "12 bits of 28"),
    "damiao_dm8009": Convention("code16", "12 bits of 54"),
    "cubemars_ak": Convention(),
    "cia402": Convention(gain=0.012),
    "beckhoff_el72x1": Convention(gain=0.02),
    "ethercat_ros2": Convention(gain=0.012),
    "gazebo": Convention(),
    "ros2_control": Convention(),
    "plotjuggler": Convention(time="time"),
}
#: what these record does not identify a robot, whatever the numbers
REFUSED = ("ur_ros2_driver_torque", "ur_rtde_joint_torques", "franka_tau_ext")


def same_numbers(one, other):
    """Whether a preset reads a log of another device right: angles in radians are those of wrapped ones that never wrap."""
    plain = {"circle": "deg"}
    return (plain.get(one.angle, one.angle) == plain.get(other.angle, other.angle) or {one.angle, other.angle} == {"rad", "wrapped"}) and (
        one.torque == other.torque and one.ticks == other.ticks and one.gain == other.gain == 0)


class Bench:
    def __init__(self, heft, folder):
        self.heft, self.folder = heft, folder
        subprocess.run([heft, "simulate", "--robot", str(ARM), "--duration", "4", "--held-out", "4", "--rate", "250", "--seed", "3", "--out",
                        str(folder / "demo")], check=True, capture_output=True)
        with open(folder / "demo" / "train.csv", newline="") as file:
            self.rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        self.plain = self.identify(folder / "demo" / "train.csv")[1]

    def log(self, convention):
        """The log in a device's numbers, under names that every preset reads; no preset is refused for names alone."""
        path = self.folder / "log.csv"
        times = ["t", "timestamp", "time", "utime"]
        with open(path, "w") as file:
            file.write(",".join([*times, *(f"q_{j}" for j in JOINTS), *(f"tau_{j}" for j in JOINTS)]) + "\n")
            for row in self.rows:
                torque = over(convention.gain) if convention.gain else TORQUES[convention.torque]
                numbers = [row["t"] * convention.ticks] * len(times)
                numbers += [ANGLES[convention.angle](row[f"q_{j}"]) for j in JOINTS] + [torque(row[f"tau_{j}"]) for j in JOINTS]
                file.write(",".join(map(repr, numbers)) + "\n")
        return path

    def identify(self, log, *options):
        """Exit code, bodies of result.json, what the program says."""
        out = self.folder / "out"
        done = subprocess.run([self.heft, "identify", "--robot", str(ARM), "--log", str(log), "--out", str(out), "--quiet", *options],
                              capture_output=True, text=True)
        bodies = json.loads((out / "result.json").read_text())["bodies"] if done.returncode in (0, 4) else None
        return done.returncode, bodies, done.stdout + done.stderr

    def difference(self, bodies):
        """Of the masses and first moments, as a part of the largest."""
        worst = 0
        for name in ("m", "mcx", "mcy", "mcz"):
            one, two = ([body["parameters"][name] for body in some] for some in (bodies, self.plain))
            worst = max(worst, max(abs(a - b) for a, b in zip(one, two)) / max(map(abs, two)))
        return worst

    def is_right(self, device, convention):
        log = self.log(convention)
        options = ["--log.device", device]
        if convention.gain:
            code, _, words = self.identify(log, *options)
            if code != 1 or "log.torque_scale" not in words:
                return False
            options += ["--log.torque_scale", str(convention.gain)]
        code, bodies, _ = self.identify(log, *options)
        return bodies is not None and self.difference(bodies) < 1e-5


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heft", default=str(ROOT / "build" / "heft"))
    parser.add_argument("--json")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--only", nargs="+", choices=DEVICES, metavar="DEVICE")
    parser.add_argument("--sample", type=int, metavar="N")
    options = parser.parse_args()
    heft_bench.require([], [options.heft], "build Heft")
    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory(prefix="heft-presets-") as name:
        bench = Bench(options.heft, pathlib.Path(name))
        asked = options.only or DEVICES
        wrong = [device for device in asked if not bench.is_right(device, DEVICES[device])]
        for device in wrong:
            print(f"{device}: wrong answer")
        report.add("devices whose log gives the right answer with log.device alone", 1 - len(wrong) / len(asked), "share", must=1)
        logs = {device: DEVICES[device] for device in asked} if options.every or options.only else {}
        for device, convention in DEVICES.items() if not logs else ():
            kind = (convention.angle, convention.torque, convention.ticks, convention.gain > 0)
            if not any(kind == (other.angle, other.torque, other.ticks, other.gain > 0) for other in logs.values()):
                logs[device] = convention
        pairs = [(device, preset) for device, convention in logs.items() for preset in [*DEVICES, *REFUSED]
                 if preset != device and not (preset in DEVICES and same_numbers(DEVICES[preset], convention))]
        if options.sample:
            pairs = sorted(random.Random(1).sample(pairs, min(options.sample, len(pairs))))
        noticed, tried = 0, len(pairs)
        for device, preset in pairs:
            code, _, _ = bench.identify(bench.log(DEVICES[device]), "--log.device", preset)
            noticed += code in (1, 3, 4)  # refused or doubted, but no crash
            if code not in (1, 3, 4):
                print(f"log of {device}, read as {preset}: exit code {code}")
        report.add(f"wrong presets that are refused or doubted, of {tried}", noticed / tried, "share", must=0.9, goal=1)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
