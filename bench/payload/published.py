"""Tables III and IV of Nadeau, Giamou and Kelly 2022 beside the same figures of `heft payload`, as golden/pmd_objects.json prints them.

Table III is simulated: its rows stand beside both noises of simulator.py, since the paper does not say what its kinematics came from.
Table IV is of a real arm whose recordings are not published; beside it stands the same protocol simulated: 1.5 s at 1.1 rad/s, noise (b).
"""
import json

import numpy as np

import simulator

OURS = {"OLS": "ols", "RTLS": "tls", "GEO": "geo", "PMD": "pmd"}
QUANTITIES = ("mass", "com", "inertia")
SPEEDS = (1.0, 1.5, 2.0)


def words(values):
    return " / ".join(f"{v:.3g}" if isinstance(v, (int, float)) else str(v) for v in values)


def table_three(golden, table, lines):
    """`table`: {(condition, speed): {method: errors, objects x seeds x 3}} of the eight objects."""
    printed = json.loads((golden / "pmd_objects.json").read_text())["table3"]
    lines += ["", "Table III, mean % at 1.0 / 1.5 / 2.0 rad/s:", "",
              "| | mass, printed | ours (a) | ours (b) | CoM, printed | ours (a) | ours (b) | inertia, printed | ours (a) | ours (b) |",
              "|---" * 10 + "|"]
    for name, method in OURS.items():
        cells = []
        for k, quantity in enumerate(QUANTITIES):
            cells.append(words(printed[quantity][name]))
            cells += [words([float(table[condition, speed][method][..., k].mean()) for speed in SPEEDS]) for condition in "ab"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")


def table_four(golden, runner, pool, objects, mesh, seeds, lines):
    """{name: (truth, box, ..)} of the eight objects, whose shape is `mesh`."""
    printed = json.loads((golden / "pmd_objects.json").read_text())["table4"]
    tasks = []
    for number, (truth, box, *_) in enumerate(objects.values()):
        for seed in range(seeds):
            rows = simulator.log(truth, 1.1, "b", np.random.default_rng([seed, number, 4]))
            for c1, methods in (("5000", ("ols", "tls", "geo", "pmd", "auto")), ("25000", ("pmd",))):
                tasks.append((truth, box, c1, pool.submit(runner.weigh, f"four-{number}-{seed}-{c1}", rows, ("--shape", mesh),
                                                          f"bias: none, c1: {c1}", methods)))
    found = {}
    for truth, box, c1, task in tasks:
        for method in task.result()["methods"]:
            name = f"PMD-{c1[:-3]}K" if method["name"] == "pmd" else method["name"]
            found.setdefault(name, []).append(simulator.errors(np.array(method["parameters"]), truth, box))
    lines += ["", "Table IV, mean %: printed of a real arm and sensor, ours simulated:", "",
              "| | mass, printed | ours | CoM, printed | ours | inertia, printed | ours |", "|---" * 7 + "|"]
    for name, mine in (("OLS", "ols"), ("RTLS", "tls"), ("GEO", "geo"), ("PMD-5K", "PMD-5K"), ("PMD-25K", "PMD-25K"), ("auto", "auto")):
        mean = np.mean(found[mine], axis=0)
        cells = [f"{words([printed[quantity].get(name, '')])} | {mean[k]:.3g}" for k, quantity in enumerate(QUANTITIES)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
