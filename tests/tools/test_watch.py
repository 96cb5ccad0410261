"""heft watch on logs of the demo arm: states, changes, snapshots, and input that is wrong in one way each."""

import json
import math
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from heft_program import ARM, PROGRAM, HeftTestCase, run_heft

KEYS = ["t", "type", "what", "size", "interval", "onset_s", "error_relative", "certified", "age_ms", "latency_us"]
FAULT_S = 40


class WatchCase(HeftTestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="heft-watch-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.logs = pathlib.Path(cls.folder.name)
        cls.model = cls.logs / "model"
        for arguments in (["simulate", "--robot", ARM, "--duration", 30, "--held-out", 60, "--rate", 250, "--seed", 3,
                           "--out", cls.logs],
                          ["identify", "--robot", ARM, "--log", cls.logs / "train.csv", "--out", cls.model]):
            done = run_heft(*arguments)
            if done.returncode not in (0, 4):
                raise AssertionError(done.stderr)
        header, *rows = (cls.logs / "held_out.csv").read_text().splitlines()
        cls.header, cls.rows = header.split(","), [row.split(",") for row in rows]

    def column(self, name):
        return self.header.index(name)

    def text(self, rows):
        return "\n".join(",".join(row) for row in [self.header] + rows) + "\n"

    def watch(self, text, *flags, exit_code=0):
        done = subprocess.run([PROGRAM, "watch", "--model", self.model, *map(str, flags)], input=text, timeout=240,
                              capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def of_type(self, lines, kind):
        return [line for line in lines if line["type"] == kind]


class Watch(WatchCase):
    def test_states_are_certified_and_nothing_changes(self):
        lines = self.watch(self.text(self.rows))
        for line in lines:
            self.assertEqual(list(line)[:len(KEYS)], KEYS)
            self.assertEqual(line["schema"], "heft-watch-1")
        self.assertEqual({line["type"] for line in lines}, {"state"}, lines)
        self.assertGreater(len(lines), 50)
        self.assertTrue(lines[-1]["certified"])
        self.assertLess(lines[-1]["error_relative"], 0.2)

    def test_a_gain_that_falls_is_named_with_its_onset(self):
        tau = self.column("tau_joint_2")
        rows = [list(row) for row in self.rows]
        for row in rows:
            if float(row[0]) >= FAULT_S:
                row[tau] = repr(0.8 * float(row[tau]))
        changes = self.of_type(self.watch(self.text(rows)), "change")
        self.assertTrue(changes)
        first = changes[0]
        self.assertEqual(first["what"], "gain joint_2")
        self.assertAlmostEqual(first["size"], -0.2, delta=0.05)
        self.assertLess(first["t"] - FAULT_S, 10)
        self.assertAlmostEqual(first["onset_s"], FAULT_S, delta=2)

    def test_a_run_in_two_halves_says_what_one_run_says(self):
        middle = len(self.rows) // 2
        whole = self.watch(self.text(self.rows), "--snapshot", self.scratch / "whole.bin")
        snapshot = self.scratch / "watch.bin"
        self.watch(self.text(self.rows[:middle]), "--snapshot", snapshot)
        second = self.watch(self.text(self.rows[middle:]), "--snapshot", snapshot)
        self.assertTrue((self.scratch / "whole.bin").read_bytes() == snapshot.read_bytes())
        self.assertEqual(whole[-1]["error_relative"], second[-1]["error_relative"])
        self.assertEqual(whole[-1]["t"], second[-1]["t"])

    def test_snapshots_of_other_options_are_refused(self):
        snapshot = self.scratch / "watch.bin"
        self.watch(self.text(self.rows[:1000]), "--snapshot", snapshot)
        self.watch(self.text(self.rows[:1000]), "--snapshot", snapshot, "--forget", 60, exit_code=1)
        snapshot.write_bytes(snapshot.read_bytes()[:-3])
        self.watch(self.text(self.rows[:1000]), "--snapshot", snapshot, exit_code=1)

    def test_a_signal_leaves_a_snapshot(self):
        snapshot = self.scratch / "watch.bin"
        with subprocess.Popen([PROGRAM, "watch", "--model", self.model, "--snapshot", snapshot, "--every", "250"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            running.stdin.write(self.text(self.rows[:3000]))
            running.stdin.flush()
            self.assertEqual(json.loads(running.stdout.readline())["type"], "state")
            running.send_signal(signal.SIGTERM)
            _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 5, errors)
        self.assertGreater(snapshot.stat().st_size, 1000)

    def test_a_signal_at_any_time_leaves_a_whole_snapshot_or_none(self):
        snapshot = self.scratch / "watch.bin"
        (self.scratch / "log.csv").write_text(self.text(self.rows))
        for delay in (0.02, 0.06, 0.1, 0.15, 0.2, 0.3):  # it is written at 60 s of samples, and at the end
            with open(self.scratch / "log.csv") as log, subprocess.Popen(
                    [PROGRAM, "watch", "--model", self.model, "--snapshot", snapshot], stdin=log, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL) as running:
                time.sleep(delay)
                running.send_signal(signal.SIGTERM)
                running.wait(60)
            if snapshot.exists():
                self.watch(self.text(self.rows[:2000]), "--snapshot", snapshot)
                snapshot.unlink()
        self.assertEqual([path.name for path in self.scratch.iterdir()], ["log.csv"])


class WatchBaseline(WatchCase):
    def fleet(self, count=6, spread=0.02, version=None, **changes):
        """fleet.json of copies of the model whose friction differs by `spread` from one to the next, their masses by a fifth."""
        folder = self.scratch / "fleet"
        shutil.rmtree(folder, ignore_errors=True)
        result = json.loads((self.model / "result.json").read_text())
        robots = []
        for k in range(count):
            other = json.loads(json.dumps(result)) | changes
            for column in other["columns"]:
                column["value"] += spread * (abs(column["value"]) + 0.2) * (k - (count - 1) / 2)
            for body in other["bodies"]:
                body["parameters"]["m"] *= 1 + 0.2 * (k - (count - 1) / 2)
            path = folder / "results" / f"r{k}" / "result.json"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(other))
            robots.append({"id": f"r{k}", "state": "done", "result": f"results/r{k}/result.json"})
        robots.append({"id": "late", "state": "missing", "result": None})
        file = folder / "fleet.json"
        file.write_text(json.dumps({"schema": "heft-fleet-1", "version": version or result["provenance"]["version"],
                                    "robots": robots}))
        return file

    def with_friction(self, size):
        """Rows with `size` [N m] more dry friction in joint_2 from FAULT_S on."""
        q, tau = self.column("q_joint_2"), self.column("tau_joint_2")
        rows = [list(row) for row in self.rows]
        for before, row, after in zip(self.rows, rows[1:], self.rows[2:]):
            if float(row[0]) >= FAULT_S:
                velocity = (float(after[q]) - float(before[q])) / (float(after[0]) - float(before[0]))
                row[tau] = repr(float(row[tau]) + size * math.tanh(velocity / 0.05))
        return rows

    def test_states_and_changes_are_compared_with_the_spread_of_a_fleet(self):
        friction = {column["name"]: column["value"] for column in json.loads((self.model / "result.json").read_text())["columns"]}
        rows = self.with_friction(0.3 * friction["coulomb joint_2"])
        for spread, word in ((0.02, "left"), (0.3, "within")):
            with self.subTest(word):
                lines = self.watch(self.text(rows), "--baseline", self.fleet(spread=spread))
                states = [line for line in self.of_type(lines, "state") if 10 < line["t"] < FAULT_S]
                self.assertFalse(any(line["left"] for line in states), states[-1])
                if word == "within":
                    self.assertEqual({line["verdict"] for line in states}, {"within"}, states[-1])
                change = self.of_type(lines, "change")[0]
                self.assertEqual((change["what"], change["verdict"]), ("coulomb joint_2", word))

    def test_a_change_at_the_bound_of_a_fleet_is_unresolved(self):
        friction = {column["name"]: column["value"] for column in json.loads((self.model / "result.json").read_text())["columns"]}["coulomb joint_2"]
        rows = self.with_friction(0.3 * friction)
        change = self.of_type(self.watch(self.text(rows), "--baseline", self.fleet()), "change")[0]
        self.assertEqual(change["what"], "coulomb joint_2")
        # the bound is between the changed value and the lower end of its interval
        half = 0.5 * (change["size"] + change["interval"][0])
        deviation = half / (2.5706 * math.sqrt(1 + 1 / 6))  # of six robots, by Student's t of five degrees
        spread = deviation / (math.sqrt(3.5) * (abs(friction) + 0.2))
        change = self.of_type(self.watch(self.text(rows), "--baseline", self.fleet(spread=spread)), "change")[0]
        self.assertEqual((change["what"], change["verdict"]), ("coulomb joint_2", "unresolved"))

    def test_a_result_is_a_baseline_and_a_gain_has_no_verdict(self):
        tau = self.column("tau_joint_2")
        rows = [list(row) for row in self.rows]
        for row in rows:
            if float(row[0]) >= FAULT_S:
                row[tau] = repr(0.8 * float(row[tau]))
        lines = self.watch(self.text(rows), "--baseline", self.model)
        change = self.of_type(lines, "change")[0]
        self.assertEqual((change["what"], change["verdict"]), ("gain joint_2", None))
        self.assertTrue(all("verdict" in line for line in self.of_type(lines, "state")))

    def test_baselines_of_another_robot_or_version_are_refused(self):
        no_fleet = self.scratch / "other.json"
        no_fleet.write_text("{}")
        for make, words in ((lambda: self.fleet(robot="ur5"), "belongs to the robot 'ur5'"),
                            (lambda: self.fleet(columns=[]), "other bodies or columns"),
                            (lambda: self.fleet(version="9.9.9"), "was written by version '9.9.9'"),
                            (lambda: self.fleet(count=2), "has 2 finished results"),
                            (lambda: no_fleet, "is neither fleet.json nor result.json"),
                            (lambda: self.scratch / "absent.json", "absent.json")):
            with self.subTest(words):
                done = subprocess.run([PROGRAM, "watch", "--model", self.model, "--baseline", make()],
                                      input=self.text(self.rows[:100]), timeout=60, capture_output=True, encoding="utf-8")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stderr)


class WatchBadInput(WatchCase):
    def errors(self, rows, *flags):
        lines = self.watch(self.text(rows), *flags)
        return [line["what"] for line in self.of_type(lines, "error")]

    def damaged(self, change, at=2000):
        rows = [list(row) for row in self.rows[:4000]]
        change(rows, at)
        return rows

    def test_a_row_that_is_wrong_is_an_error_line(self):
        def not_a_number(rows, at):
            rows[at][self.column("q_joint_2")] = "nan"

        def text(rows, at):
            rows[at][self.column("tau_joint_3")] = "off"

        def stall(rows, at):
            del rows[at:at + 100]

        def backward(rows, at):
            for row in rows[at:]:
                row[0] = repr(float(row[0]) - 1)

        def twice(rows, at):
            rows.insert(at, list(rows[at]))

        def forward(rows, at):
            for row in rows[at:]:
                row[0] = repr(float(row[0]) + 3600)

        def fewer(rows, at):
            del rows[at][-1]

        def more(rows, at):
            rows[at].append("0.5")

        def time(rows, at):
            rows[at][0] = ""

        for change, words in ((not_a_number, "the position of joint_2 is not a number"),
                              (text, "the torque of joint_3 is not a number"), (stall, "samples are missing"),
                              (backward, "the clock jumps back"), (twice, "the row is skipped"),
                              (forward, "samples are missing"), (fewer, "different number of columns"), (more, "different number of columns"),
                              (time, "the time of a row is not a number")):
            with self.subTest(words):
                errors = self.errors(self.damaged(change))
                self.assertEqual(len(errors), 1, errors)
                self.assertIn(words, errors[0])

    def test_a_rate_that_changes_is_said(self):
        for step in (0.002, 0.016):
            with self.subTest(step):
                rows = [list(row) for row in self.rows[:4000]]
                for i, row in enumerate(rows[2000:]):
                    row[0] = repr(float(rows[1999][0]) + step * (i + 1))
                self.assertTrue(any("the rate of the samples" in error for error in self.errors(rows)))

    def test_times_in_another_unit_are_refused_until_it_is_given(self):
        rows = [[repr(1000 * float(row[0])), *row[1:]] for row in self.rows[:1000]]
        done = subprocess.run([PROGRAM, "watch", "--model", self.model], input=self.text(rows), timeout=60, capture_output=True,
                              encoding="utf-8")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("log.time_unit", done.stderr)
        expected = self.watch(self.text(self.rows[:1000]))[-1]
        last = self.watch(self.text(rows), "--log.time_unit", "ms")[-1]
        for key in ("t", "error_relative"):
            self.assertAlmostEqual(last[key], expected[key], places=9)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "watch", "--model", self.model], input=self.text(self.rows[:1000]), timeout=60, stdout=full,
                                  stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: cannot be written", done.stderr)

    def test_headers_without_a_joint_and_empty_input_are_refused(self):
        for text, words in (("", "is empty"), ("t,q_joint_1\n0,0\n", "no column 'q_joint_2' for the position of 'joint_2'"),
                            (self.text(self.rows[:3]), "too few samples")):
            with self.subTest(words):
                done = subprocess.run([PROGRAM, "watch", "--model", self.model], input=text, timeout=60,
                                      capture_output=True, encoding="utf-8")
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_numbers_that_are_none_are_refused(self):
        log = self.write("rows.csv", self.text(self.rows[:300]))
        for flag, value in (("--idle", "nan"), ("--idle", "-1"), ("--idle", "inf"), ("--every", "-1"), ("--forget", "nan"), ("--forget", "inf")):
            with self.subTest(flag=flag, value=value):
                done = run_heft("watch", "--model", self.model, "--log", log, *(["--idle", 0.1] if flag != "--idle" else []), flag, value)
                self.assertGreaterEqual(done.returncode, 100)
                self.assertIn(f"{flag}: '{value}' is not a number of 0 or more", done.stderr)

    def test_a_consumer_that_does_not_read_holds_up_nothing(self):
        with subprocess.Popen([PROGRAM, "watch", "--model", self.model, "--every", "1"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            running.stdin.write(self.text(self.rows[:6000]))  # returns once the program has read nearly all
            running.stdin.close()
            running.stdin = None
            _, errors = running.communicate(timeout=120)
        self.assertIn(running.returncode, (0, 3), errors)
        self.assertRegex(errors, r"\d+ lines dropped")
