#!/usr/bin/env python3
"""Counts what a fleet costs a device, on the one that the host emulates (tests/device_on_host): launches, bytes, and agreement with the CPU.

Usage: bench/fleet/on_emulated_device.py [--emulated build/tests/device_on_host/heft_on_emulated_device] [--heft build/heft] [--robots 48]
                                       [--mixed [500,20]] [--resamples 200] [--jobs 2] [--of 2000] [--scratch DIR] [--json F]

Robots are the demo arm's, each with two training logs and one held-out log of 2000 rows (NPY), 200 resamples and diagnosis. Every robot
is run with --backend cpu and cuda. Bytes and launches are all of the program (HEFT_DEVICE_TRAFFIC); launches for --of robots follow from
those of this many, since every wave has as many robots as there are workers. Host CPU time is the program's processor time without that of
emulated kernels and copies, start and end of the program included. Needs numpy.

--mixed ARMS,HUMANOIDS compares instead, on arms of five models and on humanoids with logs of mixed rates, lengths and filters (mixed.py): the
device conditions the logs of the arms, and sums and solves the humanoids. Exit codes: 0 all musts reached, 1 one missed, 77 a program is
not there.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
import mixed  # noqa: E402
import run  # noqa: E402

WORKERS = 64  # kWorkersOfWave of host/applications/fleet/run_state.cpp, or 8 per job if these are more


def fleet(program, backend, manifest, store, options, *words):
    """fleet.json, result.json of every robot in its order, and what crossed the bus."""
    traffic = store.parent / f"{backend}.json"
    begin = time.monotonic()
    done = subprocess.run([program, "fleet", "run", manifest, "--store", store, "--no-pages", "--quiet", "--jobs", str(options.jobs), "--backend",
                           backend, *words], capture_output=True, text=True, env={**os.environ, "HEFT_DEVICE_TRAFFIC": str(traffic)})
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    print(f"{backend}: {time.monotonic() - begin:.0f} s", flush=True)
    document = json.loads((store / "fleet.json").read_text())
    results = [json.loads((store / robot["result"]).read_text()) for robot in document["robots"]]
    return document, results, json.loads(traffic.read_text())


def add_agreement(report, here, expected, there, found):
    """What differs between the robots of two runs; the words name them."""
    worst, place = 0, "none"
    for robot, result, other in zip(here["robots"], expected, found):
        for body, twin in zip(result["bodies"], other["bodies"]):
            mass = body["parameters"]["m"]
            difference = abs(twin["parameters"]["m"] - mass) / abs(mass)
            if not difference <= worst:
                worst, place = difference, f"{body['name']} of {robot['id']}"
    print(f"the mass that differs most: {place}")
    different = [a["id"] for a, b in zip(here["robots"], there["robots"])
                 if any(a[key] != b[key] for key in ("state", "verdict", "doubts", "certified"))]
    if different:
        print(f"verdict, doubts or certificate differ: {', '.join(different)}")
    report.add("masses differ, relative", worst, "", must=1e-9, smaller_is_better=True)
    report.add("robots with another verdict or other doubts", len(different), "", must=0, smaller_is_better=True)


def count(folder, bench, options):
    """Launches and bytes of equal arms."""
    rows, names = bench.npy_logs(folder / "npy", options.robots)
    bench.write_configuration(folder / "npy", names, 200, "true")
    manifest = folder / "npy" / "fleet.csv"
    manifest.write_text("\n".join(rows) + "\n")
    here, expected, traffic_of_cpu = fleet(options.emulated, "cpu", manifest, folder / "store_cpu", options)
    there, found, traffic = fleet(options.emulated, "cuda", manifest, folder / "store_cuda", options)
    report, wave = bench.report, there["provenance"]["wave"]
    add_agreement(report, here, expected, there, found)
    waves = -(-options.of // max(WORKERS, 8 * options.jobs))
    report.add(f"launches for {options.robots} robots", traffic["launches"], "", smaller_is_better=True)
    per_wave = traffic["launches"] / -(-options.robots // max(WORKERS, 8 * options.jobs))
    report.add(f"launches for {options.of} robots", waves * per_wave, "", must=400, goal=100, smaller_is_better=True)
    for way in ("up", "down"):
        report.add(f"bytes {way} per robot", 1e-6 * traffic[f"bytes_{way}"] / options.robots, "MB", smaller_is_better=True)
    report.add("bytes per robot", 1e-6 * (traffic["bytes_up"] + traffic["bytes_down"]) / options.robots, "MB", must=1.2, goal=0.8,
               smaller_is_better=True)
    host_s = [1e3 * (one["processor_s"] - one["emulation_s"]) / options.robots for one in (traffic_of_cpu, traffic)]
    report.add("host CPU time per robot, CPU only", host_s[0], "ms", smaller_is_better=True)
    report.add("host CPU time per robot outside device calls", host_s[1], "ms", smaller_is_better=True)
    report.add("share of the CPU-only run", host_s[1] / host_s[0], "", must=1 / 3, goal=1 / 8, smaller_is_better=True)
    report.add("logs that the host conditioned", sum(entry["logs"] for entry in wave["on_host"]), "", must=0, smaller_is_better=True)


def compare_mixed(folder, bench, options):
    """Agreement on a fleet of arms of five models and of humanoids (mixed.py)."""
    arms, humanoids = options.mixed
    manifest = mixed.write(bench.call, folder / "mixed", arms, humanoids, options.jobs)
    resamples = ("--estimation.bootstrap", str(options.resamples))
    here, expected, _ = fleet(options.emulated, "cpu", manifest, folder / "store_cpu", options, *resamples)
    there, found, _ = fleet(options.emulated, "cuda", manifest, folder / "store_cuda", options, *resamples)
    report, wave = bench.report, there["provenance"]["wave"]
    for name in ("arm", "humanoid"):
        report.add(f"robots: {name}", sum(robot["id"].startswith(name) for robot in here["robots"]), "")
    for verdict in ("green", "amber", "red"):
        report.add(f"robots on the CPU: {verdict}", sum(robot["verdict"] == verdict for robot in here["robots"]), "")
    report.add("robots with doubts on the CPU", sum(bool(robot["doubts"]) for robot in here["robots"]), "")
    add_agreement(report, here, expected, there, found)
    solved = [result for result in found if any(solve["for"] == "intervals" and "cuda" in solve["by"] for solve in result["provenance"]["solves"])]
    report.add("robots whose resamples the device solved", len(solved), "", must=humanoids)
    report.add("logs that the device conditioned", wave["logs"], "", must=3 * arms)
    reasons = {entry["why"]: entry["logs"] for entry in wave["on_host"]}
    report.add("logs that the host conditioned because the base moves", reasons.pop("the base moves", 0), "", must=2 * humanoids)
    report.add("logs that the host conditioned otherwise", sum(reasons.values()), "", must=0, smaller_is_better=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--emulated", type=pathlib.Path, default=heft_bench.ROOT / "build/tests/device_on_host/heft_on_emulated_device")
    parser.add_argument("--heft", type=pathlib.Path, default=heft_bench.ROOT / "build/heft")
    parser.add_argument("--robots", type=int, default=48)
    parser.add_argument("--mixed", nargs="?", const=(500, 20), type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--of", type=int, default=2000)
    parser.add_argument("--scratch", type=pathlib.Path, help="folder for logs and stores, kept; default: one that is removed")
    parser.add_argument("--json")
    options = parser.parse_args()
    if not options.emulated.exists() or not options.heft.exists():
        print("skipped: a program is not there")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory(prefix="heft-emulated-") as folder:
        folder = options.scratch or pathlib.Path(folder)
        bench = run.Bench(options.heft, folder, options.json)
        (compare_mixed if options.mixed else count)(folder.resolve(), bench, options)
    return bench.report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
