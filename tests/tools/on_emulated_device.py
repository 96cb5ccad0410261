"""The program with a device that the host emulates (tests/device_on_host). HEFT_EMULATED_PROGRAM is the one linked with the stand-in."""

import json
import os
import subprocess
import sys
import unittest

from heft_program import ARM, SOURCE, HeftTestCase, demo_log, run_heft

EMULATED = os.environ.get("HEFT_EMULATED_PROGRAM")
# small, since an emulated device takes a thousand times as long
TWO_LINKS = """<robot name="two_links">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.01 0 0.15"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="4" effort="60"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="4" effort="30"/></joint>
</robot>
"""
RESAMPLES = 20


def parameters_of(result):
    return {f"{body['name']}.{key}": value for body in result["bodies"] for key, value in body["parameters"].items()}


@unittest.skipUnless(EMULATED, "the device is emulated where nvcc is and the processor is an x86-64")
class OnEmulatedDevice(HeftTestCase):
    def run_on_device(self, *arguments, **settings):
        """The finished process; settings as in tests/device_on_host/README.md."""
        environment = {**os.environ, **{f"HEFT_DEVICE_{name.upper()}": str(value) for name, value in settings.items()}}
        return subprocess.run([EMULATED, *map(str, arguments)], timeout=240, capture_output=True, text=True, env=environment)

    def test_a_device_that_is_gone_is_refused(self):
        done = self.run_on_device("identify", "--robot", ARM, "--log", demo_log("train.csv"), "--backend", "cuda",
                                  "--out", self.scratch / "gone", count=0)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no CUDA device responds", done.stderr)
        self.assertFalse((self.scratch / "gone").exists())

    def solve_on(self, backend, *words, **settings):
        """result.json of heft identify or heft solve."""
        out = self.scratch / f"{words[0]}-{backend}"
        done = self.run_on_device(*words, "--backend", backend, "--estimation.bootstrap", RESAMPLES, "--out", out, **settings)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads((out / "result.json").read_text())

    def assert_same_answer(self, here, there):
        """The device's solution equals the CPU's, to what the certificates verify."""
        intervals = [solve for solve in there["provenance"]["solves"] if solve["for"] == "intervals"]
        self.assertEqual([solve["problems"] for solve in intervals], [RESAMPLES])
        self.assertIn("cuda", intervals[0]["by"])
        self.assertTrue(there["certificate"]["certified"])
        expected, found = parameters_of(here), parameters_of(there)
        size = max(map(abs, expected.values()))
        for name, value in expected.items():
            self.assertAlmostEqual(found[name], value, delta=1e-6 * size, msg=name)
        self.assertEqual([doubt["id"] for doubt in there["doubts"]], [doubt["id"] for doubt in here["doubts"]])

    def test_logs_are_identified_and_moments_solved_on_it(self):
        robot, log = self.write("two_links.urdf", TWO_LINKS), self.scratch / "log"
        made = run_heft("simulate", "--robot", robot, "--duration", 20, "--held-out", 1, "--rate", 200, "--seed", 3, "--out", log)
        self.assertEqual(made.returncode, 0, made.stderr)
        words = ("--robot", robot, "--log", log / "train.csv", "--validate", log / "held_out.csv")
        here = self.solve_on("cpu", "identify", *words)
        there = self.solve_on("cuda", "identify", *words, "--moments", self.scratch / "sums.heft")
        self.assertNotIn("cuda", here["provenance"]["backend"])
        self.assertIn("cuda", there["provenance"]["backend"])
        self.assert_same_answer(here, there)
        for body, other in zip(here["bodies"], there["bodies"]):
            self.assertAlmostEqual(other["parameters"]["m"], body["parameters"]["m"], delta=1e-9 * body["parameters"]["m"])
        self.assertEqual(there["verdict"], here["verdict"])
        self.assertNotIn("wave", here["provenance"])
        wave = there["provenance"]["wave"]
        self.assertEqual([wave["robots"], wave["logs"], wave["on_host"]], [1, 2, []])
        self.assertEqual(wave["launches"], 6)  # three for the training log, three for the one that is held out
        self.assertEqual(wave["chosen_because"], "backend: cuda is requested")
        rows = sum(log["rows"] for logs in there["logs"].values() for log in logs)
        self.assertGreaterEqual(wave["bytes_up"], 8 * 5 * rows)
        self.assertLess(wave["bytes_up"], 8 * 5 * rows + 20_000)
        self.assertLess(wave["bytes_down"], 8 * 11 * rows + 1_000)
        for error in ("training", "validation"):
            self.assertAlmostEqual(there[error]["overall_relative"], here[error]["overall_relative"], delta=1e-8)
        # and from the sums that the device made
        again = self.solve_on("cuda", "solve", self.scratch / "sums.heft")
        self.assert_same_answer(self.solve_on("cpu", "solve", self.scratch / "sums.heft"), again)
        self.assertEqual(parameters_of(again), parameters_of(there))

    def test_logs_of_all_lengths_are_conditioned_together(self):
        robot, log = self.write("two_links.urdf", TWO_LINKS), self.scratch / "log"
        words = ["--robot", robot]
        for duration in (2, 10, 5):
            made = run_heft("simulate", "--robot", robot, "--duration", duration, "--held-out", 1, "--rate", 200, "--seed", duration,
                            "--trajectory-seed", duration, "--out", log / str(duration))
            self.assertEqual(made.returncode, 0, made.stderr)
            words += ["--log", log / str(duration) / "train.csv"]
        here, there = (self.solve_on(backend, "identify", *words) for backend in ("cpu", "cuda"))
        self.assert_same_answer(here, there)
        for body, other in zip(here["bodies"], there["bodies"]):
            self.assertAlmostEqual(other["parameters"]["m"], body["parameters"]["m"], delta=1e-9 * body["parameters"]["m"])
        self.assertEqual([log["samples"] for log in there["logs"]["training"]], [log["samples"] for log in here["logs"]["training"]])
        wave = there["provenance"]["wave"]
        self.assertEqual([wave["logs"], wave["launches"], wave["on_host"]], [3, 3, []])

    def test_a_long_log_is_streamed_to_it(self):
        """The host conditions it window by window; several transfers bring its samples to the device, which sums them."""
        robot, log = self.write("two_links.urdf", TWO_LINKS), self.scratch / "log"
        made = run_heft("simulate", "--robot", robot, "--duration", 735, "--held-out", 1, "--rate", 1000, "--seed", 3, "--out", log)
        self.assertEqual(made.returncode, 0, made.stderr)
        words = ("identify", "--robot", robot, "--log", log / "train.csv", "--estimation.seek_faults", "false")
        counts = self.scratch / "traffic.json"
        here, there = self.solve_on("cpu", *words), self.solve_on("cuda", *words, traffic=counts)
        self.assert_same_answer(here, there)
        for body, other in zip(here["bodies"], there["bodies"]):
            self.assertAlmostEqual(other["parameters"]["m"], body["parameters"]["m"], delta=1e-9 * body["parameters"]["m"])
        for key in ("verdict", "doubts"):
            self.assertEqual(there[key], here[key])
        wave = there["provenance"]["wave"]
        self.assertEqual([wave["logs"], wave["launches"]], [0, 0])
        self.assertEqual([entry["why"] for entry in wave["on_host"]], ["its rows or samples take more than 64 MB"])
        launches = json.loads(counts.read_text())["kernels"]
        self.assertGreater(sum(count for name, count in launches.items() if "moments_fp64" in name), 20)

    def test_logs_that_only_the_host_conditions_are_named(self):
        robot, log = self.write("two_links.urdf", TWO_LINKS), self.scratch / "log"
        made = run_heft("simulate", "--robot", robot, "--duration", 20, "--held-out", 1, "--rate", 200, "--seed", 3, "--out", log)
        self.assertEqual(made.returncode, 0, made.stderr)
        words = ("--robot", robot, "--log", log / "train.csv", "--conditioning.filter_rows", "true")
        wave = self.solve_on("cuda", "identify", *words)["provenance"]["wave"]
        self.assertEqual([wave["logs"], wave["launches"], wave["bytes_up"], wave["bytes_down"]], [0, 0, 0, 0])
        self.assertEqual([entry["why"] for entry in wave["on_host"]], ["conditioning.filter_rows is set"])
        self.assertIn("train.csv", wave["on_host"][0]["log"])

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
        self.assertIn("no CUDA device responds", gone.stderr)

    def design_on(self, backend, *words, **settings):
        """design.json and the process of heft excite; a robot without shapes, so that it ends soon."""
        robot, out = self.write("two_links.urdf", TWO_LINKS), self.scratch / f"design-{backend}"
        done = self.run_on_device("excite", "--robot", robot, "--ignore-collisions", "--duration", 2, "--intervals", 6, "--starts", 2,
                                  "--seed", 3, "--quiet", "--backend", backend, "--out", out, *words, **settings)
        design = out / "design.json"
        return json.loads(design.read_text()) if design.exists() else None, done

    def assert_same_design(self, here, there):
        self.assertEqual(there["status"], here["status"])
        self.assertAlmostEqual(there["log_det"], here["log_det"], delta=1e-6 * (here["log_det"] - here["log_det_prior"]))
        self.assertEqual([limit["name"] for limit in there["limits"]], [limit["name"] for limit in here["limits"]])

    def test_motions_are_designed_on_it(self):
        here, _ = self.design_on("cpu")
        there, done = self.design_on("cuda")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_same_design(here, there)
        self.assertNotIn("provenance", here)
        wave = there["provenance"]["wave"]
        self.assertEqual(set(wave), {"robots", "logs", "bytes_up", "bytes_down", "launches", "host_cpu_s", "device_s", "chosen_because"})
        self.assertIn("--backend cuda", wave["chosen_because"])
        self.assertIn(wave["chosen_because"], done.stdout)
        # both starts share launches: eight for an evaluation of each
        self.assertGreater(wave["launches"], 4 * max(1, there["search"]["evaluations"] // 3))
        self.assertLess(wave["launches"], 7 * there["search"]["evaluations"])

    def test_auto_says_why_it_designs_on_the_cpu(self):
        here, _ = self.design_on("cpu")
        there, done = self.design_on("auto")  # the device that is simulated is slower
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(there["log_det"], here["log_det"])
        self.assertRegex(there["provenance"]["wave"]["chosen_because"], r"^on the CPU: a motion with gradient takes .* measured in this run")
        gone, done = self.design_on("auto", count=0)
        self.assertEqual(gone["log_det"], here["log_det"])
        self.assertIn("no CUDA device responds", gone["provenance"]["wave"]["chosen_because"])

    def test_a_device_that_fails_during_a_design_is_an_error(self):
        there, done = self.design_on("cuda", fail_at=100)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("motions on cuda", done.stderr)
        self.assertIsNone(there)

    def test_studies_are_designed_on_it(self):
        robot = self.write("two_links.urdf", TWO_LINKS)
        study = self.write("study.yaml", f"robots: [{robot}]\ndesigns: [{{seed: 3}}]\nstarts: 2\nduration: 2\nintervals: 6\nignore_collisions: true\n")
        done = self.run_on_device("excite", "--study", study, "--quiet", "--backend", "cuda", "--out", self.scratch / "study")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads((self.scratch / "study" / "study.json").read_text())
        folder = document["robots"][0]["designs"][0]["folder"]
        design = json.loads((self.scratch / "study" / folder / "design.json").read_text())
        self.assertGreater(design["provenance"]["wave"]["launches"], 0)
        self.assert_same_design(self.design_on("cpu")[0], design)

    def test_a_device_that_is_lost_during_a_study_leaves_the_finished_designs(self):
        robot = self.write("two_links.urdf", TWO_LINKS)
        study = self.write("study.yaml", f"robots: [{robot}]\ndesigns: [{{name: first, seed: 3}}, {{name: second, seed: 4}}]\nstarts: 2\n"
                           "duration: 2\nintervals: 6\nignore_collisions: true\n")

        def designs_of(out, code, **settings):
            done = self.run_on_device("excite", "--study", study, "--quiet", "--threads", 1, "--backend", "cuda", "--out", self.scratch / out,
                                      **settings)
            self.assertEqual(done.returncode, code, done.stderr)
            return json.loads((self.scratch / out / "study.json").read_text())["robots"][0]["designs"], done.stdout

        undisturbed, _ = designs_of("undisturbed", 0)
        lost, _ = designs_of("lost", 1, fail_at=3000, fault="sticky")  # during the second of two with about 2000 calls each
        self.assertEqual([design["status"] for design in lost], ["feasible", "failed"])
        self.assertIn("motions on cuda", lost[1]["error"])
        document = (self.scratch / "lost" / "study.json").read_bytes()
        done = self.run_on_device("excite", "--study", study, "--quiet", "--backend", "cuda", "--out", self.scratch / "lost", count=0)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no CUDA device", done.stderr)
        self.assertEqual((self.scratch / "lost" / "study.json").read_bytes(), document)
        resumed, words = designs_of("lost", 0)
        self.assertEqual([design["log_det"] for design in resumed], [design["log_det"] for design in undisturbed])
        self.assertEqual(words.count("from an earlier run"), 1)
        _, words = designs_of("lost", 0, count=0)  # nothing is left to do
        self.assertEqual(words.count("from an earlier run"), 2)


if __name__ == "__main__":
    unittest.main()
