#!/usr/bin/env python3
"""How often randomization ranges of 95 % contain the truth, and the effect of draws on torques, on simulated arms like the demo's.

    bench/mjcf/ranges.py [--arms 20] [--json FILE]

Every arm has other true parameters; its log lasts 12 s at 250 Hz. Run it with a Python that has heft_robot, or that can import it
from the clone. Exit codes: 0 all musts reached, 1 one missed, 77 heft_robot cannot be imported.
"""
import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "python")]
import heft_bench  # noqa: E402

try:
    import numpy as np

    import heft_robot as heft
    from heft_robot.inertia import com_of, tensor_about_com
except ImportError as error:
    print(f"nothing to run on: {error}; pip install .")
    sys.exit(heft_bench.NOTHING_TO_RUN_ON)

COLUMNS = {"damping": "viscous", "frictionloss": "coulomb"}


def truth_of(path):
    """True values by name."""
    return {name: entry["value"] for name, entry in json.loads(path.read_text())["parameters"].items()}


def true_value(row, truth, result):
    """Truth of a range; None: a stretch or shear."""
    if row.quantity in COLUMNS:
        return truth[f"{COLUMNS[row.quantity]} {row.of}"]
    ten = np.array([truth[f"{row.of}.{key}"] for key in heft.PARAMETERS])
    if row.quantity == "inertia_scale":
        return np.trace(tensor_about_com(ten)) / np.trace(result.bodies[row.of].inertia)
    return {"mass": ten[0], **dict(zip(("com_x", "com_y", "com_z"), com_of(ten)))}.get(row.quantity)


def ten_of(robots):
    """(n, 10 bodies) parameters about the origins."""
    m, c, I = robots["mass"], robots["com"], robots["inertia"]
    about = I + m[..., None, None] * ((c**2).sum(-1)[..., None, None] * np.eye(3) - c[..., :, None] * c[..., None, :])
    return np.concatenate([m[..., None], m[..., None] * c, about[..., [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]], -1).reshape(len(m), -1)


def least_moment(robots):
    """Least principal second moment of mass over all draws, relative to the body's largest: positive for bodies that can exist."""
    I = robots["inertia"]
    values = np.linalg.eigvalsh(0.5 * np.trace(I, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - I)
    return float((values[..., 0] / values[..., 2]).min())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    robot, inside, spread, least = heft.Robot.from_urdf(ROOT / "tools" / "demo" / "arm.urdf"), {}, {"joint": [], "independent": []}, []
    random = np.random.default_rng(1)
    rows = robot.regressor(random.uniform(-1, 1, (50, 7)), random.normal(size=(50, 7)), random.normal(size=(50, 7))).reshape(-1, 70)
    for seed in range(options.arms):
        with tempfile.TemporaryDirectory() as folder:
            simulation = heft.simulate(robot, folder + "/arm", duration=12, held_out=5, rate=250, seed=seed)
            result = heft.identify(robot, simulation.train)
            truth = truth_of(pathlib.Path(folder) / "arm" / "truth.json")
        ranges, tau = result.ranges(), rows @ result.parameters[:70]
        for row in ranges:
            value = true_value(row, truth, result)
            if value is not None:
                inside.setdefault(row.quantity.split("_")[0], []).append(row.low <= value <= row.high)
        for draw in spread:
            robots = ranges.sample(500, seed, draw)
            least.append(least_moment(robots))
            spread[draw].append(np.sqrt(np.mean((ten_of(robots) @ rows.T - tau)**2) / np.mean(tau**2)))
    report = heft_bench.Report(options.json)
    report.add("draws: least relative moment of a body", min(least), "", must=1e-12)
    for kind, title, least_share in (("mass", "masses", 0.85), ("com", "centers of mass", 0.75), ("inertia", "inertias", 0.75),
                                     ("damping", "damping", None), ("frictionloss", "frictionloss", None)):
        report.add(f"truth inside: {title}", 100 * float(np.mean(inside[kind])), "%", must=least_share and 100 * least_share, goal=95)
    for draw, values in spread.items():
        report.add(f"torques of {draw} draws differ by", 100 * float(np.median(values)), "% rms")
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
