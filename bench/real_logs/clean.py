#!/usr/bin/env python3
"""Identifies public logs of six more robots and lists every serious doubt: a clean log must raise none that is false.

Usage: bench/real_logs/clean.py [DIR] [--heft build/heft] [--only NAMES] [--keep FOLDER] [--json FILE]

DIR (default $HEFT_PUBLIC_LOGS) holds clones of these repositories, each in a folder of its name; nothing of them is kept here:

    cd DIR
    git clone https://github.com/kjyv/FloBaRoID                                 # KUKA LWR4+, LGPL-3.0
    git clone https://github.com/shamilmamedov/dynamic_calibration              # UR10e, no license stated
    git clone https://github.com/thanhndv212/figaroh-examples                   # TIAGo, no license stated
    git clone https://github.com/wissem01chiha/dynamic-identification           # Kinova Gen3, CC0-1.0
    git clone https://github.com/liuyurong129/figaroh_kinova                    # AIRBOT Play; Kinova's robot file
    git clone https://github.com/lbr-stack/dynamic_parameter_identification     # KUKA LBR Med 7, MIT

Each log runs with conditioning.lowpass_hz: auto and what a user must know of the robot: the mount, gains of motor currents, signs.
CASES says which doubts are justified, and by what beside Heft. Exit codes: 0 no other serious doubt, 1 some, 77 nothing to run on.
Needs numpy.
"""

import argparse
import dataclasses
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
CURRENTS = "log: {torque_scale: [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]}\ncolumns: [default, reflected_inertia]\n"
TIAGO_ARM = [f"arm_{k}_joint" for k in range(1, 8)]
TIAGO = ("log: {torque_scale: {arm_1_joint: 13.6, arm_2_joint: 13.6, arm_3_joint: -8.7, arm_4_joint: -8.7}}\n"
         "joints:\n  exclude: [torso_lift_joint, arm_5_joint, arm_6_joint, arm_7_joint]\n  locked: {" +
         ", ".join([f"caster_{end}_{side}_{k}_joint: 0" for end in ("back", "front") for side in ("left", "right") for k in (1, 2)] +
                   [f"{name}_{side}_joint: 0" for name in ("suspension", "wheel") for side in ("left", "right")] +
                   ["head_1_joint: 0", "head_2_joint: 0", "gripper_finger_joint: 0.01"]) +
         "}\ncolumns: [default, reflected_inertia]\n")


class Repository:
    """Files of a commit of a clone, also of a bare one."""

    def __init__(self, folder, commit):
        self.folder, self.commit = folder, commit

    def bytes(self, path, commit=None):
        return subprocess.run(["git", "-C", self.folder, "show", f"{commit or self.commit}:{path}"], capture_output=True, check=True).stdout

    def table(self, path, **options):
        return numpy.genfromtxt(io.BytesIO(self.bytes(path)), delimiter=",", **options)


@dataclasses.dataclass
class Motion:
    """Rows of a log; `joints`: names, or numbers from 1."""

    t: numpy.ndarray
    q: numpy.ndarray
    tau: numpy.ndarray
    joints: list = None

    def __getitem__(self, rows):
        return Motion(self.t[rows], self.q[rows], self.tau[rows], self.joints)

    def halves(self):
        middle = len(self.t) // 2
        return [self[:middle]], self[middle:]

    def write(self, path):
        names = [f"_{name}" for name in self.joints] if self.joints else [str(k + 1) for k in range(self.q.shape[1])]
        header = ",".join(["t", *(f"q{name}" for name in names), *(f"tau{name}" for name in names)])
        numpy.savetxt(path, numpy.column_stack([self.t, self.q, self.tau]), delimiter=",", header=header, comments="", fmt="%.9g")


def lwr4(files):
    def motion(k):
        data = numpy.load(io.BytesIO(files.bytes(f"data/KUKA/HW/measurements_{k}.npz")))
        return Motion(data["times"] - data["times"][0], data["positions"], data["torques"])
    return [motion(2), motion(3)], motion(1)


def ur10e(train, held_out):
    def motions(files):
        tables = [files.table(f"dataset_ur10e/{path}.csv") for path in (train, held_out)]
        first, second = (Motion(t[:, 0] - t[0, 0], t[:, 1:7], t[:, 13:19]) for t in tables)
        return [first], second
    return motions


def tiago(files):
    position, effort = (files.table(f"examples/tiago/data/identification/dynamic/tiago_{what}.csv", skip_header=1)[921:6791]
                        for what in ("position", "effort"))
    return Motion(position[:, 0], position[:, 1:9], effort[:, 1:9], ["torso_lift_joint", *TIAGO_ARM]).halves()


def gen3(files):
    def motion(path):
        table = files.table(f"data/kinova/{path}.csv", skip_header=1)
        t = 0.001 * numpy.arange(len(table))
        whole = numpy.isfinite(table[:, 1:22]).all(axis=1)
        return Motion(t[whole], table[whole, 1:8], table[whole, 15:22])
    return [motion("validation_data/opti_traj_testing1"), motion("identification_data/RecordTrajectory_quadratic")], \
        motion("validation_data/opti_traj_testing2")


def airbot(files):
    def motion(name):
        q, tau = (files.table(f"examples/airbot_play/data/identification/{name}_motion/identification_{what}_real.csv", skip_header=1)
                  for what in ("q", "tau"))
        return Motion(0.01 * numpy.arange(len(q)), q, tau)
    return [motion("trapezoidal")], motion("chirp")


def med7(files):
    table = files.table("src/test/measurements_with_ext_tau_1_dgr.csv", skip_header=1)
    return Motion(0.01 * numpy.arange(len(table)), table[:, :7], table[:, 7:14]).halves()


@dataclasses.dataclass
class Case:
    repository: str
    commit: str
    motions: object
    robot: tuple  # path, and where it is not the commit's: repository, commit
    yaml: str = ""
    justified: dict = dataclasses.field(default_factory=dict)  # id of a doubt: why it is true of this log


CASES = {
    "kuka_lwr4": Case("FloBaRoID", "e6c077ea5c", lwr4, ("model/kuka_lwr4.urdf", "FloBaRoID", "9c0680445e"), justified={
        "error-large": "the last joint's torque acts like a spring (0.24 N m/rad, correlation 0.82 with its position), which no column "
                       "describes: least squares on Pinocchio's rows leaves 72 to 74 % of it"}),
    "ur10e": Case("dynamic_calibration", "11af40e7de", ur10e("identification_data/ur-20_02_12-50sec_12harm", "identification_data/ur-20_02_10-30sec_12harm"),
                  ("URe/urdf/ur10e.urdf",), CURRENTS),
    "ur10e_point_to_point": Case("dynamic_calibration", "11af40e7de",
                                 ur10e("identification_data/ur-20_02_12-40sec_12harm", "validation_data/ur-20_01_17-ptp_10_points"),
                                 ("URe/urdf/ur10e.urdf",), CURRENTS + "conditioning: {dead_band: 0.05}\n"),
    "tiago": Case("figaroh-examples", "c0b5c7f0fd", tiago, ("examples/tiago/urdf/tiago_48_schunk.urdf",), TIAGO),
    "kinova_gen3": Case("dynamic-identification", "ba60352", gen3,
                        ("examples/kinova_gen3/data/urdf/GEN3-7DOF-NOVISION_FOR_URDF_ARM_V12.urdf", "figaroh_kinova", "24b73fff9d"),
                        "joints: {exclude: [joint_7]}\n"),
    "airbot_play": Case("figaroh_kinova", "24b73fff9d", airbot, ("examples/airbot_play/data/urdf/airbot_play_v3_0_gripper.urdf",),
                        "columns: [default, reflected_inertia]\n", justified={
        "price-of-physics": "the drives' torques are scaled wrongly: a log of the same arm with a known load of 0.48 kg gives scales of "
                            "0.72, 0.53, 0.60, 0.82, 0.81; with these the price falls from 23 to 2.1 % and the verdict is green"}),
    "kuka_med7": Case("dynamic_parameter_identification", "53592d1", med7, ("urdf/med/med7dock.urdf", "dynamic_parameter_identification", "58b4d88014"),
                      "log: {torque_scale: -1}\n", justified={
        "error-large": "the first joint turns about the vertical: its torque of 1 N m rms is an oscillation of 12 Hz and friction"}),
}


def folder_of(data, name):
    return next((folder for folder in (data / name, data / f"{name}.git") if folder.is_dir()), None)


def identify(heft, data, case, folder):
    """result.json of a case."""
    files = Repository(folder_of(data, case.repository), case.commit)
    path, *elsewhere = case.robot
    source = Repository(folder_of(data, elsewhere[0]), elsewhere[1]) if elsewhere else files
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "robot.urdf").write_bytes(source.bytes(path))
    (folder / "config.yaml").write_text("robot: {gravity: [0, 0, -9.81]}\n" + case.yaml)
    train, held_out = case.motions(files)
    logs = []
    for k, motion in enumerate(train):
        motion.write(folder / f"train_{k + 1}.csv")
        logs += ["--log", folder / f"train_{k + 1}.csv"]
    held_out.write(folder / "held_out.csv")
    command = [heft, "identify", "--quiet", "--robot", folder / "robot.urdf", "--config", folder / "config.yaml", *logs, "--validate",
               folder / "held_out.csv", "--conditioning.lowpass_hz", "auto", "--out", folder / "result"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{case.repository}: exit code {done.returncode}\n{done.stderr}")
    return json.loads((folder / "result" / "result.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", default=os.environ.get("HEFT_PUBLIC_LOGS"))
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft")
    parser.add_argument("--only", default=",".join(CASES), help="names, by commas")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the logs and results")
    parser.add_argument("--json", help="file to write")
    options = parser.parse_args()
    data = pathlib.Path(options.data) if options.data else None
    names = [name for name in options.only.split(",") if data and folder_of(data, CASES[name].repository)]
    if not names:
        print("none of the repositories is there: name the folder that holds their clones", file=sys.stderr)
        return SKIPPED
    rows, num_false = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            case = CASES[name]
            result = identify(options.heft, data, case, (options.keep or pathlib.Path(scratch)) / name)
            serious = [doubt for doubt in result["doubts"] if doubt["severity"] == "serious" and not doubt["accepted"]]
            rows.append({"log": name, "verdict": result["verdict"]["level"], "error": result["validation"]["overall_relative"],
                         "doubts": [doubt["id"] for doubt in serious], "words": [doubt["words"] for doubt in serious]})
            print(f"{name:22} held-out error {100 * rows[-1]['error']:5.2f} %, {rows[-1]['verdict']}")
            for doubt in serious:
                reason = case.justified.get(doubt["id"])
                num_false += reason is None
                print(f"    {doubt['id']}: {doubt['words']}\n    {'justified: ' + reason if reason else 'FALSE'}")
    print(f"{len(names)} logs, {num_false} serious doubts that are false (must be 0)")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return int(num_false > 0)


if __name__ == "__main__":
    sys.exit(main())
