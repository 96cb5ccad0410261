"""`heft identify --backend cuda` with its kernels executed on the host (tests/device_on_host): what the device computes, what it
leaves to the CPU, and that result.json says so. HEFT_PLAYED_PROGRAM is the program that is linked with the stand-in."""

import json
import os
import subprocess
import unittest

from heft_program import ARM, HeftTestCase, demo_log

PLAYED = os.environ.get("HEFT_PLAYED_PROGRAM")
BOOTSTRAP = 20
FLAGS = ("--estimation.bootstrap", BOOTSTRAP, "--prior-weight", "auto")


@unittest.skipUnless(PLAYED, "the device is played where nvcc is and the processor is an x86-64")
class OnPlayedDevice(HeftTestCase):
    def run_on_device(self, *arguments, **settings):
        """The finished process; settings as in tests/device_on_host/README.md."""
        environment = {**os.environ, **{f"HEFT_DEVICE_{name.upper()}": str(value) for name, value in settings.items()}}
        return subprocess.run([PLAYED, *map(str, arguments)], timeout=240, capture_output=True, text=True, env=environment)

    def identify_on_device(self, *flags, out="on_device"):
        done = self.run_on_device("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--backend", "cuda",
                                  "--out", self.scratch / out, *flags)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.summary = done.stdout
        return json.loads((self.scratch / out / "result.json").read_text())

    def solved(self, result):
        """{(for, by): problems}."""
        return {(count["for"], count["by"]): count["problems"] for count in result["provenance"]["solves"]}

    def test_sums_and_batches_are_the_devices(self):
        on_device, on_cpu = self.identify_on_device(*FLAGS), self.identify(*FLAGS, "--backend", "cpu")
        device, cpu = on_device["provenance"]["backend"], on_cpu["provenance"]["backend"]
        self.assertRegex(device, r"^cuda \(")
        self.assertRegex(cpu, r"^cpu \(")
        self.assertEqual({by for _, by in self.solved(on_device)}, {device})
        self.assertEqual({by.split(" (")[0] for _, by in self.solved(on_cpu)}, {"cpu"})

        def by_purpose(result):
            return {purpose: problems for (purpose, _), problems in self.solved(result).items()}

        self.assertEqual(by_purpose(on_device), by_purpose(on_cpu))
        self.assertIn(f"{BOOTSTRAP} for intervals by {device}", self.summary)
        self.assertEqual(by_purpose(on_device)["intervals"], BOOTSTRAP)
        self.assertGreater(by_purpose(on_device)["weight of the prior"], BOOTSTRAP)

        # and the answers are those of the CPU
        self.assertEqual(on_device["status"], "certified")
        self.assertEqual(on_device["prior"]["weight"], on_cpu["prior"]["weight"])
        for here, there in zip(on_device["bodies"], on_cpu["bodies"], strict=True):
            scale = max(abs(number["value"]) for number in there["parameters"])
            for a, b in zip(here["parameters"], there["parameters"], strict=True):
                self.assertAlmostEqual(a["value"], b["value"], delta=1e-6 * scale)
        intervals = 0
        for here, there in zip(on_device["uncertainty"]["parameters"], on_cpu["uncertainty"]["parameters"], strict=True):
            self.assertEqual(here["interval"] is None, there["interval"] is None)
            if there["interval"] is not None:
                intervals += 1
                for a, b in zip(here["interval"], there["interval"], strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-4 * max(map(abs, there["interval"])))
        self.assertGreater(intervals, 0)

    def test_other_methods_are_the_cpus(self):
        result = self.identify_on_device("--estimation.bootstrap", BOOTSTRAP, "--solver", "interior_point")
        self.assertRegex(result["provenance"]["backend"], r"^cuda \(")
        ((purpose, by), problems), = self.solved(result).items()
        self.assertEqual((purpose, problems), ("intervals", BOOTSTRAP))
        self.assertRegex(by, r"^cpu \(")

    def test_a_device_that_is_gone_is_refused(self):
        done = self.run_on_device("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--backend", "cuda",
                                  "--out", self.scratch / "gone", count=0)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no CUDA device answers", done.stderr)
        self.assertFalse((self.scratch / "gone").exists())

    def test_solving_again_is_the_devices_too(self):
        moments = self.scratch / "train.heft"
        self.identify("--estimation.bootstrap", 0, "--moments", moments)
        done = self.run_on_device("solve", moments, "--out", self.scratch / "again", "--backend", "cuda",
                                  "--estimation.bootstrap", BOOTSTRAP)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        result = json.loads((self.scratch / "again" / "result.json").read_text())
        ((purpose, by), problems), = self.solved(result).items()
        self.assertEqual((purpose, problems), ("intervals", BOOTSTRAP))
        self.assertRegex(by, r"^cuda \(")


if __name__ == "__main__":
    unittest.main()
