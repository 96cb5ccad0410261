"""`heft check --robot --log`: sound logs without a word, and each of their broken twins named for its fault.

A defect is a function that breaks one thing of a simulated log; the findings that are not notes must then be
exactly those listed.
"""

import functools
import json
import math
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

from healthy_robots import healthy_robots
from heft_program import ARM, JOINTS, PROGRAM, SOURCE, HeftTestCase, run_heft


@functools.lru_cache(maxsize=None)
def simulated(*flags):
    """Text of a training log of the demo arm, 16 s at 250 Hz unless `flags` differ."""
    with tempfile.TemporaryDirectory(prefix="heft-log-") as folder:
        done = run_heft("simulate", "--robot", ARM, "--duration", 16, "--held-out", 1, "--rate", 250, "--out", folder,
                        *flags)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return (pathlib.Path(folder) / "train.csv").read_text()


class Table:
    """A log as columns of numbers."""

    def __init__(self, text, with_velocity=False):
        lines = text.splitlines()
        names = lines[0].split(",")
        rows = [[float(word) for word in line.split(",")] for line in lines[1:]]
        self.columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
        if with_velocity:
            for joint in JOINTS:
                self[f"qd_{joint}"] = self.slope(f"q_{joint}")

    def __getitem__(self, name):
        return self.columns[name]

    def __setitem__(self, name, values):
        self.columns[name] = list(values)

    def __len__(self):
        return len(self["t"])

    def scale(self, factor, *names):
        for name in names:
            self[name] = [factor * v for v in self[name]]

    def swap(self, one, other):
        self.columns[one], self.columns[other] = self.columns[other], self.columns[one]

    def keep(self, is_kept):
        kept = [k for k in range(len(self)) if is_kept(k)]
        for name in self.columns:
            self[name] = [self[name][k] for k in kept]

    def slope(self, name, reach=2):
        t, q, last = self["t"], self[name], len(self) - 1
        return [(q[min(k + reach, last)] - q[max(k - reach, 0)]) / (t[min(k + reach, last)] - t[max(k - reach, 0)])
                for k in range(len(self))]

    def delay(self, seconds, *names):
        """Delays every number of a column by `seconds`; between samples by cubic interpolation."""
        rows = seconds / (self["t"][1] - self["t"][0])
        whole, u = -math.ceil(rows), math.ceil(rows) - rows
        weights = (-u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2, -(u + 1) * u * (u - 2) / 2,
                   (u + 1) * u * (u - 1) / 6)
        for name in names:
            old, last = self[name], len(self) - 1
            self[name] = [sum(w * old[min(max(k + whole - 1 + j, 0), last)] for j, w in enumerate(weights))
                          for k in range(len(self))]

    def write(self, path):
        lines = [",".join(self.columns)]
        lines += [",".join(f"{value:.9g}" for value in row) for row in zip(*self.columns.values())]
        path.write_text("\n".join(lines) + "\n")
        return path


def joined(quantity, *numbers):
    return ", ".join(f"{quantity}_joint_{k}" for k in numbers)


POSITIONS, TORQUES = [f"q_{j}" for j in JOINTS], [f"tau_{j}" for j in JOINTS]


class LogCase(HeftTestCase):
    def check(self, path, *flags, robot=ARM):
        out = self.scratch / "findings.json"
        done = run_heft("check", "--robot", robot, "--log", path, "--json", out, *flags)
        self.assert_no_crash(done.stderr + done.stdout)
        report = json.loads(out.read_text())
        self.assertEqual(done.returncode, int(report["errors"] > 0), done.stderr)
        return report["findings"]

    def assert_named(self, defects, flags=(), with_velocity=False):
        """`defects`: (what breaks a table, {(name, subject), ..})."""
        for break_it, expected in defects:
            with self.subTest(expected=sorted(expected)):
                table = Table(simulated(*flags), with_velocity)
                break_it(table)
                findings = self.check(table.write(self.scratch / "broken.csv"))
                self.assertEqual({(f["name"], f["subject"]) for f in findings if f["severity"] != "note"}, expected,
                                 [f["what"] for f in findings])
                self.assertTrue(all(f["remedy"] and f["what"] and f["unit"] for f in findings))


class NothingToTest(LogCase):
    """If identify rejects a log, check does not report that there are no errors."""

    def assert_untested(self, path, says, *flags, robot=ARM):
        findings = self.check(path, *flags, robot=robot)
        self.assertIn(("torque-not-tested", "error"), {(f["name"], f["severity"]) for f in findings})
        self.assertIn(says, next(f["what"] for f in findings if f["name"] == "torque-not-tested"))
        self.assertEqual(run_heft("identify", "--robot", robot, "--log", path, "--out", self.scratch / "out",
                                  *flags).returncode, 1)

    def test_no_torque_at_all(self):
        table = Table(simulated())
        for name in TORQUES:
            table[name] = [math.nan] * len(table)
        self.assert_untested(table.write(self.scratch / "nan.csv"), "none of its rows has a torque")

    def test_a_rate_that_no_filter_can_do(self):
        table = Table(simulated())
        table.keep(lambda k: k % 50 == 0)
        self.assert_untested(table.write(self.scratch / "slow.csv"), "the log cannot be conditioned",
                             "--conditioning.lowpass_hz", 10)

    def test_a_base_that_moves(self):
        """The log lacks the motion of the base."""
        path = Table(simulated()).write(self.scratch / "log.csv")
        done = run_heft("check", "--robot", ARM, "--log", path, "--robot.floating_base", "true")
        self.assertEqual(done.returncode, 1, done.stdout)

    def test_pipes(self):
        path = Table(simulated()).write(self.scratch / "log.csv")
        pipe = self.scratch / "pipe"
        os.mkfifo(pipe)
        for command in (["check"], ["identify", "--out", self.scratch / "out"]):
            self.assert_refused_pipe([*command, "--robot", ARM, "--log", pipe], pipe)
        with path.open("rb") as log:  # the shell's
            done = subprocess.run([PROGRAM, "check", "--robot", ARM, "--log", "/dev/stdin"], capture_output=True, text=True,
                                  stdin=subprocess.Popen(["cat"], stdin=log, stdout=subprocess.PIPE).stdout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is a pipe", done.stderr)

    def assert_refused_pipe(self, arguments, pipe):
        done = run_heft(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(done.stderr.startswith(f"heft: {pipe}: is a pipe"), done.stderr)
        self.assertIn("write it to a file", done.stderr)

    def test_a_lift_that_carries_nothing(self):
        """1.3 N where the masses of the file weigh 160 N: a nearly constant force has no correlation."""
        robot = self.write("lift.urdf", LIFT)
        rows = []
        for k in range(5000):
            t = 0.004 * k
            q, qdd = (math.sin(1.3 * t) + 0.3 * math.cos(2.9 * t),
                      -1.69 * math.sin(1.3 * t) - 0.3 * 2.9**2 * math.cos(2.9 * t))
            # m c = 0.3 kg m along x; about y, gravity pulls it down by -(-g) cos q
            shoulder = -9.81 * 0.3 * math.cos(q) + (0.02 + 1.5 * 0.2**2) * qdd
            rows.append(f"{t:.4f},{0.2 + 0.1 * math.sin(0.7 * t):.6f},{q:.6f},{1.3 + 0.05 * math.sin(37 * t):.5f},{shoulder:.5f}")
        log = self.write("lift.csv", "t,q_lift,q_shoulder,tau_lift,tau_shoulder\n" + "\n".join(rows) + "\n")
        found = {(f["name"], f["subject"]): f for f in self.check(log, robot=robot)}
        self.assertIn(("torque-below-gravity", "tau_lift"), found)
        self.assertEqual(found["torque-below-gravity", "tau_lift"]["severity"], "error")
        self.assertNotIn(("torque-below-gravity", "tau_shoulder"), found)
        # what a spring carries is not measured: said to be known, it is no fault
        spring = self.write("spring.yaml", "known_torque: {lift: -160.56}\n")
        self.assertEqual([f for f in self.check(log, "--config", spring, robot=robot) if f["severity"] == "error"], [])


LIFT = """<robot name="lift"><link name="base"/>
  <link name="column"><inertial><origin xyz="0 0 .3"/><mass value="15"/>
    <inertia ixx=".5" ixy="0" ixz="0" iyy=".5" iyz="0" izz=".3"/></inertial></link>
  <link name="arm"><inertial><origin xyz=".2 0 0"/><mass value="1.5"/>
    <inertia ixx=".002" ixy="0" ixz="0" iyy=".02" iyz="0" izz=".02"/></inertial></link>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="column"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.4" effort="1000" velocity="1"/></joint>
  <joint name="shoulder" type="revolute"><parent link="column"/><child link="arm"/><origin xyz="0 0 .4"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="50" velocity="9"/></joint></robot>"""


class SoundLogs(LogCase):
    def test_sound_logs_have_no_findings(self):
        for seed in (1, 2, 3, 4):
            for velocity in (False, True):
                with self.subTest(seed=seed, velocity=velocity):
                    table = Table(simulated("--seed", seed, "--trajectory-seed", seed), velocity)
                    findings = self.check(table.write(self.scratch / "sound.csv"))
                    self.assertEqual([f for f in findings if f["severity"] != "note"], [])
                    unused = [f for f in findings if f["name"] == "velocity-not-used"]
                    self.assertEqual(len(unused), int(velocity), "said once, of all columns")

    def test_sound_logs_of_other_robots(self):
        robots = healthy_robots(self.scratch)
        for name in ("gantry", "biped", "crane"):
            with self.subTest(name):
                done = run_heft("simulate", "--robot", robots[name], "--duration", 16, "--held-out", 1, "--rate", 250,
                                "--out", self.scratch / name)
                self.assertEqual(done.returncode, 0, done.stderr)
                findings = self.check(self.scratch / name / "train.csv", robot=robots[name])
                self.assertEqual([f for f in findings if f["severity"] != "note"], [])

    def test_sound_noisy_log(self):
        path = self.write("noisy.csv", simulated("--torque-noise", 0.05, "--perturbation", 0.4))
        self.assertEqual([f for f in self.check(path) if f["severity"] != "note"], [])

    def test_real_logs_are_usable(self):
        """Three real robots: there are no errors, and the known properties of their logs are found."""
        data = pathlib.Path(os.environ.get("HEFT_DATA", SOURCE.parent / "shared" / "data"))
        if not (data / "franka_panda").is_dir():
            raise unittest.SkipTest(f"no logs at {data}: set HEFT_DATA to the folder of the real logs")
        for name, log, known in (("franka_panda", "log_train", {"time-jitter"}),
                                 ("franka_panda", "log_valid", {"time-jitter"}),
                                 ("kuka_kr300", "log_train_A", {"not-excited"}),
                                 ("kuka_kr300", "log_train_B", {"not-excited"}),
                                 ("staubli_tx40", "log_train", set()), ("staubli_tx40", "log_valid", set())):
            findings = self.check(data / name / f"{log}.csv", "--config",
                                  SOURCE / "bench" / "real_logs" / f"{name}.yaml", robot=data / name / "robot.urdf")
            self.assertEqual([f for f in findings if f["severity"] == "error"], [], name)
            self.assertLessEqual(known, {f["name"] for f in findings if f["severity"] == "warning"}, name)

    def test_real_log_reversed(self):
        """Hypotheses are also right with real friction, real noise and published inertias."""
        data = pathlib.Path(os.environ.get("HEFT_DATA", SOURCE.parent / "shared" / "data"))
        if not (data / "franka_panda").is_dir():
            raise unittest.SkipTest(f"no logs at {data}: set HEFT_DATA to the folder of the real logs")
        table = Table((data / "franka_panda" / "log_train.csv").read_text())
        table.scale(-1, "tau2")
        table.swap("tau4", "tau6")
        findings = self.check(table.write(self.scratch / "broken.csv"), "--config",
                              SOURCE / "bench" / "real_logs" / "franka_panda.yaml",
                              robot=data / "franka_panda" / "robot.urdf")
        self.assertEqual({(f["name"], f["subject"]) for f in findings if f["severity"] == "error"},
                         {("torque-reversed", "tau2"), ("torques-swapped", "tau4, tau6")})


class BrokenClocks(LogCase):
    def test_clocks(self):
        jitter = random.Random(1)

        def shake(table):
            table["t"] = [t + jitter.uniform(-0.3, 0.3) * 0.004 for t in table["t"]]

        def repeat(table):
            for k in range(100, len(table), 100):
                table["t"][k] = table["t"][k - 1]

        def restart(table):
            table["t"] = [t if k < 2000 else t - 3 for k, t in enumerate(table["t"])]

        self.assert_named([
            (lambda t: t.keep(lambda k: not 2000 <= k < 2200), {("time-gap", "t")}),
            (shake, {("time-jitter", "t"), ("stamps-late", "t")}),  # the rows themselves are even
            (repeat, set()),  # rows on a uniform clock whose stamps lag by one step: the clock is rebuilt
            (restart, {("time-backwards", "t")}),
            (lambda t: t.scale(1e3, "t"), {("time-in-milliseconds", "t")}),
            (lambda t: t.keep(lambda k: k < 600), {("log-short", "t"), ("not-excited", "motion")}),
            (lambda t: t.keep(lambda k: k % 8 == 0), {("rate-low", "t")}),
        ])

    def test_unit_of_the_stamps(self):
        for per_second, scale, unit in ((1e3, "1e-3", "ms"), (1e6, "1e-6", "us"), (1e9, "1e-9", "ns")):
            table = Table(simulated())
            table.scale(per_second, "t")
            path = table.write(self.scratch / "stamps.csv")
            for tried in ("1", "1e-3"):
                found = [f for f in self.check(path, "--log.time_scale", tried) if f["name"] == "time-in-milliseconds"]
                rest = "" if tried == "1" else " and remove log.time_scale"
                wanted = [] if tried == scale else [f"set log.time_unit: {unit}{rest}"]
                self.assertEqual([f["remedy"] for f in found], wanted, (scale, tried))
            found = [f["name"] for f in self.check(path, "--log.time_unit", unit)]
            self.assertNotIn("time-in-milliseconds", found)

    def test_place_of_a_gap(self):
        table = Table(simulated())
        table.keep(lambda k: not 2000 <= k < 2200)
        gap = next(f for f in self.check(table.write(self.scratch / "gap.csv")) if f["name"] == "time-gap")
        self.assertTrue(gap["where"].endswith(":2002"), gap["where"])  # header, 2000 rows, then the first after it
        self.assertAlmostEqual(gap["measure"], 201 * 0.004, places=6)


class OtherLogs(LogCase):
    """Faults of the log rather than a column: rows of two publishers, torques after subtracting a model, joints in another order."""

    def named(self, table, *flags, robot=ARM):
        findings = self.check(table.write(self.scratch / "other.csv"), *flags, robot=robot)
        return {(f["name"], f["subject"]) for f in findings if f["severity"] != "note"}

    def test_rows_of_a_second_publisher(self):
        for every, number in ((1, 0.0), (7, 0.0), (40, 0.3)):
            with self.subTest(every=every):
                table = Table(simulated())
                for name, values in table.columns.items():
                    mixed = []
                    for k, value in enumerate(values):
                        mixed.append(value)
                        if k % every == 0:
                            mixed.append(value + 0.0015 if name == "t" else number)
                    table[name] = mixed
                self.assertEqual(self.named(table), {("rows-foreign", "t")})
                self.assertEqual(self.named(table, "--log.drop_damaged", "true"), set())
        self.assert_same_answer(table)

    def assert_same_answer(self, table):
        """The result after dropping rows is that of the log without them."""
        errors = []
        for path, flags in ((table.write(self.scratch / "mixed.csv"), ("--log.drop_damaged", "true")),
                            (Table(simulated()).write(self.scratch / "clean.csv"), ())):
            out = self.scratch / path.stem
            done = run_heft("identify", "--quiet", "--robot", ARM, "--log", path, "--out", out, *flags)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            errors.append(json.loads((out / "result.json").read_text())["training"]["overall_relative"])
        self.assertAlmostEqual(errors[0], errors[1], places=9)

    def test_joints_from_the_end_of_the_chain(self):
        table, clean = Table(simulated()), Table(simulated())
        for quantity in ("q", "tau"):
            for joint, other in zip(JOINTS, reversed(JOINTS)):
                table[f"{quantity}_{joint}"] = clean[f"{quantity}_{other}"]
        self.assertIn(("joints-permuted", "order of the joints"), self.named(table))

    def test_numbers_of_a_robot_that_branches(self):
        robots = healthy_robots(self.scratch)
        done = run_heft("simulate", "--robot", robots["biped"], "--duration", 16, "--held-out", 1, "--rate", 250, "--out",
                        self.scratch / "biped")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.scratch / "biped" / "train.csv").read_text().splitlines()
        names = lines[0].split(",")
        joints = [name[2:] for name in names if name.startswith("q_")]
        numbered = [name if name == "t" else f"{name.split('_', 1)[0]}{1 + joints.index(name.split('_', 1)[1])}"
                    for name in names]
        log = self.write("numbers.csv", "\n".join([",".join(numbered), *lines[1:]]) + "\n")
        notes = [f for f in self.check(log, robot=robots["biped"]) if f["name"] == "joints-by-number"]
        self.assertEqual(len(notes), 1)
        for k, joint in enumerate(joints):
            self.assertIn(f"q{k + 1} as {joint}", notes[0]["what"])


class BrokenSignals(LogCase):
    def test_the_stretch_of_a_stuck_signal_can_be_excluded(self):
        table = Table(simulated())
        for name in ("q_joint_3", "q_joint_4"):
            table[name][1500:1800] = [table[name][1500]] * 300
        log = table.write(self.scratch / "stuck.csv")
        findings = [f for f in self.check(log) if f["severity"] != "note"]
        self.assertEqual({f["name"] for f in findings}, {"signal-stuck"})
        self.assertEqual({f["remedy"] for f in findings},
                         {'check for a sensor or bus that stopped; exclude the stretch: log: {exclude: ["6.0 to 7.2 of stuck.csv"]}'})
        options = self.write("options.yaml", findings[0]["remedy"].split("stretch: ")[1])
        result = self.identify("--config", options, log=log, exit_code=0)
        self.assertLess(result["training"]["overall_relative"], 0.01)

    def test_signals(self):
        def stuck(table):
            table["q_joint_3"][1500:1800] = [table["q_joint_3"][1500]] * 300

        def clip(table):
            edge = 0.6 * max(map(abs, table["tau_joint_2"]))
            table["tau_joint_2"] = [min(max(v, -edge), edge) for v in table["tau_joint_2"]]

        def spike(table, name, size):
            for k in (700, 1900, 3100):
                table[name][k] += size

        def lose(table):
            table["tau_joint_4"][900:905] = [math.nan] * 5

        self.assert_named([
            (stuck, {("signal-stuck", "q_joint_3")}),
            (clip, {("torque-saturated", "tau_joint_2")}),
            (lambda t: spike(t, "q_joint_5", 0.3), {("signal-spikes", "q_joint_5")}),
            (lambda t: spike(t, "tau_joint_4", 60), {("signal-spikes", "tau_joint_4")}),
            (lose, {("value-missing", "tau_joint_4")}),
            (lambda t: t.scale(0, "tau_joint_6"), {("torque-dead", "tau_joint_6")}),
            (lambda t: t.scale(0, "q_joint_7"), {("joint-still", "q_joint_7")}),
            (lambda t: t.scale(180 / math.pi, *POSITIONS), {("position-in-degrees", ", ".join(POSITIONS))}),
            (lambda t: t.scale(180 / math.pi, "q_joint_2"), {("position-in-degrees", "q_joint_2")}),
            (lambda t: t.__setitem__("q_joint_1", [q + 2.5 for q in t["q_joint_1"]]),
             {("position-beyond-limits", "q_joint_1")}),
        ])
        self.assert_named([(lambda t: None, {("position-quantized", q) for q in POSITIONS} | {("not-excited", "motion")})],
                          flags=("--encoder-counts", 2000))

    def test_a_row_of_another_time_is_no_spike(self):
        """Rows that repeat the row before, in all joints or in one, where that one is fast."""
        def repeat(table, names):
            fast = sorted(range(700, len(table) - 2), key=lambda k: -abs(table[POSITIONS[4]][k] - table[POSITIONS[4]][k - 1]))
            for name in names:
                table[name][fast[0]] = table[name][fast[0] - 1]

        self.assert_named([(lambda t: repeat(t, POSITIONS), set()),
                           (lambda t: repeat(t, POSITIONS[4:5]), {("signal-spikes", POSITIONS[4])})])

    def test_no_joint_moves(self):
        """Positions a thousandth of what they are: one error, and a doubt that stays open; a joint that moves leaves warnings."""
        def still(table):
            log = table.write(self.scratch / "still.csv")
            return log, {(f["severity"], f["subject"]) for f in self.check(log) if f["name"] == "joint-still"}

        table = Table(simulated())
        table.scale(1e-3, *POSITIONS[1:])
        self.assertEqual(still(table)[1], {("warning", position) for position in POSITIONS[1:]})
        table.scale(1e-3, POSITIONS[0])
        log, found = still(table)
        self.assertEqual(found, {("error", "all positions")})
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "still")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^doubt:  .*no joint moves by more than 0\.00\d+ rad")

    def test_sizes_beyond_numbers_name_the_log(self):
        for factor in (1e300, 1e-200):
            table = Table(simulated())
            table.scale(factor, *(f"tau_{joint}" for joint in JOINTS))
            path = table.write(self.scratch / "sizes.csv")
            self.assert_refused(["check", "--robot", ARM, "--log", path], path, "its torques cannot be checked")

    def test_velocities(self):
        def swap(table):
            table.swap("qd_joint_2", "qd_joint_5")

        self.assert_named([
            (lambda t: t.scale(-1, "qd_joint_3"), {("velocity-reversed", "qd_joint_3")}),
            (lambda t: t.scale(180 / math.pi, "qd_joint_3"), {("velocity-in-degrees", "qd_joint_3")}),
            (swap, {("velocity-of-other-joint", f"qd_joint_{k}") for k in (2, 5)}),
            (lambda t: t.scale(1.4, "qd_joint_3"), {("velocity-mismatch", "qd_joint_3")}),
        ], with_velocity=True)

    def test_accelerations(self):
        """Heft uses logged accelerations instead of its own: a doubt names those that are not the position's."""
        table = Table(simulated(), with_velocity=True)
        for joint in JOINTS:
            table[f"qdd_{joint}"] = table.slope(f"qd_{joint}")
        sound = {name: list(table[name]) for name in table.columns}
        accelerations = [f"qdd_{joint}" for joint in JOINTS]
        for factor, wrong in ((1, []), (0, accelerations), (-1, ["qdd_joint_2"]), (180 / math.pi, ["qdd_joint_4"])):
            for name in accelerations:
                table[name] = list(sound[name])
            table.scale(factor, *wrong)
            log = table.write(self.scratch / "accelerations.csv")
            found = [f["subject"] for f in self.check(log) if f["name"] == "acceleration-mismatch"]
            self.assertEqual(found, wrong, factor)
        self.assertEqual([f for f in self.check(log, "--log.acceleration", "[]") if f["severity"] != "note"], [])
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", self.scratch / "wrong")
        self.assertRegex(done.stdout, r"(?m)^doubt:  .*qdd_joint_4: logged acceleration is not the second derivative")

    def test_accelerations_of_slow_joints_with_coarse_encoders(self):
        times, angle, slow = [1e-3 * k for k in range(8000)], 2 * math.pi / 4096, 2 * math.pi * 0.02
        lines = ["t," + ",".join(f"q_{j},qdd_{j},tau_{j}" for j in JOINTS)]
        for t in times:
            motion = [(0.3 * math.sin(slow * t + k), k) for k in range(len(JOINTS))]
            lines.append(f"{t:.3f}," + ",".join(f"{round(q / angle) * angle:.9g},{-slow**2 * q:.9g},{q + k:.9g}" for q, k in motion))
        log = self.scratch / "slow.csv"
        log.write_text("\n".join(lines) + "\n")
        self.assertNotIn("acceleration-mismatch", [f["name"] for f in self.check(log)])


class CheckLogProgram(LogCase):
    def test_missing_log(self):
        path = self.scratch / "nowhere.csv"
        self.assert_refused(["check", "--robot", ARM, "--log", path], path, "cannot be opened", "check the path")

    def test_missing_column(self):
        path = self.write("log.csv", simulated().replace("q_joint_3", "angle_3", 1))
        self.assert_refused(["check", "--robot", ARM, "--log", path], f"{path}:1", "no column 'q_joint_3'")

    def test_empty_logs_are_no_healthy_ones(self):
        names = simulated().splitlines()[0]
        for name, text in (("nothing.csv", ""), ("names.csv", names + "\n"), ("two_rows.csv", "\n".join(simulated().splitlines()[:3]))):
            path = self.write(name, text)
            done = run_heft("check", "--robot", ARM, "--log", path)
            self.assertEqual((done.returncode, done.stdout), (1, ""), name)
            self.assertTrue(done.stderr.startswith(f"heft: {path}"), done.stderr)
            self.assertIn("remedy: ", done.stderr)

    def test_table_names_place_and_remedy(self):
        table = Table(simulated())
        table.scale(-1, "tau_joint_2")
        done = run_heft("check", "--robot", ARM, "--log", table.write(self.scratch / "broken.csv"))
        self.assertRegex(done.stdout, r"(?m)^error +1  torque-reversed +tau_joint_2$")
        self.assertIn("-> negate the torque column", done.stdout)
        self.assertIn("1 error, 0 warnings", done.stdout)
