#!/usr/bin/env python3
"""Fleets: what it costs to keep many robots in a store, and what kill -9 does to it (docs/fleet.md).

Usage: bench/fleet/run.py [--heft build/heft] [--only NAMES] [--robots 2000] [--kills 100] [--scratch DIR] [--json F] [--docs]

NAMES of kills, plan, cost, workers, scaling, incremental, memory, population, reach, spread, strangers, peer, shards, ray, dask, separated by commas;
default: all. --python PATH is an interpreter with the wheel, ray and distributed, for the last two (clusters.py). Robots are the demo
arm's random neighbors, their logs made by heft simulate. `cost` compares a run without pages with the sum of the stages that heft
identify reports for the same robots, two processes at a time, shared out over two jobs. `population` and the three after it (population.py)
are of robots by Pinocchio, `peer` (peer.py) beside Pinocchio and Clarabel. Needs numpy for `memory`; for these five numpy, pin,
example-robot-data, clarabel and joblib. Exit codes: 0 all figures reached, 1 one missed, 77 nothing to run on.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import clusters  # noqa: E402
import heft_bench  # noqa: E402

ARM = heft_bench.ROOT / "tools" / "demo" / "arm.urdf"
DOCS = heft_bench.ROOT / "docs" / "fleet.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
PARTS = ("plan", "workers", "scaling", "kills", "incremental", "cost", "memory", "population", "reach", "spread", "strangers", "peer",
         "shards", "ray", "dask")
FORMER_PARTS = {"sisters": "population", "night": "incremental"}
MODELS = ("panda", "ur5", "xarm7")  # models
JOBS = 2


class Bench:
    def __init__(self, heft, scratch, path=None):
        self.heft, self.scratch = str(heft), pathlib.Path(scratch).resolve()
        self.report = heft_bench.Report(path)
        self.num_fresh = 0

    def call(self, *words, codes=(0,), **options):
        done = subprocess.run([self.heft, *map(str, words)], capture_output=True, text=True, **options)
        if done.returncode not in codes:
            raise RuntimeError(f"heft {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr[-2000:]}")
        return done

    def logs(self, robot):
        """Two logs to train and one held out of 2000 samples; made once."""
        folder = self.scratch / "logs" / f"r{robot}"
        if (folder / "held_out.csv").exists():
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        for k, name in enumerate("ab"):
            made = folder / "made"
            self.call("simulate", "--robot", ARM, "--duration", 20, "--held-out", 20, "--rate", 100, "--seed", robot,
                      "--trajectory-seed", 2 * robot + k, "--out", made)
            os.replace(made / "train.csv", folder / f"{name}.csv")
        os.replace(made / "held_out.csv", folder / "held_out.csv")
        shutil.rmtree(made)
        return folder

    def manifest(self, count, name, leave_out=(), jobs=JOBS):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            folders = list(pool.map(self.logs, range(1, count + 1)))
        path = self.scratch / f"{name}.csv"
        with path.open("w") as file:
            file.write("robot_id,robot,log,role\n")
            for robot, folder in enumerate(folders, 1):
                for log, role in (("a", "train"), ("b", "train"), ("held_out", "validate")):
                    if (robot, log) not in leave_out:
                        file.write(f"r{robot},{ARM},{folder}/{log}.csv,{role}\n")
        return path

    def run(self, manifest, store, jobs=JOBS):
        """Wall seconds and largest memory [MB] of a run without pages."""
        begin = time.monotonic()
        process = subprocess.Popen([self.heft, "fleet", "run", manifest, "--store", store, "--no-pages", "--quiet", "--jobs",
                                    str(jobs)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        largest, has_ended = 0, threading.Event()

        def look():
            nonlocal largest
            while not has_ended.wait(0.05):
                try:  # what the kernel says of children counts this process, too
                    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                    largest = max([largest] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
                except OSError:
                    pass

        looker = threading.Thread(target=look)
        looker.start()
        errors = process.communicate()[1]  # an incremental run takes a tenth of a second: its end is waited for, not asked for
        seconds = time.monotonic() - begin
        has_ended.set()
        looker.join()
        if process.returncode != 0:
            raise RuntimeError(f"fleet run: exit {process.returncode}: {errors[-2000:]}")
        return seconds, largest / 1024

    def digests(self, store):
        return {robot["id"]: robot["digest"] for robot in json.loads((store / "fleet.json").read_text())["robots"]}

    def fresh(self, name):
        """A folder that never was. All stay until the end: for minutes, file systems (ext4) do not use the places of files that were
        deleted, and look long for others, which would be timed as well."""
        while True:
            self.num_fresh += 1
            folder = self.scratch / f"{name}_{self.num_fresh}"
            if not folder.exists():
                return folder

    def plan(self, options):
        log = self.logs(1) / "a.csv"
        for rows, must in ((100_000, 10), (1_000_000, None)):
            path = self.scratch / "plan.csv"
            with path.open("w") as file:
                file.write("robot_id,robot,log,role\n")
                file.writelines(f"r{k // 3},{ARM},{log},train\n" for k in range(rows))
            begin = time.monotonic()
            self.call("fleet", "run", path, "--store", self.scratch / "none", "--dry-run")
            self.report.add(f"manifest of {rows} rows planned", time.monotonic() - begin, "s", must=must, goal=None if must else 10,
                            smaller_is_better=True)

    def workers(self, options):
        """Interleaved pairs; the median ratio."""
        manifest = self.manifest(60, "workers")
        ratios, expected = [], None
        for _ in range(3):
            seconds = {}
            for jobs in (1, 2):
                store = self.fresh("workers")
                seconds[jobs], _ = self.run(manifest, store, jobs)
                digests = self.digests(store)
                expected = expected or digests
                if digests != expected:
                    raise RuntimeError("digests differ between numbers of workers")
            ratios.append(seconds[1] / seconds[2])
        self.report.add("two workers against one", sorted(ratios)[1], "x", must=1.8, goal=1.9)
        self.report.add("two runs of one worker each, side by side, against one: what the machine allows", self.side_by_side(), "x")

    def scaling(self, options):
        """Robots a second with 1, 2, 4, .. jobs, as many as there are cores."""
        count, cores = min(480, options.robots), len(os.sched_getaffinity(0))
        manifest = self.manifest(count, "scaling", jobs=cores)
        jobs = 1
        while jobs <= cores:
            seconds, _ = self.run(manifest, self.fresh("scaling"), jobs)
            self.report.add(f"scaling: {count} robots, {jobs} jobs of {cores} cores", count / seconds, "1/s")
            jobs *= 2

    def side_by_side(self):
        """How much more work two runs that know nothing of each other do in a time than one; the median of three."""
        halves = []
        lines = (self.scratch / "workers.csv").read_text().splitlines(keepends=True)
        for half in range(2):
            halves.append(self.scratch / f"half{half}.csv")
            rows = [line for k, line in enumerate(lines[1:]) if (k // 3) % 2 == half]  # three logs a robot
            halves[half].write_text("".join(lines[:1] + rows))
        gains = []
        for _ in range(3):
            alone = self.run(halves[0], self.fresh("half0"), 1)[0]
            stores = [self.fresh(f"half{half}") for half in range(2)]
            begin = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda half: self.run(halves[half], stores[half], 1), range(2)))
            gains.append(2 * alone / (time.monotonic() - begin))
        return sorted(gains)[1]

    def kills(self, options):
        """kill -9 at random moments; runs go on from each other until one ends, then a new store. A robot whose logs are not all
        summed is in map, one whose logs are but that has no answer in solve; a run of two jobs may be hit in both."""
        manifest = self.manifest(12, "kills")
        calm = self.fresh("calm")
        length, _ = self.run(manifest, calm)
        expected = self.digests(calm)
        moments, in_stage, equal, twice, rounds = random.Random(1), {"map": 0, "solve": 0}, True, 0, 0
        num_kills, least = 0, {"map": min(30, 0.3 * options.kills), "solve": min(20, 0.2 * options.kills)}
        # maps are a sixth of a run: as many kills as it takes to hit enough of them
        while num_kills < options.kills or (num_kills < 4 * options.kills and any(in_stage[stage] < least[stage] for stage in least)):
            store, rounds = self.fresh("killed"), rounds + 1
            for _ in range(8):
                begin, since = len(self.events(store)), time.time()
                process = subprocess.Popen([self.heft, "fleet", "run", manifest, "--store", store, "--no-pages", "--jobs", "2"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    process.wait(moments.uniform(0, 0.6) * length)
                    break
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    if process.wait() == -signal.SIGKILL:
                        num_kills += 1
                        for stage in self.stages_hit(store, begin, since):
                            in_stage[stage] += 1
            self.run(manifest, store)
            equal = equal and self.digests(store) == expected
            events = self.events(store)
            for kind in ("leaf", "answer"):
                keys = [event["key"] for event in events if event.get("event") == kind]
                twice += len(keys) - len(set(keys))
        self.report.add("kill -9 at random moments", num_kills, "")
        for stage in least:
            self.report.add(f"kill -9 in {stage}", in_stage[stage], "", must=least[stage])
        self.report.add("kill -9: stores that ended with equal digests", rounds if equal else 0, f"of {rounds}", must=rounds)
        self.report.add("kill -9: finished pieces computed again", twice, "", must=0, smaller_is_better=True)

    def events(self, store):
        path = store / "events.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def stages_hit(self, store, begin, since):
        """Where a run was that began at event `begin` and time `since` and was killed: of robots that it touched and that have no answer,
        solve if both logs to train have leaves, else map. A log is noted as its robot's (owners/) right before it is mapped."""
        events = self.events(store)
        answered = {event["robot_id"] for event in events if event["event"] == "answer"}
        leaves, begun = collections.Counter(), set()
        for k, event in enumerate(events):
            if event["event"] == "leaf":
                leaves[event["robot_id"]] += 1
                begun |= {event["robot_id"]} if k >= begin else set()
        begun |= {note.read_text() for note in (store / "owners").rglob("*") if note.is_file() and note.stat().st_mtime >= since}
        return {"solve" if leaves[robot] == 2 else "map" for robot in begun - answered}

    def incremental(self, options):
        """334 robots with three logs each; then nine incremental runs, each with one new log, which came last: the median. Single runs
        differ by a third, by their robots and by what else the machine does in that tenth of a second."""
        count, late = min(334, options.robots), [(robot, "b") for robot in range(7, min(16, options.robots + 1))]
        store, runs = self.fresh("incremental"), []
        first, _ = self.run(self.manifest(count, "before", leave_out=set(late)), store)
        for k, (robot, log) in enumerate(late, 1):
            after = self.manifest(count, f"after_{k}", leave_out=set(late[k:]))
            os.utime(self.logs(robot) / f"{log}.csv")
            os.sync(), time.sleep(8)  # an incremental run begins with what was written long on the disk, which rests
            runs.append(self.run(after, store)[0])
        self.report.add("one new log in 1000 against the first run", 100 * statistics.median(runs) / first, "%", must=1, smaller_is_better=True)
        self.report.add("first run, 334 robots x 3 logs", first, "s")

    def stages_of(self, robot):
        """Seconds of the stages of heft identify by its own account."""
        folder, out = self.logs(robot), self.scratch / "alone" / str(robot)
        self.call("identify", "--robot", ARM, "--log", folder / "a.csv", "--log", folder / "b.csv", "--validate",
                  folder / "held_out.csv", "--out", out, "--threads", 1, codes=(0, 4))
        return sum(entry["value"] for entry in json.loads((out / "result.json").read_text())["timings"].values())

    def cost(self, options):
        """Interleaved pairs of forty robots, so that others on the machine burden both; then the whole fleet."""
        few, ratios = min(40, options.robots), []
        manifest = self.manifest(few, "few")
        for _ in range(5):
            with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
                stages = sum(pool.map(self.stages_of, range(1, few + 1))) / JOBS
            ratios.append(self.run(manifest, self.fresh("few"))[0] / stages)
        self.report.add("wall against the stages alone", sorted(ratios)[2], "x", must=1.25, smaller_is_better=True)
        seconds, memory = self.run(self.manifest(options.robots, "cost"), self.fresh("cost"))
        self.report.add(f"{options.robots} robots x 3 logs x 2000 samples", seconds, "s")
        self.report.add("robots per second", options.robots / seconds, "1/s")
        self.report.add("largest memory of that run", memory, "MB", must=1000, smaller_is_better=True)

    def shards(self, options):
        clusters.shards(self, options)

    def ray(self, options):
        clusters.engine(self, options, "ray")

    def dask(self, options):
        clusters.engine(self, options, "dask")

    def memory(self, options):
        """2 GB of log in an address space of 1 GB."""
        try:
            import numpy as np
        except ModuleNotFoundError:
            print("memory: skipped, numpy is missing")
            return
        lines = (self.logs(1) / "a.csv").read_text().splitlines()
        names = lines[0].split(",")
        table = np.array([line.split(",") for line in lines[1:]], dtype=float)
        table[:, names.index("t")] = np.arange(len(table)) / 100
        rows = int(2e9 / 8 / len(names))
        path = self.scratch / "large.npy"
        large = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(rows, len(names)))
        mirrored = np.concatenate([table, table[::-1]])  # no jumps of position where copies meet
        for begin in range(0, rows, len(mirrored)):
            part = mirrored[:rows - begin].copy()
            part[:, names.index("t")] = np.arange(begin, begin + len(part)) / 100
            large[begin:begin + len(part)] = part
        large.flush()
        del large
        (self.scratch / "large.yaml").write_text("log: {columns: [%s]}\n" % ", ".join(names))
        (self.scratch / "large.csv").write_text(f"robot_id,robot,log,config\nx,{ARM},large.npy,large.yaml\n")
        gigabyte = 2 ** 30
        begin = time.monotonic()
        done = subprocess.run([self.heft, "fleet", "run", self.scratch / "large.csv", "--store", self.fresh("large"), "--no-pages",
                               "--quiet"], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (gigabyte, gigabyte)))
        if done.returncode != 0:
            print(done.stdout + done.stderr)
        self.report.add("2 GB of log in 1 GB of address space: exit code", done.returncode, "", must=0, smaller_is_better=True)
        self.report.add("2 GB of log: rate", 2000 / (time.monotonic() - begin), "MB/s")
        path.unlink()

    def npy_logs(self, folder, count):
        """The logs of robots 1 .. count as NPY files of time, positions and torques: rows of a manifest that names arm.yaml, and the
        columns. Needs numpy."""
        import numpy as np
        folder.mkdir(parents=True)
        rows, names = ["robot_id,robot,log,config,role"], []
        for robot in range(1, count + 1):
            for log, role in (("a", "train"), ("b", "train"), ("held_out", "validate")):
                text = (self.logs(robot) / f"{log}.csv").read_text().splitlines()
                names = text[0].split(",")
                wanted = [0] + [k for k, n in enumerate(names) if n.startswith("q_")] + [k for k, n in enumerate(names) if n.startswith("tau_")]
                names = [names[k] for k in wanted]
                table = np.array([line.split(",") for line in text[1:]], dtype=float)[:, wanted]
                np.save(folder / f"r{robot}_{log}.npy", np.ascontiguousarray(table))
                rows.append(f"r{robot},{ARM},r{robot}_{log}.npy,arm.yaml,{role}")
        return rows, names

    def write_configuration(self, folder, names, bootstrap, seeks):
        (folder / "arm.yaml").write_text(f"log: {{columns: [{', '.join(names)}]}}\n"
                                         f"estimation: {{bootstrap: {bootstrap}, seek_faults: {seeks}}}\n"
                                         "columns: [viscous, coulomb: {tanh_width: 0.03}, offset]\n")

    def peer_loop(self, manifest, bootstrap):
        """What peer.py prints of the robots of a manifest with NPY logs."""
        return json.loads(subprocess.run([sys.executable, HERE / "peer.py", ARM, manifest, "--jobs", str(JOBS), "--bootstrap",
                                          str(bootstrap)], capture_output=True, text=True, check=True,
                                         env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}).stdout)

    def peer(self, options):
        """Interleaved with a joblib loop over Pinocchio and Clarabel, two jobs each, from the same NPY logs. The loop does not test logs
        for faults: Heft runs without that test (estimation.seek_faults), which is the same work, and with it, the default."""
        try:
            import joblib, clarabel, numpy as np, pinocchio, scipy  # noqa: E401, F401
        except ModuleNotFoundError as missing:
            print(f"peer: skipped, {missing.name} is missing")
            return
        folder, count = self.fresh("peer"), 96
        rows, names = self.npy_logs(folder, count)
        manifest = folder / "fleet.csv"
        for bootstrap, must, goal, robots in ((0, 6, 10, count), (200, 30, 100, count // 2)):
            manifest.write_text("\n".join(rows[:1 + 3 * robots]) + "\n")
            ratios, by_processor, worst = {"false": [], "true": []}, [], 0
            for turn in range(3):
                seconds = {}
                for seeks in list(ratios)[::-1 if turn % 2 else 1]:
                    self.write_configuration(folder, names, bootstrap, seeks)
                    store, before = self.fresh("peer_store"), resource.getrusage(resource.RUSAGE_CHILDREN)
                    seconds[seeks], _ = self.run(manifest, store)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    if seeks == "false":
                        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                        own = {robot["id"]: robot["held_out"] for robot in json.loads((store / "fleet.json").read_text())["robots"]}
                peer = self.peer_loop(manifest, bootstrap)
                for seeks, found in ratios.items():
                    found.append(peer["seconds"] / seconds[seeks])
                by_processor.append(peer["processor_seconds"] / processor)
                worst = max([worst] + [abs(own[name] / error - 1) for name, error in peer["robots"].items()])
            words = "joblib, Pinocchio and Clarabel " + (f"with {bootstrap} bootstraps" if bootstrap else "without intervals")
            middle = lambda figures: sorted(figures)[len(figures) // 2]
            self.report.add(f"{words}: robots", robots, "")
            self.report.add(f"{words}: time against ours, the same work", middle(ratios["false"]), "x", must=must, goal=goal)
            self.report.add(f"{words}: processor time against ours, the same work", middle(by_processor), "x")
            self.report.add(f"{words}: time against ours, which also tests logs for faults", middle(ratios["true"]), "x")
            self.report.add(f"{words}: held-out errors differ by at most", 100 * worst, "%")

    def population_figures(self, options, name, model, count, spread, seconds, odd=(), with_truth=False, moves=None):
        """What a population prior gave a fleet by Pinocchio, and which groups of its robots were released; None without its packages."""
        try:
            import population
        except ModuleNotFoundError as missing:
            print(f"{name}: skipped, {missing.name} is missing")
            return None
        robots = population.example_robots()
        if robots is None:
            print(f"{name}: skipped, example-robot-data is missing")
            return None
        folder = self.fresh("population")
        moves = population.part_of_the_range if moves is None else getattr(population.arms, moves)
        fleet = population.Fleet(folder, robots / population.MODELS[model], count, spread, seconds, 1, odd, moves)
        (alone, _), (together, report) = (fleet.results(self.call, prior, JOBS) for prior in ("none", "population"))
        found = population.figures(fleet, alone, together)
        if with_truth:
            truth = fleet.errors_of_the_truth(self.call, alone)
            rms = lambda errors: sum(error * error for error in errors)**0.5
            found["truth"] = 100 * (rms(truth) / rms(found["held"]["none"]) - 1)
        found["released"] = [robot.get("prior", {}).get("released", []) for robot in report["robots"]]
        return found

    def population(self, options):
        """Three models, every log in a part of the robot's range."""
        for model in MODELS:
            found = self.population_figures(options, "population", model, options.population, 0.025, 5, with_truth=True)
            if found is None:
                return
            add = self.report.add
            add(f"{model}: base parameters, median error", found["base"], "%", must=-50, goal=-65,
                smaller_is_better=True)
            add(f"{model}: held out, fleet rms", found["rms"], "%", must=-20, goal=-40, smaller_is_better=True)
            add(f"{model}: held out, fleet rms of the true parameters as the answer", found["truth"], "%")
            add(f"{model}: robots worse by more than 5 %", found["worse"], "%", must=5, smaller_is_better=True)
            add(f"{model}: 95 % intervals that contain the truth", found["intervals"], f"% of {found['count']}", must=93)

    def reach(self, options):
        """The same where every log moves over the whole range: robots then know themselves."""
        for model in MODELS:
            found = self.population_figures(options, "reach", model, options.population, 0.025, 5, with_truth=True, moves="motion")
            if found is None:
                return
            self.report.add(f"{model}, motions over the whole range: base parameters, median error", found["base"], "%")
            self.report.add(f"{model}: held out, fleet rms", found["rms"], "%", must=0, smaller_is_better=True)
            self.report.add(f"{model}, motions over the whole range: the same of the true parameters as the answer", found["truth"], "%")

    def spread(self, options):
        """What must not be worse: populations whose robots are far from each other, and small ones."""
        for name, count, spread in (("spread 20 %", options.population, 0.2), ("five robots", 5, 0.025)):
            for model in MODELS:
                found = self.population_figures(options, "spread", model, count, spread, 5)
                if found is None:
                    return
                self.report.add(f"{model}, {name}: held out, fleet rms", found["rms"], "%", must=0, smaller_is_better=True)

    def strangers(self, options):
        """Robots that do not belong to the population, 20 s of log."""
        caught, alarms, clean, ratios = {"tool": [], "gain": []}, 0, 0, []
        for model in MODELS:
            odd = {r: ("tool", "gain")[(r // max(1, options.population // 6)) % 2]
                   for r in range(0, options.population, max(1, options.population // 6))}
            found = self.population_figures(options, "strangers", model, options.population, 0.025, 20, odd)
            if found is None:
                return
            for r, groups in enumerate(found["released"]):
                if r in odd:
                    caught[odd[r]].append(bool(groups))
                    ratios += [found["ratio"][r]] if groups else []
                else:
                    alarms, clean = alarms + bool(groups), clean + 1
        add = self.report.add
        for kind, what, must in (("tool", "a tool of 0.5 kg more", 100), ("gain", "torques by 1.2", 90)):
            add(f"outliers: {what}, found", 100 * sum(caught[kind]) / max(1, len(caught[kind])), f"% of {len(caught[kind])}", must=must)
        add("outliers: others released", 100 * alarms / clean, f"% of {clean}", must=1, smaller_is_better=True)
        add("outliers: found ones, held out against alone, worst", 100 * (max(ratios, default=1) - 1), "%", must=0,
            smaller_is_better=True)


def write_docs(rows, machine, commit):
    """Rows of that name in docs/fleet.md are replaced, new ones come last; below them, where the newest are from."""
    head, rest = DOCS.read_text().split(BEGIN)
    old, tail = rest.split(END)
    lines = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ") and "figure | value" not in line}
    for row in rows:
        cells = ["–" if row[key] is None else f"{row[key]:.4g}" for key in ("value", "must", "goal")]
        missed = "" if row["ok"] else ", **missed**"
        lines[row["name"]] = f"| {row['name']} | {cells[0]} {row['unit']}{missed} | {cells[1]} | {cells[2]} |"
    DOCS.write_text("\n".join([head + BEGIN, "", "| figure | value | must | goal |", "|---|---|---|---|", *lines.values(), "",
                               f"The newest rows are from {machine}, commit {commit}.", "", END + tail]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--robots", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--population", "--sisters", type=int, default=60, help="robots of a model")
    parser.add_argument("--scratch", help="folder for logs and stores, kept; default: one that is removed")
    parser.add_argument("--json")
    parser.add_argument("--docs", action="store_true", help="rewrite the rows of docs/fleet.md that were measured")
    parser.add_argument("--rows", nargs="+", help="measure nothing: with --docs, take the rows of these files that --json wrote")
    options = parser.parse_args()
    if options.rows:
        for path in options.rows:
            made = json.loads(pathlib.Path(path).read_text())
            write_docs(made["rows"], made["machine"], made["commit"])
        return heft_bench.REACHED
    if not pathlib.Path(options.heft).exists():
        print(f"skipped: {options.heft} is not there")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory(prefix="heft-fleet-") as scratch:
        bench = Bench(pathlib.Path(options.heft).resolve(), options.scratch or scratch, options.json)
        for part in options.only.split(","):
            part = FORMER_PARTS.get(part, part)
            if part not in PARTS:
                parser.error(f"there is no part {part}: {', '.join(PARTS)}")
            getattr(bench, part)(options)
        if options.docs:
            write_docs(bench.report.rows, heft_bench.machine(), heft_bench.commit())
        return bench.report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
