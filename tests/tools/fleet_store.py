"""heft fleet with a store that is modified, damaged, full, or used with other options; population priors."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from heft_program import PROGRAM, run_heft
from fleet_case import FleetTestCase, rows


class Store(FleetTestCase):
    def setUp(self):
        super().setUp()
        self.table = rows([1, 2])
        self.store = self.scratch / "store"

    def result(self, robot="r1", store=None):
        return json.loads(((store or self.store) / "results" / robot / "result.json").read_text())

    def solved(self, done):
        return int(re.search(r"(\d+) robots? solved now", done.stdout)[1])

    def test_other_options_have_results_of_their_own(self):
        """Results of both runs are never mixed, and returning costs nothing."""
        manifest = self.manifest(self.table)
        self.run_fleet(manifest, self.store)
        first = self.digests(self.store)
        self.run_fleet(manifest, self.store, "--prior-weight", 0.1)
        second = self.digests(self.store)
        self.assertFalse(set(first.values()) & set(second.values()))
        aside = list(self.store.glob("results-*"))
        self.assertEqual(len(aside), 1)
        kept = {robot["id"]: robot["digest"] for robot in json.loads((aside[0] / "fleet.json").read_text())["robots"]}
        self.assertEqual(kept, first)
        self.assertIn(str(aside[0]), run_heft("fleet", "gc", manifest, "--store", self.store, "--prior-weight", 0.1).stdout)
        done = self.run_fleet(manifest, self.store)
        self.assertEqual(self.solved(done), 0)
        self.assertEqual(self.digests(self.store), first)
        self.assertEqual(run_heft("fleet", "status", manifest, "--store", self.store).returncode, 0)

    def test_other_options_at_the_same_time(self):
        """A run in progress excludes runs with other options, and admits those with its own."""
        manifest = self.manifest(rows())
        driver = subprocess.Popen([PROGRAM, "fleet", "run", manifest, "--store", self.store, "--no-pages", "--jobs", "1"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not (self.store / "results").exists() and driver.poll() is None:
            time.sleep(0.01)
        driver.send_signal(signal.SIGSTOP)
        try:
            done = run_heft("fleet", "run", manifest, "--store", self.store, "--prior-weight", 0.1, "--no-pages")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("with other options", done.stderr)
            self.assertIn("a separate store", done.stderr)
        finally:
            driver.send_signal(signal.SIGCONT)
        _, errors = driver.communicate(timeout=120)
        self.assertEqual(driver.returncode, 0, errors)
        self.assertEqual(run_heft("fleet", "status", manifest, "--store", self.store).returncode, 0)

    def test_status_knows_a_touched_log(self):
        log = self.scratch / "a.csv"
        shutil.copy(self.table[0]["log"], log)
        self.table[0]["log"] = str(log)
        manifest = self.manifest(self.table)
        self.run_fleet(manifest, self.store)
        os.utime(log)
        self.assertEqual(run_heft("fleet", "status", manifest, "--store", self.store).returncode, 0)
        lines = log.read_text().splitlines()
        log.write_text("\n".join(lines[:-1]) + "\n")
        self.assertIn("1 missing", run_heft("fleet", "status", manifest, "--store", self.store).stdout)

    def test_a_number_changed_in_place(self):
        """The same size and a new time of change: read again; a new time alone costs no work."""
        manifest = self.manifest(self.table)
        self.run_fleet(manifest, self.store)
        path = self.store / "results/r1/result.json"
        text = path.read_text()
        os.utime(path)
        self.assertEqual(self.solved(self.run_fleet(manifest, self.store)), 0)
        at = text.index('"m": ') + 5
        digit = "7" if text[at] != "7" else "8"
        path.write_text(text[:at] + digit + text[at + 1:])
        self.assertIn("1 missing", run_heft("fleet", "status", manifest, "--store", self.store).stdout)
        self.assertEqual(self.solved(self.run_fleet(manifest, self.store)), 1)
        self.assertEqual(self.result()["bodies"], json.loads(text)["bodies"])

    def test_all_damaged_leaves_are_made_again_at_once(self):
        manifest = self.manifest(self.table)
        self.run_fleet(manifest, self.store)
        expected = self.digests(self.store)
        leaves = list((self.store / "leaves").rglob("*.heft"))
        self.assertEqual(len(leaves), 4)
        for path in leaves:
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:1000])
        shutil.rmtree(self.store / "results")
        done = self.run_fleet(manifest, self.store)
        self.assertIn("4 logs mapped and 2 robots solved now", done.stdout)
        self.assertEqual(self.digests(self.store), expected)

    def test_a_terminal_that_hangs_up(self):
        manifest = self.manifest(rows())
        driver = subprocess.Popen([PROGRAM, "fleet", "run", manifest, "--store", self.store, "--no-pages", "--jobs", "1"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        while not list((self.store / "leaves").rglob("*.heft")) and driver.poll() is None:
            time.sleep(0.01)
        driver.send_signal(signal.SIGHUP)
        _, errors = driver.communicate(timeout=120)
        self.assertEqual(driver.returncode, 5, errors)
        self.assertIn("continues from here", errors)
        self.run_fleet(manifest, self.store)

    def test_shards_count_from_zero(self):
        manifest = self.manifest(self.table)
        self.assert_refused(["fleet", "map", manifest, "--store", self.store, "--shard", "4/4"], "--shard", "shard 4/4 does not exist", "3/4")
        self.assert_refused(["fleet", "map", manifest, "--store", self.store, "--shard", "0/0"], "--shard", "shard 0/0 does not exist")

    def test_a_rule_given_twice(self):
        gate = self.write("gate.yaml", "verdict: green\nheld_out_below: 0.1\nverdict: amber\n")
        self.assert_refused(["fleet", "run", self.manifest(self.table), "--store", self.store, "--gate", gate],
                            f"{gate}:3", "option 'verdict' is given twice", "remove one of them")

    def test_a_disk_of_128_kilobytes(self):
        """A disk that is full during the run: an error that names the store, nothing half-written, and with space the run continues."""
        manifest, disk = self.manifest(self.table), self.scratch / "disk"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)]
        if not shutil.which("unshare") or subprocess.run(["unshare", "-m", *mount], capture_output=True).returncode != 0:
            raise unittest.SkipTest("no permission to mount a small disk: run as root")
        grow = f"mount -o remount,size=64m {disk}"
        run = f'"{PROGRAM}" fleet run "{manifest}" --store "{disk}/store" --no-pages'
        script = (f'{" ".join(mount)} && {run} >"{self.scratch}/first" 2>&1; echo $? >"{self.scratch}/code"; '
                  f'ls "{disk}/store/aside" >"{self.scratch}/aside"; {grow} && {run} && cp -r "{disk}/store" "{self.store}"')
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual((self.scratch / "code").read_text(), "1\n")
        self.assertIn("free disk space", (self.scratch / "first").read_text())
        self.assertEqual((self.scratch / "aside").read_text(), "")
        calm = self.scratch / "calm"
        self.run_fleet(manifest, calm)
        self.assertEqual(self.digests(self.store), self.digests(calm))
        self.assertEqual(self.pieces(self.store), self.pieces(calm))

    def test_a_store_that_may_only_be_read(self):
        """Whether started or complete, nothing is lost: a run names the store and the remedy; status and a forecast only read."""
        manifest = self.manifest(self.table)
        run_heft("fleet", "map", manifest, "--store", self.store)
        lock = f'mount --bind "{self.store}" "{self.store}" && mount -o remount,ro,bind "{self.store}"'
        if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "sh", "-c", lock], capture_output=True).returncode != 0:
            raise unittest.SkipTest("no permission to mount a store for reading alone: run as root")

        def locked(*words):
            words = " ".join(f'"{word}"' for word in (PROGRAM, "fleet", *words))
            return subprocess.run(["unshare", "-m", "sh", "-c", f"{lock} && {words}"], capture_output=True, text=True, timeout=240)

        before = sorted(self.store.rglob("*"))
        for words in (["run", manifest], ["map", manifest], ["solve", manifest], ["report", manifest],
                      ["run", self.manifest(rows([1, 2, 3]), "more.csv")]):
            done = locked(*words, "--store", self.store)
            if words[0] == "map":  # of which all is done
                self.assertEqual(done.returncode, 0, done.stderr)
                continue
            self.assertEqual(done.returncode, 1, (words, done.stdout, done.stderr))
            self.assert_no_crash(done.stderr)
            self.assertIn(str(self.store), done.stderr)
            self.assertRegex(done.stderr, "is writable|store and writable")
        self.assertIn("2 missing", locked("status", manifest, "--store", self.store).stdout)
        self.assertEqual(locked("run", manifest, "--store", self.store, "--dry-run").returncode, 0)
        self.assertEqual(sorted(self.store.rglob("*")), before)
        self.assertIn("0 logs mapped and 2 robots solved now", self.run_fleet(manifest, self.store).stdout)

    def test_clocks_in_the_future(self):
        """A date in the future is reported with its row; a log whose file has a future time is treated like any other."""
        log = pathlib.Path(shutil.copy(self.table[0]["log"], self.scratch / "tomorrow.csv"))
        tomorrow = time.time() + 86400
        os.utime(log, (tomorrow, tomorrow))
        self.table[0] = dict(self.table[0], log=log, recorded="2999-01-01")
        manifest = self.manifest(self.table)
        done = self.run_fleet(manifest, self.store)
        self.assertIn(f"{manifest}:2: recorded 2999-01-01 is in the future: check the clock", done.stdout)
        self.assertIn("0 logs mapped and 0 robots solved now", self.run_fleet(manifest, self.store).stdout)
        os.utime(log, (tomorrow + 1, tomorrow + 1))
        self.assertIn("0 logs mapped and 0 robots solved now", self.run_fleet(manifest, self.store).stdout)
        log.write_bytes(pathlib.Path(self.table[1]["log"]).read_bytes())
        os.utime(log, (tomorrow + 1, tomorrow + 1))
        self.assertEqual(self.solved(self.run_fleet(manifest, self.store)), 1)


class Population(FleetTestCase):
    def test_population_priors_are_the_same_however_they_come(self):
        """One job or two, in shards, priors estimated by their own stage or on demand, in another order: equal digests, different from
        those without a population."""
        table = rows()
        calm, late, alone, shards = (self.scratch / name for name in ("calm", "late", "alone", "shards"))
        done = self.run_fleet(self.manifest(table), calm, "--prior", "population", "--jobs", 1)
        self.assertIn("4 done", done.stdout)
        expected = self.digests(calm)
        manifest = self.manifest(list(reversed(table)))
        for store, learns in ((late, ()), (shards, ("population",))):
            for stage in ("map", "reduce", *learns, "solve"):
                for i in (1, 0, 2):
                    done = run_heft("fleet", stage, manifest, "--store", store, "--prior", "population", "--shard", f"{i}/3",
                                    *([] if stage != "solve" else ["--no-pages"]))
                    self.assert_no_crash(done.stderr)
                    self.assertIn(done.returncode, (0,) if stage != "solve" else (0, 1), done.stderr)
                learned = len(list((store / "priors").rglob("*.json")))
                self.assertEqual(learned, {"map": 0, "reduce": 0, "population": 4, "solve": 4}[stage])
            self.assertEqual(self.digests(store), expected)
        self.run_fleet(manifest, alone)
        self.assertFalse(set(expected.values()) & set(self.digests(alone).values()))
        for robot in self.fleet_json(calm)["robots"]:
            self.assertEqual(robot["prior"]["robots"], 3)
            self.assertIsInstance(robot["prior"]["released"], list)
        again = self.run_fleet(manifest, calm, "--prior", "population")
        self.assertIn("0 logs mapped and 0 robots solved now", again.stdout)
        self.assertEqual(run_heft("fleet", "status", manifest, "--store", calm, "--prior", "population").returncode, 0)
        listed = run_heft("fleet", "gc", manifest, "--store", calm, "--prior", "population").stdout
        self.assertIn("0 pieces", listed)

    def test_a_log_of_one_is_news_for_all(self):
        table, store = rows(), self.scratch / "store"
        self.run_fleet(self.manifest(table[1:]), store, "--prior", "population")
        done = self.run_fleet(self.manifest(table), store, "--prior", "population")
        self.assertIn("1 log mapped and 4 robots solved now", done.stdout)

    def test_too_small_a_population_is_as_alone(self):
        """Three robots: the same numbers as without."""
        manifest, stores = self.manifest(rows([1, 2, 3])), [self.scratch / name for name in ("population", "none")]
        for store in stores:
            self.run_fleet(manifest, store, "--prior", store.name)
        bodies = [json.loads((store / "results/r1/result.json").read_text())["bodies"] for store in stores]
        self.assertEqual(*bodies)
        self.assertNotIn("prior", self.fleet_json(stores[0])["robots"][0])

    def test_the_former_name_is_read_with_one_note(self):
        """sisters: flag, YAML, stage and --stage mean population, and existing results are used."""
        table, store, note = rows([1]), self.scratch / "store", "sisters is now called population"
        config = self.scratch / "former.yaml"
        config.write_text("fleet: {prior: sisters}\n")
        manifest = self.manifest(table)
        done = self.run_fleet(manifest, store, "--prior", "population")
        self.assertNotIn("note:", done.stderr)
        for words in (("--prior", "sisters"), ("--config", config)):
            done = self.run_fleet(manifest, store, *words)
            self.assertIn("0 logs mapped and 0 robots solved now", done.stdout)
            self.assertEqual(done.stderr.splitlines(), [f"heft: note: fleet.prior: {note}"])
        self.assertEqual(json.loads((store / "results/r1/result.json").read_text())["provenance"]["options"]["fleet"],
                         {"prior": "population"})
        done = run_heft("fleet", "sisters", manifest, "--store", store, "--prior", "population")
        self.assertEqual((done.returncode, done.stderr), (0, f"heft: note: {note}\n"))
        self.assertIn("population: 0 logs mapped", done.stdout)
        former, present = (run_heft("fleet", "pieces", manifest, "--store", store, "--prior", "population", "--stage", stage)
                           for stage in ("sisters", "population"))
        self.assertEqual((former.stdout, former.stderr), (present.stdout, f"heft: note: {note}\n"))
        for words in (("fleet", "--help"), ("fleet", "run", "--help"), ("fleet", "pieces", "--help")):
            self.assertNotIn("sisters", run_heft(*words).stdout)
        refused = run_heft("fleet", "run", manifest, "--store", store, "--prior", "sister").stderr
        self.assertIn("one of: none, population", refused)

    def test_a_damaged_prior_is_made_again(self):
        manifest, store = self.manifest(rows()), self.scratch / "store"
        self.run_fleet(manifest, store, "--prior", "population")
        expected = self.digests(store)
        prior = next((store / "priors").rglob("*.json"))
        prior.chmod(0o644)
        prior.write_text(prior.read_text().replace('"rows_worth_one":', '"rows_worth_one":1', 1))
        shutil.rmtree(store / "results")
        self.run_fleet(manifest, store, "--prior", "population")
        self.assertEqual(self.digests(store), expected)


if __name__ == "__main__":
    unittest.main()
