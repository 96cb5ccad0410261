"""Drives: joint gains with and without a weighed load, friction of the gear's direction and of the path; what is refused.

The torques that gains multiply come from `heft simulate`, which knows no gain: a log's columns are multiplied here.
"""

import csv
import json
import math
import re
import sys

from heft_program import ARM, JOINTS, SOURCE, HeftTestCase, demo_log, run_heft
from schema_walk import wrong_places

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import loaded_arm  # noqa: E402

GAINS = dict(zip(JOINTS, (0.3, -0.2, 0.15, 0.4, -0.1, 0.25, 0.1)))
CONFIG = SOURCE / "tools" / "demo" / "arm.yaml"
RIDGE = 1e-6
PAYLOAD_INERTIA = [loaded_arm.MASS / 12 * (a * a + b * b) for a, b in (
    (loaded_arm.SIZE[1], loaded_arm.SIZE[2]), (loaded_arm.SIZE[0], loaded_arm.SIZE[2]), (loaded_arm.SIZE[0], loaded_arm.SIZE[1]))]


def wrong_arm():
    """The demo arm as a CAD file may have it: every body 10 % too heavy or too light."""
    factors = iter([1.1, 0.9, 1.1, 0.9, 1.1, 0.9, 1.1, 0.9] * 2)

    def scaled(match):
        factor = next(factors)
        return re.sub(r'(value|ixx|iyy|izz)="([^"]+)"', lambda m: f'{m[1]}="{float(m[2]) * factor:.9g}"', match[0])

    return re.sub(r"<mass .*?/>\s*<inertia .*?/>", scaled, open(ARM).read(), flags=re.S)


class Drives(HeftTestCase):
    @classmethod
    def setUpClass(cls):
        import pathlib
        import tempfile
        cls.folder = tempfile.TemporaryDirectory(prefix="heft-drives-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.logs = pathlib.Path(cls.folder.name)
        (cls.logs / "loaded.urdf").write_text(loaded_arm.loaded_arm())
        (cls.logs / "cad.urdf").write_text(wrong_arm())
        for urdf, name, words in ((ARM, "empty", ("--duration", 12)), (cls.logs / "loaded.urdf", "loaded", ("--duration", 12, "--trajectory-seed", 2))):
            done = run_heft("simulate", "--robot", urdf, "--perturbation", 0, "--held-out", 6, *words, "--out", cls.logs / name)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
            for log in ("train", "held_out"):
                cls.scale(cls.logs / name / f"{log}.csv", cls.logs / f"{name}_{log}.csv")

    @classmethod
    def scale(cls, source, target):
        """The log that the drives report: (1 + g) times the true torques."""
        with open(source) as file, open(target, "w") as out:
            reader, writer = csv.reader(file), csv.writer(out)
            header = next(reader)
            factor = [1 + GAINS[name.removeprefix("tau_")] if name.startswith("tau_") else None for name in header]
            writer.writerow(header)
            for row in reader:
                writer.writerow([x if f is None else repr(f * float(x)) for x, f in zip(row, factor)])

    def config(self, text, base=True):
        return self.write("drives.yaml", (CONFIG.read_text() if base else "") + text)

    def identify_drives(self, *logs, text="", out="result", more=()):
        held_out = self.logs / "empty_held_out.csv"
        words = [word for log in logs[1:] for word in ("--log", self.logs / log)]
        return self.identify(*words, "--validate", held_out, "--config", self.config("  - gain: {sd: 0.3}\n" + text), *more,
                             robot=self.logs / "cad.urdf", log=self.logs / logs[0], out=out)

    def payloads(self):
        inertia = [PAYLOAD_INERTIA[0], 0, PAYLOAD_INERTIA[1], 0, 0, PAYLOAD_INERTIA[2]]
        return (f"payloads:\n  - {{logs: [loaded_train.csv], link: gripper, mass: {loaded_arm.MASS}, com: {list(loaded_arm.COM)}, "
                f"inertia: {inertia}}}\n")

    def test_a_weighed_load_makes_gains_identifiable(self):
        result = self.identify_drives("empty_train.csv", "loaded_train.csv", text=self.payloads())
        self.assertEqual(result["status"], "certified")
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])
        gains = {gain["joint"]: gain for gain in result["gains"]}
        self.assertEqual(set(gains), set(JOINTS))
        for joint, true in GAINS.items():
            with self.subTest(joint):
                self.assertTrue(gains[joint]["identifiable"])
                self.assertAlmostEqual((1 + gains[joint]["value"]) / (1 + true), 1, delta=0.03)
                low, high = gains[joint]["interval"]
                self.assertTrue(low < gains[joint]["value"] < high)
        # the columns show the same gains
        for column in result["columns"]:
            if column["kind"] == "gain":
                self.assertEqual(column["value"], gains[column["joints"][0]]["value"])
        # torques are those of the joints, and friction too: 2 % of noise is all that is left
        self.assertLess(result["validation"]["overall_relative"], 0.03)
        truth = json.loads((self.logs / "empty" / "truth.json").read_text())["parameters"]
        for column in result["columns"]:
            if column["kind"] == "viscous":
                self.assertAlmostEqual(column["value"] / truth[column["name"]]["value"], 1, delta=0.1)

    def test_without_a_load_only_ratios_are_known(self):
        done = run_heft("identify", "--robot", self.logs / "cad.urdf", "--log", self.logs / "empty_train.csv", "--config",
                        self.config("  - gain: {sd: 0.3}\n"), "--out", self.scratch / "out")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertIn("only ratios of gains", done.stderr)
        self.assertIn("only ratios of gains", done.stdout)
        result = json.loads((self.scratch / "out" / "result.json").read_text())
        gains = {gain["joint"]: gain for gain in result["gains"]}
        self.assertFalse(any(gain["identifiable"] or gain["interval"] for gain in gains.values()))
        # of joints whose torques share bodies
        for a, b in (("joint_2", "joint_4"),):
            ratio = (1 + gains[a]["value"]) / (1 + gains[b]["value"])
            self.assertAlmostEqual(ratio / ((1 + GAINS[a]) / (1 + GAINS[b])), 1, delta=0.03)

    def test_predicts_and_repeats_itself(self):
        result = self.identify_drives("empty_train.csv", "loaded_train.csv", text=self.payloads())
        options = self.write("again.yaml", json.dumps(result["provenance"]["options"]))
        again = self.identify("--log", self.logs / "loaded_train.csv", "--config", options, robot=self.logs / "cad.urdf",
                              log=self.logs / "empty_train.csv", out="again")
        for a, b in zip(result["gains"], again["gains"]):
            self.assertAlmostEqual(a["value"], b["value"], delta=1e-5)
        done = run_heft("predict", "--model", self.scratch / "result", "--log", self.logs / "empty_held_out.csv", "--out", self.scratch / "p.csv")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_observe_says_where_a_load_helps(self):
        done = run_heft("observe", ARM, "--gains", "--json", self.scratch / "o.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        gains = {gain["joint"]: gain for gain in json.loads((self.scratch / "o.json").read_text())["gains"]}
        self.assertEqual(set(gains), set(JOINTS))
        for joint, gain in gains.items():
            self.assertFalse(gain["alone"])
            self.assertTrue({"gripper", "flange"} & set(gain["with_load_on"]), gain)
            self.assertEqual(set(gain["ratio_to"]), set(JOINTS) - {joint})
        self.assertIn("1.5 times", done.stdout)

    def refused(self, text, says, where=None, remedy="", logs=("empty_train.csv",)):
        config = self.config(text)
        words = [word for log in logs for word in ("--log", self.logs / log)]
        self.assert_refused(["identify", "--robot", ARM, *words, "--config", config, "--out", self.scratch / "out"],
                            where or f"{config}:{config.read_text().count(chr(10))}", says, remedy)

    def test_what_cannot_be_is_refused(self):
        self.refused("  - gain: {sd: 0}\n", "sd must be positive")
        self.refused("  - gain: {sd: -0.1}\n", "sd must be positive")
        self.refused("  - dahl: {width: 0}\n", "width must be positive")
        self.refused("  - maxwell: {widths: []}\n", "widths must not be empty")
        self.refused("  - maxwell: {widths: [0.01, 0]}\n", "widths must be positive")
        self.refused("  - maxwell: {widths: [0.01, 0.01]}\n", "differ from each other")
        self.refused("  - harmonics: {order: 0}\n", "order must be between 1 and 12")
        self.refused("load: {gain: {joint_1: 1.2}}\n", "load.gain: 'joint_1' has no gain column", remedy="log.torque_scale")
        loaded = "payloads:\n  - {logs: [empty_train.csv], link: gripper, mass: 1}\n"
        self.refused("  - gain: {joints: [joint_9]}\n" + loaded, "no joint 'joint_9'", "columns: gain")
        self.refused("  - gain: {}\nestimation: {solver: wls}\n" + loaded, "needs an estimate with prior", "columns: gain")

    def test_memories_that_cannot_be_are_refused(self):
        for expression, says in (("lag(qd, 100)", "a lag of 100 s is not shorter than a segment of"),
                                 ("hysteresis(q, 0)", "the second argument of hysteresis, ' 0', is not a positive number")):
            self.refused(f"  - expression: {{name: x, unit: N m, each_joint: '{expression}'}}\n", says, "columns: x joint_1")

    def changed(self, name, change):
        """The log without a load, every row changed by change(row, first row, names), as a file."""
        with open(self.logs / "empty_train.csv") as file:
            names, *rows = csv.reader(file)
        return self.write(name, "\n".join(",".join(row) for row in [names, *(change(row, rows[0], names) for row in rows)]) + "\n")

    def test_a_weighed_load_that_does_not_move_is_refused(self):
        still = self.changed("still.csv", lambda row, first, names: [row[0], *first[1:]])
        config = self.write("still.yaml", "columns: [default, gain: {sd: 0.1}]\npayloads: [{logs: [still.csv], link: gripper, mass: 1}]\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", self.logs / "empty_train.csv", "--log", still, "--config", config,
                             "--out", self.scratch / "out"], "columns: gain", f"no joint moves in {still}, a log with a payload",
                            "remove the log and its payload")
        config.write_text("columns: [default, gain: {sd: 0.1}]\n")
        self.assertTrue(self.identify("--config", config, log=self.logs / "empty_train.csv")["gains"])

    def test_a_gain_of_a_joint_held_by_its_brake_is_refused(self):
        """A brake carries the torque, the motor none."""
        def hold(row, first, names):
            held = {"q_joint_4": first[names.index("q_joint_4")], "tau_joint_4": repr(0.02 * math.sin(1e6 * float(row[0])))}
            return [held.get(name, value) for name, value in zip(names, row)]

        log, config = self.changed("brake.csv", hold), self.write("brake.yaml", "columns: [default, gain: {sd: 0.3}]\n")
        done = run_heft("identify", "--robot", ARM, "--log", log, "--config", config, "--out", self.scratch / "out")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("do not converge", done.stderr)
        self.assertIn("at rest in all logs, perhaps held by brakes: joint_4\n", done.stderr)
        exclude = re.search(r"remedy: .* exclude their torques: (joints: .*)", done.stderr)[1]
        config.write_text(f"columns: [default, gain: {{sd: 0.3}}]\n{exclude}\n")
        self.assertTrue(self.identify("--config", config, log=log)["gains"])

    def held_log(self, torque_at_rest):
        """A log with the load in which joint_4 moves from pose to pose and rests in between, for 60 % of the time, and its torque there is
        torque_at_rest(true torque, time)."""
        def pose(t):
            k, share = int(t // 2), min((t % 2) / 0.8, 1)
            way = share**3 * (10 - 15 * share + 6 * share**2)
            poses = [0.7 * math.sin(2.4 * i) for i in range(k, k + 2)]
            return poses[0] + way * (poses[1] - poses[0])

        def position(i, t):
            return pose(t) if i == 3 else 0.6 * math.sin((0.9 + 0.17 * i) * t + i) + 0.25 * math.sin((2.3 + 0.1 * i) * t)

        times = [k / 250 for k in range(12 * 250)]
        rows = [[t, *(position(i, t) for i in range(len(JOINTS)))] for t in times]
        motion = self.write("motion.csv", "\n".join([",".join(["t", *(f"q_{joint}" for joint in JOINTS)]),
                                                     *(",".join(map(repr, row)) for row in rows)]) + "\n")
        done = run_heft("simulate", "--robot", self.logs / "loaded.urdf", "--perturbation", 0, "--motion", motion, "--out", self.scratch / "held")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.scratch / "held" / "train.csv") as file:
            header, *lines = csv.reader(file)
        at = header.index("tau_joint_4")
        start = float(lines[0][0])
        for line in lines:
            t = float(line[0]) - start
            if t % 2 > 0.8:
                line[at] = repr(torque_at_rest(float(line[at]), t))
        self.write("held_raw.csv", "\n".join(map(",".join, [header, *lines])) + "\n")
        self.scale(self.scratch / "held_raw.csv", self.scratch / "loaded_train.csv")
        return self.scratch / "loaded_train.csv"

    def test_rest_with_a_load_is_left_out(self):
        """A brake carries the load, or static friction a part of it: the torque of the motor says nothing about the load."""
        kinds = {"brake": lambda tau, t: 0.05 * math.sin(311 * t), "static friction": lambda tau, t: tau + 4}
        for name, kind in kinds.items():
            with self.subTest(name):
                loaded = self.held_log(kind)
                result = self.identify("--log", loaded, "--config", self.config("  - gain: {sd: 0.3}\n" + self.payloads()),
                                       robot=self.logs / "cad.urdf", log=self.logs / "empty_train.csv", out=name.replace(" ", "_"))
                for gain in result["gains"]:
                    self.assertAlmostEqual((1 + gain["value"]) / (1 + GAINS[gain["joint"]]), 1, delta=0.03, msg=gain["joint"])
                doubts = [doubt for doubt in result["doubts"] if doubt["id"] == "load-at-rest"]
                self.assertEqual([(doubt["joint"], doubt["severity"]) for doubt in doubts], [("joint_4", "minor")])
                self.assertRegex(doubts[0]["words"], "joint_4 is at rest in [56][0-9] % of the samples")
                self.assertGreater(result["dropped"]["joint_4 at rest with a payload"], 300)

    def test_clean_logs_with_a_load_have_no_rest(self):
        result = self.identify_drives("empty_train.csv", "loaded_train.csv", text=self.payloads())
        self.assertNotIn("load-at-rest", [doubt["id"] for doubt in result["doubts"]])

    def test_payloads_that_cannot_be_are_refused(self):
        for text, says, where in (
                ("{logs: [nowhere.csv], link: gripper, mass: 1}", "no log is called 'nowhere.csv'", "payloads"),
                ("{logs: [empty_train.csv], link: griper, mass: 1}", "is not a link that the robot moves", "payloads: link 'griper'"),
                ("{logs: [empty_train.csv], link: base, mass: 1}", "is not a link that the robot moves", "payloads: link 'base'"),
                ("{logs: [empty_train.csv], link: gripper, mass: 0}", "mass must be positive", None),
                ("{logs: [], link: gripper, mass: 1}", "logs must not be empty", None),
                ("{logs: [empty_train.csv], mass: 1}", "a payload has no link", None),
                ("{logs: [empty_train.csv], link: gripper, mass: 1, inertia: [1, 2]}", "must be 6 numbers", None),
                ("{logs: [empty_train.csv], link: gripper, mass: 1, inertia: [1, 0, 0, 0, 0, 0]}", "an inertia that no real body has", "payloads")):
            with self.subTest(says):
                self.refused(f"  - gain: {{}}\npayloads:\n  - {text}\n", says, where)


class Friction(HeftTestCase):
    """Columns of the gear's direction, of harmonics and of the path, found in torques to which they were added here."""

    def added(self, joint, torque):
        """The demo log with torque(q, qd) added to a joint."""
        with open(demo_log("train.csv")) as file:
            rows = list(csv.reader(file))
        header, at = rows[0], rows[0].index(f"tau_{joint}")
        values = [float(row[header.index(f"q_{joint}")]) for row in rows[1:]]
        for row, extra in zip(rows[1:], torque(values)):
            row[at] = repr(float(row[at]) + extra)
        return self.write("added.csv", "\n".join(map(",".join, rows)) + "\n")

    def column_of(self, text, log, name):
        result = self.identify("--config", self.write("c.yaml", f"columns: [default, {text}]\nconditioning: {{lowpass_hz: 40}}\n"), log=log)
        return {column["name"]: column["value"] for column in result["columns"]}[name]

    def test_maxwell_follows_the_path(self):
        def slip(q):
            z = [0.0]
            for a, b in zip(q, q[1:]):
                z.append(max(-0.02, min(0.02, z[-1] + b - a)))
            return [50 * value for value in z]

        found = self.column_of("maxwell: {joints: [joint_4], widths: [0.02]}", self.added("joint_4", slip), "maxwell joint_4")
        self.assertAlmostEqual(found / 50, 1, delta=0.15)

    def error_of(self, columns, log):
        """Error of joint_4 and the result; rows and torques are filtered alike, and columns have almost no ridge."""
        text = (f"columns: [default{columns}]\nestimation: {{column_ridge: {RIDGE}}}\n"
                "conditioning: {filter_rows: true, lowpass_hz: 40, torque_lowpass_hz: 15}\n")
        result = self.identify("--config", self.write("c.yaml", text), log=log)
        return next(c["rms_error"] for c in result["training"]["per_channel"] if c["channel"] == "joint_4"), result

    def assert_explained(self, columns, clean_log, log, size):
        """The clean log's unknowns and the true one of a torque with this rms leave the clean error and cost the ridge; the optimum
        costs no more. Weights of joints differ between the logs: 1 %."""
        clean, _ = self.error_of(columns, clean_log)
        without, _ = self.error_of("", log)
        error, result = self.error_of(columns, log)
        self.assertGreater(without, 2 * clean)
        self.assertLess(error, 1.01 * math.hypot(clean, math.sqrt(RIDGE) * size))
        return result

    def test_viscous_friction_that_falls_with_temperature(self):
        with open(demo_log("train.csv")) as file:
            header, *rows = csv.reader(file)
        at, of, clock = header.index("q_joint_2"), header.index("tau_joint_2"), [float(row[0]) for row in rows]
        positions = [float(row[at]) for row in rows]
        last, lines = len(rows) - 1, [",".join([*header, "temperature"])]
        for i, row in enumerate(rows):
            before, after, warm = max(i - 1, 0), min(i + 1, last), 20 + 25 * i / last
            speed = (positions[after] - positions[before]) / (clock[after] - clock[before])
            row[of] = repr(float(row[of]) + 6 * math.exp(-(warm - 25) / 20) * speed)
            lines.append(",".join([*row, repr(warm)]))
        column = ("expression: {name: cold viscous, unit: N m s/rad, rows: {joint_2: qd2*exp(-(temperature-25)/20)}, nonnegative: true}")
        value = self.column_of(f"{{{column}}}", self.write("warm.csv", "\n".join(lines) + "\n"), "cold viscous")
        self.assertAlmostEqual(value, 6, delta=0.6)

    def test_a_duty_cycle_follows_the_supply_voltage(self):
        """A motor with resistance, torque constant and back-EMF on a battery that sags under load: with its voltage, the duty cycle is a
        torque with a gain, and the back-EMF is viscous friction."""
        resistance, constant, ratio, nominal = 0.6, 0.09, 60, 24
        with open(demo_log("train.csv")) as file:
            header, *rows = csv.reader(file)
        at, of, clock = header.index("q_joint_2"), header.index("tau_joint_2"), [float(row[0]) for row in rows]
        positions, last, lines = [float(row[at]) for row in rows], len(rows) - 1, []
        for i, row in enumerate(rows):
            before, after = max(i - 3, 0), min(i + 3, last)
            speed = (positions[after] - positions[before]) / (clock[after] - clock[before])
            current = float(row[of]) / (constant * ratio)
            volts = resistance * current + constant * ratio * speed
            supply = nominal * (1 - 0.25 * i / last) - 0.02 * abs(current)
            lines.append([*row[:of], repr(volts / supply), *row[of + 1:], repr(supply)])
        log = self.write("duty.csv", "\n".join(map(",".join, [[*header, "battery"], *lines])) + "\n")
        stall = constant * ratio * nominal / resistance  # [N m] at full duty
        friction = {column["name"]: column["value"] for column in self.identify()["columns"]}
        errors = {}
        for name, more in (("without", ""), ("with", ", supply_voltage: battery, nominal_voltage: 24")):
            config = self.write(f"{name}.yaml", f"log: {{torque_is: pwm, torque_scale: {{joint_2: {stall}}}{more}}}\n")
            result = self.identify("--config", config, log=log, out=name)
            errors[name] = next(c["rms_error"] for c in result["training"]["per_channel"] if c["channel"] == "joint_2")
            found = {column["name"]: column["value"] for column in result["columns"]}
        clean = next(c["rms_error"] for c in self.identify()["training"]["per_channel"] if c["channel"] == "joint_2")
        self.assertLess(errors["with"], 2 * clean)  # of the speed that is differentiated here
        self.assertGreater(errors["without"], 5 * clean)
        back_emf = (constant * ratio)**2 / resistance
        self.assertAlmostEqual((found["viscous joint_2"] - friction["viscous joint_2"]) / back_emf, 1, delta=0.03)
        # a prediction reads the log likewise
        done = run_heft("predict", "--model", self.scratch / "with", "--log", log, "--out", self.scratch / "p.csv")
        self.assert_done(done)
        with open(self.scratch / "p.csv") as file:
            squares = [(float(row["measured_joint_2"]) - float(row["predicted_joint_2"]))**2 for row in csv.DictReader(file)]
        self.assertLess(math.sqrt(sum(squares) / len(squares)), 2 * clean)

    def test_supply_voltages_that_cannot_be_are_refused(self):
        for text, where, says in (("supply_voltage: battery, nominal_voltage: 24", demo_log("train.csv"), "no column 'battery'"),
                                  ("supply_voltage: battery", "log.nominal_voltage", "is required with log.supply_voltage"),
                                  ("nominal_voltage: 24", "log.supply_voltage", "is required with log.nominal_voltage"),
                                  *((f"supply_voltage: battery, nominal_voltage: {volts}", self.scratch / "supply.yaml",
                                     "nominal_voltage must be between 0.001 and 1e6 V") for volts in ("1e-320", "1e7", "-24"))):
            config = self.write("supply.yaml", f"log: {{{text}}}\n")
            with self.subTest(text):
                done = run_heft("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--config", config, "--out", self.scratch / "none")
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertTrue(done.stderr.startswith(f"heft: {where}"), done.stderr)

    def test_a_memory_advances_over_a_log_whose_rate_changes(self):
        """The second half at a quarter of the rate: the columns are those of the whole log."""
        def slip(q):
            z = [0.0]
            for a, b in zip(q, q[1:]):
                way = math.copysign(1, b - a)
                z.append(way + (z[-1] - way) * math.exp(-abs(b - a) / 0.02))
            return [3 * value for value in z]

        log = self.added("joint_4", slip)
        names, *rows = log.read_text().splitlines()
        half = len(rows) // 2
        slower = self.write("slower.csv", "\n".join([names, *rows[:half], *rows[half::4]]) + "\n")
        for column, name in (("dahl: {joints: [joint_4], width: 0.02}", "dahl joint_4"),
                             ("maxwell: {joints: [joint_4], widths: [0.02]}", "maxwell joint_4"),
                             ("expression: {name: late, unit: N m s/rad, rows: {joint_4: \"lag(qd4, 0.03)\"}}", "late")):
            with self.subTest(name):
                values = [self.column_of(column, one, name) for one in (log, slower)]
                self.assertAlmostEqual(values[1] / values[0], 1, delta=0.02)

    def test_harmonics_explain_a_ripple(self):
        log = self.added("joint_4", lambda q: [4 * math.sin(2 * x) for x in q])
        self.assert_explained(", harmonics: {joints: [joint_4], order: 2}", demo_log("train.csv"), log, 4)

    def test_lag_explains_a_late_torque(self):
        """A column of the log acts 40 ms late."""
        with open(demo_log("train.csv")) as file:
            header, *rows = csv.reader(file)
        at, start = header.index("tau_joint_4"), float(rows[0][0])
        command = lambda t: math.sin(8 * t) + math.sin(17 * t)  # noqa: E731
        size = {"clean": 0, "late": 3}
        for name, factor in size.items():
            lines = [",".join([*header, "command"])]
            for row in rows:
                t = float(row[0])
                late = factor * command(max(start, t - 0.04))
                lines.append(",".join([*row[:at], repr(float(row[at]) + late), *row[at + 1:], repr(command(t))]))
            size[name] = self.write(f"{name}.csv", "\n".join(lines) + "\n")
        column = ", expression: {name: late, unit: N m, rows: {joint_4: \"lag(command, 0.04)\"}}"
        result = self.assert_explained(column, size["clean"], size["late"], 3)
        found = next(c["value"] for c in result["columns"] if c["name"] == "late")
        self.assertAlmostEqual(found / 3, 1, delta=0.01)

    def test_curves_and_loads(self):
        """Friction against speed is that of the columns, at the joint's load also that of the gear's direction; loads are what friction
        leaves of the torques."""
        with open(demo_log("train.csv")) as file:
            log = {name: [float(x) for x in values] for name, *values in zip(*csv.reader(file))}
        reach = 3
        speeds = {joint: [(log[f"q_{joint}"][min(k + reach, len(log["t"]) - 1)] - log[f"q_{joint}"][max(k - reach, 0)]) / (2 * reach / 250)
                          for k in range(len(log["t"]))] for joint in ("joint_2", "joint_4", "joint_6")}
        losses = [0.2 * abs(load) * math.copysign(1, speed) if load * speed < 0 else 0
                  for load, speed in zip(log["tau_joint_4"], speeds["joint_4"])]
        result = self.identify("--config", self.write("c.yaml", "columns: [default, backdrive: {joints: [joint_4]}]\n"),
                               log=self.added("joint_4", lambda q: losses))
        values = {column["name"]: column["value"] for column in result["columns"]}
        loads = {channel["name"]: channel["load_rms"] for channel in result["channels"]}
        self.assertAlmostEqual(values["backdrive joint_4"], 0.2, delta=0.08)  # loads are those of the URDF, whose bodies differ
        curves = {(curve["joint"], curve["load"]): curve for curve in result["friction_curves"]}
        self.assertEqual(set(curves), {(joint, 0) for joint in JOINTS} | {("joint_4", loads["joint_4"])})
        for (joint, load), curve in curves.items():
            for speed, torque in zip(curve["speed"], curve["torque"], strict=True):
                expected = values[f"viscous {joint}"] * speed + values[f"coulomb {joint}"] * math.tanh(speed / 0.05)
                if load > 0 and speed < 0:
                    expected -= values["backdrive joint_4"] * load
                self.assertAlmostEqual(torque, expected, delta=1e-9)
        self.assertFalse(any("position" in curve for curve in result["friction_curves"]))
        for joint in ("joint_2", "joint_6"):
            speed = speeds[joint]
            squares = [(torque - values[f"viscous {joint}"] * v - values[f"coulomb {joint}"] * math.tanh(v / 0.05)
                        - values[f"offset {joint}"])**2 for torque, v in zip(log[f"tau_{joint}"], speed)]
            squares = squares[50:-50]  # two periods of the filter are trimmed
            self.assertAlmostEqual(loads[joint] / math.sqrt(sum(squares) / len(squares)), 1, delta=0.01)

    def test_curves_of_other_joints(self):
        """An expression that has no value at rest at zero removes the curves of its own joint only."""
        column = "expression: {name: root, unit: N m, rows: {joint_2: \"sqrt(abs(q_joint_2) - 1e-12)\"}}"
        result = self.identify("--config", self.write("c.yaml", f"columns: [default, {column}]\n"))
        self.assertEqual({curve["joint"] for curve in result["friction_curves"]}, set(JOINTS) - {"joint_2"})

    def test_curves_over_positions(self):
        """Friction that harmonics make depend on the position has curves over the joint's range: the sum of the columns, relative to rest at
        position zero."""
        config = self.write("c.yaml", "columns: [default, harmonics: {joints: [joint_4], order: 2}, spring: {joints: [joint_4]}]\n")
        result = self.identify("--config", config)
        values = {column["name"]: column["value"] for column in result["columns"]}
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "result.schema.json"), [])
        load = next(channel["load_rms"] for channel in result["channels"] if channel["name"] == "joint_4")
        curves = [curve for curve in result["friction_curves"] if curve["joint"] == "joint_4"]
        self.assertEqual({curve["load"] for curve in curves}, {0, load})
        self.assertFalse(any("position" in curve for curve in result["friction_curves"] if curve["joint"] != "joint_4"))

        def torque(q, speed, load):
            sign = (speed > 0) - (speed < 0)
            waves = sum(
                values[name] * wave(k * q) * factor for k in (1, 2) for word, wave in (("sin", math.sin), ("cos", math.cos))
                for name, factor in ((harmonic(word, k, ""), 1), (harmonic(word, k, " by direction"), sign), (harmonic(word, k, " by load"), load)))
            return values["viscous joint_4"] * speed + values["coulomb joint_4"] * math.tanh(speed / 0.05) + waves

        def harmonic(word, k, factor):
            return f"harmonics{factor} {word} {k}q joint_4"

        for load in {curve["load"] for curve in curves}:
            grid = {curve["position"]: curve for curve in curves if curve["load"] == load and "position" in curve}
            self.assertEqual(len(grid), 25)
            for position, curve in grid.items():
                for speed, found in zip(curve["speed"], curve["torque"], strict=True):
                    self.assertAlmostEqual(found, torque(position, speed, load) - torque(0, 0, load), delta=1e-9)
