"""Logs of four arms, manifests of them, and the content of a store, for the tests of heft fleet."""

import hashlib
import json
import os
import pathlib
import shutil
import tempfile

from heft_program import ARM, HeftTestCase, run_heft

HEADER = "robot_id,robot,log,format,config,role,sha256,start_s,end_s,recorded"
NUM_ROBOTS, LOGS = 4, ("a", "b", "held_out")
_folders = []


def fleet_folder():
    """Logs of four arms, two for training and one held out each: ROBOT/a.csv .., arm.urdf; all tests read them, none writes them."""
    if not _folders:
        _folders.append(tempfile.TemporaryDirectory(prefix="heft-fleet-"))
        root = pathlib.Path(_folders[0].name)
        shutil.copy(ARM, root / "arm.urdf")
        for robot in range(1, NUM_ROBOTS + 1):
            (root / f"r{robot}").mkdir()
            for trajectory, name in ((10 * robot, "a"), (10 * robot + 1, "b")):
                done = run_heft("simulate", "--robot", ARM, "--duration", 6, "--held-out", 6, "--rate", 200, "--seed", robot,
                                "--trajectory-seed", trajectory, "--out", root / "made")
                if done.returncode != 0:
                    raise AssertionError(done.stderr)
                os.replace(root / "made" / "train.csv", root / f"r{robot}" / f"{name}.csv")
            os.replace(root / "made" / "held_out.csv", root / f"r{robot}" / "held_out.csv")
    return pathlib.Path(_folders[0].name)


def rows(robots=range(1, NUM_ROBOTS + 1)):
    root = fleet_folder()
    return [{"robot_id": f"r{robot}", "robot": str(root / "arm.urdf"), "log": str(root / f"r{robot}" / f"{name}.csv"),
             "role": "validate" if name == "held_out" else "train"} for robot in robots for name in LOGS]


def rows_of_many(count):
    """A robot with this number of logs, more than 48, each a stretch of one log."""
    root = fleet_folder()
    return [{"robot_id": "many", "robot": str(root / "arm.urdf"), "log": str(root / "r1/a.csv"), "start_s": round(0.07 * k, 2),
             "end_s": round(0.07 * k + 1.5, 2)} for k in range(count)]


class FleetTestCase(HeftTestCase):
    def manifest(self, table, name="fleet.csv"):
        lines = [HEADER]
        for row in table:
            lines.append(",".join(str(row.get(key, "")) for key in HEADER.split(",")))
        return self.write(name, "\n".join(lines) + "\n")

    def run_fleet(self, manifest, store, *arguments, exit_code=0):
        done = run_heft("fleet", "run", manifest, "--store", store, "--no-pages", *arguments)
        self.assert_no_crash(done.stderr)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def fleet_json(self, store):
        return json.loads((pathlib.Path(store) / "fleet.json").read_text())

    def digests(self, store):
        return {robot["id"]: robot["digest"] for robot in self.fleet_json(store)["robots"]}

    def pieces(self, store):
        """Names of everything content-addressed, with the digests of the bytes."""
        found = {}
        for kind in ("leaves", "nodes", "answers"):
            for path in (pathlib.Path(store) / kind).rglob("*"):
                if path.is_file():
                    found[f"{kind}/{path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def all_events(self, store):
        return list(map(json.loads, (pathlib.Path(store) / "events.jsonl").read_text().splitlines()))

    def events(self, store, kind):
        return [event for event in self.all_events(store) if event["event"] == kind]
