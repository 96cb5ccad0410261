"""Offsets of a sensor that move while a payload is weighed at rest: whether that is named, and whether the remedy's interval holds the mass.

400 sets of fifty poses, bodies of 0.3 to 3 kg, noise of 0.05 to 0.15 N. The offset drifts by 1 to 5 N in a direction by chance, evenly, or
as a sensor that warms up; or it jumps once. The same sets without a fault have to stay without a serious doubt. Newton's law in numpy.
"""
import json
import shutil
import subprocess

import numpy as np

import simulator

SETS, POSES = 400, 50
HEADER = ",".join([f"r{i}{j}" for i in "123" for j in "123"] + ["fx", "fy", "fz", "nx", "ny", "nz"])
MUST_NAME, MUST_HOLD, MOST_ALARMS = 95, 93, 1  # of a hundred


def rotations(rng, count):
    """Uniformly distributed orientations, as unit quaternions."""
    q = rng.standard_normal((4, count))
    w, x, y, z = q / np.linalg.norm(q, axis=0)
    return np.moveaxis(np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                                 [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                 [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]), 2, 0)


def poses(rng):
    """(mass, rows of a table of poses at rest)."""
    mass, com, noise = rng.uniform(0.3, 3), rng.uniform(-0.1, 0.1, 3), rng.uniform(0.05, 0.15)
    R = rotations(rng, POSES)
    force = -mass * np.einsum("nji,j->ni", R, simulator.GRAVITY)
    wrench = np.hstack([force, np.cross(com, force)]) + rng.uniform(-1, 1, 6) * [5, 5, 5, 0.3, 0.3, 0.3]
    wrench += noise * rng.standard_normal((POSES, 6)) * [1, 1, 1, 0.05, 0.05, 0.05]
    return mass, np.hstack([R.reshape(POSES, 9), wrench])


def drift(rng, form):
    """An offset of 1 to 5 N, and of 30 mm times that as a torque."""
    size = rng.uniform(1, 5)
    direction = np.concatenate([v / np.linalg.norm(v) for v in rng.standard_normal((2, 3))]) * ([size] * 3 + [0.03 * size] * 3)
    order = np.linspace(0, 1, POSES)
    return np.outer(order if form == "evenly" else (1 - np.exp(-3 * order)) / (1 - np.exp(-3)), direction)


def jump(rng):
    return np.outer(np.arange(POSES) >= rng.integers(8, POSES - 8), rng.standard_normal(6) * [2, 2, 2, 0.1, 0.1, 0.1])


def weigh(runner, name, rows, config=""):
    """({ids of serious doubts}, interval of the mass)."""
    folder = runner.scratch / name
    folder.mkdir()
    np.savetxt(folder / "log.csv", rows, delimiter=",", header=HEADER, comments="", fmt="%.9g")
    (folder / "payload.yaml").write_text("payload: {%s}\n" % config)
    command = [runner.heft, "payload", "--log", folder / "log.csv", "--config", folder / "payload.yaml", "--out", folder]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        return {"refused"}, (np.nan, np.nan)
    result = json.loads((folder / "result.json").read_text())
    shutil.rmtree(folder)
    return {doubt["id"] for doubt in result["doubts"] if doubt["severity"] == "serious"}, result["payload"]["intervals"]["mass"]


FAULTS = {"drifts evenly": ("offset-drifted", "bias: drift", lambda rng: drift(rng, "evenly")),
          "drifts as it warms up": ("offset-drifted", "bias: drift", lambda rng: drift(rng, "warming")),
          "jumps once": ("offset-jumps", "bias_changes: auto", jump)}


def measure(runner, pool, report, lines):
    sets = [poses(np.random.default_rng([seed, 31])) for seed in range(SETS)]
    lines += ["| an offset that | named | mass interval contains the truth, with the remedy | without |", "|---|---|---|---|"]
    clean = [pool.submit(weigh, runner, f"clean{k}", rows) for k, (_, rows) in enumerate(sets)]
    alarms = sum(bool(task.result()[0]) for task in clean)
    holds = lambda task, mass: task.result()[1][0] <= mass <= task.result()[1][1]
    held = sum(holds(task, mass) for task, (mass, _) in zip(clean, sets))
    report.add("poses without a fault that get a serious doubt", 100 * alarms / SETS, "%", must=MOST_ALARMS, smaller_is_better=True)
    lines.append(f"| stays | {alarms} of {SETS} in doubt | | {held} |")
    for number, (words, (name, remedy, move)) in enumerate(FAULTS.items()):
        moved = []
        for seed, (mass, rows) in enumerate(sets):
            moved.append(rows.copy())
            moved[-1][:, 9:] += move(np.random.default_rng([seed, number, 32]))
        before = [pool.submit(weigh, runner, f"moved{number}-{k}", rows) for k, rows in enumerate(moved)]
        after = [pool.submit(weigh, runner, f"corrected{number}-{k}", rows, remedy) for k, rows in enumerate(moved)]
        named = sum(name in task.result()[0] for task in before)
        held, without = (sum(holds(task, mass) for task, (mass, _) in zip(tasks, sets)) for tasks in (after, before))
        report.add(f"an offset that {words}: named", 100 * named / SETS, "%", must=MUST_NAME)
        report.add(f"an offset that {words}: the mass is in its interval with {remedy}", 100 * held / SETS, "%", must=MUST_HOLD)
        lines.append(f"| {words} | {named} of {SETS} | {held} | {without} |")
