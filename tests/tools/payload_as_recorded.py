"""heft payload on logs as drivers and controllers record them: each is read, or named with a remedy that gives the right mass."""

import csv
import json
import math
import random
import re
import subprocess
import sys

from heft_program import SOURCE, HeftTestCase, run_heft
from schema_walk import wrong_places

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import payload_log  # noqa: E402

FORCE, TORQUE = ["fx", "fy", "fz"], ["nx", "ny", "nz"]
GRAVITY, MATRIX = ["gx", "gy", "gz"], [f"r{i}{j}" for i in "123" for j in "123"]
QUATERNION = ["qx", "qy", "qz", "qw"]
MASS = payload_log.moments()[0]
CONTROLLER_FILES = {"payload.urdf", "payload_franka.json", "payload_ur.txt", "payload_ros2.yaml", "points.csv"}


def quaternion(R):
    """x, y, z, w of a rotation from its axis and angle; near half a turn from its largest diagonal entry."""
    w = math.sqrt(max(1 + R[0][0] + R[1][1] + R[2][2], 0)) / 2
    if w > 0.1:
        return [(R[2][1] - R[1][2]) / (4 * w), (R[0][2] - R[2][0]) / (4 * w), (R[1][0] - R[0][1]) / (4 * w), w]
    i = max(range(3), key=lambda k: R[k][k])
    j, k = (i + 1) % 3, (i + 2) % 3
    size = math.sqrt(1 + R[i][i] - R[j][j] - R[k][k])
    q = [0.0] * 4
    q[i], q[j], q[k] = size / 2, (R[i][j] + R[j][i]) / (2 * size), (R[i][k] + R[k][i]) / (2 * size)
    q[3] = (R[k][j] - R[j][k]) / (2 * size)
    return q


def oriented(row, R):
    """Columns r11..r33 instead of gravity."""
    for name in GRAVITY:
        row.pop(name, None)
    row.update(zip(MATRIX, (x for line in R for x in line)))


def transpose_orientation(row):
    R = [[row[f"r{i}{j}"] for j in "123"] for i in "123"]
    oriented(row, payload_log.transposed(R))


def by_quaternion(row, names=QUATERNION):
    R = [[row.pop(f"r{i}{j}") for j in "123"] for i in "123"]
    row.update(zip(names, quaternion(R)))


class PayloadAsRecorded(HeftTestCase):
    def moving(self):
        """Rows of a shaken log with r11..r33."""
        subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(self.scratch / "demo")], check=True)
        with (self.scratch / "demo" / "shaken.csv").open() as file:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        for row in rows:
            oriented(row, payload_log.orientation(row["t"]))
        return rows

    @staticmethod
    def poses_at_rest(count, seed, mass_noise=0.08):
        rng, rows = random.Random(seed), []
        for _ in range(count):
            R = payload_log.rotation(*(rng.uniform(-2.6, 2.6) for _ in range(3)))
            up = payload_log.times(payload_log.transposed(R), [0, 0, payload_log.GRAVITY])
            felt = payload_log.plus(payload_log.wrench([0] * 3, [0] * 3, up), payload_log.BIAS)
            felt = [x + rng.gauss(0, mass_noise * (1 if c < 3 else 0.05)) for c, x in enumerate(felt)]
            row = dict(zip(FORCE + TORQUE, felt))
            oriented(row, R)
            rows.append(row)
        return rows

    def log(self, rows, name="log.csv"):
        path = self.scratch / name
        with path.open("w") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return path

    def weigh(self, rows, config="", out="out", exit_code=None):
        """(result.json, stdout); the exit code may be 0 or 4 unless one is given."""
        command = ["payload", "--log", self.log(rows), "--out", self.scratch / out]
        if config:
            command += ["--config", self.write("payload.yaml", config)]
        done = run_heft(*command)
        self.assertIn(done.returncode, (0, 4) if exit_code is None else (exit_code,), done.stdout + done.stderr)
        result = json.loads((self.scratch / out / "result.json").read_text())
        self.assertEqual(wrong_places(result, SOURCE / "tools" / "payload.schema.json"), [])
        return result, done.stdout

    def doubt(self, result, name):
        found = {doubt["id"]: doubt for doubt in result["doubts"]}
        self.assertIn(name, found, found)
        self.assertEqual(found[name]["severity"], "serious")
        return found[name]

    def remedy_of(self, rows, name):
        """The YAML that the doubt or the error prints."""
        command = ["payload", "--log", self.log(rows), "--out", self.scratch / "doubted"]
        done = run_heft(*command)
        self.assertIn(done.returncode, (1, 4), done.stdout + done.stderr)
        words = done.stderr
        if done.returncode == 4:
            words = self.doubt(json.loads((self.scratch / "doubted" / "result.json").read_text()), name)["remedy"]
        options = re.findall(r"payload\.(\w+): (\[[^\]]*\]|[^\s,;]+)", words)
        self.assertTrue(options, words)
        return "payload: {" + ", ".join(f"{key}: {value}" for key, value in options) + "}\n"

    def assert_weighed(self, result, mass=MASS, level="green"):
        low, high = result["payload"]["intervals"]["mass"]
        self.assertTrue(low - 1e-3 <= mass <= high + 1e-3, (low, mass, high))
        self.assertAlmostEqual(result["payload"]["mass"] / mass, 1, delta=0.02)
        self.assertEqual(result["verdict"]["level"], level, result["doubts"])

    # a payload that is not there

    def without_payload(self, rows, seed):
        rng = random.Random(seed)
        for row in rows:
            for c, name in enumerate(FORCE + TORQUE):
                row[name] = payload_log.BIAS[c] + rng.gauss(0, 0.1 if c < 3 else 0.005)
        return rows

    def test_a_compensated_wrench_is_no_payload(self):
        for words, rows in (("moving", self.moving()), ("poses", self.poses_at_rest(20, 3))):
            for seed in range(4):  # half of them a little below zero
                with self.subTest(words, seed=seed):
                    result, _ = self.weigh(self.poses_at_rest(20, 3), exit_code=0)
                    self.assertTrue(CONTROLLER_FILES <= {path.name for path in (self.scratch / "out").iterdir()})
                    result, printed = self.weigh(self.without_payload(rows, seed), exit_code=4)
                    doubt = self.doubt(result, "no-payload")
                    self.assertIn("controller subtract", doubt["remedy"])
                    self.assertEqual([d["id"] for d in result["doubts"] if d["severity"] == "serious"], ["no-payload"])
                    # files of the run before must not stay
                    self.assertFalse(CONTROLLER_FILES & {path.name for path in (self.scratch / "out").iterdir()})
                    self.assertIn("Not written: payload.urdf", printed)
                    self.assertIn("interval", result["not_written"]["because"])

    def test_a_wrench_without_its_weight(self):
        """The controller subtracts all or most of the weight of the configured payload, and leaves its inertia."""
        m, h, _ = payload_log.moments()
        for share in (1.0, 0.85):
            rows = self.moving()
            for row in rows:
                weight = payload_log.times(payload_log.transposed(payload_log.orientation(row["t"])), [0, 0, share * payload_log.GRAVITY])
                felt = [m * x for x in weight] + payload_log.cross(h, weight)
                row.update({name: row[name] - x for name, x in zip(FORCE + TORQUE, felt)})
            with self.subTest(share):
                result, _ = self.weigh(rows, exit_code=4)
                doubt = self.doubt(result, "weight-compensated")
                self.assertIn("payload to zero", doubt["remedy"])

    # an offset that moves

    def test_an_offset_that_jumps(self):
        """Zeroed during the log, in one component or several times: the printed option gives the mass."""
        cases = {"zeroed": [(3.0, None)], "one component": [(2.2, [0, 0, 2, 0, 0, 0])],
                 "twice": [(1.7, [4, -3, 2, 0.3, 0, 0.1]), (4.1, [-5, 2, 0, 0, 0.2, 0])]}
        for words, jumps in cases.items():
            rows = self.moving()
            for at, by in jumps:
                first = next(k for k, row in enumerate(rows) if row["t"] >= at)
                step = by or [-rows[first][name] for name in FORCE + TORQUE]
                for row in rows[first:]:
                    row.update({name: row[name] + x for name, x in zip(FORCE + TORQUE, step)})
            with self.subTest(words):
                result, _ = self.weigh(rows, exit_code=4)
                doubt = self.doubt(result, "offset-jumps")
                self.assertEqual([d["id"] for d in result["doubts"] if d["severity"] == "serious"], ["offset-jumps"])
                self.assertAlmostEqual(doubt["from_s"], jumps[0][0], delta=0.02)
                corrected, _ = self.weigh(rows, self.remedy_of(rows, "offset-jumps"))
                self.assert_weighed(corrected)
                self.assertEqual(len(corrected["payload"]["biases"]), len(jumps) + 1)
                self.assert_weighed(self.weigh(rows, "payload: {bias_changes: auto}")[0])

    def test_an_offset_that_jumps_between_poses(self):
        rows = self.poses_at_rest(24, 5)
        for row in rows[10:]:
            row["fx"] += 1.5
            row["ny"] -= 0.2
        doubt = self.doubt(self.weigh(rows, exit_code=4)[0], "offset-jumps")
        self.assertIn("row 10 ", doubt["words"])
        self.assert_weighed(self.weigh(rows, self.remedy_of(rows, "offset-jumps"))[0])

    def test_an_offset_that_drifts(self):
        for seed in range(3):
            rows = self.poses_at_rest(50, 20 + seed)
            self.assertEqual(self.weigh(rows, exit_code=0)[0]["verdict"]["level"], "green")
            for k, row in enumerate(rows):
                row["fx"] += 2 * k / 49
                row["fz"] -= 1 * k / 49
            with self.subTest(seed):
                self.assertIn("2.", self.doubt(self.weigh(rows, exit_code=4)[0], "offset-drifted")["words"])
                corrected, printed = self.weigh(rows, self.remedy_of(rows, "offset-drifted"))
                self.assert_weighed(corrected)
                self.assertAlmostEqual(corrected["payload"]["bias_drifts"][0][0], 2, delta=0.3)
                self.assertIn("drift 1", printed)

    def test_offsets_that_cannot_be(self):
        log, out = self.log(self.moving()), self.scratch / "no"
        for where, config, says, remedy in (("payload.bias_changes", "bias_changes: [60]", "60 is not between 0 and 5.99", "auto"),
                                            ("payload.bias_changes", "bias_changes: [3], bias: none", "bias: constant", "remove one of the two"),
                                            ("payload.changes", "bias_changes: [3], changes: [4]", "one offset", "cut the log")):
            with self.subTest(config):
                self.assert_refused(["payload", "--log", log, "--out", out, "--config", self.write("no.yaml", f"payload: {{{config}}}\n")],
                                    where, says, remedy)
        drift = self.write("no.yaml", "payload: {bias: drift}\n")
        self.assert_refused(["payload", "--log", log, "--zero", "--out", out, "--config", drift], "--zero", "drift", "warm up")

    # orientations

    def test_an_orientation_from_world_to_sensor(self):
        cases = {"moving": self.moving(), "poses": self.poses_at_rest(14, 6)}
        for words, rows in cases.items():
            for row in rows:
                transpose_orientation(row)
            with self.subTest(words):
                config = self.remedy_of(rows, "orientation-transposed")
                self.assertEqual(config, "payload: {orientation: world_to_sensor}\n")
                self.assert_weighed(self.weigh(rows, config)[0])
            for row in rows:
                row.update({name: -row[name] for name in FORCE + TORQUE})
            with self.subTest(words, sign=-1):
                config = self.remedy_of(rows, "orientation-transposed")
                self.assertEqual(config, "payload: {orientation: world_to_sensor, sign: -1}\n")
                self.assert_weighed(self.weigh(rows, config)[0])

    def test_orientations_as_quaternions(self):
        for words, make in (("moving", self.moving), ("poses", lambda: self.poses_at_rest(14, 6))):
            for names in (QUATERNION, [f"pose.orientation.{axis}" for axis in "xyzw"]):
                rows = make()
                expected = self.weigh(make())[0]["payload"]["parameters"]
                for row in rows:
                    by_quaternion(row, names)
                with self.subTest(words, names=names[0]):
                    result, _ = self.weigh(rows, exit_code=0)
                    for x, y in zip(result["payload"]["parameters"], expected):
                        self.assertAlmostEqual(x, y, delta=1e-5)
            # scalar part first
            for row in rows:
                x, y, z, w = (row[name] for name in names)
                row.update(zip(names, (w, x, y, z)))
            with self.subTest(words, order="wxyz"):
                config = self.remedy_of(rows, "orientation-transposed")
                self.assertEqual(config, "payload: {quaternion: wxyz}\n")
                self.assert_weighed(self.weigh(rows, config)[0])

    def test_quaternions_that_are_none(self):
        for words, q, says in (("zero", (0, 0, 0, 0), "is zero"), ("too long", (0, 0.6, 0.8, 1), "length 1.4")):
            rows = self.poses_at_rest(12, 6)
            for row in rows:
                by_quaternion(row)
            rows[4].update(zip(QUATERNION, q))
            log = self.log(rows)
            with self.subTest(words):
                self.assert_refused(["payload", "--log", log, "--out", self.scratch / "no"], f"{log}:6", says, "")
        # a matrix or gravity beside it is what counts
        rows = self.poses_at_rest(12, 6)
        for row in rows:
            row.update(zip(QUATERNION, (0, 0, 0, 0)))
        self.assert_weighed(self.weigh(rows)[0])
        lacking = self.poses_at_rest(12, 6)
        for row in lacking:
            by_quaternion(row)
            del row["qw"]
        self.assert_refused(["payload", "--log", self.log(lacking), "--out", self.scratch / "no"], f"{self.scratch / 'log.csv'}:1", "'qw'", "header")

    # names of columns

    def test_names_that_say_force_and_torque(self):
        for force, torque in (("wrench.force.{}", "wrench.torque.{}"), ("f{}", "t{}"), ("force_{}", "torque_{}"), ("F_{}", "M_{}"),
                              ("/ft/wrench/force/{}", "/ft/wrench/torque/{}"), ("F{} (N)", "T{} (Nm)")):
            rows = []
            for row in self.poses_at_rest(12, 7):
                rows.append({name: row[name] for name in MATRIX})
                for axis in "xyz":
                    upper = axis.upper() if force.startswith("F_") else axis
                    rows[-1][force.format(upper)] = row["f" + axis]
                    rows[-1][torque.format(upper)] = row["n" + axis]
            with self.subTest(force):
                result, printed = self.weigh(rows, exit_code=0)
                self.assert_weighed(result)
                self.assertIn("wrench from " + force.split("{")[0], printed)

    def test_six_numbers_of_one_name(self):
        for pattern in ("actual_TCP_force_{}", "wrench[{}]"):
            rows = [{**{name: row[name] for name in MATRIX},
                     **{pattern.format(k): row[name] for k, name in enumerate(FORCE + TORQUE)}} for row in self.poses_at_rest(12, 7)]
            with self.subTest(pattern):
                self.assert_weighed(self.weigh(rows, exit_code=0)[0])

    def test_names_that_need_an_option(self):
        rows = []
        for row in self.poses_at_rest(12, 7):
            rows.append({name: row[name] for name in MATRIX})
            for sensor, scale in (("left", 1), ("right", 2)):
                rows[-1].update({f"{sensor}.force.{a}": scale * row["f" + a] for a in "xyz"})
                rows[-1].update({f"{sensor}.torque.{a}": scale * row["n" + a] for a in "xyz"})
        log = self.log(rows)
        self.assert_refused(["payload", "--log", log, "--out", self.scratch / "no"], f"{self.scratch / 'log.csv'}:1", "2 wrenches",
                            "payload: {wrench: [left.force.x, left.force.y, left.force.z, left.torque.x, left.torque.y, left.torque.z]}")
        names = [f"left.{what}.{axis}" for what in ("force", "torque") for axis in "xyz"]
        self.assert_weighed(self.weigh(rows, f"payload: {{wrench: [{', '.join(names)}]}}\n")[0])
        # names that say nothing
        nameless = [{(f"ch{(FORCE + TORQUE).index(name)}" if name in FORCE + TORQUE else name): x for name, x in row.items()}
                    for row in self.poses_at_rest(12, 7)]
        self.assert_refused(["payload", "--log", self.log(nameless), "--out", self.scratch / "no"], f"{self.scratch / 'log.csv'}:1", "'fx'", "payload: {wrench: [")
        self.assert_weighed(self.weigh(nameless, "payload: {wrench: [ch0, ch1, ch2, ch3, ch4, ch5]}\n")[0])
        wrong = self.write("wrong.yaml", "payload: {wrench: [ch0, ch1, ch2, ch3, ch4, ch9]}\n")
        self.assert_refused(["payload", "--log", self.log(nameless), "--out", self.scratch / "no", "--config", wrong], f"{self.scratch / 'log.csv'}:1", "'ch9'", "ch5")
