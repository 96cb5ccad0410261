"""What the tests of the program `heft` share: running it, a scratch folder, demo logs, and what a refusal is.

The program comes from HEFT_PROGRAM, the sources from HEFT_SOURCE. HEFT_PYTHON_PEERS may name an interpreter
that has the peers (pin, mujoco, jsonschema); without it the running one is asked.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("HEFT_SOURCE", pathlib.Path(__file__).resolve().parents[2])).resolve()
PROGRAM = os.environ.get("HEFT_PROGRAM", str(SOURCE / "build" / "heft"))
PEER_INTERPRETER = os.environ.get("HEFT_PYTHON_PEERS", sys.executable)

ARM = str(SOURCE / "tools" / "demo" / "arm.urdf")
JOINTS = [f"joint_{i}" for i in range(1, 8)]
PARAMETERS = ["m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"]  # order of Pinocchio

CRASH_WORDS = ("terminate called", "what():", "exception", "internal error", "assert", "Segmentation", "core dumped")


def run_heft(*arguments, cwd=None):
    """The finished process; stdout and stderr are text with bytes that are not UTF-8 escaped."""
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, timeout=240, capture_output=True,
                          encoding="utf-8", errors="backslashreplace")


@functools.lru_cache(maxsize=None)
def _demo_folder():
    folder = tempfile.TemporaryDirectory(prefix="heft-demo-")
    done = run_heft("simulate", "--robot", ARM, "--duration", 4, "--held-out", 4, "--rate", 250, "--seed", 3,
                    "--out", folder.name)
    if done.returncode != 0:
        raise AssertionError(f"heft simulate failed: {done.stderr}")
    return folder  # kept alive by the cache, removed when the process ends


def demo_log(name):
    """Path of train.csv, held_out.csv or truth.json of one simulated demo arm, 4 s at 250 Hz."""
    return pathlib.Path(_demo_folder().name) / name


class Log:
    """A demo log for damage: `header` names, `rows` of texts; row i is line i + 2 of the file."""

    def __init__(self):
        lines = demo_log("train.csv").read_text().splitlines()
        self.header = lines[0].split(",")
        self.rows = [line.split(",") for line in lines[1:]]

    def text(self):
        return "\n".join(",".join(row) for row in [self.header] + self.rows) + "\n"


class HeftTestCase(unittest.TestCase):
    """A scratch folder for every test, and the checks that many share."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heft-test-")
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def write(self, name, content):
        """Writes text or bytes to a file in the scratch folder; returns its path."""
        path = self.scratch / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def identify(self, *arguments, robot=ARM, log=None, out="result", exit_code=None):
        """Identifies a robot (the demo arm from its demo log); returns result.json as a dictionary. Unless an exit code is given, the
        result may have doubts."""
        folder = self.scratch / out
        done = run_heft("identify", "--robot", robot, "--log", log or demo_log("train.csv"), "--out", folder,
                        *arguments)
        self.assert_no_crash(done.stderr)
        self.assertIn(done.returncode, (0, 4) if exit_code is None else (exit_code,), done.stderr)
        return json.loads((folder / "result.json").read_text())

    def assert_refused(self, arguments, where, says, remedy="", exit_code=1):
        """Expects the program to fail: with `exit_code`, one message `heft: <where>: ..<says>..`, a remedy that contains `remedy`, nothing
        on stdout, no sign of a crash, and no file made, changed or lost."""
        before = self._files()
        done = run_heft(*arguments)
        message = done.stderr
        self.assertEqual(done.returncode, exit_code, f"stderr: {message}")
        self.assertEqual(done.stdout, "")
        self.assertTrue(message.startswith(f"heft: {where}: "), f"expected to begin 'heft: {where}: ', got: {message}")
        self.assertIn(says, message)
        self.assertEqual(message.count("heft: "), 1, message)
        self.assertRegex(message, r"(?m)^  remedy: \S")
        self.assertIn(remedy, message.split("remedy:")[1])
        self.assert_no_crash(message)
        self.assertEqual(self._files(), before, "a refusal must leave no file behind")

    def assert_wrong_command_line(self, arguments, says):
        """Expects an error of the command line: exit code of 100 or more and a pointer to the help."""
        before = self._files()
        done = run_heft(*arguments)
        self.assertGreaterEqual(done.returncode, 100, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertIn("--help", done.stderr)
        self.assert_no_crash(done.stderr)
        self.assertEqual(self._files(), before)

    def assert_done(self, done):
        """Expects success; the exit code follows the open doubts of the command's result."""
        self.assertEqual(done.returncode, 4 if re.search("^doubt:  ", done.stdout, re.M) else 0, done.stderr)

    def assert_no_crash(self, text):
        for word in CRASH_WORDS:
            self.assertNotIn(word, text)

    def _files(self):
        return {path: path.read_bytes() for path in self.scratch.rglob("*") if path.is_file()}


def ask_peer(peer, *arguments):
    """What peers.py prints for `arguments` with one of the peers; skips with a message if it is not installed."""
    script = pathlib.Path(__file__).with_name("peers.py")
    done = subprocess.run([PEER_INTERPRETER, str(script), peer, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 77:
        raise unittest.SkipTest(f"{PEER_INTERPRETER} has no {peer}: set HEFT_PYTHON_PEERS to an interpreter that does")
    if done.returncode != 0:
        raise AssertionError(f"{peer} refuses {arguments}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)
