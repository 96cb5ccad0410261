"""One recording in several files (a.csv+b.csv): stamps of one clock are joined as they are; clocks of their own are matched by
what the motion says of the torques."""

import csv
import functools
import json
import pathlib
import random
import tempfile

from heft_program import ARM, HeftTestCase, run_heft
from log_forms import difference

DURATION, RATE = 24, 200


@functools.lru_cache(maxsize=None)
def recording():
    folder = tempfile.TemporaryDirectory(prefix="heft-clocks-")
    done = run_heft("simulate", "--robot", ARM, "--duration", DURATION, "--held-out", 4, "--rate", RATE, "--seed", 5,
                    "--out", folder.name)
    assert done.returncode == 0, done.stderr
    with open(pathlib.Path(folder.name) / "train.csv", newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    return folder, rows


class OwnClocks(HeftTestCase):
    def part(self, name, prefixes, stamp=lambda t: t, keep=lambda t: True):
        """A file of the columns with these prefixes, its stamps changed."""
        _, rows = recording()
        names = [column for column in rows[0] if column.split("_")[0] in prefixes]
        lines = [",".join(["t", *names])]
        lines += [",".join(repr(x) for x in [stamp(row["t"]), *(row[column] for column in names)])
                  for row in rows if keep(row["t"])]
        return self.write(name, "\n".join(lines) + "\n")

    def motion(self, **options):
        return self.part("motion.csv", ("q", "qd"), **options)

    def torques(self, **options):
        return self.part("torques.csv", ("tau",), **options)

    def found(self, one, other, out="found"):
        return self.identify(log=f"{one}+{other}", out=out)

    @functools.cached_property
    def plain(self):
        return self.identify(log=self.part("whole.csv", ("q", "qd", "tau")), out="plain")

    def assert_clock(self, result, offset, rate_ppm=0.0, tolerance=1e-3):
        clock, = result["clocks"]
        self.assertAlmostEqual(clock["offset_s"], offset, delta=tolerance)
        self.assertAlmostEqual(clock["rate_ppm"], rate_ppm, delta=40)
        self.assertLess(abs(clock["offset_s"] - offset), 6 * clock["offset_sd_s"] + 2e-4)

    def assert_fit(self, result):
        """As of one file; 0.1 ms moves products of inertia by a tenth of the largest."""
        self.assertLess(result["training"]["overall_relative"], 1.05 * self.plain["training"]["overall_relative"])
        self.assertLess(difference(result, self.plain), 0.3)

    def test_one_clock_is_left_alone(self):
        result = self.found(self.motion(), self.torques())
        self.assertNotIn("clocks", result)
        self.assertEqual(result["bodies"], self.plain["bodies"])

    def test_offset_and_rate(self):
        """The clock of the torques is 2137 s ahead and 400 ppm fast: 5 ms at both ends."""
        torques = self.torques(stamp=lambda t: 2137.25 + 1.0004 * t)
        result = self.found(self.motion(), torques)
        self.assert_clock(result, 2137.25, 400)
        self.assert_fit(result)
        done = run_heft("predict", "--model", self.scratch / "found", "--log", f"{self.motion()}+{torques}", "--out", self.scratch / "p.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\b[0-2]\.?\d* %")

    def test_torques_first_and_later(self):
        """The recording of the torques begins 2 s later, with its own zero; it leads the join."""
        result = self.found(self.torques(stamp=lambda t: t - 2, keep=lambda t: t >= 2), self.motion())
        self.assert_clock(result, 2.0)
        self.assert_fit(result)

    def test_since_1970_and_since_boot(self):
        result = self.found(self.motion(stamp=lambda t: 1_771_234_567 + t), self.torques(stamp=lambda t: 51.5 + t))
        self.assert_clock(result, 51.5 - 1_771_234_567)
        self.assert_fit(result)

    def test_a_motion_that_does_not_show_the_clock_is_refused(self):
        random.seed(3)
        lines = ["t," + ",".join(f"tau_joint_{k}" for k in range(1, 8))]
        lines += [",".join([repr(500 + k / RATE), *(repr(random.gauss(0, 3)) for _ in range(7))]) for k in range(DURATION * RATE)]
        noise = self.write("noise.csv", "\n".join(lines) + "\n")
        self.assert_refused(["identify", "--robot", ARM, "--log", f"{self.motion()}+{noise}", "--out", self.scratch / "o"], noise,
                            "the motion does not show how their clocks differ", "record at least 20 s")

    def test_info_lists_every_file(self):
        out = self.scratch / "info.json"
        done = run_heft("info", f"{self.motion()}+{self.torques(stamp=lambda t: t + 500)}", "--json", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        motion, torques = json.loads(out.read_text())["topics"]
        self.assertIn("q_joint_1", motion["fields"])
        self.assertEqual((torques["messages"], torques["fields"][0]), (motion["messages"], "t"))
        self.assert_refused(["info", f"{self.motion()}+"], f"{self.motion()}+", "empty file name", "FILE+FILE")

    def test_columns_are_suggested_for_one_file(self):
        log = f"{self.motion()}+{self.torques()}"
        self.assert_refused(["check", "--robot", ARM, "--log", log, "--suggest", self.scratch / "s.yaml"], log, "several files", "for each file")

    def test_check_reads_them_too(self):
        report = self.scratch / "check.json"
        done = run_heft("check", "--robot", ARM, "--log", f"{self.motion()}+{self.torques(stamp=lambda t: t + 30)}", "--json", report)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertFalse([f for f in json.loads(report.read_text())["findings"] if f["severity"] == "error"])
