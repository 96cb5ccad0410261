"""The program with a device that is played on the host (tests/device_on_host). HEFT_PLAYED_PROGRAM is the one that is linked with the
stand-in."""

import json
import os
import subprocess
import sys
import unittest

from heft_program import ARM, SOURCE, HeftTestCase, demo_log

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

    def test_payloads_of_a_batch_are_solved_on_it(self):
        subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(self.scratch)], check=True)
        manifest = self.write("batch.csv", "id,log,shape\nshaken,shaken.csv,hammer.stl\ngripped,gripped.csv,\nnone,nowhere.csv,\n")
        found = {}
        for backend in ("cpu", "cuda"):
            out = self.scratch / backend
            done = self.run_on_device("payload", "--batch", manifest, "--backend", backend, "--out", out)
            self.assertEqual(done.returncode, 1)  # of the log that is not there
            self.assertIn("nowhere.csv", done.stderr)
            found[backend] = json.loads((out / "batch.json").read_text())
        self.assertEqual(found["cpu"]["solves"], [])
        solves = found["cuda"]["solves"]
        self.assertEqual([solve["purpose"] for solve in solves], ["payloads"])
        self.assertIn("cuda", solves[0]["by"])
        self.assertGreaterEqual(solves[0]["problems"], 3)  # two of the one with a shape
        for here, there in zip(found["cpu"]["objects"][:2], found["cuda"]["objects"][:2]):
            self.assertTrue(there["certified"])
            self.assertAlmostEqual(here["mass"], there["mass"], delta=1e-6)
            self.assertEqual(here["doubts"], there["doubts"])
        gone = self.run_on_device("payload", "--batch", manifest, "--backend", "cuda", "--out", self.scratch / "gone", count=0)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("no CUDA device answers", gone.stderr)


if __name__ == "__main__":
    unittest.main()
