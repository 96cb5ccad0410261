#!/usr/bin/env python3
"""Runs heft check over the robots of the PyPI package example-robot-data and counts what it finds.

Usage: bench/check/run.py [--heft build/heft] [--robots DIR] [--docs]

DIR (default: that of the installed package) holds <robot>_description/**/*.urdf. --docs rewrites the table in
docs/check.md between its markers. Exit codes: 0 done, 1 a run crashed or was refused, 77 no robots.
"""

import argparse
import collections
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402
SKIPPED = 77
BEGIN, END = "<!-- example robots: begin -->", "<!-- example robots: end -->"
SEVERITIES = ("error", "warning", "note")


def installed_robots():
    for folder in sys.path:
        robots = pathlib.Path(folder) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if robots.is_dir():
            return robots
    return None


def package_version():
    try:
        return importlib.metadata.version("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def check(heft, path, *flags):
    """The findings on one robot, or None if the program rejects it; and the time in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "findings.json"
        start = time.perf_counter()
        done = subprocess.run([heft, "check", path, "--json", out, *flags], capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode not in (0, 1) or not out.exists():
            print(f"{path}: exit code {done.returncode}: {done.stderr.strip()}")
            return None, seconds
        return json.loads(out.read_text()), seconds


def errors_after_fix(heft, path):
    with tempfile.TemporaryDirectory() as folder:
        fixed = pathlib.Path(folder) / "fixed.urdf"
        check(heft, path, "--fix", fixed)
        if not fixed.exists():
            return []
        report, _ = check(heft, fixed)
        return [finding["name"] for finding in report["findings"] if finding["severity"] == "error"]


def table(reports):
    counts, robots, examples = collections.Counter(), collections.defaultdict(set), {}
    for name, report in reports:
        for finding in report["findings"]:
            key = (SEVERITIES.index(finding["severity"]), finding["name"])
            counts[key] += 1
            robots[key].add(name)
            examples.setdefault(key, f"{name}, {finding['subject']}")
    lines = ["| severity | finding | places | robots | e.g. |", "|---|---|---|---|---|"]
    for key in sorted(counts, key=lambda key: (key[0], -counts[key], key[1])):
        lines.append(f"| {SEVERITIES[key[0]]} | `{key[1]}` | {counts[key]} | {len(robots[key])} | {examples[key]} |")
    return lines


def rewrite_docs(lines):
    page = HERE.parents[1] / "docs" / "check.md"
    heft_bench.write_between(page, BEGIN, END, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft")
    parser.add_argument("--robots", type=pathlib.Path, default=installed_robots())
    parser.add_argument("--docs", action="store_true", help="rewrite the table in docs/check.md")
    arguments = parser.parse_args()
    if not arguments.robots:
        print("no robots: pip install example-robot-data, or name their folder with --robots")
        sys.exit(SKIPPED)

    reports, refused, slowest, kept = [], 0, 0.0, collections.Counter()
    for path in sorted(arguments.robots.rglob("*.urdf"), key=os.fspath):
        report, seconds = check(arguments.heft, path)
        slowest = max(slowest, seconds)
        if report is None:
            refused += 1
            continue
        reports.append((path.stem, report))
        if report["errors"]:
            kept.update(errors_after_fix(arguments.heft, path))
    worst = collections.Counter(next((s for s in SEVERITIES[:2] if report[s + "s"]), "clean") for _, report in reports)
    head = [f"{len(reports)} URDF files of example-robot-data {package_version()}: {worst['error']} with errors, "
            f"{worst['warning']} with warnings only, {worst['clean']} with neither; the slowest took {slowest:.1f} s. "
            "After `--fix`, errors are left in what only the author can know: "
            + (", ".join(f"{count} `{name}`" for name, count in sorted(kept.items())) or "none") + ".", ""]
    lines = head + table(reports)
    print("\n".join(lines))
    if arguments.docs:
        rewrite_docs(lines)
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
