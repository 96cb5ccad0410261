"""Fleets whose logs are recordings in several files (motion.csv+torques.csv) and bag folders."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

from fleet_case import FleetTestCase
from heft_program import ARM, SOURCE, run_heft
from own_clocks import recording

RECORD = SOURCE / "bench" / "bags" / "record.py"


class Recordings(FleetTestCase):
    def part(self, name, prefixes, stamp=lambda t: t, keep=lambda t: True):
        """A file of the columns with these prefixes of one simulated log."""
        _, rows = recording()
        names = [column for column in rows[0] if column.split("_")[0] in prefixes]
        lines = [",".join(["t", *names])]
        lines += [",".join(repr(x) for x in [stamp(row["t"]), *(row[column] for column in names)]) for row in rows if keep(row["t"])]
        return self.write(name, "\n".join(lines) + "\n")

    def setUp(self):
        super().setUp()
        shutil.copy(ARM, self.scratch / "arm.urdf")
        self.part("motion.csv", ("q", "qd"))
        self.part("torques.csv", ("tau",))

    def row(self, log, **fields):
        return {"robot_id": "x", "robot": "arm.urdf", "log": log, **fields}

    def result(self, store):
        return json.loads((pathlib.Path(store) / "results" / "x" / "result.json").read_text())

    def alone(self, log):
        out = self.scratch / "alone"
        done = run_heft("identify", "--robot", ARM, "--log", log, "--out", out)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads((out / "result.json").read_text())

    def assert_bodies(self, result, expected):
        for body, other in zip(result["bodies"], expected["bodies"]):
            scale = max(abs(value) for value in body["parameters"].values())
            for name, value in body["parameters"].items():
                self.assertLessEqual(abs(value - other["parameters"][name]), 1e-10 * scale)

    def test_two_files_are_one_log(self):
        """The result is that of one file; a second run reads nothing again; a change in the second file is noticed."""
        whole, store = self.part("whole.csv", ("q", "qd", "tau")), self.scratch / "store"
        manifest = self.manifest([self.row("motion.csv+torques.csv")])
        self.run_fleet(manifest, store)
        self.assert_bodies(self.result(store), self.alone(whole))
        digests = "".join(hashlib.sha256((self.scratch / name).read_bytes()).hexdigest() for name in ("motion.csv", "torques.csv"))
        digest = hashlib.sha256(digests.encode()).hexdigest()
        inputs = {one["path"]: one["sha256"] for one in self.result(store)["provenance"]["inputs"]}
        self.assertIn(digest, inputs.values())
        self.assertIn("0 logs mapped", self.run_fleet(manifest, store).stdout)
        before = self.digests(store)
        self.part("torques.csv", ("tau",), keep=lambda t: t < 20)
        self.assertIn("1 log mapped", self.run_fleet(manifest, store).stdout)
        self.assertNotEqual(self.digests(store), before)
        done = self.run_fleet(self.manifest([self.row("motion.csv+torques.csv", sha256=digest)], "given.csv"), store, exit_code=1)
        self.assertIn("does not match the manifest", done.stdout + done.stderr)

    def test_the_place_of_the_files_changes_nothing(self):
        stores = []
        for name in ("here", "there"):
            folder = self.scratch / name
            folder.mkdir()
            for file in ("arm.urdf", "motion.csv", "torques.csv"):
                shutil.copy(self.scratch / file, folder / file)
            manifest = self.manifest([self.row("motion.csv+torques.csv")], f"{name}/fleet.csv")
            stores.append(self.scratch / f"store of {name}")
            self.run_fleet(manifest, stores[-1])
        self.assertEqual(*map(self.digests, stores))

    def test_clocks_of_their_own(self):
        """The clocks are matched as by identify, on one or more threads; start_s and end_s are stamps of the first file."""
        self.part("torques.csv", ("tau",), stamp=lambda t: 2137.25 + 1.0004 * t)
        expected = self.alone(f"{self.scratch / 'motion.csv'}+{self.scratch / 'torques.csv'}")
        for jobs in (1, 4):
            self.run_fleet(self.manifest([self.row("motion.csv+torques.csv")]), self.scratch / f"jobs{jobs}", "--jobs", jobs)
            result = self.result(self.scratch / f"jobs{jobs}")
            self.assert_bodies(result, expected)
            self.assertEqual([clock["offset_s"] for clock in result["clocks"]], [clock["offset_s"] for clock in expected["clocks"]])
        self.assertEqual(self.digests(self.scratch / "jobs1"), self.digests(self.scratch / "jobs4"))
        config = self.write("huber.yaml", "estimation: {loss: huber}\n")  # identified as a whole
        for name, fields in (("parts", {}), ("whole", {"config": config})):
            self.run_fleet(self.manifest([self.row("motion.csv+torques.csv", end_s=10, **fields)]), self.scratch / name)
            log, = self.result(self.scratch / name)["logs"]["training"]
            self.assertLess(abs(log["rows"] - 10 * 200), 5, name)
            self.assertEqual(len(self.result(self.scratch / name)["clocks"]), 1, name)

    def test_bad_rows(self):
        """Every row has its error at its line; rows of other robots are done."""
        good = self.row("motion.csv+torques.csv", robot_id="good")
        cases = {"motion.csv+none.csv": "none.csv' does not exist", "motion.csv+": "has an empty file name",
                 "motion.csv+arm.urdf": "arm.urdf"}
        for log, words in cases.items():
            with self.subTest(log):
                done = self.run_fleet(self.manifest([good, self.row(log)]), self.scratch / "bad", exit_code=1)
                self.assertIn(words, done.stdout + done.stderr)
                self.assertEqual({robot["id"]: robot["state"] for robot in self.fleet_json(self.scratch / "bad")["robots"]},
                                 {"good": "done", "x": "failed"})
        done = self.run_fleet(self.manifest([self.row("motion.csv+torques.csv", format="npy")]), self.scratch / "npy", exit_code=1)
        self.assertIn("is csv, not npy", done.stdout + done.stderr)
        self.part("more.csv", ("tau",))
        leak = [self.row("motion.csv+torques.csv"), self.row("motion.csv+more.csv", role="validate")]
        done = self.run_fleet(self.manifest(leak), self.scratch / "leak", exit_code=1)
        self.assertIn("validated on its training data", done.stdout + done.stderr)
        done = run_heft("fleet", "check", self.manifest([self.row("motion.csv+torques.csv", format="npy")]))
        self.assertIn("motion.csv: is csv, not npy", done.stdout)

    def test_bag_folders(self):
        """A folder with metadata.yaml is one log; its files are its digest."""
        bag, logs = self.scratch / "logs" / "x" / "monday", self.scratch / "logs"
        bag.parent.mkdir(parents=True)
        done = subprocess.run([sys.executable, RECORD, self.part("whole.csv", ("q", "qd", "tau")), bag], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copy(ARM, logs / "arm.urdf")
        (logs / "y").mkdir()
        os.replace(self.scratch / "whole.csv", logs / "y" / "whole.csv")
        manifest, store = self.scratch / "proposed.csv", self.scratch / "store"
        done = run_heft("fleet", "manifest", logs, "--out", manifest)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("x,logs/arm.urdf,logs/x/monday,", manifest.read_text())
        self.run_fleet(manifest, store)
        self.assert_bodies(self.result(store), self.alone(bag))
        self.assertIn("0 logs mapped", self.run_fleet(manifest, store).stdout)
        empty = self.scratch / "nothing"
        empty.mkdir()
        done = self.run_fleet(self.manifest([self.row("nothing")]), self.scratch / "none", exit_code=1)
        self.assertIn("is neither a file nor a bag folder", done.stdout + done.stderr)
