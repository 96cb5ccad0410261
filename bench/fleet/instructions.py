#!/usr/bin/env python3
"""Counts the instructions of a fleet's robot, by part of the work, for one or more builds.

Usage: bench/fleet/instructions.py HEFT [HEFT ..] [--robots 8] [--npy] [--backend cuda] [--scratch DIR] [--json FILE]

Instructions do not depend on what else runs, unlike seconds. The robots are those of run.py: the demo arm's neighbors, two training logs
and one held-out log of 2 000 rows each (CSV, 200 resamples), in one run without pages with one job. valgrind counts; it has neither AVX-512
nor instructions for SHA-256, so that hashing counts more than it takes (a row of its own). Parts contain others: a row with a longer
indent is within the one above. The row "all" is the whole run over the robots. Columns after the first: instructions over those of the
first build. --npy: logs are NPY. --backend cuda: of heft_on_emulated_device, whose kernels are part of the row "device calls"; valgrind runs
it if tests/device_on_host/CMakeLists.txt says -march=x86-64-v3 instead of -march=native. Exit codes: 0 counted, 77 valgrind or a program
is not there.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
import run  # noqa: E402

# name of a row; what the names of its functions begin with, without namespaces
PARTS = {
    "all": (),
    "reading and conditioning together": ("read_together(",),
    "  device calls": ("SharedConditioner::lead(",),
    "logs to sums": ("FleetRun::State::map_row(",),
    "  sums": ("accumulate(SampleSource",),
    "least squares, optimum, intervals": ("estimate(TrainingData",),
    "  certificate": ("certify(",),
    "  intervals": ("quantify_uncertainty(",),
    "    resamples": ("bootstrap(ParameterLayout",),
    "    error bars": ("bars_and_noise(", "BlockNoise::spread("),
    "torques of all estimates": ("errors_on(",),
    "faults": ("EvidenceRecorder::evidence(", "Evidence EvidenceRecorder::evidence("),
    "  looking through the logs": ("findings_of_logs(",),
    "  hypotheses": ("test_hypotheses(",),
    "  long delays": ("long_delay(",),
    "  missing model": ("missing_model(",),
    "building problems": ("make_problem(", "make_problem_again("),
    "normal equations": ("normal_equations(Moments",),
    "result files": ("result_document", "digest_of_result", "write_document("),
    "hashing": ("Sha256::update(",),
}
# strings of any length by vectors, as on a processor, where one instruction moves all
TUNABLES = "glibc.cpu.x86_rep_movsb_threshold=1000000000:glibc.cpu.x86_rep_stosb_threshold=1000000000"


def name_of(text, names):
    """The function that `(id) name` or `(id)` stands for, without namespaces."""
    number, name = re.match(r"\((\d+)\)(?: (.*))?$", text).groups()
    if name is not None:
        names[number] = re.sub(r"\bheft::|\(anonymous namespace\)::|(?<=\w)\[abi:cxx11\]", "", name)
    return names[number]


def read_profile(path):
    """Instructions of every function by itself, and of calls by caller and callee."""
    own, calls, names = collections.Counter(), collections.Counter(), {}
    function = callee = None
    for line in path.open(errors="replace"):
        if line.startswith("fn="):
            function, callee = name_of(line[3:].rstrip("\n"), names), None
        elif line.startswith("cfn="):
            called = name_of(line[4:].rstrip("\n"), names)
        elif line.startswith("calls="):
            callee = called
        elif line[:1].isdigit() or line[:1] in "+-*":
            cost = int(line.split()[1])
            if callee is None:
                own[function] += cost
            else:
                calls[function, callee] += cost
                callee = None
    return own, calls


def cost_of(part, own, calls):
    """Calls of the part's functions by others; None if there are none."""
    if not PARTS[part]:
        return sum(own.values())
    belongs = lambda name: name.startswith(PARTS[part]) and "{lambda" not in name
    found = [cost for (caller, callee), cost in calls.items() if belongs(callee) and not belongs(caller)]
    return sum(found) if found else None


def count(heft, manifest, folder, words):
    profile = folder / "profile"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", heft, "fleet", "run", manifest, "--store",
                    folder / "store", "--no-pages", "--quiet", "--jobs", "1", *words], check=True, capture_output=True,
                   env={**os.environ, "GLIBC_TUNABLES": TUNABLES})
    own, calls = read_profile(profile)
    return {part: cost_of(part, own, calls) for part in PARTS}


def npy_manifest(bench, num_robots):
    folder = bench.scratch / "npy"
    rows, names = bench.npy_logs(folder, num_robots)
    bench.write_configuration(folder, names, 200, "true")
    manifest = folder / "fleet.csv"
    manifest.write_text("\n".join(rows) + "\n")
    return manifest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heft", nargs="+", type=pathlib.Path)
    parser.add_argument("--robots", type=int, default=8, help="at least 4: fewer are solved in another way")
    parser.add_argument("--npy", action="store_true", help="logs are NPY, not CSV; needs numpy")
    parser.add_argument("--backend", default="cpu", help="cpu or cuda; default: cpu")
    parser.add_argument("--scratch", help="folder for logs, kept; default: one that is removed")
    parser.add_argument("--json")
    options = parser.parse_args()
    programs = [path.resolve() for path in options.heft]
    if not shutil.which("valgrind") or not all(path.exists() for path in programs):
        print("skipped: valgrind or a program is not there")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory(prefix="heft-instructions-") as folder:
        folder = pathlib.Path(folder)
        bench = run.Bench(programs[-1], options.scratch or folder)
        manifest = npy_manifest(bench, options.robots) if options.npy else bench.manifest(options.robots, "instructions")
        counts = []
        for number, heft in enumerate(programs):
            (folder / str(number)).mkdir()
            counts.append(count(heft, manifest, folder / str(number), ("--backend", options.backend)))
    report = heft_bench.Report(options.json)
    for part in PARTS:
        costs = [c[part] and c[part] / 1e6 / options.robots for c in counts]
        if not any(costs):
            continue
        ratio = costs[-1] / costs[0] if costs[0] and costs[-1] else None
        print(f"{part:36}" + "".join("         -" if cost is None else f"{cost:10.1f}" for cost in costs) +
              (f"{ratio:8.2f}" if ratio and len(costs) > 1 else ""), flush=True)
        if costs[-1]:
            report.add(f"instructions per robot: {part.strip()}", costs[-1], "million", first=costs[0])
        if part == "all" and ratio and len(costs) > 1:
            report.add("instructions of the first build over those of the last", 1 / ratio, "x", must=2, goal=3)
    return report.finish(options.json, shown=False, programs=[str(path) for path in programs])


if __name__ == "__main__":
    sys.exit(main())
