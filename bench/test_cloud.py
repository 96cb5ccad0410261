#!/usr/bin/env python3
"""bench/cloud/run with emulated programs: the files it writes, and its messages about parts that cannot run."""
import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

RUN = pathlib.Path(__file__).resolve().parent / "cloud" / "run"


def run(*words):
    return subprocess.run([sys.executable, RUN, *map(str, words)], capture_output=True, text=True)


class Cloud(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build, self.out = self.folder / "build", self.folder / "out"
        self.build.mkdir()

    def play(self, code):
        row = json.dumps({"rows": [{"robot": "arm", "backend": "cpu", "samples_per_s": 2.5e6}]})
        heft = self.build / "heft"
        heft.write_text(f"#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" != --json ] || echo '{row}' >\"$2\"; shift; done\nexit {code}\n")
        heft.chmod(heft.stat().st_mode | stat.S_IXUSR)

    def test_files_a_dated_table(self):
        self.play(0)
        done = run("--build", self.build, "--out", self.out, "--only", "moments,solver")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        table = next(self.out.glob("20*/README.md")).read_text()
        self.assertIn("| arm cpu | 2.5 million samples a second | |", table)
        self.assertRegex(table, r"skipped: .*bench_solver is not built")
        self.assertRegex(table, r"\d{4}-\d\d-\d\d \d\d:\d\d UTC, commit \w+")

    def test_no_place_of_the_machine_is_filed(self):
        self.play(0)
        run("--build", self.build, "--out", self.out, "--only", "moments,solver,payload")
        for path in self.out.rglob("*"):
            if path.is_file():
                self.assertNotIn(str(RUN.parents[2]), path.read_text(), path.name)

    def test_what_failed_is_named(self):
        self.play(3)
        done = run("--build", self.build, "--out", self.out, "--only", "moments")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("failed (3)", next(self.out.glob("20*/README.md")).read_text())

    def test_nothing_to_run(self):
        self.assertEqual(run("--build", self.build, "--out", self.out, "--only", "moments,solver").returncode, 77)
        self.assertEqual(run("--build", self.build, "--only", "everything").returncode, 2)

    def test_no_time_is_said(self):
        self.play(0)
        done = run("--build", self.build, "--out", self.out, "--only", "moments", "--minutes", "0")
        self.assertIn("no time left", done.stdout)

    def test_dry_run_runs_nothing(self):
        self.play(0)
        done = run("--build", self.build, "--out", self.out, "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("payload: ", done.stdout)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
