"""Fleets on several machines: the same bits for any store and engine, despite faults of the network and of workers."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import heft_robot as heft
from conftest import ARM

ROBOTS = 3
LOGS = ("a", "b", "held_out")
FEW_SHARDS = ("--shards", 2)  # for tests of something else: every shard starts the program


def run(*words, code=0, environment=None, folder=None):
    done = subprocess.run([sys.executable, "-m", "heft_robot", "fleet", *map(str, words)], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, **(environment or {})}, timeout=900)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


@pytest.fixture(scope="module")
def logs(arm, tmp_path_factory):
    """Folder of a fleet: robot k has k/a.csv and k/b.csv for training and k/held_out.csv."""
    folder = tmp_path_factory.mktemp("fleet")
    shutil.copy(ARM, folder / "arm.urdf")
    rows = ["robot_id,robot,log,role"]
    for k in range(1, ROBOTS + 1):
        for number, name in enumerate("ab"):
            heft.simulate(arm, folder / str(k) / name, duration=5, held_out=5, rate=200, seed=k, trajectory_seed=10 * k + number)
            os.replace(folder / str(k) / name / "train.csv", folder / str(k) / f"{name}.csv")
            os.replace(folder / str(k) / name / "held_out.csv", folder / str(k) / "held_out.csv")
        rows += [f"r{k},arm.urdf,{k}/{name}.csv,{'validate' if name == 'held_out' else 'train'}" for name in LOGS]
    (folder / "fleet.csv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def manifest(logs):
    return logs / "fleet.csv"


@pytest.fixture(scope="module")
def expected(manifest, tmp_path_factory):
    """Digests of the program's results on a folder."""
    store = tmp_path_factory.mktemp("stores") / "plain"
    run("run", manifest, "--store", store, "--no-pages")
    return digests_of((store / "fleet.json").read_bytes())


def digests_of(fleet_json):
    return {robot["id"]: robot["digest"] for robot in json.loads(fleet_json)["robots"] if robot["state"] == "done"}


@pytest.fixture(scope="module")
def network():
    pytest.importorskip("obstore")
    pytest.importorskip("moto")
    from s3_server import Bucket

    bucket = Bucket()
    yield bucket
    bucket.close()


@pytest.fixture
def bucket(network, monkeypatch):
    network.share = 0.0
    for name, value in network.environment.items():
        monkeypatch.setenv(name, value)
    yield network
    network.share = 0.0


def objects(url):
    from heft_robot.fleet.objects import ObjectStore

    return ObjectStore(url)


def made_twice(store):
    """Keys that were made more than once according to the events."""
    from heft_robot.fleet.work import events_of

    keys = [event["key"] for event in events_of(str(store)) if event["event"] in ("leaf", "answer")]
    return len(keys) - len(set(keys))


# a cluster of Ray on two cores takes minutes to start and to end: HEFT_TEST_RAY=1 asks for it
ENGINES = ["local", "dask"] + (["ray"] if os.environ.get("HEFT_TEST_RAY") else [])


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_on_a_folder(manifest, expected, tmp_path, engine):
    pytest.importorskip({"ray": "ray", "dask": "distributed"}.get(engine, "json"))
    run("run", manifest, "--store", tmp_path / "store", "--engine", engine, "--jobs", 2, "--shards", 4, "--no-pages")
    assert digests_of((tmp_path / "store" / "fleet.json").read_bytes()) == expected
    assert made_twice(tmp_path / "store") == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_on_objects(manifest, expected, bucket, engine):
    pytest.importorskip({"ray": "ray", "dask": "distributed"}.get(engine, "json"))
    url = f"s3://fleet/{engine}"
    done = run("run", manifest, "--store", url, "--engine", engine, "--jobs", 2, "--shards", 3)
    assert f"{ROBOTS} robots: {ROBOTS} done" in done.stdout and f"{url}/fleet.json" in done.stdout
    store = objects(url)
    assert digests_of(store.get("fleet.json")) == expected
    names = {name for name, _ in store.list("")}
    assert {f"results/r1/{file}" for file in ("result.json", "report.html", "identified.urdf")} <= names
    assert len([name for name in names if name.startswith("leaves/")]) == 2 * ROBOTS
    before = {name: store.get(name) for name in names}
    run("run", manifest, "--store", url, "--engine", engine, "--jobs", 2, "--shards", 2)
    assert made_twice(url) == 0
    assert all(store.get(name) == content for name, content in before.items() if not name.startswith("fleet."))
    assert "SECRETOFTHETEST" not in done.stdout + done.stderr and not any(b"SECRETOFTHETEST" in content for content in before.values())


def test_a_dask_cluster_without_workers(monkeypatch):
    """If the last worker died and no other starts, the result is an error, not endless waiting."""
    distributed = pytest.importorskip("distributed")
    from heft_robot.fleet import engines, on_dask

    def slow(seconds):  # within, so that workers get it by value: they may import another test_fleet
        time.sleep(seconds)
        return seconds

    monkeypatch.setattr(on_dask, "PATIENCE_S", 1.0)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
        with engines.engine("dask", 1) as each:
            assert list(each(slow, ((2.5,), (0.0,)))) == [2.5, 0.0]  # longer than that patience, with somebody at work
            cluster.scale(0)
            with pytest.raises(heft.HeftError, match="no workers"):
                list(each(slow, ((0.0,),)))


@pytest.mark.parametrize("engine, address", [("dask", "DASK_SCHEDULER_ADDRESS"), *([("ray", "RAY_ADDRESS")] if os.environ.get("HEFT_TEST_RAY") else [])])
def test_a_cluster_that_does_not_answer(monkeypatch, engine, address):
    pytest.importorskip({"ray": "ray", "dask": "distributed"}[engine])
    import importlib

    from heft_robot.fleet import engines

    monkeypatch.setattr(importlib.import_module(f"heft_robot.fleet.on_{engine}"), "PATIENCE_S", 1.0)
    monkeypatch.setenv(address, {"ray": "127.0.0.1:9", "dask": "tcp://127.0.0.1:9"}[engine])
    with pytest.raises(heft.HeftError, match="answer"), engines.engine(engine, 1):
        pass


def test_stages_in_shards_on_objects(manifest, expected, bucket):
    url = "s3://fleet/shards"
    for stage in ("map", "reduce", "solve"):
        for i in range(2):
            run(stage, manifest, "--store", url, "--shard", f"{i}/2", *(["--no-pages"] if stage == "solve" else []))
    run("report", manifest, "--store", url)
    assert digests_of(objects(url).get("fleet.json")) == expected
    assert f"{ROBOTS} done" in run("status", manifest, "--store", url).stdout


def test_a_network_that_fails(manifest, expected, bucket):
    """500, throttling, connections closed before and after the service has done its work: nothing is lost or made twice."""
    bucket.share = 0.15
    run("run", manifest, "--store", "s3://fleet/faults", "--jobs", 2, "--shards", 3, "--no-pages")
    bucket.share = 0.0
    assert min(bucket.faults.values()) > 0, bucket.faults
    assert digests_of(objects("s3://fleet/faults").get("fleet.json")) == expected
    assert made_twice("s3://fleet/faults") == 0


def test_a_network_that_is_gone(manifest, bucket):
    bucket.share = 1.0
    done = run("run", manifest, "--store", "s3://fleet/gone", "--patience", 1, code=1)
    assert "s3://fleet/gone" in done.stderr and "remedy" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("folder", ["leaves/", "answers/"])
def test_half_written_objects_are_made_again(manifest, expected, bucket, folder):
    url = f"s3://fleet/half-{folder.rstrip('/')}"
    run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS)
    store = objects(url)
    name = next(name for name, _ in store.list(folder))
    whole = store.get(name)
    store.put(name, whole[:len(whole) // 2])
    if folder != "answers/":
        for answer, _ in list(store.list("answers/")):
            store.remove(answer)  # or no task would look
    run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS)
    assert digests_of(store.get("fleet.json")) == expected and store.get(name) == whole


def test_two_drivers_on_one_store(manifest, expected, bucket):
    words = [sys.executable, "-m", "heft_robot", "fleet", "run", manifest, "--store", "s3://fleet/two", "--jobs", "2", "--no-pages"]
    drivers = [subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [driver.wait(900) for driver in drivers] == [0, 0]
    assert digests_of(objects("s3://fleet/two").get("fleet.json")) == expected


def test_a_driver_that_is_killed(manifest, expected, bucket):
    url = "s3://fleet/killed"
    words = ["run", manifest, "--store", url, "--jobs", 1, "--shards", 6, "--no-pages"]
    driver = subprocess.Popen([sys.executable, "-m", "heft_robot", "fleet", *map(str, words)], stdout=subprocess.DEVNULL)
    store = objects(url)
    while driver.poll() is None and not list(store.list("leaves/")):
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    run(*words)
    assert digests_of(store.get("fleet.json")) == expected and made_twice(url) == 0


def test_a_driver_that_is_stopped(manifest, expected, tmp_path):
    words = ["run", manifest, "--store", tmp_path / "store", "--engine", "local", "--jobs", 1, "--shards", 6, "--no-pages"]
    run(*words, "--time", 0.01, code=5)
    run(*words)
    assert digests_of((tmp_path / "store" / "fleet.json").read_bytes()) == expected


def test_parquet(logs, expected, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.read_csv(logs / "fleet.csv")
    table["recorded"] = None
    table.to_parquet(logs / "fleet.parquet")
    run("run", logs / "fleet.parquet", "--store", tmp_path / "store", "--no-pages", folder=tmp_path)
    assert digests_of((tmp_path / "store" / "fleet.json").read_bytes()) == expected
    table.drop(columns="log").to_parquet(tmp_path / "lacks.parquet")
    assert "no column 'log'" in run("run", tmp_path / "lacks.parquet", "--store", tmp_path / "s", code=1).stderr
    (tmp_path / "broken.parquet").write_text("PAR1 not")
    assert "broken.parquet" in run("run", tmp_path / "broken.parquet", "--store", tmp_path / "s", code=1).stderr
    assert "nowhere.parquet" in run("run", tmp_path / "nowhere.parquet", "--store", tmp_path / "s", code=1).stderr


def test_two_files_of_one_recording(logs, bucket, tmp_path):
    """In a folder, on object storage, and from a manifest in Parquet elsewhere: one digest."""
    lines = [line.split(",") for line in (logs / "1" / "a.csv").read_text().splitlines()]
    for name, prefix in (("motion", "q"), ("torques", "tau")):
        kept = [0] + [k for k, column in enumerate(lines[0]) if column.startswith(prefix)]
        (tmp_path / f"{name}.csv").write_text("".join(",".join(line[k] for k in kept) + "\n" for line in lines))
    shutil.copy(ARM, tmp_path / "arm.urdf")
    (tmp_path / "fleet.csv").write_text("robot_id,robot,log\nx,arm.urdf,motion.csv+torques.csv\n")
    run("run", tmp_path / "fleet.csv", "--store", tmp_path / "store", "--no-pages")
    digests = digests_of((tmp_path / "store" / "fleet.json").read_bytes())
    assert list(digests) == ["x"]
    for _ in range(2):  # the second run finds the pieces of the first
        run("run", tmp_path / "fleet.csv", "--store", "s3://fleet/two", "--no-pages")
        assert digests_of(objects("s3://fleet/two").get("fleet.json")) == digests
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.read_csv(tmp_path / "fleet.csv").to_parquet(tmp_path / "fleet.parquet")
    run("run", tmp_path / "fleet.parquet", "--store", tmp_path / "again", "--no-pages", folder=logs)
    assert digests_of((tmp_path / "again" / "fleet.json").read_bytes()) == digests


def test_a_log_that_fails_stops_no_other(logs, bucket, tmp_path):
    (tmp_path / "broken.csv").write_text("t,q_joint_1\n0,zero\n")
    lines = (logs / "fleet.csv").read_text().splitlines()
    lines = [lines[0]] + [line.replace(",arm.urdf,", f",{logs}/arm.urdf,{logs}/") for line in lines[1:]]
    (tmp_path / "fleet.csv").write_text("\n".join([*lines, f"r9,{logs}/arm.urdf,{tmp_path}/broken.csv,train"]) + "\n")
    done = run("run", tmp_path / "fleet.csv", "--store", "s3://fleet/broken", "--no-pages", code=1)
    assert f"{ROBOTS} done, 1 failed" in done.stdout and "broken.csv" in done.stderr
    assert "broken.csv" in run("status", tmp_path / "fleet.csv", "--store", "s3://fleet/broken", code=1).stdout
    (tmp_path / "one.csv").write_text(f"{lines[0]}\nr9,{logs}/arm.urdf,{tmp_path}/broken.csv,train\n")
    done = run("run", tmp_path / "one.csv", "--store", tmp_path / "one", "--no-pages", code=1)
    assert "1 robot: 0 done, 1 failed" in done.stdout and "broken.csv" in done.stderr


def test_garbage_of_objects(logs, bucket):
    url = "s3://fleet/garbage"
    run("run", logs / "fleet.csv", "--store", url, "--no-pages", *FEW_SHARDS)
    fewer = logs / "fewer.csv"
    fewer.write_text("".join(line for line in (logs / "fleet.csv").read_text().splitlines(True) if not line.startswith("r2,")))
    store = objects(url)
    before = {name for name, _ in store.list("")}
    listed = run("gc", fewer, "--store", url).stdout
    assert "leaves/" in listed and url in listed and {name for name, _ in store.list("")} == before
    run("gc", fewer, "--store", url, "--yes")
    gone = before - {name for name, _ in store.list("")}
    assert sum(name.startswith("leaves/") for name in gone) == 2 and any(name.startswith("results/r2/") for name in gone)
    assert f"{ROBOTS - 1} done" in run("status", fewer, "--store", url).stdout


def test_other_options_have_results_of_their_own(manifest, expected, bucket):
    """Results with other options are put aside, never mixed with these, and reused without computing."""
    url, other = "s3://fleet/options", ("--prior-weight", 0.1)
    run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS)
    store = objects(url)
    before = {name: store.get(name) for name, _ in store.list("results/")}
    run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS, *other)
    assert not set(digests_of(store.get("fleet.json")).values()) & set(expected.values())
    aside = [name for name in store.folders() if name.startswith("results-")]
    assert len(aside) == 1 and digests_of(store.get(aside[0] + "fleet.json")) == expected
    assert aside[0].rstrip("/") in run("gc", manifest, "--store", url, *other).stdout
    # shards by hand belong to whom results/ belongs to
    run("map", manifest, "--store", url, "--shard", "0/1")
    assert "under other options" in run("solve", manifest, "--store", url, "--shard", "0/1", "--no-pages", code=1).stderr
    done = run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS)
    assert f"{ROBOTS} done" in done.stdout and digests_of(store.get("fleet.json")) == expected
    assert {name: store.get(name) for name, _ in store.list("results/")} == before and made_twice(url) == 0
    run("gc", manifest, "--store", url, "--yes")
    assert not [name for name in store.folders() if name.startswith("results-")]
    assert f"{ROBOTS} done" in run("status", manifest, "--store", url).stdout


def test_options_change_though_the_run_before_was_killed(manifest, expected, bucket):
    """The previous run was killed while it put results aside; the next one continues."""
    from heft_robot.fleet.options import take_results

    url = "s3://fleet/half-moved"
    run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS)
    store = objects(url)
    name = sorted(name for name, _ in store.list("results/"))[0]
    options = store.get("options").decode().strip()
    store.move([(name, name.replace("results/", f"results-{options[:16]}/", 1))])
    take_results(store, "0" * 64)
    assert not list(store.list("results/"))
    take_results(store, options)
    run("run", manifest, "--store", url, "--no-pages", *FEW_SHARDS)
    assert digests_of(store.get("fleet.json")) == expected and made_twice(url) == 0


@pytest.fixture(scope="module")
def four(arm, logs):
    """Manifest of four robots, which are enough for a population; the fourth has a single log, so its sum is that of the log."""
    heft.simulate(arm, logs / "9", duration=5, held_out=5, rate=200, seed=9, trajectory_seed=90)
    manifest = logs / "four.csv"
    manifest.write_text((logs / "fleet.csv").read_text() + "r9,arm.urdf,9/train.csv,train\nr9,arm.urdf,9/held_out.csv,validate\n")
    return manifest


@pytest.fixture(scope="module")
def with_population(four, tmp_path_factory):
    """Digests of the program's results with a population prior, on a folder."""
    store = tmp_path_factory.mktemp("population") / "plain"
    run("run", four, "--store", store, "--prior", "population", "--no-pages")
    found = digests_of((store / "fleet.json").read_bytes())
    assert len(found) == ROBOTS + 1
    return found


def test_population_on_a_folder(four, with_population, tmp_path):
    run("run", four, "--store", tmp_path / "shards", "--prior", "population", "--no-pages", "--engine", "local", "--jobs", 2, "--shards", 3)
    assert digests_of((tmp_path / "shards" / "fleet.json").read_bytes()) == with_population
    assert made_twice(tmp_path / "shards") == 0


def test_population_behind_a_network_that_fails(four, with_population, bucket):
    """A result depends on the whole population, of which a task has only the names."""
    url, words = "s3://fleet/population", ("--prior", "population", "--no-pages", "--jobs", 2, "--shards", 3)
    bucket.share = 0.1
    run("run", four, "--store", url, *words)
    bucket.share = 0.0
    store = objects(url)
    assert digests_of(store.get("fleet.json")) == with_population and made_twice(url) == 0
    assert len(list(store.list("priors/"))) == ROBOTS + 1
    before = {name: store.get(name) for name, _ in store.list("") if not name.startswith(("fleet.", "events/"))}
    run("run", four, "--store", url, *words)
    assert {name: store.get(name) for name in before} == before and made_twice(url) == 0
    assert f"{ROBOTS + 1} done" in run("status", four, "--store", url, "--prior", "population").stdout
    assert "0 pieces" in run("gc", four, "--store", url, "--prior", "population").stdout


def test_the_former_name_of_the_population_stage(four, bucket):
    for stage in ("map", "sisters"):
        done = run(stage, four, "--store", "s3://fleet/former", "--prior", "population")
    assert "note: sisters is now called population" in done.stderr and done.stdout.startswith("population: ")


def test_the_former_name_of_the_population_prior_warns(arm, logs):
    with pytest.warns(FutureWarning, match="fleet.prior: sisters is now called population"):
        log = heft.read_log(logs / "1" / "a.csv", {"fleet": {"prior": "sisters"}})
    assert log


def test_population_in_shards_by_hand(four, with_population, bucket):
    url = "s3://fleet/population-by-hand"
    for stage in ("map", "reduce", "population", "solve"):
        for i in range(2):
            run(stage, four, "--store", url, "--shard", f"{i}/2", "--prior", "population", *(["--no-pages"] if stage == "solve" else []))
    run("report", four, "--store", url, "--prior", "population")
    assert digests_of(objects(url).get("fleet.json")) == with_population


@pytest.mark.parametrize("folder", ["leaves/", "nodes/", "priors/"])
def test_half_written_pieces_of_population_priors(four, with_population, bucket, folder):
    """Damaged pieces are made again; pieces known only by name do not count as damaged."""
    url, words = f"s3://fleet/population-half-{folder.rstrip('/')}", ("--prior", "population", "--no-pages", "--shards", 3)
    run("run", four, "--store", url, *words)
    store = objects(url)
    pieces = {name: store.get(name) for kind in ("leaves/", "nodes/", "priors/") for name, _ in store.list(kind)}
    name = next(name for name in pieces if name.startswith(folder))
    store.put(name, pieces[name][:len(pieces[name]) // 2])
    for answer, _ in list(store.list("answers/")):
        store.remove(answer)
    if folder != "priors/":  # or no task would look
        for prior, _ in list(store.list("priors/")):
            store.remove(prior)
    run("run", four, "--store", url, *words)
    assert digests_of(store.get("fleet.json")) == with_population
    assert {name: store.get(name) for name in pieces} == pieces


@pytest.mark.parametrize("url, words", [
    ("s3://key:secret@fleet/x", "more than a bucket and a name"), ("ftp://fleet/x", "not a supported URL"), ("s3:///x", "not a supported URL"),
    ("s3://never-made/x", "bucket does not exist")])
def test_urls_that_make_no_sense(manifest, bucket, url, words):
    done = run("run", manifest, "--store", url, code=1)
    assert words in done.stderr and "remedy" in done.stderr and "secret@" not in done.stderr


def test_stores_that_are_none(manifest, bucket):
    store = objects("s3://fleet/other")
    store.put("something", b"else")
    assert "is not empty" in run("run", manifest, "--store", "s3://fleet/other", code=1).stderr
    store = objects("s3://fleet/newer")
    store.put("heft-fleet-store", b"heft-fleet-store-9\n")
    assert "format 9" in run("run", manifest, "--store", "s3://fleet/newer", code=1).stderr


def test_flags_go_to_the_program(manifest, bucket, tmp_path):
    assert "--lowpas" in run("run", manifest, "--store", "s3://fleet/flags", "--lowpas", 5, code=1).stderr
    assert "name it first" in run("run", "--store", "s3://fleet/flags", manifest, code=1).stderr
    assert "--shards" in run("run", manifest, "--store", "s3://fleet/flags", "--shards", -1, code=1).stderr
    assert "invalid choice" in run("run", manifest, "--store", "s3://fleet/flags", "--engine", "spark", code=105).stderr
    done = run("run", manifest, "--store", "s3://fleet/flags", "--dry-run")
    assert "6 training logs" in done.stdout and "nothing was done" in done.stdout
    assert not list(objects("s3://fleet/flags").list(""))


@pytest.mark.parametrize("package, install, words", [
    ("obstore", "obstore", ["--store", "s3://fleet/x"]), ("ray", "ray", ["--store", "x", "--engine", "ray"]),
    ("distributed", "distributed", ["--store", "x", "--engine", "dask"])])
def test_a_package_that_is_missing(manifest, tmp_path, package, install, words):
    code = f"import sys; sys.modules[{package!r}] = None; from heft_robot import fleet; sys.exit(fleet.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "run", str(manifest), *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and f"pip install {install}, or, in a clone of Heft, pip install '.[fleet]'" in done.stderr


def test_plain_http_is_named_at_once(manifest, tmp_path):
    """obstore reports "builder error" only after it stops retrying; --patience 60 is the default."""
    variables = {**os.environ, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    variables.pop("AWS_ALLOW_HTTP", None)
    command = [sys.executable, "-m", "heft_robot", "fleet", "status", str(manifest), "--store", "s3://fleet/x"]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=variables)
    assert done.returncode == 1 and "set AWS_ALLOW_HTTP=true" in done.stderr and time.monotonic() - begin < 20
