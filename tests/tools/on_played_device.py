"""The program with a device that is played on the host (tests/device_on_host). HEFT_PLAYED_PROGRAM is the one that is linked with the
stand-in."""

import os
import subprocess
import unittest

from heft_program import ARM, HeftTestCase, demo_log

PLAYED = os.environ.get("HEFT_PLAYED_PROGRAM")


@unittest.skipUnless(PLAYED, "the device is played where nvcc is and the processor is an x86-64")
class OnPlayedDevice(HeftTestCase):
    def run_on_device(self, *arguments, **settings):
        """The finished process; settings as in tests/device_on_host/README.md."""
        environment = {**os.environ, **{f"HEFT_DEVICE_{name.upper()}": str(value) for name, value in settings.items()}}
        return subprocess.run([PLAYED, *map(str, arguments)], timeout=240, capture_output=True, text=True, env=environment)

    def test_a_device_that_is_gone_is_refused(self):
        done = self.run_on_device("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--backend", "cuda",
                                  "--out", self.scratch / "gone", count=0)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no CUDA device answers", done.stderr)
        self.assertFalse((self.scratch / "gone").exists())


if __name__ == "__main__":
    unittest.main()
