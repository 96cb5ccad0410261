"""What the `run.py` of every benchmark shares: machine and commit, rows with musts and goals, the file, the exit code.

    report = heft_bench.Report()
    report.add("rows of seven joints", 41.2, "ns/sample", must=50, goal=30, smaller_is_better=True)
    return report.finish(options.json)

A row that must reach something and is not a number does not reach it. The goal is only shown.
"""
import importlib.util
import json
import math
import os
import pathlib
import platform
import subprocess
import sys

SCHEMA = "heft-bench-1"
REACHED, MISSED, NOTHING_TO_RUN_ON = 0, 1, 77
ROOT = pathlib.Path(__file__).resolve().parent.parent


def machine(cpuinfo=pathlib.Path("/proc/cpuinfo")):
    """The processor by its own name, and how many of its threads this process may use."""
    model = platform.processor() or platform.machine()
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model"):
                model = value.strip()
                break
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {threads} threads"


def commit(root=ROOT):
    """Of the checkout at `root`: its first ten digits, with a + if tracked files differ from it."""
    def git(*words):
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()
    try:
        return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def require(modules=(), files=(), remedy=""):
    """Exits with 77 and the reason unless these Python modules can be imported and these files or folders are there."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        print(f"nothing to run on: {sys.executable} has no {', '.join(missing)}" + (f": {remedy}" if remedy else ""))
        sys.exit(NOTHING_TO_RUN_ON)
    for path in files:
        if not pathlib.Path(path).exists():
            print(f"nothing to run on: {path} is not there" + (f": {remedy}" if remedy else ""))
            sys.exit(NOTHING_TO_RUN_ON)


def is_number(value):
    return value is not None and math.isfinite(value)


def write_between(path, begin, end, lines):
    """Puts lines in the place of those between two marks of a page. ValueError: it does not have each mark once."""
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition(end)
    if not rest or not (after or rest.endswith(end)) or begin in rest or end in after:
        raise ValueError(f"{path} does not have {begin} and {end} once each")
    path.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + after)


class Report:
    def __init__(self, path=None):
        """`path`: a file that has the rows there are after every one of them, so that a benchmark that is stopped early leaves its rows."""
        self.rows, self.path = [], path

    def add(self, name, value, unit, must=None, goal=None, smaller_is_better=False, **more):
        """Adds a figure; `must` and `goal` are the least it is to reach, or the most if smaller is better. `more` is kept
        beside them, for instance the range in which the figure lies."""
        value = float(value) if is_number(value) else None  # of numpy, too
        ok = must is None or (value is not None and (value <= must if smaller_is_better else value >= must))
        self.rows.append({"name": name, "value": value, "unit": unit, "must": must, "goal": goal, "ok": ok,
                          **{key: x if is_number(x) else None for key, x in more.items()}})
        if self.path:
            self.write(self.path)

    def exit_code(self):
        return REACHED if all(row["ok"] for row in self.rows) else MISSED

    def print(self):
        width = max((len(row["name"]) for row in self.rows), default=0)
        for row in self.rows:
            value = "-" if row["value"] is None else f"{row['value']:.4g}"
            asked = "" if row["must"] is None else f"  must {row['must']:.4g}" + ("" if row["ok"] else "  MISSED")
            goal = "" if row["goal"] is None else f"  goal {row['goal']:.4g}"
            print(f"{row['name']:<{width}}  {value:>10} {row['unit']}{asked}{goal}")

    def write(self, path, root=ROOT, **more):
        """Writes the file aside and renames it; `more` stands in it beside the rows."""
        path = pathlib.Path(path)
        aside = path.with_name(path.name + ".part")
        content = {"schema": SCHEMA, "machine": machine(), "commit": commit(root), "rows": self.rows, **more}
        aside.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")
        aside.replace(path)

    def finish(self, path=None, shown=True, **more):
        """What every run.py ends with: shows the rows, writes the file if one is asked for, returns the exit code."""
        if shown:
            self.print()
        if path:
            self.write(path, **more)
        return self.exit_code()
