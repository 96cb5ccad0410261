"""Payloads of a simulated 7-DoF arm by its joint torques: the arm is identified from 20 s, carries boxes of 0.5 to 3 kg for 10 s.

The empty arm's log is `heft simulate`'s; loaded ones are made by arm.py beside this file, with the same noise: 1 % of a joint's rms torque,
encoders of 1e6 counts a turn. Every log is there once more with another box from some time on (torque_changes.py).
"""
import json
import pathlib
import subprocess

import numpy as np

import arm as arms
import simulator
import torque_changes

DEMO = pathlib.Path(__file__).resolve().parents[2] / "tools" / "demo"
MASSES = (0.5, 1.0, 2.0, 3.0)


def run(heft, *words, codes=(0,)):
    done = subprocess.run([str(heft), *map(str, words)], capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"heft {words[0]}: {done.stderr}")


def one_arm(heft, folder, seed):
    """[(mass, number of four intervals that contain the truth, relative error of the mass, error of the CoM [mm], half widths of both)],
    and [(true times, found times)] of changes of the body."""
    arm = arms.Arm(DEMO / "arm.urdf")
    run(heft, "simulate", "--robot", DEMO / "arm.urdf", "--duration", 20, "--held-out", 1, "--seed", seed, "--trajectory-seed", seed,
        "--out", folder)
    run(heft, "identify", "--quiet", "--robot", DEMO / "arm.urdf", "--config", DEMO / "arm.yaml", "--log", folder / "train.csv", "--out",
        folder / "result", codes=(0, 4))
    bodies, friction = arms.read_truth(json.loads((folder / "truth.json").read_text()), arm)

    def weigh(log, out, *words):
        run(heft, "payload", "--quiet", "--model", folder / "result", "--link", "gripper", "--log", log, "--out", out, *words, codes=(0, 4))

    found, changes = [], []
    for mass in MASSES:
        rng = np.random.default_rng([seed, int(10 * mass)])
        size, com = rng.uniform(0.05, 0.2, 3), rng.uniform(-0.06, 0.06, 3) + [0, 0, 0.08]
        payload = simulator.box_moments(mass, size, com)
        t, q, qd, qdd = arm.motion(10, 1000, rng)
        torque = arm.torques(arm.carried(bodies, "gripper", payload), friction, q, qd, qdd)
        arms.write_log(folder / "loaded.csv", arm, t, q, torque, rng)
        weigh(folder / "loaded.csv", folder / "weighed")
        answer = json.loads((folder / "weighed" / "result.json").read_text())["payload"]
        sides = [answer["intervals"]["mass"], *answer["intervals"]["com"]]
        held = [None not in side and side[0] <= x <= side[1] for side, x in zip(sides, [mass, *com])]
        half = [np.inf if None in side else (side[1] - side[0]) / 2 for side in sides]
        found.append((mass, held, 100 * abs(answer["mass"] - mass) / mass, 1e3 * np.linalg.norm(np.array(answer["com"]) - com),
                      100 * half[0] / mass, 1e3 * max(half[1:])))
        changes.append(([], torque_changes.found(weigh, folder / "loaded.csv", folder)))
        at, size, com = rng.uniform(3, 7), rng.uniform(0.05, 0.2, 3), rng.uniform(-0.06, 0.06, 3) + [0, 0, 0.08]
        other = simulator.box_moments(MASSES[(MASSES.index(mass) + 1) % len(MASSES)], size, com)
        torque[t >= at] = arm.torques(arm.carried(bodies, "gripper", other), friction, q, qd, qdd)[t >= at]
        arms.write_log(folder / "changed.csv", arm, t, q, torque, rng)
        changes.append(([at], torque_changes.found(weigh, folder / "changed.csv", folder)))
    return found, changes


def measure(heft, pool, scratch, seeds, report, lines):
    folders = []
    for seed in range(seeds):
        folders.append(scratch / f"arm{seed}")
        folders[-1].mkdir()
    of_arms = [task.result() for task in [pool.submit(one_arm, heft, folder, seed) for seed, folder in enumerate(folders)]]
    runs = [one for found, _ in of_arms for one in found]
    lines += ["", f"{seeds} arms, four payloads each:", "",
              "| payload | error of mass, mean (largest) | of CoM, mean (largest) | half width of mass, median | of CoM, median | intervals that contain the truth |",
              "|---|---|---|---|---|---|"]
    for mass in MASSES:
        some = [r for r in runs if r[0] == mass]
        share, values = 100 * np.mean([r[1] for r in some]), np.array([r[2:] for r in some])
        lines.append(f"| {mass:g} kg | {values[:, 0].mean():.2g} ({values[:, 0].max():.2g}) % | {values[:, 1].mean():.2g} "
                     f"({values[:, 1].max():.2g}) mm | {np.median(values[:, 2]):.2g} % | {np.median(values[:, 3]):.2g} mm | {share:.1f} % |")
        must = mass == 3
        report.add(f"by torques, {mass:g} kg, largest error of mass", values[:, 0].max(), "%", must=2 if must else None, smaller_is_better=True)
        report.add(f"by torques, {mass:g} kg, largest error of CoM", values[:, 1].max(), "mm", must=5 if must else None, smaller_is_better=True)
    report.add("by torques, intervals hold the truth", 100 * np.mean([r[1] for r in runs]), "%", must=90)
    torque_changes.report_on([log for _, changes in of_arms for log in changes], report, lines)
