#!/usr/bin/env python3
"""Counts what a fleet costs a device, on the one that the host emulates (tests/device_on_host): launches, bytes, and agreement with the CPU.

Usage: bench/fleet/on_played_device.py [--played build/tests/device_on_host/heft_on_played_device] [--heft build/heft] [--robots 48]
                                       [--jobs 2] [--of 2000] [--scratch DIR] [--json F]

Robots are the demo arm's, each with two training logs and one held-out log of 2000 rows (NPY), 200 resamples and diagnosis. Every robot
is run with --backend cpu and cuda. Bytes and launches are all of the program (HEFT_DEVICE_TRAFFIC); launches for --of robots follow from
those of this many, since every wave has as many robots as there are workers. Needs numpy. Exit codes: 0 all musts reached, 1 one missed,
77 a program is not there.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
import run  # noqa: E402

WORKERS = 64  # kWorkersOfWave of host/applications/fleet/run_state.cpp, or 8 per job if these are more


def fleet(program, backend, manifest, store, options):
    traffic = store.parent / f"{backend}.json"
    done = subprocess.run([program, "fleet", "run", manifest, "--store", store, "--no-pages", "--quiet", "--jobs", str(options.jobs), "--backend",
                           backend], capture_output=True, text=True, env={**os.environ, "HEFT_DEVICE_TRAFFIC": str(traffic)})
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    document = json.loads((store / "fleet.json").read_text())
    results = [json.loads((store / robot["result"]).read_text()) for robot in document["robots"]]
    return document, results, json.loads(traffic.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--played", type=pathlib.Path, default=heft_bench.ROOT / "build/tests/device_on_host/heft_on_played_device")
    parser.add_argument("--heft", type=pathlib.Path, default=heft_bench.ROOT / "build/heft")
    parser.add_argument("--robots", type=int, default=48)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--of", type=int, default=2000)
    parser.add_argument("--scratch", help="folder for logs, kept; default: one that is removed")
    parser.add_argument("--json")
    options = parser.parse_args()
    if not options.played.exists() or not options.heft.exists():
        print("skipped: a program is not there")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory(prefix="heft-played-") as folder:
        folder = pathlib.Path(folder)
        bench = run.Bench(options.heft, options.scratch or folder)
        rows, names = bench.npy_logs(folder / "npy", options.robots)
        bench.write_configuration(folder / "npy", names, 200, "true")
        manifest = folder / "npy" / "fleet.csv"
        manifest.write_text("\n".join(rows) + "\n")
        here, expected, _ = fleet(options.played, "cpu", manifest, folder / "store_cpu", options)
        there, found, traffic = fleet(options.played, "cuda", manifest, folder / "store_cuda", options)
    report, wave = heft_bench.Report(options.json), there["provenance"]["wave"]
    masses = [[[body["parameters"]["m"] for body in result["bodies"]] for result in results] for results in (expected, found)]
    worst = max(abs(a - b) / abs(a) for robot, other in zip(*masses) for a, b in zip(robot, other))
    different = sum(any(a[key] != b[key] for key in ("verdict", "doubts", "certified")) for a, b in zip(here["robots"], there["robots"]))
    waves = -(-options.of // max(WORKERS, 8 * options.jobs))
    report.add("masses differ, relative", worst, "", must=1e-9, smaller_is_better=True)
    report.add("robots with another verdict or other doubts", different, "", must=0, smaller_is_better=True)
    report.add(f"launches for {options.robots} robots", traffic["launches"], "", smaller_is_better=True)
    per_wave = traffic["launches"] / -(-options.robots // max(WORKERS, 8 * options.jobs))
    report.add(f"launches for {options.of} robots", waves * per_wave, "", must=400, goal=100, smaller_is_better=True)
    for way in ("up", "down"):
        report.add(f"bytes {way} per robot", 1e-6 * traffic[f"bytes_{way}"] / options.robots, "MB", smaller_is_better=True)
    report.add("bytes per robot", 1e-6 * (traffic["bytes_up"] + traffic["bytes_down"]) / options.robots, "MB", must=1.2, goal=0.8,
               smaller_is_better=True)
    report.add("logs that the host conditioned", sum(entry["logs"] for entry in wave["on_host"]), "", must=0, smaller_is_better=True)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
