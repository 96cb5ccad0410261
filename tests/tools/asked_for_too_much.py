"""Bounds on what a file can request: each of these is refused or done within two seconds of processor time and 500 MB."""

import json
import os
import resource
import subprocess
import unittest

from bounded_run import BoundedTestCase
from heft_program import ARM, PROGRAM, HeftTestCase, demo_log, run_heft


def joint(k, parent):
    """A link of 1 kg, and its joint, which turns about an axis of its own."""
    axis, roll = ("0 1 0", 0) if k % 2 else ("0 0 1", 1.5707963267948966)
    return (f'<link name="l{k}"><inertial><origin xyz="0 0 .1"/><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" '
            f'iyz="0" izz=".1"/></inertial></link><joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="0.1 0.05 .2" rpy="{roll} 0 {0.3 * k}"/><axis xyz="{axis}"/>'
            '<limit lower="-3" upper="3" effort="10" velocity="3"/></joint>\n')


def chain(count):
    return ('<robot name="chain"><link name="l0"/>\n' + "".join(joint(k, f"l{k - 1}") for k in range(1, count + 1)) +
            "</robot>")


def star(count):
    return '<robot name="star"><link name="l0"/>\n' + "".join(joint(k, "l0") for k in range(1, count + 1)) + "</robot>"


class AskedForTooMuch(BoundedTestCase):
    most_memory = 500 << 20
    most_seconds = 10  # five times the bound, for builds with sanitizers

    def refused(self, arguments, says, place=""):
        code, message = self.run_bounded(*arguments)
        self.assertEqual(code, 1, message)
        self.assertIn(says, message)
        self.assertIn(place, message.splitlines()[0])
        self.assertLess(len(message), 20000)
        self.assertRegex(message, r"(?m)^  remedy: \S")

    def configured(self, yaml, log=None):
        return ["identify", "--robot", ARM, "--log", log or demo_log("train.csv"), "--config",
                self.write("asked.yaml", yaml), "--out", self.scratch / "out"]

    def test_a_chain_of_many_joints(self):
        self.assertEqual(self.run_bounded("observe", self.write("some.urdf", chain(50)))[0], 0)
        self.refused(["observe", self.write("more.urdf", chain(55))], "550 parameters")
        self.refused(["observe", self.write("many.urdf", chain(100))], "1000 parameters")
        self.assertEqual(self.run_bounded("observe", "--dimensions", self.scratch / "many.urdf")[0], 0)

    def test_a_star_of_ten_thousand(self):
        self.refused(["observe", self.write("star.urdf", star(10000))], "100000 parameters")

    def test_a_robot_that_the_log_is_not_of(self):
        """The columns are searched before anything as large as the robot is allocated."""
        self.refused(["identify", "--robot", self.write("large.urdf", chain(300)), "--log", demo_log("train.csv"), "--out",
                      self.scratch / "out"], "no column 'q_j1'", "train.csv")

    def test_a_thousand_columns(self):
        same = "".join(f"  - expression: {{name: c{k}, unit: N m, rows: {{joint_1: q1}}}}\n" for k in range(1000))
        self.refused(self.configured("columns:\n" + same), "is one more than the limit of 256", "columns: c256")
        each = "".join(f"  - expression: {{name: c{k}, unit: N m, each_joint: q}}\n" for k in range(1000))
        self.refused(self.configured("columns:\n" + each), "is one more than the limit of 256")

    def test_an_expression_of_a_megabyte(self):
        for expression in ("+".join(["1"] * 300000), "(" * 100000 + "1" + ")" * 100000):
            self.refused(self.configured(f'known_torque:\n  joint_1: "{expression}"\n'), "characters, more than 4096",
                         "known_torque of joint_1")

    def test_a_result_of_millions_of_values(self):
        self.refused(["report", self.write("many.json", "[" + "1," * 5_000_000 + "1]"), self.scratch / "many.json"],
                     "contains more than 4000000 values", "many.json")

    def test_more_links_than_any_robot_has(self):
        robot = self.write("many.urdf", '<robot name="r">' + "<link name='l'/>\n" * 200_000 + "</robot>")
        self.refused(["check", robot], "has 200000 links and joints, more than 100000", "many.urdf")

    def test_folds(self):
        self.refused(self.configured("selection: {folds: 1000000}\n"), "folds must be between")

    def test_a_pause_of_days(self):
        lines = demo_log("train.csv").read_text().splitlines()
        later = [f"{float(line.split(',', 1)[0]) + 1e6:.6f},{line.split(',', 1)[1]}" for line in lines[500:]]
        log = self.write("log.csv", "\n".join(lines[:500] + later) + "\n")
        self.refused(self.configured("conditioning: {max_gap_s: 1e7}\n", log), "would be filled with")
        self.refused(self.configured("log: {unwrap: true}\n", log), "the turns of", "log.csv:501")

    def test_an_hdf5_file_of_rows_that_are_not_there(self):
        try:
            import h5py
        except ImportError:
            raise unittest.SkipTest("h5py is not installed; tests/readers has the same of the library's own writer")
        log = self.scratch / "declared.h5"
        with h5py.File(log, "w") as file:
            for name in demo_log("train.csv").read_text().split("\n", 1)[0].split(","):
                file.create_dataset(name, shape=(2**40,), dtype="f8", chunks=(2**16,))
        for command in (["identify", "--out", self.scratch / "out"], ["check"]):
            self.refused([*command, "--robot", ARM, "--log", log], "declares 1099511627776 rows", "declared.h5")


class Expressions(HeftTestCase):
    def test_nothing_is_assigned(self):
        """The parser would overwrite the position."""
        for text, is_fine in (("q1 = 3", False), ("(q1 = 3) == 3", False), ("q1 == 3", True), ("q1 >= 3 && q1 != 4", True)):
            path = self.write("c.yaml", f'known_torque:\n  joint_1: "{text}"\n')
            if is_fine:
                self.identify("--config", path)
            else:
                self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--config", path, "--out",
                                     self.scratch / "out"], "known_torque of joint_1", "expressions cannot assign values")


class Terminals(HeftTestCase):
    def test_no_file_commands_the_terminal(self):
        """Escape bytes in names, raw and encoded in UTF-8, on both outputs."""
        robot = self.write("escaped.urdf", chain(2).replace("l2", "l\u009b31m2"))
        impossible = self.write("impossible.urdf", chain(2).replace("l2", "l\u009b31m2").replace('izz=".1"', 'izz="9"'))
        log = self.write("log.csv", demo_log("train.csv").read_text().replace("tau_joint_7", "tau_\x1b[31mjoint_7\x07\u009b2J", 1))
        for arguments in (["observe", robot], ["check", impossible, "--fix", self.scratch / "fixed.urdf"],
                          ["check", "--robot", ARM, "--log", log],
                          ["identify", "--robot", ARM, "--log", log, "--out", self.scratch / "out"]):
            done = run_heft(*arguments)
            text = done.stdout + done.stderr
            self.assertRegex(text, r"31m")
            for byte in ("\x1b", "\x07", "\u009b"):
                self.assertNotIn(byte, text, arguments)


class KilledRuns(HeftTestCase):
    def test_what_they_left_is_swept(self):
        """Files of a program that has ended are removed; those of a running one, new ones, and similar names stay."""
        out = self.scratch / "result"
        out.mkdir()
        ended = subprocess.Popen(["true"])
        ended.wait()
        old, new = out / f"result.json.part-{ended.pid}", out / f"report.html.part-{ended.pid}"
        living, other = out / f"result.json.part-{os.getpid()}", out / f"notes.txt.part-{ended.pid}"
        alike = out / "result.json.part-of-mine"
        for path in (old, new, living, other, alike):
            path.write_text("half\n")
        for path in (old, living, other, alike):
            os.utime(path, (1, 1))
        self.identify(out="result")
        self.assertEqual({path.name for path in out.iterdir() if ".part-" in path.name},
                         {new.name, living.name, other.name, alike.name})


class Limits(HeftTestCase):
    def test_too_little_memory_has_a_cause(self):
        refused = 0
        for megabytes in (80, 90, 100, 110, 130, 160, 240):
            limit = megabytes << 20
            done = subprocess.run([PROGRAM, "identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out",
                                   self.scratch / "out"], capture_output=True, encoding="utf-8",
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            if done.returncode in (0, 4):
                break
            if "shared librar" in done.stderr or done.returncode < 0:
                continue  # not even the program's libraries could be loaded
            self.assertEqual(done.returncode, 1, f"{megabytes} MB: {done.stderr}")
            self.assertRegex(done.stderr, "not enough memory|limit on threads", megabytes)
            self.assertNotIn("internal error", done.stderr)
            refused += 1
        if not refused:
            self.skipTest("between loading the libraries and being done there is no size to refuse, as with sanitizers")

    @unittest.skipUnless(os.geteuid() == 0, "limits of processes hold for everybody but root, who can become somebody else")
    def test_without_threads_the_answer_is_the_same(self):
        """If no further thread can be created, one thread reads and uses the log; if more were requested, the program says so."""
        unprivileged = 65534
        log = self.write("log.csv", demo_log("train.csv").read_text())
        out = self.scratch / "alone"
        for path in (self.scratch, out):
            path.mkdir(exist_ok=True)
            path.chmod(0o777)

        def alone():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgid(unprivileged)
            os.setuid(unprivileged)

        arguments = ["--robot", ARM, "--log", log, "--out", out]
        run = lambda *more: subprocess.run([PROGRAM, "identify", *map(str, arguments), *more], capture_output=True,
                                           encoding="utf-8", preexec_fn=alone)
        done = run("--threads", "1")
        if "error while loading" in done.stderr or "Permission denied" in done.stderr:
            self.skipTest("an unprivileged user may not read the program or its sources")
        self.assertIn(done.returncode, (0, 4), done.stderr)
        parameters = lambda result: [body["parameters"] for body in result["bodies"]]
        self.assertEqual(parameters(json.loads((out / "result.json").read_text())), parameters(self.identify(log=log)))
        done = run("--threads", "4")
        self.assertIn(done.returncode, (0, 1, 4), done.stderr)
        if done.returncode == 1:  # where not a single one can be started that is needed
            self.assertIn("limit on threads", done.stderr)
        else:
            self.assertEqual(parameters(json.loads((out / "result.json").read_text())), parameters(self.identify(log=log)))
