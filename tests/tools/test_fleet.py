"""heft fleet from outside: equal bits for any order of work, kills or bad input; a robot of a fleet equals one identified alone."""

import csv
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest
import zlib

from fleet_case import HEADER, LOGS, NUM_ROBOTS, FleetTestCase, fleet_folder, rows, rows_of_many
from heft_program import ARM, PROGRAM, run_heft


class SameBits(FleetTestCase):
    def test_workers_order_and_shards_change_nothing(self):
        table = rows()
        one = self.scratch / "one"
        self.run_fleet(self.manifest(table), one, "--jobs", 1)
        expected, pieces = self.digests(one), self.pieces(one)
        self.assertEqual(len(expected), NUM_ROBOTS)
        self.assertTrue(all(expected.values()))
        kinds = [event["event"] for event in self.all_events(one)]  # robot by robot
        self.assertLess(kinds.index("answer"), len(kinds) - 1 - kinds[::-1].index("leaf"))
        for jobs in (2, 8):
            shuffled = table[:]
            random.Random(jobs).shuffle(shuffled)
            store = self.scratch / f"jobs{jobs}"
            self.run_fleet(self.manifest(shuffled), store, "--jobs", jobs)
            self.assertEqual(self.digests(store), expected)
            self.assertEqual(self.pieces(store), pieces)
        shards, manifest = self.scratch / "shards", self.manifest(table)
        for stage in ("map", "reduce", "solve"):
            for i in range(3):
                done = run_heft("fleet", stage, manifest, "--store", shards, "--shard", f"{i}/3",
                                *(["--no-pages"] if stage == "solve" else []))
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digests(shards), expected)
        self.assertEqual(self.pieces(shards), pieces)

    def test_a_robot_is_what_identify_says(self):
        """Equal moments to 1e-12 and results to 1e-10 for the same logs."""
        store = self.scratch / "store"
        self.run_fleet(self.manifest(rows([1])), store)
        root = fleet_folder()
        for order in (("a", "b"), ("b", "a")):
            out = self.scratch / "".join(order)
            done = run_heft("identify", "--robot", ARM, "--log", root / f"r1/{order[0]}.csv", "--log", root / f"r1/{order[1]}.csv",
                            "--validate", root / "r1/held_out.csv", "--out", out, "--moments", out.with_suffix(".heft"))
            self.assertIn(done.returncode, (0, 4), done.stderr)
            alone, fleet = (json.loads((folder / "result.json").read_text()) for folder in (out, store / "results" / "r1"))
            for body, other in zip(alone["bodies"], fleet["bodies"]):
                scale = max(abs(value) for value in body["parameters"].values())
                for name, value in body["parameters"].items():
                    self.assertLessEqual(abs(value - other["parameters"][name]), 1e-10 * scale)
            self.assertEqual(alone["status"], fleet["status"])
            self.assertAlmostEqual(alone["validation"]["overall_relative"], fleet["validation"]["overall_relative"], delta=1e-10)
            self.assertEqual([doubt["id"] for doubt in alone["doubts"]], [doubt["id"] for doubt in fleet["doubts"]])
            leaves = [total_of(leaf) for leaf in (store / "leaves").rglob("*.heft")]
            sums, sums_alone = [sum(each) for each in zip(*leaves)], total_of(out.with_suffix(".heft"))
            self.assertEqual((len(leaves), len(sums)), (2, len(sums_alone)))
            largest = max(map(abs, sums_alone))
            self.assertLessEqual(max(abs(a - b) for a, b in zip(sums, sums_alone)), 1e-12 * largest)

    def test_a_configuration_that_has_no_leaves(self):
        """Rows weighted by the residuals of all logs: the robot is identified as a whole, with the bits of identify."""
        config = self.write("huber.yaml", "estimation: {loss: huber}\n")
        table = [dict(row, config=config) for row in rows([2])]
        store = self.scratch / "store"
        self.run_fleet(self.manifest(table), store)
        self.assertFalse(list((store / "leaves").rglob("*.heft")) if (store / "leaves").exists() else [])
        self.assertEqual(self.fleet_json(store)["robots"][0]["state"], "done")
        result = json.loads(next((store / "results").glob("*/result.json")).read_text())
        self.assertEqual(result["provenance"]["options"]["backend"]["backend"], "auto")  # as it was given, on any backend

    def test_columns_with_clocks_of_their_own(self):
        """Facts of a log that was just read equal those in its leaf."""
        table = rows()
        for row in table[:3]:
            lines = [line.split(",") for line in pathlib.Path(row["log"]).read_text().splitlines()]
            column = lines[0].index("tau_joint_1")
            for k, line in enumerate(lines[1:]):
                line[column] = line[column] if k % 2 == 0 else ""
            row["log"] = self.write(f"{row['role']}_{pathlib.Path(row['log']).name}", "".join(",".join(line) + "\n" for line in lines))
        for jobs in (1, 8):  # robot by robot, and stage by stage
            self.run_fleet(self.manifest(table), self.scratch / f"jobs{jobs}", "--jobs", jobs)
        self.assertEqual(self.digests(self.scratch / "jobs1"), self.digests(self.scratch / "jobs8"))

    def test_a_log_of_many_robots_is_summed_once(self):
        log = fleet_folder() / "r1/a.csv"
        table = [{"robot_id": f"twin {k}", "robot": str(fleet_folder() / "arm.urdf"), "log": str(log)} for k in range(12)]
        for jobs in (1, 2, 3):
            store = self.scratch / f"jobs{jobs}"
            self.run_fleet(self.manifest(table), store, "--jobs", jobs)
            self.assertEqual((len(self.events(store, "leaf")), len(set(self.digests(store).values()))), (1, 1))

    def test_a_stretch_of_a_log(self):
        """start_s and end_s give the result of a log that contains only those rows."""
        whole = fleet_folder() / "r1/a.csv"
        lines = whole.read_text().splitlines()
        cut = [lines[0]] + [line for line in lines[1:] if 0.5 <= float(line.split(",")[0]) <= 4]
        short = self.write("short.csv", "\n".join(cut) + "\n")
        arm = {"robot": ARM, "robot_id": "x"}
        self.run_fleet(self.manifest([dict(arm, log=whole, start_s=0.5, end_s=4)]), self.scratch / "windowed")
        self.run_fleet(self.manifest([dict(arm, log=short)]), self.scratch / "short")
        a, b = (json.loads((self.scratch / name / "results/x/result.json").read_text()) for name in ("windowed", "short"))
        self.assertEqual(a["bodies"], b["bodies"])
        self.assertEqual(a["logs"]["training"][0]["rows"], len(cut) - 1)

    def test_logs_that_are_kept_change_nothing(self):
        """A robot that passes through all stages at once does not read its logs again; the result equals that of separate stages, also with
        some leaves made before, and with filtered rows of two stretches of one log."""
        config = self.write("filtered.yaml", "conditioning: {filter_rows: true}\n")
        table = []
        for row in rows():
            stretches = [{}] if row["role"] == "validate" else [{"start_s": 0, "end_s": 3.2}, {"start_s": 2.7, "end_s": 6}]
            if not row["log"].endswith("b.csv"):
                table += [dict(row, config=str(config), **stretch) for stretch in stretches]
        manifest = self.manifest(table)
        stores = {name: self.scratch / name for name in ("at once", "by stages", "some before")}
        self.run_fleet(manifest, stores["at once"], "--jobs", 1)
        for store, stage, arguments in (("by stages", "map", ()), ("by stages", "reduce", ()), ("by stages", "solve", ("--no-pages",)),
                                        ("some before", "map", ("--shard", "1/3"))):
            done = run_heft("fleet", stage, manifest, "--store", stores[store], *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.run_fleet(manifest, stores["some before"], "--jobs", 1)
        expected = self.digests(stores["at once"])
        self.assertTrue(all(expected.values()))
        for store in ("by stages", "some before"):
            self.assertEqual(self.digests(stores[store]), expected, store)
            self.assertEqual(self.pieces(stores[store]), self.pieces(stores["at once"]), store)

    def test_neighbors_in_a_batch_change_nothing(self):
        """Problems are solved in batches; each robot gets the same bits alone, and among others with fewer columns."""
        together = self.scratch / "together"
        plain = self.write("plain.yaml", "columns: [viscous]\n")
        others = [{**row, "robot_id": "other " + row["robot_id"], "config": str(plain)} for row in rows()]
        self.run_fleet(self.manifest([row for pair in zip(others, rows()) for row in pair]), together, "--jobs", 2)
        for robot in range(1, NUM_ROBOTS + 1):
            store = self.scratch / f"alone{robot}"
            self.run_fleet(self.manifest(rows([robot])), store)
            self.assertEqual(self.digests(store)[f"r{robot}"], self.digests(together)[f"r{robot}"])


def total_of(path):
    """The sum of all samples in a moments file (docs/moments.md), without the counts of rows."""
    data = path.read_bytes()
    size, unpacked, packed, count, packed_numbers, planes = struct.unpack("<6Q", data[24:72])
    begin = 72 + packed + (-(72 + packed)) % 8
    numbers = data[begin:begin + packed_numbers]
    if planes:
        flat = zlib.decompress(numbers)
        numbers = bytes(flat[plane * count + k] for k in range(count) for plane in range(8))
    channels = len(json.loads(zlib.decompress(data[72:72 + packed]))["channels"])
    columns = json.loads(zlib.decompress(data[72:72 + packed]))["layout"]["channel_columns"]
    one = sum((len(c) + 1) * (len(c) + 2) // 2 for c in columns)
    assert len(columns) == channels
    return struct.unpack(f"<{one}d", numbers[:8 * one])


class Killed(FleetTestCase):
    def test_killed_at_random_moments(self):
        """kill -9 ten times in one run, at moments spread over it, then completion: equal digests, and no finished work is repeated."""
        manifest = self.manifest(rows())
        calm, store = self.scratch / "calm", self.scratch / "store"
        begin = time.monotonic()
        self.run_fleet(manifest, calm, "--jobs", 2)
        length = time.monotonic() - begin
        moments, killed = random.Random(7), 0
        for k in range(10):
            jobs = str(1 + k % 2)  # robot by robot while most are new, and stage by stage
            process = subprocess.Popen([PROGRAM, "fleet", "run", manifest, "--store", store, "--no-pages", "--jobs", jobs],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0, 0.8) * length)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                killed += process.wait() == -signal.SIGKILL
        self.assertGreater(killed, 2)
        self.run_fleet(manifest, store)
        self.assertEqual(self.digests(store), self.digests(calm))
        self.assertEqual(self.pieces(store), self.pieces(calm))
        for kind in ("leaf", "answer"):
            keys = [event["key"] for event in self.events(store, kind)]
            self.assertEqual(len(keys), len(set(keys)), f"a {kind} was made twice")

    def test_signals_and_time_budget(self):
        manifest = self.manifest(rows())
        for name, arguments, end in (("budget", ["--time", "0.05"], None), ("signal", [], signal.SIGTERM)):
            store = self.scratch / name
            process = subprocess.Popen([PROGRAM, "fleet", "run", manifest, "--store", store, "--no-pages", "--jobs", "1",
                                        *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if end:
                while not (store / "events.jsonl").exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(end)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 5, errors)
            states = [robot["state"] for robot in self.fleet_json(store)["robots"]]
            self.assertIn("missing", states)
            self.run_fleet(manifest, store)
            self.assertEqual({robot["state"] for robot in self.fleet_json(store)["robots"]}, {"done"})

    def test_two_drivers_at_once(self):
        manifest, store, calm = self.manifest(rows()), self.scratch / "store", self.scratch / "calm"
        drivers = [subprocess.Popen([PROGRAM, "fleet", "run", manifest, "--store", store, "--no-pages", "--jobs", "1"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for driver in drivers:
            _, errors = driver.communicate(timeout=120)
            self.assertEqual(driver.returncode, 0, errors)
        self.run_fleet(manifest, calm)
        self.assertEqual(self.digests(store), self.digests(calm))
        self.assertEqual(self.pieces(store), self.pieces(calm))

    def test_a_full_disk(self):
        """No file may exceed 20 kB, less than a leaf: an error names the store; with space again the run continues."""
        manifest, store = self.manifest(rows([1])), self.scratch / "store"

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        done = subprocess.run([PROGRAM, "fleet", "run", manifest, "--store", store, "--no-pages"], capture_output=True,
                              text=True, preexec_fn=limit, restore_signals=False, timeout=120)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(store), done.stderr)
        self.assert_no_crash(done.stderr)
        self.assertFalse(list((store / "aside").iterdir()))
        self.run_fleet(manifest, store)

    def halve(self, paths):
        for path in paths:
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:1000])

    def test_damaged_pieces(self):
        """Half a leaf, half a sum: put aside and made again, as the events report."""
        manifest, store = self.manifest(rows_of_many(49)), self.scratch / "store"
        self.run_fleet(manifest, store)
        expected, pieces = self.digests(store), self.pieces(store)
        for kind, num_damaged in (("nodes", 48), ("leaves", 49)):
            self.halve(sorted((store / kind).rglob("*.heft"))[:48 if kind == "nodes" else 1])
            shutil.rmtree(store / "results")
            if kind == "leaves":
                for path in (store / "nodes").rglob("*.heft"):
                    path.unlink()
            self.run_fleet(manifest, store)
            self.assertEqual(self.digests(store), expected)
            self.assertEqual(self.pieces(store), pieces)
            self.assertEqual(len(list((store / "aside").glob("*.damaged"))), num_damaged)
        self.assertIn("was damaged and has been set aside", self.events(store, "robot failed")[0]["error"])

    def test_a_damaged_leaf_of_robots_that_are_taken_one_by_one(self):
        manifest, store = self.manifest(rows()), self.scratch / "store"
        self.run_fleet(manifest, store, "--jobs", 1)
        expected, pieces = self.digests(store), self.pieces(store)
        self.halve(sorted((store / "leaves").rglob("*.heft"))[:1])
        shutil.rmtree(store / "results")
        self.run_fleet(manifest, store, "--jobs", 1)
        self.assertEqual((self.digests(store), self.pieces(store)), (expected, pieces))

    def test_damaged_answers(self):
        """A record with another number, an emptied result: both are detected and made again."""
        manifest, store = self.manifest(rows([1, 2])), self.scratch / "store"
        self.run_fleet(manifest, store)
        expected, table = self.digests(store), (store / "fleet.csv").read_text()
        record = next((store / "answers").rglob("??/*"))
        record.chmod(0o644)
        for damage in (lambda text: text.replace(" 0.", " 0.000", 1), lambda text: "", lambda text: text[:-40]):
            damaged = damage(record.read_text())
            self.assertNotEqual(damaged, record.read_text())
            record.unlink()
            record.write_text(damaged)
            self.assertEqual(run_heft("fleet", "status", manifest, "--store", store).returncode, 1)
            done = self.run_fleet(manifest, store)
            self.assertIn("1 robot solved now", done.stdout)
            self.assertEqual((store / "fleet.csv").read_text(), table)
            record.chmod(0o644)
        self.assertEqual(len(self.events(store, "answer damaged")), 3)
        for name in ("result.json", "identified.urdf"):
            (store / "results/r1" / name).write_text("")
            self.run_fleet(manifest, store)
            self.assertEqual(self.digests(store), expected)
            self.assertGreater((store / "results/r1" / name).stat().st_size, 0)
        self.assertIn("0 robots solved now", self.run_fleet(manifest, store).stdout)

    def test_stages_want_their_stages_before(self):
        manifest, store = self.manifest(rows([1, 2])), self.scratch / "store"
        for stage in ("reduce", "solve"):
            self.assert_refused(["fleet", stage, manifest, "--store", store], str(store), "is not a store", "--store")
            self.assertFalse(store.exists())
        self.assertEqual(run_heft("fleet", "map", manifest, "--store", store, "--shard", "0/3").returncode, 0)
        for stage in ("reduce", "solve"):
            done = run_heft("fleet", stage, manifest, "--store", store)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("not all of its logs are mapped", done.stderr)


class BadInput(FleetTestCase):
    def state(self, store, robot):
        return next(entry for entry in self.fleet_json(store)["robots"] if entry["id"] == robot)

    def test_one_bad_robot_stops_no_other(self):
        root = fleet_folder()
        self.write("empty.csv", "")
        lines = (root / "r1/a.csv").read_text().splitlines()
        lines[17] = lines[17].replace(lines[17].split(",")[3], "text", 1)
        self.write("bad.csv", "\n".join(lines) + "\n")
        self.write("other.urdf", pathlib.Path(ARM).read_text())
        self.write("copy.csv", (root / "r1/held_out.csv").read_text())
        arm = dict(robot=ARM)
        table = rows([2]) + [
            dict(arm, robot_id="zero bytes", log="empty.csv"),
            dict(arm, robot_id="a bad line", log="bad.csv"),
            dict(arm, robot_id="no such log", log="gone.csv"),
            dict(robot_id="no such robot", robot="gone.urdf", log=root / "r1/a.csv"),
            dict(arm, robot_id="validates only", log=root / "r1/a.csv", role="validate"),
            dict(arm, robot_id="misspelt", log=root / "r1/a.csv", role="trian"),
            dict(arm, robot_id="two robots", log=root / "r1/a.csv"),
            dict(robot_id="two robots", robot="other.urdf", log=root / "r1/b.csv"),
            dict(arm, robot_id="leak", log=root / "r1/held_out.csv"),
            dict(arm, robot_id="leak", log="copy.csv", role="validate"),
            dict(arm, robot_id="wrong sum", log=root / "r1/a.csv", sha256="0" * 64),
            dict(arm, robot_id="not npy", log=root / "r1/a.csv", format="npy"),
            dict(arm, robot_id="one of two", log=root / "r1/a.csv"),
            dict(arm, robot_id="one of two", log="empty.csv"),
        ]
        manifest, store = self.manifest(table), self.scratch / "store"
        done = self.run_fleet(manifest, store, exit_code=1)
        self.assertEqual(self.state(store, "r2")["state"], "done")
        for robot, line, says in (("zero bytes", 5, "0 bytes"), ("a bad line", None, "bad.csv:18"), ("no such log", 7, "does not exist"),
                                  ("no such robot", 8, "robot file '"), ("validates only", 9, "none for training"),
                                  ("misspelt", 10, "did you mean 'train'"), ("two robots", 12, "two robot files"),
                                  ("leak", 14, "validated on its training data"), ("wrong sum", 15, "SHA-256"),
                                  ("not npy", None, "is csv, not npy"), ("one of two", 18, "0 bytes")):
            with self.subTest(robot):
                entry = self.state(store, robot)
                self.assertEqual(entry["state"], "failed")
                self.assertIn(says, entry["error"])
                self.assertIn(says, done.stderr)
                if line:
                    self.assertIn(f"{manifest}:{line}", entry["error"])
                if robot in ("zero bytes", "no such log"):  # it has a row to train on: advice to add one would mislead
                    self.assertNotIn("give it a row", entry["error"])
                self.assertEqual(entry["digest"] is not None, robot == "one of two")
        self.assertEqual(self.fleet_json(store)["totals"], {"robots": 12, "done": 1, "failed": 11, "missing": 0, "certified": 2,
                                                            "doubted": self.fleet_json(store)["totals"]["doubted"],
                                                            "logs": 16, "bad_rows": 1})
        status = run_heft("fleet", "status", manifest, "--store", store)
        self.assertEqual(status.returncode, 1)
        self.assertIn("1 done, 11 failed, 0 missing", status.stdout)
        # only what was fixed is done again
        self.write("bad.csv", (root / "r3/a.csv").read_text())
        again = self.run_fleet(manifest, store, exit_code=1)
        self.assertIn("1 log mapped and 1 robot solved", again.stdout)

    def test_a_log_twice_counts_once(self):
        root = fleet_folder()
        self.write("again.csv", (root / "r1/a.csv").read_text())
        once, twice = self.scratch / "once", self.scratch / "twice"
        self.run_fleet(self.manifest(rows([1])), once)
        done = self.run_fleet(self.manifest(rows([1]) + [dict(robot=root / "arm.urdf", robot_id="r1", log="again.csv")]), twice)
        self.assertIn("and counts once", done.stdout)
        self.assertEqual(set(self.pieces(once)), set(self.pieces(twice)))
        # and one that moves to another robot is noticed
        done = self.run_fleet(self.manifest([dict(robot=ARM, robot_id="r9", log="again.csv")]), twice)
        self.assertIn("previously belonged to robot 'r1'", done.stdout)

    def test_ids_stay_inside(self):
        log = fleet_folder() / "r1/a.csv"
        ids = ["../../up", "/etc/x", "a/b", "..", ".", "робот-7", "arm", "Arm", "ARM", "with space", "x" * 180, "%41", "A"]
        table = [dict(robot=ARM, robot_id=name, log=log) for name in ids]
        store = self.scratch / "deep" / "store"
        before = set(self.scratch.rglob("*"))
        self.run_fleet(self.manifest(table), store)
        results = [store / entry["result"] for entry in self.fleet_json(store)["robots"]]
        self.assertEqual(len(results), len(ids))
        folders = {path.parent.name.lower() for path in results}
        self.assertEqual(len(folders), len(ids), folders)
        for path in results:
            self.assertTrue(path.is_file())
            self.assertEqual(path.resolve().parent.parent, (store / "results").resolve())
        outside = {path for path in set(self.scratch.rglob("*")) - before if store not in (path, *path.parents)}
        self.assertEqual({path.name for path in outside}, {"deep", "fleet.csv"})

    def test_stores_that_are_none(self):
        manifest, store = self.manifest(rows([1])), self.scratch / "store"
        run = ["fleet", "run", manifest, "--store"]
        self.assert_refused([*run, manifest], manifest, "is not a folder")
        (self.scratch / "other").mkdir()
        self.write("other/file", "x")
        self.assert_refused([*run, self.scratch / "other"], self.scratch / "other", "neither empty nor a store")
        self.run_fleet(manifest, store)
        self.assert_refused([*run, store / "inner"], store / "inner", "lies inside another store")
        (store / "heft-fleet-store").unlink()
        (store / "heft-fleet-store").write_text("heft-fleet-store-2\n")
        self.assert_refused([*run, store], store, "is a store of format 2")

    def test_manifests_that_are_none(self):
        for text, where, says in (("", "", "is empty"), ("robot_id,robot\n", ":1", "no column 'log'"),
                                  ("robot_id,robot,lgo\n", ":1", "unknown column 'lgo'"), (HEADER + "\n", "", "does not name a log")):
            with self.subTest(text):
                manifest = self.write("bad.csv", text)
                self.assert_refused(["fleet", "run", manifest, "--store", self.scratch / "store"], f"{manifest}{where}", says)

    def test_json_lines_and_quotes(self):
        lines = "".join(json.dumps(row) + "\n" for row in rows([1]))
        store = self.scratch / "store"
        self.run_fleet(self.write("fleet.jsonl", lines), store)
        quoted = self.write("quoted.csv", 'robot_id,robot,log\n"a ""b"", c",%s,%s\n' % (ARM, fleet_folder() / "r1/a.csv"))
        self.run_fleet(quoted, self.scratch / "quoted")
        self.assertEqual(self.fleet_json(self.scratch / "quoted")["robots"][0]["id"], 'a "b", c')
        table = list(csv.DictReader((self.scratch / "quoted/fleet.csv").open()))
        self.assertEqual(table[0]["robot_id"], 'a "b", c')


class Operations(FleetTestCase):
    def test_dry_run_of_a_hundred_thousand_rows(self):
        """A manifest whose logs exist: rows are counted, the one bad row is named, and nothing is written."""
        log = fleet_folder() / "r1/a.csv"
        lines = ["robot_id,robot,log,role"]
        lines += [f"r{k // 2},{ARM},{log},{'train' if k % 2 == 0 else 'train'}" for k in range(100000)]
        lines[5000] = f"r2499,{ARM},{log},tarin"
        manifest = self.write("big.csv", "\n".join(lines) + "\n")
        done = run_heft("fleet", "run", manifest, "--store", self.scratch / "store", "--dry-run")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("50000 robots, 99999 training logs", done.stdout)
        self.assertIn(f"{manifest}:5001: unknown role 'tarin'", done.stderr)
        self.assertEqual({path.name for path in self.scratch.iterdir()}, {"big.csv"})

    def test_a_million_rows_with_one_bad(self):
        """The bad row is named, all others are counted."""
        log, count = fleet_folder() / "r1/a.csv", 1000000
        manifest = self.scratch / "million.csv"
        with manifest.open("w") as file:
            file.write("robot_id,robot,log,role\n")
            file.writelines(f"r{k // 4},{ARM},{log},{'train' if k != 654321 else 'trian'}\n" for k in range(count))
        done = run_heft("fleet", "run", manifest, "--store", self.scratch / "store", "--dry-run")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{count // 4} robots, {count - 1} training logs", done.stdout)
        self.assertEqual(done.stderr.count("heft: "), 1, done.stderr[:2000])
        self.assertIn(f"{manifest}:654323: unknown role 'trian'", done.stderr)

    def test_manifest_check_and_gc(self):
        root = fleet_folder()
        out = self.scratch / "made.csv"
        done = run_heft("fleet", "manifest", f"{root}/*/*.csv", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = list(csv.DictReader(out.open()))
        self.assertEqual(len(table), NUM_ROBOTS * 3)
        self.assertEqual({row["role"] for row in table if row["log"].endswith("held_out.csv")}, {"validate"})
        done = run_heft("fleet", "check", out, "--json", self.scratch / "check.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(json.loads((self.scratch / "check.json").read_text())["errors"], 0)
        wrong = self.write("wrong.csv", f"robot_id,robot,log,format\nr1,{ARM},{root}/r1/a.csv,npy\n")
        done = run_heft("fleet", "check", wrong)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("a.csv: is csv, not npy as the manifest says", done.stdout)
        self.assertIn("1 robot, 1 row, ", done.stdout)
        invalid = self.write("invalid.csv", f"robot_id,robot,log,format\nr1,{ARM},{root}/r1/a.csv,\nr1,{ARM},{root}/r1/a.csv,nyp\n")
        done = run_heft("fleet", "check", invalid, "--rows-only")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("1 robot, 2 rows, 0 files checked: 1 error, 0 warnings", done.stdout)
        store = self.scratch / "store"
        self.run_fleet(self.manifest(rows()), store)
        as_before = store / "digests/ab"  # more folders, which no store has any more
        as_before.mkdir(parents=True)
        (as_before / ("ab" * 32 + "-" + "cd" * 32)).write_text("ef" * 32)
        small = self.manifest(rows([1]), "small.csv")
        listed = run_heft("fleet", "gc", small, "--store", store)
        self.assertIn("--yes removes them", listed.stdout)
        self.assertEqual(len(list((store / "leaves").rglob("*.heft"))), 8)
        self.assertEqual(run_heft("fleet", "gc", small, "--store", store, "--yes").returncode, 0)
        self.assertEqual(len(list((store / "leaves").rglob("*.heft"))), 2)
        self.assertFalse(as_before.exists())
        self.assertEqual(len([note for note in (store / "digests").rglob("*") if note.is_file()]), 3 * NUM_ROBOTS)
        self.assertEqual(run_heft("fleet", "status", small, "--store", store).returncode, 0)

    def test_a_manifest_writes_over_nothing_else(self):
        """--out is a log, another file, or an existing manifest; --force replaces the latter."""
        logs = self.scratch / "logs"
        logs.mkdir()
        log = logs / "a.csv"
        shutil.copy(fleet_folder() / "r1/a.csv", log)
        shutil.copy(ARM, logs / "arm.urdf")
        make = ["fleet", "manifest", logs, "--out"]
        self.assert_refused([*make, log], log, "is not a manifest", "new file")
        self.assert_refused([*make, log, "--force"], log, "is not a manifest", "new file")
        self.assert_refused([*make, ""], "--out", "is empty")
        for out in (logs / "fleet.csv", logs / "fleet.jsonl"):
            self.assertEqual(run_heft(*make, out).returncode, 0)
            before = out.read_text()
            self.assert_refused([*make, out], out, "is already a manifest", "--force")
            self.assertEqual(run_heft(*make, out, "--force").returncode, 0)
            self.assertEqual(out.read_text(), before)
            if out.suffix == ".csv":
                log.rename(self.scratch / "away.csv")
                self.assert_refused([*make, out, "--force"], logs, "no robot was found")
                (self.scratch / "away.csv").rename(log)
                out.unlink()

    def test_memory_is_a_bound(self):
        """Peak resident memory, which does not depend on the machine's speed: with a bound for one job, well below that of eight. A bound
        too small for one robot is an error that gives the required memory."""
        root = fleet_folder()
        table = [{"robot_id": f"m{k}", "robot": str(root / "arm.urdf"), "log": str(root / f"r{1 + k % NUM_ROBOTS}" / f"{name}.csv"),
                  "role": "validate" if name == "held_out" else "train"} for k in range(8) for name in LOGS]
        manifest, peaks = self.manifest(table), {}
        for bound in (None, 125):
            words = ["--memory", str(bound)] if bound else []
            process = subprocess.Popen([PROGRAM, "fleet", "run", manifest, "--store", self.scratch / f"memory{bound}", "--no-pages",
                                        "--quiet", "--jobs", "8", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            peaks[bound] = used.ru_maxrss / 1000
        self.assertLess(peaks[125], min(125, 0.75 * peaks[None]))
        done = run_heft("fleet", "run", manifest, "--store", self.scratch / "none", "--memory", 20)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"--memory: robot 'm\d' alone takes about \d+ MB")

    def test_flags_that_make_no_sense(self):
        manifest = self.manifest(rows([1]))
        run = ["fleet", "run", manifest, "--store", self.scratch / "store"]
        for flag in ("--time", "--memory"):
            for value in ("nan", "inf", "1e400", "0", "-1", "1x"):
                with self.subTest(flag=flag, value=value):
                    done = run_heft(*run, flag, value)
                    self.assertGreaterEqual(done.returncode, 100)
                    self.assertIn(f"{flag}: '{value}' is not a number above 0; omit the flag for no limit", done.stderr)
        self.assert_refused(["fleet", "map", *run[2:], "--shard", ""], "--shard", "'' is not a shard", "3/20")
        self.assert_refused([*run[:4], ""], "--store", "is not a folder name", "store")

    def test_names_of_joints_that_do_not_exist(self):
        """Robots whose logs are summed by leaves, and such whose logs are read at once."""
        for n, flags in enumerate(([], ["--estimation.loss", "huber"])):
            store = self.scratch / f"store{n}"
            done = self.run_fleet(self.manifest(rows([1])), store, *flags, "--joints.keep", "joint9", exit_code=1)
            self.assertRegex(done.stdout + done.stderr, r"joints\.keep: unknown joint 'joint9'\n? +remedy: .*joint_9?")
        done = run_heft("fleet", "check", self.manifest(rows([1])), "--joints.keep", "joint9")
        self.assertIn("unknown joint 'joint9'", done.stdout)

    def test_ids_that_spreadsheets_would_run(self):
        ids = ["=1+1", "+1", "-1", "@SUM(A1)"]
        table = [dict(robot=ARM, robot_id=name, log="gone.csv") for name in ids]
        self.run_fleet(self.manifest(table), self.scratch / "store", exit_code=1)
        found = [row["robot_id"] for row in csv.DictReader((self.scratch / "store/fleet.csv").open())]
        self.assertEqual(sorted(found), sorted("'" + name for name in ids))
        self.assertEqual(sorted(robot["id"] for robot in self.fleet_json(self.scratch / "store")["robots"]), sorted(ids))

    def test_gate_and_history(self):
        """A robot whose second day is the log of another: it is held, and the report says what changed."""
        for seed, trajectory in ((2, 21), (2, 22), (3, 32)):  # long enough for intervals
            out = self.scratch / f"{seed}_{trajectory}"
            done = run_heft("simulate", "--robot", ARM, "--duration", 10, "--held-out", 10, "--rate", 200, "--seed", seed,
                            "--trajectory-seed", trajectory, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
        store, arm = self.scratch / "store", {"robot": fleet_folder() / "arm.urdf", "robot_id": "r2"}
        table = [dict(arm, log="2_21/train.csv", recorded="2026-11-20"), dict(arm, log="3_32/train.csv", recorded="2026-11-21"),
                 dict(arm, log="2_22/held_out.csv", role="validate")]
        gate = self.write("rules.yaml", "held_out_below: 0.03\ndoubts_allowed: [total-scale]\n")
        self.run_fleet(self.manifest(table + rows([1])), store, "--gate", gate)
        robots = {robot["id"]: robot for robot in self.fleet_json(store)["robots"]}
        self.assertEqual(robots["r1"]["gate"], {"decision": "promote", "reasons": []})
        self.assertEqual(robots["r2"]["gate"]["decision"], "hold")
        self.assertIn("held-out error", robots["r2"]["gate"]["reasons"][0])
        self.assertEqual(self.fleet_json(store)["gate"], {"promoted": 1, "held": [{"id": "r2", "reasons": robots["r2"]["gate"]["reasons"]}]})
        self.assertTrue(any("on 2026-11-21" in words for words in robots["r2"]["changes"]), robots["r2"])
        self.assertNotIn("changes", robots["r1"])
        for text, line, says in (("held_out_belo: 1", 1, "unknown option"), ("certified: true\nverdict: blue", 2, "must be green or amber, not 'blue'"),
                                 ("held_out_below: often", 1, "held_out_below: cannot read 'often'"),
                                 ("held_out_below: 0", 1, "held_out_below must be positive"),
                                 ("doubts_allowed: [total-scal]", 1, "unknown doubt 'total-scal'")):
            rules = self.write("bad.yaml", text)
            self.assert_refused(["fleet", "run", self.manifest(table), "--store", self.scratch / "none", "--gate", rules],
                                f"{rules}:{line}", says)


if __name__ == "__main__":
    unittest.main()
