#!/usr/bin/env python3
"""What the bound on unmistakable faults is worth: zeros and stamps that hardly change the torques of a log are doubted from so
many nats on (host/results/report/doubts/about_hypotheses.cpp, kUnmistakable; docs/doubts.md).

Usage: bench/faults/bounds.py RESULT.json [--docs]

RESULT.json is what bench/faults/run.py wrote. Of every bound: clean simulated logs that are doubted for such a fault, and material
faults of simulated robots without a serious doubt. Then the bound as it would be learned without the robot judged: MARGIN times
the most nats of any clean log of the other robots. --docs rewrites the table of docs/doubts.md.
"""

import argparse
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import heft_bench  # noqa: E402
BEGIN, END = "<!-- bounds: begin -->", "<!-- bounds: end -->"
BOUNDS = (8, 15, 25, 35, 50, 75, 100, 150, 200)
MARGIN = 1.5  # as of all thresholds that were learned on clean logs
IDS = ("joint-zero", "clock-ratio")
NO_OTHER = 1e9  # of a log that is doubted for another reason
HEADER = ROOT / "host/identification/evidence/shared/evidence/doubt_bounds.hpp"


class InForce:
    """The bounds of HEADER by their names, so that this counts what Heft does."""

    def __init__(self):
        found = re.findall(r"constexpr double k(\w+)\s*=\s*([^;]+);", HEADER.read_text())
        self.__dict__ = {name: eval(number.replace("std::numbers::pi", "math.pi"), {"math": math, "kDegree": math.radians(1)}) for name, number in found}


IN_FORCE = InForce()


def is_large(h):
    return abs(h["value"]) >= IN_FORCE.ClearZero if h["id"] == "joint-zero" else abs(math.log(h["value"])) >= IN_FORCE.ClearRate


def nats_of(h):
    """By which a fault is certain, if that alone decides whether it is doubted; otherwise none, or NO_OTHER if it is doubted anyway."""
    least, freer = min(h["gain_training"], h["cross_validated_gain"]), h["gain_over_freer_bodies"]
    before, after, (low, high) = h["held_out_before"], h["held_out_after"], h["interval"]
    narrow = math.log(high / low) < abs(math.log(h["value"])) if h["unit"] == "1" else high - low < abs(h["value"])
    if not narrow or (before > IN_FORCE.LargeError and after > IN_FORCE.MaxErrorLeft * before) or freer is None or freer < IN_FORCE.LeastGain \
            or least < IN_FORCE.LeastGain or after >= before:
        return 0
    if (before > IN_FORCE.ErrorRatio * after and before > after + IN_FORCE.ErrorFall) or h["torque_change"] >= IN_FORCE.LeastChange:
        return NO_OTHER
    if h["id"] not in IDS or least < IN_FORCE.ClearGain or not is_large(h):
        return 0
    return NO_OTHER if h["id"] == "joint-zero" and h["torque_change"] >= IN_FORCE.ChangeByZero else min(least, freer)


def most_nats(row):
    return max((nats_of(h) for h in row["hypotheses"] if h["id"] in IDS and h["gain_training"] is not None
                and h["cross_validated_gain"] is not None), default=0)


def is_found(case, bound):
    others = [doubt for doubt in case["ids"] if doubt not in IDS]
    return bool(others) or most_nats(case) >= bound or (bool(case["ids"]) and most_nats(case) == 0)


def rows_of(clean, faults):
    yield "| nats | clean logs doubted for it | material faults without a serious doubt |"
    yield "|---|---|---|"
    for bound in BOUNDS:
        alarms = sum(bound <= most_nats(row) < NO_OTHER for row in clean)
        silent = sum(not is_found(case, bound) for case in faults)
        mark = " (in force)" if bound == IN_FORCE.Unmistakable else ""
        yield f"| {bound}{mark} | {alarms} of {len(clean)} | {100 * silent / max(1, len(faults)):.1f} % of {len(faults)} |"


def learned(clean):
    """The bound of every robot from the clean logs of all others."""
    robots = {row["robot"] for row in clean}
    finite = lambda row: most_nats(row) if most_nats(row) < NO_OTHER else 0
    return {robot: max(IN_FORCE.ClearGain, MARGIN * max([finite(row) for row in clean if row["robot"] != robot], default=0)) for robot in robots}


def learned_words(clean, faults):
    bounds = learned(clean)
    if len(bounds) < 2:
        return ["One robot alone: nothing to learn from."]
    alarms = sum(bounds[row["robot"]] <= most_nats(row) < NO_OTHER for row in clean)
    judged = [case for case in faults if case["robot"] in bounds]
    silent = sum(not is_found(case, bounds[case["robot"]]) for case in judged)
    low, high = min(bounds.values()), max(bounds.values())
    return [f"Learned without the robot judged ({MARGIN} times the most nats of any clean log of the others) the bound is "
            f"{low:.0f} to {high:.0f} nats;", f"{alarms} of {len(clean)} clean logs are doubted then, and "
            f"{100 * silent / max(1, len(judged)):.1f} % of {len(judged)} material faults are silent."]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="rewrite the table of docs/doubts.md")
    options = parser.parse_args()
    result = json.loads(options.result.read_text())
    clean = [row for row in result["clean"] if not row["real"]]
    simulated = {row["robot"] for row in clean}
    faults = [case for case in result["cases"] if case["material"] and case["counts"] and case["robot"] in simulated]
    text = "\n".join([*rows_of(clean, faults), "", *learned_words(clean, faults)])
    print(text)
    if options.docs:
        heft_bench.write_between(ROOT / "docs" / "doubts.md", BEGIN, END, [text])


if __name__ == "__main__":
    main()
