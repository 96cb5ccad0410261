"""Outputs on full disks, in locked folders, and of programs that are killed: a file is the complete old one or the complete new one; after
an error nothing remains."""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from heft_program import ARM, PROGRAM, HeftTestCase, demo_log, run_heft

OLD = "what was here before\n"
UNPRIVILEGED = 65534


class OutputTestCase(HeftTestCase):
    def writers(self, out):
        """Every command that writes, and the files that it writes below the folder `out`."""
        identified = self.scratch / "identified"
        if not identified.exists():
            self.identify("--moments", self.scratch / "train.heft", out="identified")
        robot_and_log = ["--robot", ARM, "--log", demo_log("train.csv")]
        result = identified / "result.json"
        return {
            "identify": (["identify", *robot_and_log, "--out", out], ["result.json", "report.html", "identified.urdf"]),
            "moments": (["identify", *robot_and_log, "--moments", out / "sums.heft", "--out", self.scratch / "other"],
                        ["sums.heft"]),
            "solve": (["solve", self.scratch / "train.heft", "--out", out],
                      ["result.json", "report.html", "identified.urdf"]),
            "predict": (["predict", "--model", result, "--log", demo_log("train.csv"), "--out", out / "p.csv"],
                        ["p.csv"]),
            "simulate": (["simulate", "--robot", ARM, "--duration", 8, "--held-out", 1, "--out", out], ["train.csv"]),
            "report": (["report", result, result, "--page", out / "comparison.html"], ["comparison.html"]),
            "observe": (["observe", ARM, "--json", out / "observe.json"], ["observe.json"]),
        }

    def assert_refused_as_before(self, done, before, out):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_no_crash(done.stderr)
        self.assertIn("cannot be written", done.stderr)
        self.assertRegex(done.stderr, r"(?m)^  remedy: \S")
        self.assertEqual({path.name: path.read_text() for path in out.iterdir()}, before)


class FullDisk(OutputTestCase):
    def test_files_that_may_not_grow(self):
        """The system lets no file exceed 1 kB: like a full disk, at a chosen byte."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        out = self.scratch / "small"
        out.mkdir()
        for name, (arguments, files) in self.writers(out).items():
            with self.subTest(name):
                for path in out.iterdir():
                    path.unlink()
                (out / files[0]).write_text(OLD)
                done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                                      preexec_fn=limit, restore_signals=False, timeout=240)
                self.assert_refused_as_before(done, {files[0]: OLD}, out)

    def test_a_disk_of_64_kilobytes(self):
        """A file system in memory, mounted for one process only."""
        unshare = shutil.which("unshare")
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(self.scratch)]
        if not unshare or subprocess.run([unshare, "-m", *mount], capture_output=True).returncode != 0:
            raise unittest.SkipTest("no permission to mount a small disk: run as root")
        out = self.scratch / "disk"
        out.mkdir()
        mount[-1] = str(out)
        for name, (arguments, files) in self.writers(out).items():
            if name in ("report", "observe"):
                continue  # small enough to fit
            with self.subTest(name):
                target, kept = out / files[0], self.scratch / f"kept_{name}"
                script = (f'{" ".join(mount)} && printf "{OLD.strip()}\\n" >"{target}" && "$@"; code=$?; '
                          f'mkdir "{kept}"; cp -a "{out}"/. "{kept}"; exit $code')
                done = subprocess.run([unshare, "-m", "sh", "-c", script, "sh", PROGRAM, *map(str, arguments)],
                                      capture_output=True, text=True, timeout=240)
                self.assert_refused_as_before(done, {files[0]: OLD}, kept)


class LockedFolder(OutputTestCase):
    def test_a_folder_that_may_only_be_read(self):
        if os.geteuid() != 0:
            as_user = []
        else:  # root may write everywhere: become an unprivileged user
            as_user = ["setpriv", "--reuid", str(UNPRIVILEGED), "--regid", str(UNPRIVILEGED), "--clear-groups"]
            if not shutil.which("setpriv") or subprocess.run([*as_user, PROGRAM, "info"],
                                                             capture_output=True).returncode != 0:
                raise unittest.SkipTest("root may write to every folder, and cannot become another user here")
        out = self.scratch / "locked"
        out.mkdir()
        commands = self.writers(out)
        for folder in (self.scratch, demo_log("train.csv").parent):
            folder.chmod(0o755)
        out.chmod(0o555)
        self.addCleanup(out.chmod, 0o755)
        for name, (arguments, _) in commands.items():
            with self.subTest(name):
                done = subprocess.run([*as_user, PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                                      timeout=240)
                self.assert_refused_as_before(done, {}, out)
        deeper = out / "deeper"
        done = subprocess.run([*as_user, PROGRAM, "identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out",
                               deeper], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"heft: {deeper}: cannot be created", done.stderr)


class Interrupted(OutputTestCase):
    def test_a_signal_ends_the_work_with_nothing_written(self):
        """Ctrl-C and a request to terminate: exit code 5, no file, no sign of a crash."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                out = self.scratch / "stopped"
                process = subprocess.Popen([PROGRAM, "identify", "--robot", ARM, "--log", demo_log("train.csv"),
                                            "--estimation.bootstrap", "100000", "--out", out],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                wait_until_caught(process, number)
                process.send_signal(number)
                stdout, stderr = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 5, stderr)
                self.assertEqual(stdout, "")
                self.assertIn("heft: stopped before the end", stderr)
                self.assert_no_crash(stderr)
                self.assertFalse(out.exists())


def wait_until_caught(process, number):
    """Waits until the process has a handler for a signal."""
    for _ in range(6000):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            caught = int(next(line for line in status if line.startswith("SigCgt")).split()[1], 16)
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("the program never listened")


class Killed(OutputTestCase):
    """A file under its final name is complete, whenever the program is killed."""

    CHECKS = {".json": json.loads, ".urdf": xml.etree.ElementTree.fromstring,
              ".html": lambda text: None if text.rstrip().endswith("</html>") else 1 / 0}

    def assert_whole(self, out, files):
        for name in files:
            path = out / name
            if not path.exists() or path.read_bytes() == OLD.encode():
                continue
            if path.suffix == ".heft":
                content = path.read_bytes()
                self.assertEqual(hashlib.sha256(content[:-64]).hexdigest().encode(), content[-64:], name)
            else:
                self.CHECKS[path.suffix](path.read_text())

    def test_killed_at_a_byte(self):
        """A file that passes its limit kills the program in the middle of writing it."""
        out = self.scratch / "out"
        commands = {name: self.writers(out)[name] for name in ("identify", "moments", "solve")}
        for limit in (1, 1000, 12_000, 20_000, 60_000, 150_000):
            for name, (arguments, files) in commands.items():
                with self.subTest(command=name, limit=limit):
                    shutil.rmtree(out, ignore_errors=True)
                    out.mkdir()
                    for file in files:
                        (out / file).write_text(OLD)
                    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=240,
                                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                    self.assertIn(done.returncode, (-signal.SIGXFSZ, 0))
                    if done.returncode != 0:
                        self.assertEqual([(out / file).read_text() for file in files], [OLD] * len(files))
                    self.assert_whole(out, files)

    def test_killed_at_any_time(self):
        out = self.scratch / "out"
        arguments, files = self.writers(out)["identify"]
        start = time.monotonic()
        self.assertEqual(run_heft(*arguments).returncode, 0)
        duration = time.monotonic() - start
        for path in out.iterdir():
            path.write_text(OLD)
        chance = random.Random(4)
        for _ in range(12):
            process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.3, 1.1) * duration)
            process.kill()
            process.wait()
            self.assertEqual([file for file in files if not (out / file).exists()], [])
            self.assert_whole(out, files)
