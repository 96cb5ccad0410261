"""Fleets whose workers and drivers are killed: shards of the program, and tasks of Ray and Dask. Parts of run.py.

Ray and Dask run in `python`, an interpreter with the wheel, ray and distributed. A process of this benchmark holds the cluster; drivers
are `python -m heft_robot fleet run --engine ..` that find it by its address. It begins Dask's workers again itself, as services of an
operating system do: Dask's own nanny has left a cluster without workers when one was killed right after it had begun. A worker is killed with kill -9 while it has a shard,
a driver at a random moment. At the end every store has the digests of a calm run, and no piece was made twice.
"""
import json
import os
import pathlib
import random
import secrets
import signal
import subprocess
import time

KILLS_OF_SHARDS, KILLS_OF_EACH, ROBOTS, SHARDS, TASKS = 20, 10, 12, 8, 200

HOLD = {
    "ray": """
import ray, sys
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
""",
    "dask": """
import subprocess, sys, threading, time, distributed
cluster = distributed.LocalCluster(n_workers=0, dashboard_address=None)
words = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
begin = lambda: subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
workers, ended = [begin(), begin()], threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
print(cluster.scheduler_address, flush=True)
while not ended.wait(0.1):
    workers = [begin() if worker.poll() is not None else worker for worker in workers]
for worker in workers:
    worker.kill()
"""}
ADDRESS = {"ray": "RAY_ADDRESS", "dask": "DASK_SCHEDULER_ADDRESS"}
PACKAGE = {"ray": "ray", "dask": "distributed"}
OVERHEAD = """
import sys, time
from heft_robot.fleet.engines import engine
def nothing(number):
    return number
if __name__ == "__main__":
    count = int(sys.argv[2])
    with engine(sys.argv[1], 2) as each:
        list(each(nothing, ((k,) for k in range(20))))
        begin = time.perf_counter()
        assert sorted(each(nothing, ((k,) for k in range(count)))) == list(range(count))
        print((time.perf_counter() - begin) / count)
"""
OF_A_SHARD = """
import os, sys, time
from heft_robot.fleet.work import Work, do_shard
work = Work(sys.argv[1], sys.argv[2], os.getcwd(), (), (), ("--no-pages",))
times = []
for k in range(10):
    begin = time.perf_counter()
    done = do_shard(work, "map", f"{k}/10")
    times.append(time.perf_counter() - begin)
print(sorted(times)[5])
"""


def made_twice(store):
    events = [json.loads(line) for line in (store / "events.jsonl").read_text().splitlines() if line.startswith("{")]
    return sum(len(keys) - len(set(keys)) for keys in (
        [event["key"] for event in events if event.get("event") == kind] for kind in ("leaf", "answer")))


def shards(bench, options):
    """Processes of the program, a shard each, killed; those that were are begun again."""
    manifest = bench.manifest(ROBOTS, "kills")
    calm = bench.fresh("calm")
    length, _ = bench.run(manifest, calm, 1)
    expected, moments, kills, equal, twice, rounds = bench.digests(calm), random.Random(2), 0, True, 0, 0
    while kills < KILLS_OF_SHARDS:
        store, rounds = bench.fresh("shards"), rounds + 1
        for stage in ("map", "solve"):
            for shard in range(SHARDS):
                words = [bench.heft, "fleet", stage, manifest, "--store", store, "--shard", f"{shard}/{SHARDS}", "--quiet"]
                words += ["--no-pages"] if stage == "solve" else []
                process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                try:
                    process.wait(moments.uniform(0, 1.5) * length / (2 * SHARDS))
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += process.wait() == -signal.SIGKILL
                    subprocess.run(words, check=True, capture_output=True)
        equal, twice = equal and bench.digests(store) == expected, twice + made_twice(store)
    report(bench, "shards", kills, KILLS_OF_SHARDS, rounds if equal else 0, rounds, twice)


def report(bench, what, kills, must, equal, rounds, twice):
    bench.report.add(f"kill -9 of {what}", kills, "", must=must)
    bench.report.add(f"kill -9 of {what}: stores that ended with equal digests", equal, f"of {rounds}", must=rounds)
    bench.report.add(f"kill -9 of {what}: finished pieces computed again", twice, "", must=0, smaller_is_better=True)


def descendants(pid):
    """Processes below one, with their command lines."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                pass
    found, below = {}, {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below}
        for child in below:
            try:
                found[child] = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                pass
    return found, parents


def busy_workers(holder):
    """Those that have a process of the program, which has a shard."""
    found, parents = descendants(holder)
    return sorted({parents[pid] for pid, words in found.items() if " fleet map " in words or " fleet solve " in words})


class Cluster:
    def __init__(self, engine, bench, python):
        self.engine, self.bench, self.python = engine, bench, python
        # Ray's clusters ask drivers for a token; this one's is made up here
        environment = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self.holder = subprocess.Popen([python, "-c", HOLD[engine]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True, env=environment)
        self.environment = {**environment, ADDRESS[engine]: self.holder.stdout.readline().strip()}

    def driver(self, manifest, store):
        words = ["-m", "heft_robot", "fleet", "run", manifest, "--store", store, "--engine", self.engine, "--shards", SHARDS,
                 "--no-pages", "--quiet"]
        return subprocess.Popen([str(self.python), *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env=self.environment)

    def finish(self, manifest, store):
        driver = self.driver(manifest, store)
        _, words = driver.communicate(timeout=600)
        if driver.returncode != 0:
            raise RuntimeError(f"{self.engine}: exit {driver.returncode}\n{words[-2000:]}")

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(60)


def engine(bench, options, name):
    python = pathlib.Path(options.python).absolute()
    if subprocess.run([python, "-c", f"import heft_robot.fleet, {PACKAGE[name]}"], capture_output=True).returncode != 0:
        print(f"{name}: skipped, {python} lacks heft_robot or {PACKAGE[name]} (--python)")
        return
    manifest, moments = bench.manifest(ROBOTS, "kills"), random.Random(3)
    calm = bench.fresh("calm")
    bench.run(manifest, calm)
    expected = bench.digests(calm)
    cluster = Cluster(name, bench, python)
    try:
        store = bench.fresh("warm")
        begin = time.monotonic()
        cluster.finish(manifest, store)
        length = time.monotonic() - begin
        for what, kill in (("workers", kill_worker), ("drivers", kill_driver)):
            kills, rounds, equal, twice = 0, 0, 0, 0
            while kills < KILLS_OF_EACH:
                store, rounds = bench.fresh("killed"), rounds + 1
                kills += kill(cluster, manifest, store, moments, length)
                cluster.finish(manifest, store)
                equal, twice = equal + (bench.digests(store) == expected), twice + made_twice(store)
            report(bench, f"{name}'s {what}", kills, KILLS_OF_EACH, equal, rounds, twice)
    finally:
        cluster.close()
    script = bench.scratch / "overhead.py"
    script.write_text(OVERHEAD)
    seconds = float(subprocess.run([python, script, name, str(TASKS)], capture_output=True, text=True, check=True).stdout.split()[-1])
    bench.report.add(f"{name}: overhead per task", 1e3 * seconds, "ms")
    seconds = float(subprocess.run([python, "-c", OF_A_SHARD, manifest, calm], capture_output=True, text=True, check=True).stdout)
    bench.report.add(f"{name}: a shard without new work: program, plan, names", 1e3 * seconds, "ms")


def kill_worker(cluster, manifest, store, moments, length):
    """Up to two workers of one run, while they have shards; the driver goes on."""
    driver, kills = cluster.driver(manifest, store), 0
    time.sleep(moments.uniform(0.2, 0.7) * length)
    while driver.poll() is None and kills < 2:
        workers = busy_workers(cluster.holder.pid)
        if workers:
            os.kill(moments.choice(workers), signal.SIGKILL)
            kills += 1
            time.sleep(moments.uniform(0.1, 0.5))
        time.sleep(0.005)
    _, words = driver.communicate(timeout=600)
    if driver.returncode != 0:
        raise RuntimeError(f"{cluster.engine}: after its worker was killed the driver ended with {driver.returncode}\n{words[-2000:]}")
    return kills


def kill_driver(cluster, manifest, store, moments, length):
    driver = cluster.driver(manifest, store)
    try:
        driver.wait(moments.uniform(0.2, 0.95) * length)
    except subprocess.TimeoutExpired:
        driver.kill()
    return driver.wait() == -signal.SIGKILL
