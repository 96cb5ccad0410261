"""Fleets with a device that the host emulates (tests/device_on_host)."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from heft_program import HeftTestCase, run_heft
from on_emulated_device import EMULATED, RESAMPLES, TWO_LINKS

UNITS = ("heavy-a", "heavy-b", "light-a", "light-b")  # in the order of fleet.json


@unittest.skipUnless(EMULATED, "the device is emulated where nvcc is and the processor is an x86-64")
class OnEmulatedFleet(HeftTestCase):
    def setUp(self):
        super().setUp()
        self.rows = []
        models = {"light": TWO_LINKS, "heavy": TWO_LINKS.replace('value="1"', 'value="1.5"').replace("two_links", "heavy_links")}
        for seed, (model, text) in enumerate(models.items()):
            robot = self.write(f"{model}.urdf", text)
            for unit in "ab":
                for name in ("one", "two"):
                    log = self.scratch / f"{model}-{unit}-{name}"
                    made = run_heft("simulate", "--robot", robot, "--duration", 3, "--held-out", 1, "--rate", 100, "--seed", seed,
                                    "--trajectory-seed", 10 * seed + len(self.rows), "--out", log)
                    self.assertEqual(made.returncode, 0, made.stderr)
                    self.rows.append(f"{model}-{unit},{robot},{log}/train.csv,train")
                self.rows.append(f"{model}-{unit},{robot},{log}/held_out.csv,validate")

    def manifest(self, *more):
        return self.write("fleet.csv", "\n".join(["robot_id,robot,log,role", *self.rows, *more]) + "\n")

    def manifest_with_bad_log(self):
        """One robot has another log, which is no number."""
        header, *rows = (self.scratch / "heavy-b-two" / "train.csv").read_text().splitlines()
        bad = self.write("bad.csv", "\n".join([header] + [row.split(",")[0] + ",nan" * header.count(",") for row in rows]) + "\n")
        return self.manifest(f"heavy-b,{self.scratch / 'heavy.urdf'},{bad},train")

    def arguments(self, store, backend, manifest, *words):
        return [EMULATED, "fleet", "run", str(manifest), "--store", str(self.scratch / store), "--no-pages", "--backend", backend,
                "--estimation.bootstrap", str(RESAMPLES), *map(str, words)]

    def run_fleet(self, store, backend, manifest, *words, **settings):
        """fleet.json, result.json of every robot, what crossed the bus, and the process."""
        counts = self.scratch / f"{store}-traffic.json"
        environment = {**os.environ, "HEFT_DEVICE_TRAFFIC": str(counts),
                       **{f"HEFT_DEVICE_{name.upper()}": str(value) for name, value in settings.items()}}
        done = subprocess.run(self.arguments(store, backend, manifest, *words), timeout=240, capture_output=True, text=True, env=environment)
        report = self.scratch / store / "fleet.json"
        if not report.exists():
            return None, None, None, done
        fleet = json.loads(report.read_text())
        results = {robot["id"]: json.loads((self.scratch / store / robot["result"]).read_text()) for robot in fleet["robots"]
                   if robot["result"]}  # none if the run was stopped
        return fleet, results, json.loads(counts.read_text()), done

    def assert_same_masses(self, expected, found):
        self.assertEqual(list(expected), list(found))
        for name, result in expected.items():
            for body, other in zip(result["bodies"], found[name]["bodies"]):
                mass = body["parameters"]["m"]
                self.assertAlmostEqual(other["parameters"]["m"], mass, delta=1e-9 * mass)

    def digests(self, fleet):
        return [robot["digest"] for robot in fleet["robots"]]

    def test_all_logs_of_all_robots_are_conditioned_in_one_launch_sequence(self):
        manifest = self.manifest()
        here, expected, _, _ = self.run_fleet("cpu", "cpu", manifest, "--jobs", 1)
        there, found, traffic, done = self.run_fleet("cuda", "cuda", manifest, "--jobs", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([robot["id"] for robot in there["robots"]], list(UNITS))
        for key in ("state", "doubts", "verdict", "certified", "error"):
            self.assertEqual([robot[key] for robot in there["robots"]], [robot[key] for robot in here["robots"]])
        self.assert_same_masses(expected, found)
        if "AVX" in found[UNITS[0]]["provenance"]["backend"]:  # with which samples are equal to the bit
            for name, result in expected.items():
                for key in ("bodies", "columns", "certificate", "uncertainty", "estimates", "doubts"):
                    self.assertEqual(found[name][key], result[key])
        self.assertNotIn("provenance", here)
        wave = there["provenance"]["wave"]
        self.assertEqual([wave["robots"], wave["logs"], wave["launches"], wave["on_host"]], [4, 12, 3, []])
        self.assertEqual(wave["chosen_because"], "backend: cuda is requested")
        # nothing else goes to the device: neither sums nor problems
        self.assertEqual(traffic["launches"], 3)
        self.assertTrue(0 < traffic["emulation_s"] < traffic["processor_s"], traffic)
        self.assertEqual([traffic["bytes_up"], traffic["bytes_down"]], [wave["bytes_up"], wave["bytes_down"]])
        for result in found.values():
            own = result["provenance"]["wave"]
            self.assertEqual([own["robots"], own["logs"], own["launches"], own["on_host"]], [4, 3, 3, []])
            self.assertIn("cpu", result["provenance"]["backend"])
            self.assertTrue(all("cpu" in solve["by"] for solve in result["provenance"]["solves"]))

    def test_results_do_not_depend_on_who_meets_at_the_device(self):
        manifest = self.manifest()
        together, _, _, _ = self.run_fleet("together", "cuda", manifest, "--jobs", 1)
        refused, _, _, done = self.run_fleet("refused", "cuda", manifest, "--jobs", 1, "--memory", 1)
        self.assertIsNone(refused)
        self.assertIn("--memory", done.stderr)
        alone, _, _, _ = self.run_fleet("alone", "cuda", manifest, "--jobs", 1, "--memory", 125)  # one worker
        self.assertEqual(alone["provenance"]["wave"]["launches"], 4 * 3)
        self.assertEqual(self.digests(alone), self.digests(together))
        # with too many jobs for so few robots, stage by stage: logs are conditioned for sums and again for answers
        staged, _, _, _ = self.run_fleet("staged", "cuda", manifest, "--jobs", 2)
        wave = staged["provenance"]["wave"]
        self.assertEqual([wave["logs"], wave["launches"]], [8 + 12, 3 + 3])
        self.assertEqual(self.digests(staged), self.digests(together))
        # a device whose memory holds a few logs at a time
        narrow, _, _, _ = self.run_fleet("narrow", "cuda", manifest, "--jobs", 1, memory=400_000)
        self.assertGreater(narrow["provenance"]["wave"]["launches"], 3)
        self.assertEqual(self.digests(narrow), self.digests(together))

    def test_logs_of_mixed_rates_and_lengths(self):
        """From 50 rows to a million: the host conditions the longest, window by window."""
        robot = self.scratch / "light.urdf"
        for name, rows, rate in (("short", 50, 50), ("medium", 700, 400), ("long", 1_000_000, 1000)):
            made = run_heft("simulate", "--robot", robot, "--duration", (rows - 1) / rate, "--held-out", 1, "--rate", rate, "--out",
                            self.scratch / name)
            self.assertEqual(made.returncode, 0, made.stderr)
        several = [f"several,{robot},{self.scratch / name}/train.csv,train" for name in ("short", "medium")]
        manifest = self.manifest(*several, *(f"{name},{robot},{self.scratch / name}/train.csv,train" for name in ("short", "long")))
        words = ("--jobs", 2, "--estimation.seek_faults", "false")
        here, expected, _, _ = self.run_fleet("cpu", "cpu", manifest, *words)
        there, found, _, done = self.run_fleet("cuda", "cuda", manifest, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        for key in ("state", "doubts", "verdict", "certified"):
            self.assertEqual([robot[key] for robot in there["robots"]], [robot[key] for robot in here["robots"]])
        self.assert_same_masses(expected, found)
        self.assertEqual([log["rows"] for log in found["short"]["logs"]["training"]], [50])
        self.assertGreater(found["long"]["logs"]["training"][0]["samples"], 990_000)
        too_long = "its rows or samples take more than 64 MB"
        self.assertEqual({entry["why"] for entry in there["provenance"]["wave"]["on_host"]}, {too_long})
        for name, result in found.items():
            self.assertEqual({entry["why"] for entry in result["provenance"]["wave"]["on_host"]}, {too_long} if name == "long" else set())

    def test_logs_that_the_memory_cannot_hold_are_conditioned_on_the_host(self):
        manifest = self.manifest()
        _, expected, _, _ = self.run_fleet("cpu", "cpu", manifest, "--jobs", 2)
        fleet, found, traffic, done = self.run_fleet("tiny", "cuda", manifest, "--jobs", 2, memory=20_000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_masses(expected, found)
        wave = fleet["provenance"]["wave"]
        self.assertEqual([entry["why"] for entry in wave["on_host"]], ["the memory of the device is too small"])
        self.assertEqual([wave["logs"], traffic["launches"]], [0, 0])

    def test_a_log_that_is_no_number_fails_alone(self):
        manifest = self.manifest_with_bad_log()
        here, expected, _, _ = self.run_fleet("cpu", "cpu", manifest, "--jobs", 2)
        there, found, _, done = self.run_fleet("cuda", "cuda", manifest, "--jobs", 2)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([robot["state"] for robot in there["robots"]], ["done", "failed", "done", "done"])
        for key in ("state", "doubts", "verdict", "error"):
            self.assertEqual([robot[key] for robot in there["robots"]], [robot[key] for robot in here["robots"]])
        self.assert_same_masses(expected, found)
        self.assertEqual(there["provenance"]["wave"]["logs"], 8 + 12)

    def test_a_device_that_is_lost_ends_the_run_which_can_be_resumed(self):
        manifest = self.manifest_with_bad_log()
        undisturbed, _, _, _ = self.run_fleet("undisturbed", "cuda", manifest, "--jobs", 2)
        num_ended = 0
        for fail_at in range(45, 130, 4):  # earlier calls look for the device, later ones are not made
            store = f"lost-{fail_at}"
            fleet, _, _, done = self.run_fleet(store, "cuda", manifest, "--jobs", 2, fail_at=fail_at)
            if "conditioning on cuda" not in done.stderr:
                self.assertEqual(self.digests(fleet), self.digests(undisturbed), done.stderr)
                continue
            num_ended += 1
            self.assertEqual(done.returncode, 1)
            self.assertIsNone(fleet)
            if num_ended % 3 != 0:
                continue
            resumed, _, _, _ = self.run_fleet(store, "cuda", manifest, "--jobs", 2)
            self.assertEqual(self.digests(resumed), self.digests(undisturbed))
            self.assertEqual([robot["state"] for robot in resumed["robots"]], ["done", "failed", "done", "done"])
        self.assertGreaterEqual(num_ended, 4)

    def test_a_signal_stops_workers_that_wait_and_the_next_run_goes_on(self):
        manifest = self.manifest()
        undisturbed, _, _, _ = self.run_fleet("undisturbed", "cuda", manifest, "--jobs", 2)
        stopped = subprocess.Popen(self.arguments("stopped", "cuda", manifest, "--jobs", 2), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        while not (self.scratch / "stopped" / "events.jsonl").exists() and stopped.poll() is None:
            time.sleep(0.01)  # before that it may not listen yet
        stopped.send_signal(signal.SIGTERM)
        _, errors = stopped.communicate(timeout=120)
        self.assertIn(stopped.returncode, (0, 5), errors)
        for words in (("--time", "0.02"), ()):
            resumed, _, _, done = self.run_fleet("stopped", "cuda", manifest, "--jobs", 2, *words)
            self.assertIn(done.returncode, (0, 5), done.stderr)
        self.assertEqual(self.digests(resumed), self.digests(undisturbed))

    def test_a_dry_run_counts_the_memory_of_workers_that_wait(self):
        manifest = self.manifest()

        def memory_mb(*words):
            done = subprocess.run([EMULATED, "fleet", "run", str(manifest), "--store", str(self.scratch / "none"), "--dry-run", "--jobs", "1", *words],
                                  capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            return int(re.search(r"(\d+) MB of memory", done.stdout)[1])

        here, there = memory_mb("--backend", "cpu"), memory_mb("--backend", "cuda")
        self.assertAlmostEqual(there - here, 11 * 16, delta=2)  # twelve logs, one of which is worked on
        self.assertLessEqual(memory_mb("--backend", "cuda", "--memory", "160"), 160)

    def test_robots_that_are_identified_as_a_whole_meet_at_the_device(self):
        manifest = self.manifest()
        words = ("--jobs", 4, "--estimation.loss", "huber")
        here, expected, _, _ = self.run_fleet("cpu", "cpu", manifest, *words)
        there, found, _, done = self.run_fleet("cuda", "cuda", manifest, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([robot["doubts"] for robot in there["robots"]], [robot["doubts"] for robot in here["robots"]])
        self.assert_same_masses(expected, found)
        wave = there["provenance"]["wave"]
        self.assertEqual([wave["robots"], wave["logs"], wave["on_host"]], [4, 12, []])
        self.assertEqual(wave["launches"], 3 + 3)  # training logs of all, held-out logs of all
        for result in found.values():
            own = result["provenance"]["wave"]
            self.assertEqual([own["robots"], own["logs"], own["launches"]], [4, 3, 6])

    def test_logs_that_only_the_host_conditions_are_counted(self):
        fleet, results, traffic, _ = self.run_fleet("host", "cuda", self.manifest(), "--jobs", 2, "--conditioning.filter_rows", "true")
        wave = fleet["provenance"]["wave"]
        self.assertEqual([wave["logs"], wave["launches"], wave["bytes_up"], traffic["launches"]], [0, 0, 0, 0])
        self.assertEqual([entry["why"] for entry in wave["on_host"]], ["conditioning.filter_rows is set"])
        self.assertGreaterEqual(wave["on_host"][0]["logs"], 12)
        for result in results.values():
            self.assertEqual(len(result["provenance"]["wave"]["on_host"]), 3)
