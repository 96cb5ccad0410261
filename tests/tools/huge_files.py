"""Files that are huge, endless or wide: rejected or read, in bounded memory."""

import pathlib
import stat
import unittest

from bounded_run import BoundedTestCase
from heft_program import ARM, Log, demo_log

GIGABYTE = 1 << 30


class FileTestCase(BoundedTestCase):
    def refused(self, arguments, path, says, place=""):
        code, message = self.run_bounded(*arguments)
        self.assertEqual(code, 1, message)
        self.assertTrue(message.startswith(f"heft: {path}{place}: "), message)
        self.assertIn(says, message)
        self.assertRegex(message, r"(?m)^  remedy: \S")
        self.assertFalse((self.scratch / "out").exists())

    def readers(self, path):
        """Every command that reads a file, with this file instead of a good one, and its message."""
        out = ["--out", self.scratch / "out"]
        log = demo_log("train.csv")
        return [(["identify", "--robot", path, "--log", log, *out], "is larger than 16 MB", ""),
                (["identify", "--robot", ARM, "--log", path, *out], "a line of more than 16 MB", ":1"),
                (["identify", "--robot", ARM, "--log", log, "--config", path, *out], "is larger than 1 MB", ""),
                (["identify", "--robot", ARM, "--log", log, "--robot.rotors", path, *out], "is larger than 1 MB", ""),
                (["check", path], "is larger than 16 MB", ""),
                (["check", "--robot", ARM, "--log", path], "a line of more than 16 MB", ":1"),
                (["observe", path], "is larger than 16 MB", ""),
                (["predict", "--model", path, "--log", log, *out], "is larger than 64 MB", ""),
                (["report", path, path], "is larger than 64 MB", ""),
                (["solve", path, *out], "is not a moments file", "")]


class HugeFiles(FileTestCase):
    def test_a_gigabyte_of_nothing(self):
        path = self.scratch / "sparse"
        with path.open("wb") as file:
            file.truncate(GIGABYTE)
        for arguments, says, place in self.readers(path):
            with self.subTest(arguments[0]):
                self.refused(arguments, path, says, place)

    def test_a_file_without_an_end(self):
        path = pathlib.Path("/dev/zero")
        if not (path.exists() and stat.S_ISCHR(path.stat().st_mode)):
            raise unittest.SkipTest("this system has no /dev/zero")
        for arguments, says, place in self.readers(path):
            with self.subTest(arguments[0]):
                self.refused(arguments, path, says, place)

    def test_a_long_log_is_read_piece_by_piece(self):
        """Memory does not grow with the file: 200 MB of rows with a comment of 200 kB each."""
        log = Log()
        log.header.append("comment")
        path = self.scratch / "long.csv"
        with path.open("w") as file:
            file.write(",".join(log.header) + "\n")
            for row in log.rows:
                file.write(",".join(row) + "," + "x" * 200_000 + "\n")
        code, message = self.run_bounded("identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out")
        self.assertEqual(code, 0, message)
        code, message = self.run_bounded("check", "--robot", ARM, "--log", path)
        self.assertEqual(code, 0, message)

    def test_a_million_robots(self):
        """A URDF of 10 MB: one error, in the time of one pass over the file."""
        links = "".join(f'<link name="link_{k}"/>\n' for k in range(400_000))
        path = self.write("many.urdf", f'<robot name="many">\n{links}</robot>\n')
        self.refused(["identify", "--robot", path, "--log", demo_log("train.csv"), "--out", self.scratch / "out"],
                     path, "two root links", ":3")


class WideLogs(FileTestCase):
    COLUMNS = 1_000_000

    def wide(self, names):
        """The first rows of the demo log with a million further columns."""
        log = Log()
        header = ",".join(log.header + names)
        zeros = ",0" * len(names)
        return self.write("wide.csv", header + "\n" + "".join(",".join(row) + zeros + "\n" for row in log.rows[:30]))

    def test_a_million_columns(self):
        path = self.wide([f"c{k}" for k in range(self.COLUMNS)])
        arguments = ["identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out"]
        self.refused(arguments, path, "conditioning drops all 30 rows")
        code, message = self.run_bounded("check", "--robot", ARM, "--log", path)
        self.assertIn(code, (0, 1), message)

    def test_a_million_columns_and_two_of_one_name(self):
        path = self.wide([f"c{k}" for k in range(self.COLUMNS)] + ["c77"])
        self.refused(["identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out"], path,
                     f"columns 93 and {self.COLUMNS + 16} are both named 'c77'", ":1")

    def test_a_million_columns_without_the_one_that_is_needed(self):
        path = self.wide([f"c{k}" for k in range(self.COLUMNS)])
        path.write_text(path.read_text().replace("tau_joint_3", "torque_joint_3", 1))
        code, message = self.run_bounded("identify", "--robot", ARM, "--log", path, "--out", self.scratch / "out")
        self.assertEqual(code, 1)
        self.assertIn("no column 'tau_joint_3'", message)
        self.assertLess(len(message), 5000)  # the hint names some of the million
