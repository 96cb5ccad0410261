#!/usr/bin/env python3
"""Runs the program on files that request too much or make no sense: each is rejected with a remedy, or processed, within two seconds of
processor time and 500 MB.

    bench/hostile/run.py [--heft build/heft] [--only WORDS] [--json FILE] [--docs]

The files are those of inputs.py. --docs rewrites the table of docs/troubleshooting.md. HEFT_PYTHON_PEERS may name an interpreter that
has h5py, for the files of HDF5. Exit codes: 0 all as it must be, 1 some not, 77 there is no program.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402
import inputs  # noqa: E402

BEGIN, END = "<!-- hostile: begin -->", "<!-- hostile: end -->"
MOST_SECONDS, MOST_MEGABYTES = 2.0, 500
GIVEN_UP_S = 60  # of processor time, at which a run is ended
COMMANDS = ("\x1b", "\x07", "\u009b", "\x9b")  # what a terminal obeys
CRASHES = ("terminate called", "internal error", "Segmentation", "Assertion", "std::")

try:
    import h5py  # noqa: F401
except ImportError:
    peers = os.environ.get("HEFT_PYTHON_PEERS", "")
    if peers and "HEFT_BENCH_AGAIN" not in os.environ:
        os.execve(peers, [peers, *sys.argv], {**os.environ, "HEFT_BENCH_AGAIN": "1"})
    print("no h5py: files of HDF5 are left out")


def limits_of(case):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (GIVEN_UP_S, GIVEN_UP_S))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if case.memory_limit:
            resource.setrlimit(resource.RLIMIT_AS, (case.memory_limit, case.memory_limit))
        if case.thread_limit:
            resource.setrlimit(resource.RLIMIT_NPROC, (case.thread_limit, case.thread_limit))
            if os.geteuid() == 0:  # limits of processes do not hold for root
                os.setgid(65534)
                os.setuid(65534)
    return limit


def walked(heft, case, scratch):
    """Exit code, text, seconds of processor time and of waiting, and megabytes of one run."""
    with (scratch / "text").open("w+", encoding="utf-8", errors="backslashreplace") as text:
        start = time.monotonic()
        process = subprocess.Popen([heft, *map(str, case.arguments)], stdin=subprocess.DEVNULL, stdout=text, stderr=text,
                                   preexec_fn=limits_of(case))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        waited = time.monotonic() - start
    said = (scratch / "text").read_bytes().decode("utf-8", errors="backslashreplace")
    return process.returncode, said, usage.ru_utime + usage.ru_stime, waited, usage.ru_maxrss / 1024


def outcome_of(code, said):
    if code in (0, 3, 4):
        return inputs.DONE
    if code == 1 or code >= 100:
        return inputs.REFUSED
    return f"ended with {code}"


def what_is_wrong(case, code, said, seconds, megabytes):
    """In words; empty: nothing."""
    outcome = outcome_of(code, said)
    if outcome not in (inputs.DONE, inputs.REFUSED) or (case.must != inputs.EITHER and outcome != case.must):
        return f"{outcome}, must be {case.must}"
    if any(word in said for word in CRASHES):
        return "a crash in words"
    if outcome == inputs.REFUSED and code == 1 and "remedy: " not in said and "error" not in said:
        return "no remedy"
    if case.says and case.says not in said:
        return f"does not say {case.says!r}"
    if case.quiet_terminal and any(byte in said for byte in COMMANDS):
        return "a byte that terminals obey"
    if len(error_of(said)) > 20_000:
        return f"says {len(error_of(said))} characters"
    if seconds > case.seconds:
        return f"{seconds:.1f} s of processor time"
    return f"{megabytes:.0f} MB" if megabytes > MOST_MEGABYTES else ""


def prepared(heft, folder):
    """The demo arm's logs, a result and moments of them."""
    run = lambda *words: subprocess.run([heft, *map(str, words)], check=True, capture_output=True)
    arm = ROOT / "tools" / "demo" / "arm.urdf"
    run("simulate", "--robot", arm, "--duration", 6, "--held-out", 4, "--rate", 250, "--out", folder / "logs")
    made = inputs.Inputs(folder, arm, folder / "logs" / "train.csv", folder / "logs" / "held_out.csv")
    run("identify", "--robot", arm, "--log", made.train, "--validate", made.held_out, "--out", folder / "result", "--moments",
        folder / "sums.heft")
    for path in (folder, made.out):  # for users without rights
        path.mkdir(exist_ok=True)
        path.chmod(0o777)
    return made


def error_of(said):
    """The message of a refusal; nothing of tables of findings."""
    return said[said.index("heft: "):] if "heft: " in said else ""


def first_line(said):
    return (error_of(said) or said).split("\n", 1)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", type=pathlib.Path, default=pathlib.Path(os.environ.get("HEFT_PROGRAM", ROOT / "build" / "heft")))
    parser.add_argument("--only", help="cases whose names have these words")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="rewrite the table of docs/troubleshooting.md")
    parser.add_argument("--verbose", action="store_true", help="what the program said, too")
    options = parser.parse_args()
    if not options.heft.exists():
        print("there is no program", options.heft)
        return heft_bench.NOTHING_TO_RUN_ON
    table = ["| input | outcome | processor time | memory |", "|---|---|---|---|"]
    cases, slowest, largest, wrong = [], 0.0, 0.0, 0
    with tempfile.TemporaryDirectory(prefix="heft-hostile-") as scratch:
        folder = pathlib.Path(scratch)
        made = prepared(options.heft, folder)
        for case in inputs.all_cases(made, folder / "result" / "result.json", folder / "sums.heft"):
            if options.only and options.only not in case.name:
                continue
            code, said, seconds, waited, megabytes = walked(options.heft, case, folder)
            problem = what_is_wrong(case, code, said, seconds, megabytes)
            wrong += bool(problem)
            slowest, largest = max(slowest, seconds), max(largest, megabytes)
            outcome = outcome_of(code, said)
            print(f"{'WRONG' if problem else 'ok   '} {case.name}: {outcome}, {seconds:.2f} s, {megabytes:.0f} MB"
                  f"{': ' + problem if problem else ''}", flush=True)
            if problem or options.verbose:
                print("      " + first_line(said)[:300])
            table.append(f"| {case.name} | {outcome}{' (**' + problem + '**)' if problem else ''} | {seconds:.2f} s | {megabytes:.0f} MB |")
            cases.append({"name": case.name, "outcome": outcome, "wrong": problem, "processor_s": seconds, "waited_s": waited,
                          "megabytes": megabytes, "says": first_line(said)[:300]})
    report = heft_bench.Report()
    report.add("files that are neither refused in words nor done", wrong, f"of {len(cases)}", must=0, smaller_is_better=True)
    report.add("the slowest, processor time", slowest, "s", must=MOST_SECONDS, smaller_is_better=True)
    report.add("the largest", largest, "MB", must=MOST_MEGABYTES, smaller_is_better=True)
    if options.docs:
        heft_bench.write_between(ROOT / "docs" / "troubleshooting.md", BEGIN, END, table)
    return report.finish(options.json, cases=cases)


if __name__ == "__main__":
    sys.exit(main())
