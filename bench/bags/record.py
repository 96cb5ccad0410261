#!/usr/bin/env python3
"""Writes a CSV log with columns t, q_JOINT, qd_JOINT, tau_JOINT as joint states: a recording for experiments.

Usage: bench/bags/record.py LOG.csv OUT.mcap     (or OUT: a bag folder with a database)
"""

import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "tools"))
import recordings as rec  # noqa: E402

START = 1_771_234_567_000_000_000  # [ns] since 1970


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    joints = [name[2:] for name in rows[0] if name.startswith("q_")]
    messages = []
    for row in rows:
        stamp = START + round(row["t"] * 1e9)
        parts = [[row[f"{prefix}_{joint}"] for joint in joints] if f"{prefix}_{joints[0]}" in row else []
                 for prefix in ("q", "qd", "tau")]
        messages.append((0, stamp + 300_000, stamp, rec.joint_state(stamp, joints, *parts)))
    out = pathlib.Path(sys.argv[2])
    if out.suffix == ".mcap":
        out.write_bytes(rec.mcap([rec.Channel.joint_states()], messages))
        return
    out.mkdir(parents=True)
    rec.db3(out / f"{out.name}_0.db3", [rec.Channel.joint_states()], messages)
    (out / "metadata.yaml").write_text(rec.metadata([f"{out.name}_0.db3"]))


if __name__ == "__main__":
    main()
