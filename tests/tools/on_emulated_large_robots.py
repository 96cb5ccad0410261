"""Fleets of robots with more than 220 unknowns, whose rows are summed and whose problems are solved on the device that the host emulates
(tests/device_on_host), and a device that is lost or gone while it is needed for them."""

import json
import os
import pathlib
import subprocess
import unittest

from heft_program import HeftTestCase, run_heft
from on_emulated_device import EMULATED

LIMBS = (6, 6, 5)  # with three columns for each joint, one unknown more than the CPU keeps
LINK = """<link name="{name}"><inertial><origin xyz="0.0{k} 0.02 {z}"/><mass value="{mass}"/>
  <inertia ixx="0.04" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.03"/></inertial></link>"""
JOINT = """<joint name="joint_{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/>
  <origin xyz="0.1 0 0.2" rpy="{roll} 0 0.4"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="3" effort="100"/></joint>"""


def tree():
    parts = ['<robot name="tree"><link name="root"/>']
    for limb, length in enumerate(LIMBS):
        parent = "root"
        for k in range(length):
            name = f"link_{limb}_{k}"
            parts += [LINK.format(name=name, k=k, z=0.05 * (limb + 1), mass=3 - 0.4 * k),
                      JOINT.format(name=name, parent=parent, roll=1.2 + 0.1 * limb)]
            parent = name
    return "\n".join(parts + ["</robot>\n"])


@unittest.skipUnless(EMULATED, "the device is emulated where nvcc is and the processor is an x86-64")
class LargeRobotsOnEmulatedDevice(HeftTestCase):
    def setUp(self):
        super().setUp()
        robot = self.write("tree.urdf", tree())
        rows = ["robot_id,robot,log,role"]
        for seed, unit in enumerate("ab", 1):
            made = run_heft("simulate", "--robot", robot, "--duration", 4, "--held-out", 4, "--rate", 50, "--seed", seed, "--trajectory-seed",
                            seed, "--out", self.scratch / unit)
            self.assertEqual(made.returncode, 0, made.stderr)
            rows += [f"{unit},{robot},{unit}/train.csv,train", f"{unit},{robot},{unit}/held_out.csv,validate"]
        self.manifest = self.write("fleet.csv", "\n".join(rows) + "\n")

    def run_fleet(self, store, *words, command="run", backend="cuda", **settings):
        """The process; settings as in tests/device_on_host/README.md."""
        environment = {**os.environ, **{f"HEFT_DEVICE_{name.upper()}": str(value) for name, value in settings.items()}}
        pages = ["--no-pages"] if command in ("run", "solve", "report") else []
        done = subprocess.run([EMULATED, "fleet", command, self.manifest, "--store", self.scratch / store, "--backend", backend,
                               "--estimation.bootstrap", "5", "--estimation.seek_faults", "false", *pages, *words], timeout=240,
                              capture_output=True, text=True, env=environment)
        self.assert_no_crash(done.stderr)
        return done

    def fleet_json(self, store):
        return json.loads((self.scratch / store / "fleet.json").read_text())

    def results(self, store):
        return [json.loads((self.scratch / store / robot["result"]).read_text()) for robot in self.fleet_json(store)["robots"]]

    def digests(self, store):
        return [robot["digest"] for robot in self.fleet_json(store)["robots"]]

    def events(self, store):
        path = self.scratch / store / "events.jsonl"
        return [json.loads(line)["event"] for line in path.read_text().splitlines()] if path.exists() else []

    def files(self, store):
        return {path.relative_to(self.scratch): path.read_bytes() for path in pathlib.Path(self.scratch / store).rglob("*") if path.is_file()}

    def test_results_are_those_of_the_cpu(self):
        for store in ("cpu", "cuda"):
            done = self.run_fleet(store, backend=store)
            self.assertEqual(done.returncode, 0, done.stderr)
        for key in ("state", "doubts", "verdict", "certified"):
            self.assertEqual(*([robot[key] for robot in self.fleet_json(store)["robots"]] for store in ("cpu", "cuda")))
        for here, there in zip(self.results("cpu"), self.results("cuda")):
            for body, other in zip(here["bodies"], there["bodies"]):
                mass = body["parameters"]["m"]
                self.assertAlmostEqual(other["parameters"]["m"], mass, delta=1e-9 * mass)
            self.assertIn("cuda", there["provenance"]["backend"])
        wave = self.fleet_json("cuda")["provenance"]["wave"]
        self.assertEqual([wave["robots"], wave["on_host"]], [2, []])

    def test_a_device_lost_at_any_stage_fails_no_robot(self):
        self.assertEqual(self.run_fleet("undisturbed").returncode, 0)
        places, num_whole = set(), 0
        for fail_at in range(40, 400, 23):
            store = f"lost-{fail_at}"
            done = self.run_fleet(store, fail_at=fail_at, fault="sticky")
            if done.returncode == 0:  # made fewer calls
                num_whole += 1
                break
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "illegal memory access|no CUDA device responds")
            self.assertNotIn("robot '", done.stderr)  # the device is at fault, not one of them
            places.add(done.stderr.split(": ")[1])
            self.assertFalse((self.scratch / store / "fleet.json").exists())
            self.assertEqual([event for event in self.events(store) if "failed" in event], [])
            resumed = self.run_fleet(store)
            self.assertEqual(resumed.returncode, 0, resumed.stderr)
            self.assertEqual(self.digests(store), self.digests("undisturbed"))
        self.assertEqual(num_whole, 1)
        self.assertLessEqual({"conditioning on cuda", "backend cuda", "batch on cuda"}, places)

    def test_the_host_computes_what_the_memory_cannot_hold(self):
        small = self.write("arm.urdf", tree().replace("tree", "arm").split('<link name="link_1_0">')[0] + "</robot>\n")
        made = run_heft("simulate", "--robot", small, "--duration", 3, "--held-out", 1, "--rate", 100, "--out", self.scratch / "arm")
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(self.manifest, "a") as manifest:
            manifest.write(f"arm,{small},arm/train.csv,train\n")
        for store, backend, settings in (("cpu", "cpu", {}), ("little", "cuda", {"memory": 300_000})):
            done = self.run_fleet(store, backend=backend, **settings)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({robot["id"]: robot["state"] for robot in self.fleet_json("little")["robots"]},
                         {"a": "done", "b": "done", "arm": "done"})
        for here, there in zip(self.results("cpu"), self.results("little")):
            for body, other in zip(here["bodies"], there["bodies"]):
                mass = body["parameters"]["m"]
                self.assertAlmostEqual(other["parameters"]["m"], mass, delta=1e-9 * mass)

    def test_identify_says_where_the_memory_did_not_suffice(self):
        masses = []
        for memory in (1 << 33, 3_000_000, 300_000):
            done = subprocess.run([EMULATED, "identify", "--robot", self.scratch / "tree.urdf", "--log", self.scratch / "a" / "train.csv",
                                   "--backend", "cuda", "--estimation.bootstrap", "0", "--estimation.seek_faults", "false", "--out",
                                   self.scratch / "one"], timeout=240, capture_output=True, text=True,
                                  env={**os.environ, "HEFT_DEVICE_MEMORY": str(memory)})
            self.assertIn(done.returncode, (0, 4), done.stderr)
            result = json.loads((self.scratch / "one" / "result.json").read_text())
            by_host = [entry["by"] for entry in result["provenance"]["solves"] if "memory cannot hold" in entry["for"]]
            self.assertEqual(len(by_host), 1 if memory == 300_000 else 0)
            self.assertTrue(all(name.startswith("cpu") for name in by_host))
            masses.append([body["parameters"]["m"] for body in result["bodies"]])
        self.assertEqual(masses[0], masses[1])  # in several transfers, with the same bits
        for mass, other in zip(masses[0], masses[2]):
            self.assertAlmostEqual(other, mass, delta=1e-9 * mass)

    def test_without_the_device_nothing_is_hidden_or_removed(self):
        """Names of pieces depend on the device: without it, no command can tell which ones are needed."""
        self.assertEqual(self.run_fleet("store").returncode, 0)
        before = self.files("store")
        for command, *words in (["status"], ["report"], ["gc", "--yes"], ["reduce"], ["solve"], ["map"], ["run"], ["run", "--dry-run"]):
            done = self.run_fleet("store", *words, command=command, count=0)
            self.assertEqual(done.returncode, 1, (command, done.stdout))
            self.assertIn("backend cuda: no CUDA device responds", done.stderr, command)
            self.assertNotIn("failed", done.stdout, command)
        after = self.files("store")
        for files in (before, after):
            files.pop(pathlib.Path("store/events.jsonl"))
        self.assertEqual(after, before)
        self.assertIn("0 pieces", self.run_fleet("store", command="gc").stdout)


if __name__ == "__main__":
    unittest.main()
