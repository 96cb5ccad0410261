"""Doubts about logs without a fault: how many logs get a serious one, and which.

Logs are those of the tables: the twenty workshop tools (10 s), eight and five objects on a UR5's wrist (1.5 s, both kinds of noise, three
speeds), each with its true shape and without, with a bias to be found and without.
"""
import collections
import json
import shutil
import subprocess

import numpy as np

import simulator

MOST = 2  # of a hundred


def weigh(heft, folder, logs, mesh, flags, config):
    """[ids of the serious doubts] of logs in one batch; "refused" if there is no result."""
    lines = ["id,log,shape"]
    for k, rows in enumerate(logs):
        simulator.write_log(folder / f"{k}.csv", rows)
        lines.append(f"{k},{k}.csv,{mesh}")
    (folder / "batch.csv").write_text("\n".join(lines) + "\n")
    (folder / "payload.yaml").write_text("payload: {%s}\n" % config)
    command = [heft, "payload", "--batch", folder / "batch.csv", "--config", folder / "payload.yaml", "--out", folder / "out", *flags]
    subprocess.run([str(word) for word in command], capture_output=True, text=True)
    found = []
    for k in range(len(logs)):
        path = folder / "out" / "results" / str(k) / "result.json"
        doubts = json.loads(path.read_text())["doubts"] if path.exists() else [{"id": "refused", "severity": "serious"}]
        found.append({doubt["id"] for doubt in doubts if doubt["severity"] == "serious"})
    shutil.rmtree(folder)
    return found


def of_tools(runner, pool, tools, noise, noisy, bias, kind, seeds):
    tasks = []
    for number, tool in enumerate(tools):
        folder = runner.scratch / f"doubts-{tool.name}-{bias}-{kind}"
        folder.mkdir()
        mesh, flags, config = tool.shape(kind, folder)
        logs = []
        for seed in range(seeds):
            rows = tool.clean.copy()
            rows[:, noisy] += noise * np.random.default_rng([seed, number, 7]).standard_normal((len(rows), 12))
            logs.append(rows)
        tasks.append(pool.submit(weigh, runner.heft, folder, logs, mesh, flags, config.replace("bias: none", f"bias: {bias}")))
    return [ids for task in tasks for ids in task.result()]


def of_objects(runner, pool, objects, bias, kind, seeds):
    tasks = []
    for number, (truth, _, boxes) in enumerate(objects.values()):
        folder = runner.scratch / f"doubts-{number}-{bias}-{kind}"
        folder.mkdir()
        (folder / "mesh.stl").write_text(simulator.stl_of_boxes(boxes))
        logs = [simulator.log(truth, speed, condition, np.random.default_rng([seed, number, int(10 * speed), ord(condition), 9]))
                for condition in "ab" for speed in (1.0, 1.5, 2.0) for seed in range(seeds)]
        tasks.append(pool.submit(weigh, runner.heft, folder, logs, "mesh.stl" if kind == "mesh" else "", (), f"bias: {bias}"))
    return [ids for task in tasks for ids in task.result()]


def measure(runner, pool, tools, noise, noisy, objects, seeds, report, lines):
    """`objects`: {words: objects as run.py has them}; `tools` may be empty."""
    lines += ["| logs without a fault | shape | bias | logs | with a serious doubt | which |", "|---|---|---|---|---|---|"]
    total, doubted = 0, 0
    for bias in ("none", "constant"):
        for kind in ("mesh", "nothing"):
            groups = {words: of_objects(runner, pool, some, bias, kind, seeds) for words, some in objects.items()}
            if tools and all(tool.has(kind) for tool in tools):
                groups["workshop tools"] = of_tools(runner, pool, tools, noise, noisy, bias, kind, seeds)
            for words, found in groups.items():
                which = collections.Counter(name for ids in found for name in ids)
                count = sum(bool(ids) for ids in found)
                total, doubted = total + len(found), doubted + count
                lines.append(f"| {words} | {'its own' if kind == 'mesh' else 'none'} | {bias} | {len(found)} | "
                             f"{100 * count / len(found):.1f} % | {', '.join(f'{name} {n}' for name, n in which.most_common()) or 'none'} |")
    report.add("logs without a fault that get a serious doubt", 100 * doubted / total, "%", must=MOST, smaller_is_better=True)
