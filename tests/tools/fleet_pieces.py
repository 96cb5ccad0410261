"""heft fleet pieces and report: the names of a store's pieces, and the files made from them again."""

import json
import pathlib

from fleet_case import NUM_ROBOTS, FleetTestCase, rows, rows_of_many
from heft_program import run_heft


class Pieces(FleetTestCase):
    """heft_robot.fleet, which copies pieces between stores, relies on these names."""

    def names(self, manifest, store, stage, shard="0/1"):
        done = run_heft("fleet", "pieces", manifest, "--store", store, "--stage", stage, "--shard", shard)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_names_are_those_of_what_is_there(self):
        store, manifest = self.scratch / "store", self.manifest(rows() + rows_of_many(49))
        before = self.names(manifest, self.scratch / "empty", "solve")
        self.run_fleet(manifest, store)
        there = {path.relative_to(store).as_posix() for kind in ("leaves", "nodes", "answers", "owners", "digests")
                 for path in (store / kind).rglob("*") if path.is_file()}
        for stage, kinds in (("digests", ("digests",)), ("map", ("leaves", "owners")), ("solve", ("leaves", "nodes", "answers", "owners"))):
            parts = [self.names(manifest, store, stage, f"{i}/3") for i in range(3)]
            named = {name for part in parts for name in part if not name.startswith(("failures/", "results/"))}
            self.assertEqual(named, {name for name in there if name.startswith(kinds)}, stage)
            self.assertEqual({name for part in parts for name in part}, set(self.names(manifest, store, stage)), stage)
        self.assertEqual(before, self.names(manifest, store, "solve"))  # whether they are there or not
        self.assertEqual(sum(name.startswith("results/") and name.endswith("/") for name in before), NUM_ROBOTS + 1)

    def test_a_report_of_what_is_there(self):
        store, manifest = self.scratch / "store", self.manifest(rows([1]))
        self.run_fleet(manifest, store)
        before = self.digests(store)
        (store / "fleet.json").unlink()
        done = run_heft("fleet", "report", manifest, "--store", store)
        self.assertEqual((done.returncode, self.digests(store)), (0, before), done.stderr)
        self.assertEqual(run_heft("fleet", "report", manifest, "--store", self.scratch / "none").returncode, 1)

    def test_spikes_are_bridged_in_fleets_too(self):
        table = rows([1])
        lines = pathlib.Path(table[0]["log"]).read_text().splitlines()
        fields = lines[100].split(",")
        lines[100] = ",".join([fields[0], "9.5", *fields[2:]])
        log, config = self.write("spiky.csv", "\n".join(lines) + "\n"), self.write("bridge.yaml", "log: {bridge_spikes: true}\n")
        store = self.scratch / "store"
        self.run_fleet(self.manifest([{**row, "config": config} for row in [{**table[0], "log": log}, *table[1:]]]), store)
        of_fleet = json.loads((store / "results" / "r1" / "result.json").read_text())
        alone = self.identify("--config", config, "--log", table[1]["log"], "--validate", table[2]["log"], log=log)
        self.assertEqual(alone["logs"]["training"][0]["bridged"], {"q_joint_1": 1})
        for part in ("training", "validation"):
            self.assertAlmostEqual(of_fleet[part]["overall_relative"], alone[part]["overall_relative"], delta=1e-9)
