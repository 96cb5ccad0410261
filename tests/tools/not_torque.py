"""Columns that are not torque: excluded with a doubt, their bodies stay, and joints.keep uses them anyway.

The columns are made here from the motion of a log of the demo arm, so every one is known.
"""

import csv
import functools
import json
import math
import pathlib
import random
import re
import tempfile

from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, run_heft
from schema_walk import wrong_places

LOGS = ("train", "held_out")


@functools.lru_cache(maxsize=None)
def arm_logs():
    """A folder with train.csv and held_out.csv of 10 and 5 s."""
    folder = tempfile.TemporaryDirectory(prefix="heft-not-torque-")
    done = run_heft("simulate", "--robot", ARM, "--duration", 10, "--held-out", 5, "--rate", 250, "--seed", 5, "--out", folder.name)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return folder


def table(log):
    with open(pathlib.Path(arm_logs().name) / f"{log}.csv") as file:
        header, *rows = csv.reader(file)
    return header, [[float(x) for x in row] for row in rows]


def speed_of(rows, at):
    last = len(rows) - 1
    return [(rows[min(k + 3, last)][at] - rows[max(k - 3, 0)][at]) / (rows[min(k + 3, last)][0] - rows[max(k - 3, 0)][0])
            for k in range(len(rows))]


def position_error(header, rows, joint):
    """A servo that lags 20 ms behind its command, in rad."""
    noise = random.Random(1)
    return [0.02 * speed + noise.gauss(0, 2e-4) for speed in speed_of(rows, header.index(f"q_{joint}"))]


def duty_cycle(header, rows, joint):
    """PWM of another motor: percent that follow no joint."""
    return [30 * math.sin(1.7 * row[0]) + 15 * math.sin(4.1 * row[0] + 1) for row in rows]


def raw_counts(header, rows, joint):
    """A random walk of an unsigned counter."""
    noise, value, counts = random.Random(2), 2048, []
    for _ in rows:
        value += noise.choice((-9, -4, -1, 1, 4, 9))
        counts.append(value % 4096)
    return counts


def zeros(header, rows, joint):
    return [0] * len(rows)


def copied(header, rows, joint):
    at = header.index("tau_joint_4")
    return [row[at] for row in rows]


def position(header, rows, joint):
    at = header.index(f"q_{joint}")
    return [row[at] for row in rows]


COLUMNS = {"position error": position_error, "duty cycle": duty_cycle, "raw counts": raw_counts, "zeros": zeros, "copy": copied,
           "position": position}


class NotTorque(HeftTestCase):
    def logs_with(self, make, joint):
        """Both logs with this column in the place of a joint's torque."""
        for log in LOGS:
            header, rows = table(log)
            column, at = make(header, rows, joint), header.index(f"tau_{joint}")
            for row, value in zip(rows, column):
                row[at] = value
            self.write(f"{log}.csv", "\n".join([",".join(header), *(",".join(map(repr, row)) for row in rows)]) + "\n")
        return self.scratch / "train.csv", self.scratch / "held_out.csv"

    def identify_with(self, make, joint, *more, out="result", robot=ARM):
        train, held_out = self.logs_with(make, joint)
        return self.identify("--validate", held_out, *more, log=train, out=out, robot=robot)

    @functools.lru_cache(maxsize=None)
    def errors_without(joint):  # noqa: N805, of the class
        """Errors of a result whose configuration excludes the joint."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(arm_logs().name)
            done = run_heft("identify", "--robot", ARM, "--log", folder / "train.csv", "--validate", folder / "held_out.csv", "--joints.exclude",
                            joint, "--out", name)
            if done.returncode not in (0, 4):
                raise AssertionError(done.stderr)
            return json.loads((pathlib.Path(name) / "result.json").read_text())

    def assert_excluded(self, result, joint):
        channels = {channel["name"]: channel for channel in result["channels"]}
        self.assertEqual([name for name in JOINTS if channels[name]["excluded"]], [joint])
        self.assertRegex(channels[joint]["why"], "^not-torque: .")
        self.assertIsNone(channels[joint]["residual_rms"])
        doubts = [doubt for doubt in result["doubts"] if doubt["id"] == "not-torque"]
        self.assertEqual([doubt["joint"] for doubt in doubts], [joint])
        self.assertIn("excluded from the fit and from all errors, including held-out errors", doubts[0]["words"])
        self.assertIn(f"the bodies of {joint} remain", doubts[0]["words"])
        self.assertIn(f"joints: {{keep: [{joint}]}}", doubts[0]["remedy"].replace('"', ""))
        self.assertEqual(result["verdict"]["level"], "amber")
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])
        # the same as if the user had excluded it
        chosen = NotTorque.errors_without(joint)
        self.assertEqual([body["name"] for body in result["bodies"]], [body["name"] for body in chosen["bodies"]])
        for kind in ("training", "validation"):
            for mine, its in zip(result[kind]["per_channel"], chosen[kind]["per_channel"]):
                if mine["channel"] == joint:
                    self.assertEqual(mine["rows"], 0)
                else:
                    self.assertEqual(mine["rms_error"], its["rms_error"])
            self.assertEqual(result[kind]["overall_relative"], chosen[kind]["overall_relative"])
        self.assertEqual(result["provenance"]["options"]["joints"]["exclude"], [joint])

    def test_columns_that_are_not_torque_are_excluded(self):
        for name, make in COLUMNS.items():
            with self.subTest(name):
                self.assert_excluded(self.identify_with(make, "joint_2", out=name.replace(" ", "_")), "joint_2")

    def test_threads_change_nothing(self):
        """Also not the number of problems that were solved: work beside the first estimate, of no use for the second, does not count."""
        one, several = (self.identify_with(duty_cycle, "joint_2", "--threads", threads, out=f"on_{threads}") for threads in (1, 3))
        for result in (one, several):
            self.assert_excluded(result, "joint_2")
            for key in ("timings", "reading"):
                del result[key]
            del result["provenance"]["backend"], result["provenance"]["options"]["backend"]  # name the number of threads
        self.assertEqual(one, several)

    def test_torques_are_not_excluded(self):
        """Neither clean ones nor those with a fault that has a name of its own."""
        factors = {"clean": lambda tau: tau, "reversed": lambda tau: -tau, "scaled": lambda tau: 1.5 * tau, "motor side": lambda tau: tau / 80}
        for name, change in factors.items():
            def make(header, rows, joint):
                at = header.index(f"tau_{joint}")
                return [change(row[at]) for row in rows]  # noqa: B023, used at once
            with self.subTest(name):
                result = self.identify_with(make, "joint_2", out=name.replace(" ", "_"))
                self.assertFalse(any(channel["excluded"] for channel in result["channels"]))
                self.assertNotIn("not-torque", [doubt["id"] for doubt in result["doubts"]])

    def test_a_joint_at_rest_is_not_excluded(self):
        """A gripper that holds still: its torque is noise about a constant."""
        for log in LOGS:
            header, rows = table(log)
            noise = random.Random(3)
            for row in rows:
                row[header.index("q_joint_7")] = rows[0][header.index("q_joint_7")]
                row[header.index("tau_joint_7")] = 0.4 + noise.gauss(0, 0.05)
            self.write(f"{log}.csv", "\n".join([",".join(header), *(",".join(map(repr, row)) for row in rows)]) + "\n")
        result = self.identify("--validate", self.scratch / "held_out.csv", log=self.scratch / "train.csv")
        self.assertFalse(any(channel["excluded"] for channel in result["channels"]))

    def test_a_small_load_that_is_missing_is_no_reason(self):
        """The load of the last link is that of the prior if all joints move slowly."""
        self.assert_done(run_heft("simulate", "--robot", ARM, "--speed", 0.02, "--out", self.scratch / "slow"))
        result = self.identify("--config", SOURCE / "tools" / "demo" / "arm.yaml", log=self.scratch / "slow" / "train.csv")
        self.assertFalse(any(channel["excluded"] for channel in result["channels"]))

    def test_keep_uses_the_column(self):
        train, held_out = self.logs_with(duty_cycle, "joint_2")
        result = self.identify("--validate", held_out, "--joints.keep", "joint_2", log=train)
        self.assertFalse(any(channel["excluded"] for channel in result["channels"]))
        self.assertGreater(result["validation"]["overall_relative"], 0.3)
        self.assert_refused(["identify", "--robot", ARM, "--log", train, "--joints.keep", "joint_9", "--out", self.scratch / "none"],
                            "--joints.keep", "unknown joint 'joint_9'", "joint_")
        self.assert_refused(["identify", "--robot", ARM, "--log", train, "--joints.keep", "joint_2", "--joints.exclude", "joint_2", "--out",
                             self.scratch / "none"], "--joints.keep", "'joint_2' is in joints.exclude, too", "remove it from one of them")

    def test_the_remedy_works(self):
        result = self.identify_with(position_error, "joint_2")
        remedy = next(doubt["remedy"] for doubt in result["doubts"] if doubt["id"] == "not-torque")
        config = self.write("keep.yaml", re.search(r"joints: \{keep: \[.*?\]\}", remedy)[0] + "\n")
        kept = self.identify("--validate", self.scratch / "held_out.csv", "--config", config, log=self.scratch / "train.csv", out="kept")
        self.assertFalse(any(channel["excluded"] for channel in kept["channels"]))

    def test_links_without_mass_are_named_and_their_prior_explains_the_torque(self):
        """A torque of inertia alone, of a joint whose links lack <inertial>: the file is wrong, not the column."""
        def inertia(header, rows, joint):
            speeds = [[row[0], speed] for row, speed in zip(rows, speed_of(rows, header.index(f"q_{joint}")))]
            return [0.2 * acceleration for acceleration in speed_of(speeds, 1)]

        text = pathlib.Path(ARM).read_text()
        robot = self.write("massless.urdf", re.sub(r'(<link name="(flange|gripper)">)\s*<inertial>.*?</inertial>', r"\1", text, flags=re.DOTALL))
        result = self.identify_with(inertia, "joint_7", robot=robot)
        doubt = next(doubt for doubt in result["doubts"] if doubt["id"] == "not-torque")
        self.assertIn("the robot file gives flange no mass: the column may not be a torque", doubt["words"])
        options = re.search(r"priors: \{.*?\}", doubt["remedy"])[0]
        given = self.identify_with(inertia, "joint_7", "--config", self.write("priors.yaml", options + "\n"), robot=robot, out="given")
        self.assertFalse(any(channel["excluded"] for channel in given["channels"]))
        self.assertNotIn("not-torque", [doubt["id"] for doubt in given["doubts"]])

    def test_searches_and_gains_leave_it_out(self):
        for name, more in (("auto", ("--columns", "auto")),
                           ("gain", ("--config", self.write("gain.yaml", "columns: [default, gain: {sd: 0.1}]\n")))):
            with self.subTest(name):
                result = self.identify_with(duty_cycle, "joint_2", *more, out=name)
                excluded = [channel["name"] for channel in result["channels"] if channel["excluded"]]
                self.assertEqual(excluded, ["joint_2"])
                self.assertIn("not-torque", [doubt["id"] for doubt in result["doubts"]])

    def test_models_without_friction_are_tested(self):
        """Nothing is then projected out of torque and load; missing friction is no reason to exclude a torque."""
        config = self.write("rigid.yaml", "columns: []\n")
        clean = self.identify("--config", config, out="clean")
        self.assertFalse(any(channel["excluded"] for channel in clean["channels"]))

    def test_nothing_is_excluded_untested(self):
        result = self.identify_with(duty_cycle, "joint_2", "--estimation.seek_faults", "false")
        self.assertFalse(any(channel["excluded"] for channel in result["channels"]))
