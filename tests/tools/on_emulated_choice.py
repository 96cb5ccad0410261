"""What `backend: auto` chooses with a device that the host emulates (tests/device_on_host): small work stays on the CPU, with a reason."""

import json
import os
import subprocess
import sys
import unittest

from heft_program import SOURCE, HeftTestCase, run_heft
from on_emulated_device import EMULATED, TWO_LINKS

ON_CPU = r"^on the CPU: \d+ samples and 20 problems take about \S+ s on \d+ threads?, and a device takes 0\.4 s to start$"


@unittest.skipUnless(EMULATED, "the device is emulated where nvcc is and the processor is an x86-64")
class OnEmulatedChoice(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.robot, self.logs = self.write("two_links.urdf", TWO_LINKS), self.scratch / "logs"
        made = run_heft("simulate", "--robot", self.robot, "--duration", 5, "--held-out", 1, "--rate", 100, "--seed", 3, "--out", self.logs)
        self.assertEqual(made.returncode, 0, made.stderr)

    def run_emulated(self, *words, **settings):
        counts = self.scratch / "traffic.json"
        environment = {**os.environ, "HEFT_DEVICE_TRAFFIC": str(counts),
                       **{f"HEFT_DEVICE_{name.upper()}": str(value) for name, value in settings.items()}}
        done = subprocess.run([EMULATED, *map(str, words)], timeout=240, capture_output=True, text=True, env=environment)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads(counts.read_text())

    def result_of(self, command, backend, *words, **settings):
        """result.json and the number of launches."""
        out = self.scratch / f"{command}-{backend}"
        traffic = self.run_emulated(command, *words, "--backend", backend, "--estimation.bootstrap", 20, "--out", out, **settings)
        return json.loads((out / "result.json").read_text()), traffic["launches"]

    def assert_on_cpu(self, here, there, because):
        wave = there["provenance"]["wave"]
        self.assertRegex(wave["chosen_because"], because)
        self.assertEqual([wave["robots"], wave["logs"], wave["bytes_up"], wave["launches"], wave["on_host"]], [1, 0, 0, 0, []])
        self.assertNotIn("wave", here["provenance"])
        for key in ("backend", "solves"):
            self.assertEqual(there["provenance"][key], here["provenance"][key])
        self.assertEqual(there["bodies"], here["bodies"])  # to the bit

    def test_a_small_log_is_identified_on_the_cpu_and_result_json_says_why(self):
        words = ("--robot", self.robot, "--log", self.logs / "train.csv", "--validate", self.logs / "held_out.csv")
        here, _ = self.result_of("identify", "cpu", *words, "--moments", self.scratch / "sums.heft")
        for multiprocessors in (2, 132):
            there, launches = self.result_of("identify", "auto", *words, multiprocessors=multiprocessors)
            self.assertEqual(launches, 0)
            self.assert_on_cpu(here, there, ON_CPU)
        # about as many samples as the log has rows
        samples = int(there["provenance"]["wave"]["chosen_because"].split()[3])
        rows = there["logs"]["training"][0]["rows"]
        self.assertGreater(samples, rows / 2)
        self.assertLess(samples, 4 * rows)
        # from sums
        here, _ = self.result_of("solve", "cpu", self.scratch / "sums.heft")
        there, launches = self.result_of("solve", "auto", self.scratch / "sums.heft")
        self.assertEqual(launches, 0)
        self.assert_on_cpu(here, there, r"^on the CPU: 20 problems take about .* 0\.4 s to start$")

    def test_a_fleet_stays_on_the_cpu_and_fleet_json_says_why(self):
        manifest = self.write("fleet.csv", f"robot_id,robot,log\narm-1,{self.robot},{self.logs}/train.csv\n")
        for name, words in (("sums", ()), ("whole", ("--estimation.loss", "huber"))):
            fleets = {}
            for backend in ("cpu", "auto"):
                store = self.scratch / f"{name}-{backend}"
                traffic = self.run_emulated("fleet", "run", manifest, "--store", store, "--no-pages", "--jobs", 1, "--backend", backend,
                                            "--estimation.bootstrap", 20, *words)
                self.assertEqual(traffic["launches"], 0)
                fleets[backend] = json.loads((store / "fleet.json").read_text())
            self.assertNotIn("provenance", fleets["cpu"])
            wave = fleets["auto"]["provenance"]["wave"]
            self.assertRegex(wave["chosen_because"], r"^on the CPU, like all fleets with backend: auto.*; of arm-1, \d+ samples and 20 problems "
                                                     r"take about \S+ s on \d+ threads?, and \S+ s with an H100$")
            self.assertEqual([wave["robots"], wave["launches"]], [0, 0])
            results = [json.loads((self.scratch / f"{name}-{backend}" / fleet["robots"][0]["result"]).read_text())
                       for backend, fleet in fleets.items()]
            self.assertEqual(results[0]["bodies"], results[1]["bodies"])
            self.assertNotIn("wave", results[1]["provenance"])

    def test_a_batch_of_payloads_stays_on_the_cpu_and_batch_json_says_why(self):
        subprocess.run([sys.executable, str(SOURCE / "tools" / "demo" / "payload_log.py"), str(self.scratch)], check=True)
        manifest = self.write("batch.csv", "id,log,shape\nshaken,shaken.csv,hammer.stl\ngripped,gripped.csv,\n")
        found = {}
        for backend in ("cpu", "auto"):
            self.run_emulated("payload", "--batch", manifest, "--backend", backend, "--out", self.scratch / backend)
            found[backend] = json.loads((self.scratch / backend / "batch.json").read_text())
        self.assertRegex(found["auto"].pop("chosen_because"), r"^on the CPU: 2 problems take about .* a device takes 0\.4 s to start$")
        self.assertEqual(found["auto"], found["cpu"])

    def test_a_machine_without_a_driver_has_no_choice_to_explain(self):
        words = ("--robot", self.robot, "--log", self.logs / "train.csv")
        gone, _ = self.result_of("identify", "auto", *words, count=0)
        self.assertNotIn("wave", gone["provenance"])


if __name__ == "__main__":
    unittest.main()
