#!/usr/bin/env python3
"""Runs what public reports tried on Heft, and variants of each kind of fault, and says which of them come out right.

Usage: bench/reports/run.py [--heft build/heft] [--variants | --variants-alone] [--only WORDS] [--kinds] [--jobs N] [--keep DIR] [--json FILE]

Without --variants the 47 reported cases run; with it the variants as well (--variants-alone leaves the cases out). --only runs those
whose number, kind or name has one of the WORDS (separated by commas). Inputs are made here: torques by Pinocchio. Exit codes: 0 all musts
reached, 1 one missed, 77 nothing to run on.
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import pathlib
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402

PACKAGES = {
    "numpy": "numpy",
    "pinocchio": "pin",
    "h5py": "h5py",
    "hdf5plugin": "hdf5plugin",
    "hdf5storage": "hdf5storage",
    "pandas": "pandas",
    "tables": "tables",
    "scipy": "scipy",
    "yaml": "pyyaml",
}


def verdict(kind, name, heft, keep):
    """`right`, or what is wrong; and the time in seconds. By name, so that no functions are passed between processes."""
    import judge

    found = next(one for one in everything() if (one.kind, one.name) == (kind, name))
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="heft-reports-") as scratch:
        folder = scratch
        if keep:
            folder = pathlib.Path(keep) / f"{kind} {name}".replace("/", "_").replace(" ", "_")
            folder.mkdir(parents=True, exist_ok=True)
        try:
            found.judge(judge.Bench(heft, folder))
            said = "right"
        except judge.Wrong as wrong:
            said = str(wrong) or "wrong"
        except Exception as broken:  # of the judge: counted as wrong, and shown as such
            where = traceback.extract_tb(broken.__traceback__)[-1]
            said = f"judge: {type(broken).__name__}: {broken} ({pathlib.Path(where.filename).name}:{where.lineno})"
    return said, time.perf_counter() - start


def everything():
    import reported
    import variants

    return [*reported.CASES, *variants.all_variants()]


def chosen(options):
    import reported
    import variants

    rows = [] if options.variants_alone else list(reported.CASES)
    if options.variants or options.variants_alone:
        rows += variants.all_variants()
    words = [word.strip().lower() for word in (options.only or "").split(",") if word.strip()]

    def fits(one):
        text = f"{one.kind}: {one.name}".lower()
        return any(text.startswith(f"reported: {word} ") if word.isdigit() else word in text for word in words)

    return [one for one in rows if not words or fits(one)]


def run_all(options, rows):
    results = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        jobs = [(one, pool.submit(verdict, one.kind, one.name, options.heft, options.keep)) for one in rows]
        for one, job in jobs:
            said, seconds = job.result()
            results.append({"kind": one.kind, "name": one.name, "clean": one.clean, "said": said, "seconds": round(seconds, 2)})
            print(f"{one.kind}: {one.name}{' (clean)' if one.clean else ''}: {said}", flush=True)
    return results


def per_kind(results):
    counts = collections.OrderedDict()
    for row in results:
        right, all_, clean, clean_all = counts.get(row["kind"], (0, 0, 0, 0))
        is_right = row["said"] == "right"
        counts[row["kind"]] = (right + is_right, all_ + 1, clean + (is_right and row["clean"]), clean_all + row["clean"])
    return counts


def report_of(results, whole):
    report = heft_bench.Report()
    cases, others = ([r for r in results if (r["kind"] == "reported") == own] for own in (True, False))
    if cases:
        report.add(
            "reported cases that come out right", sum(r["said"] == "right" for r in cases), f"of {len(cases)}", must=len(cases)
        )
    if others:
        report.add("variants that come out right", 100 * sum(r["said"] == "right" for r in others) / len(others), "%", must=90)
        report.add(
            "clean variants that come out right",
            100 * sum(r["said"] == "right" for r in others if r["clean"]) / max(1, sum(r["clean"] for r in others)),
            "%",
        )
        for kind, (right, all_, _, _) in per_kind(others).items():
            report.add(f"  {kind}", right, f"of {all_}")
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", type=pathlib.Path, default=HERE.parents[1] / "build" / "heft")
    parser.add_argument("--variants", action="store_true", help="the reported cases and the variants")
    parser.add_argument("--variants-alone", action="store_true", help="the variants, without the reported cases")
    parser.add_argument("--only", help="cases by number, kind or name, separated by commas")
    parser.add_argument("--kinds", action="store_true", help="list kinds and how many variants each has, run nothing")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the inputs and outputs of every case")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    missing = [pip for module, pip in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if missing:
        print(f"needs {', '.join(missing)}: pip install {' '.join(PACKAGES.values())}")
        return heft_bench.NOTHING_TO_RUN_ON
    if not options.heft.exists():
        print(f"needs the program: {options.heft} does not exist (--heft)")
        return heft_bench.NOTHING_TO_RUN_ON
    if options.kinds:
        import variants

        for kind, count in collections.Counter(one.kind for one in variants.all_variants()).items():
            print(f"{count:4d} {kind}")
        return heft_bench.REACHED
    results = run_all(options, chosen(options))
    return report_of(results, not options.only).finish(options.json, cases=results)


if __name__ == "__main__":
    sys.exit(main())
