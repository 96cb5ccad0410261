#!/usr/bin/env python3
"""The first table of docs/gpu.md: speeds on the host and with a device, from the newest results that bench/on_device.sh stored.

    bench/device_docs.py                       # the table, in markdown
    bench/device_docs.py --write docs/gpu.md   # puts it there
    bench/device_docs.py --check docs/gpu.md   # exit status 1 if the page has another one

Reads bench/results/*/*.md whose first line names part, date, device, driver and commit. Both speeds of a row come from one file: the
newest that has both. A row without such a file is left out.
"""
import argparse
import os
import pathlib
import re
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import heft_bench  # noqa: E402

BEGIN, END = "<!-- table: bench/device_docs.py -->", "<!-- end of measured table -->"
FIRST_LINE = re.compile(r"^(\w+), (\d{4}-\d\d-\d\d(?: \d\d:\d\d)?): (.+?), driver ([^,]+), commit (\S+)")
NUMBER = re.compile(r"[0-9][0-9.e+-]*")


@dataclass
class Stored:
    """Figures of one file, by name; names have the cells of a row of several, joined by a bar."""
    path: pathlib.Path
    date: str
    device: str
    figures: dict = field(default_factory=dict)


def read(path):
    """The figures of a file of results; None if its first line is another."""
    lines = path.read_text().splitlines()
    first = FIRST_LINE.match(lines[0]) if lines else None
    if not first:
        return None
    stored = Stored(path, first[2], first[3])
    for line in lines[1:]:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        numbers = [NUMBER.match(cell) for cell in cells]
        if first[1] == "motions" and len(cells) > 3 and numbers[1] and numbers[2]:  # robot, host, device
            stored.figures |= {cells[0]: float(numbers[1][0]), f"{cells[0]} | device": float(numbers[2][0])}
        elif where := next((k for k, number in enumerate(numbers) if k > 0 and number), None):
            stored.figures[" | ".join(cells[:where])] = float(numbers[where][0])
    return stored


def times(faster, slower):
    """In words: how much faster the first speed is."""
    return f"{faster / slower:.2g} times" if faster >= slower else f"slower, {faster / slower:.2g} times"


@dataclass(frozen=True)
class Row:
    what: str    # may use groups of `host`
    host: str    # pattern of the figure's name
    device: str  # its name, with groups of `host`; empty: the same with cuda for cpu
    unit: str
    is_time: bool = False


ROWS = [
    Row("moments of an arm with 7 joints, samples in host memory, per channel in fp64", r"arm7 \| cpu \| fp64 per channel",
        "arm7 | cuda chunks | fp64 per channel", "M samples/s"),
    Row("the same for a humanoid with 36 degrees of freedom", r"humanoid36 \| cpu \| fp64 per channel",
        "humanoid36 | cuda chunks | fp64 per channel", "M samples/s"),
    Row("information of candidate motions of the arm, by Fourier coefficients", r"arm7 \| cpu fourier \| fp64 per channel",
        "arm7 | cuda fourier | fp64 per channel", "M samples/s"),
    Row("candidate motions with gradient, an arm with 7 joints", "arm7", "arm7 | device", "motions/s"),
    Row(r"\1 convex problems of 7 bodies, weight of the prior 1e-4; the host on one core, the device fed by all",
        r"(\d+) problems of 7 bodies, w 0.0001: (AVX-512|AVX2|NEON), one thread", r"\1 problems of 7 bodies, w 0.0001: device, fed by all",
        "us/problem", True),
    Row(r"\1 problems of 31 bodies, likewise", r"(\d+) problems of 31 bodies, w 0.001: (AVX-512|AVX2|NEON), one thread",
        r"\1 problems of 31 bodies, w 0.001: device, fed by all", "us/problem", True),
    Row(r"`heft identify`, an arm's log of \2 rows", r"(identify, |one log of )(1000000)( rows, --backend cpu| rows: cpu, whole run)",
        "", "s", True),
    Row(r"`heft fleet run`, \2 arms with three logs of 2000 rows", r"(fleet of )(\d+)( robots, --backend cpu| arms: cpu)", "", "robots/s"),
]


def find(results, row):
    """(file, match of the host's name, host's figure, device's figure) of the newest file with both."""
    for stored in sorted(results, key=lambda stored: stored.date, reverse=True):
        for name, value in stored.figures.items():
            if found := re.fullmatch(row.host, name):
                device = stored.figures.get(found.expand(row.device) if row.device else re.sub(r"\bcpu\b", "cuda", name))
                if device is not None:
                    return stored, found, value, device
    return None


def table(folder, page_folder):
    results = [stored for path in sorted(folder.glob("*/*.md")) if (stored := read(path))]
    lines = ["| | the host | with the device | | measured |", "|---|---|---|---|---|"]
    for row in ROWS:
        found = find(results, row)
        if not found:
            continue
        stored, match, host, device = found
        is_faster = (device < host) == row.is_time
        bold = [f"{value:.4g} {row.unit}" for value in (host, device)]
        bold[is_faster] = f"**{bold[is_faster]}**"
        gain = times(host, device) if row.is_time else times(device, host)
        link = pathlib.Path(os.path.relpath(stored.path, page_folder)).as_posix()
        lines.append(f"| {match.expand(row.what)} | {bold[0]} | {bold[1]} | {gain} | [{stored.date[:10]}, {stored.device}]({link}) |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    options = parser.parse_args()
    lines = table(options.results.resolve(), heft_bench.ROOT / "docs")
    if options.write:
        heft_bench.write_between(options.write, BEGIN, END, lines)
    elif options.check:
        if "\n".join([BEGIN, *lines, END]) not in options.check.read_text():
            print(f"{options.check} has another table: bench/device_docs.py --write {options.check}")
            return 1
    else:
        print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
