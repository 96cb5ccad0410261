#!/usr/bin/env python3
"""Size of report.html, and time and memory of `heft identify`, by the length of the held-out log.

  bench/page/run.py                        1e3 to 1e6 rows of the demo arm
  HEFT_PROGRAM=build/heft bench/page/run.py --rows 1000000

Exits with 1 if a page is 3 MB or more, 77 if there is no program.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "bench"))
import heft_bench  # noqa: E402
HEFT = os.environ.get("HEFT_PROGRAM", str(SOURCE / "build" / "heft"))
ARM = str(SOURCE / "tools" / "demo" / "arm.urdf")
RATE = 1000  # Hz
LIMIT = 3e6  # bytes


def heft(*arguments):
    """Runs the program; its peak memory [MB]."""
    process = subprocess.Popen([HEFT, *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: failed")
    return usage.ru_maxrss / 1024


def measured(rows, folder):
    """Of the identification: bytes of the page, seconds, peak memory [MB], samples a bin."""
    heft("simulate", "--robot", ARM, "--rate", RATE, "--duration", 20, "--held-out", rows / RATE, "--out", folder)
    start = time.perf_counter()
    memory = heft("identify", "--robot", ARM, "--log", folder / "train.csv", "--validate", folder / "held_out.csv",
                  "--quiet", "--out", folder / "result")
    seconds = time.perf_counter() - start
    page = (folder / "result" / "report.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    return len(page.encode()), seconds, memory, data["traces"]["samples_per_bin"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    rows_held_out = sorted(parser.parse_args().rows)
    heft_bench.require(files=[HEFT], remedy="build it, or set HEFT_PROGRAM")
    too_large = False
    print(f"{'rows held out':>14} {'page [MB]':>10} {'samples a bin':>14} {'identify [s]':>13} {'memory [MB]':>12}")
    for rows in rows_held_out:
        with tempfile.TemporaryDirectory(prefix="heft-page-") as folder:
            size, seconds, memory, samples = measured(rows, pathlib.Path(folder))
        print(f"{rows:>14} {size / 1e6:>10.2f} {samples:>14} {seconds:>13.2f} {memory:>12.0f}")
        too_large = too_large or size >= LIMIT
    sys.exit(1 if too_large else 0)


if __name__ == "__main__":
    main()
