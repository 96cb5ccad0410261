"""Runs of the program with limits on memory and processor time."""

import os
import resource
import subprocess

from heft_program import PROGRAM, HeftTestCase


class BoundedTestCase(HeftTestCase):
    most_memory = 600 << 20  # bytes; the program with the demo's log takes some 30 MB, sanitizers ten times that
    most_seconds = None  # of processor time, at which the system ends a run

    def run_bounded(self, *arguments):
        """Exit code and error message; fails if the program ever uses more than most_memory."""
        with (self.scratch / "stderr").open("w+") as stderr:
            process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=stderr,
                                       preexec_fn=self._limit_time)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            stderr.seek(0)
            message = stderr.read()
        self.assert_no_crash(message)
        self.assertLess(usage.ru_maxrss * 1024, self.most_memory, arguments)
        return process.returncode, message

    def _limit_time(self):
        if self.most_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (self.most_seconds, self.most_seconds))
