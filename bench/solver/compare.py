#!/usr/bin/env python3
"""Heft's solvers beside Clarabel and SCS on 200 random problems; prints the table of bench/solver/README.md.

    python bench/solver/compare.py build/bench/solver/bench_solver [--batches] [--readme FILE] [--json FILE] [--count 200]

Needs pinocchio, clarabel, scs, numpy and scipy. One thread each, thread CPU time of the solve alone. Distances
are measured from Heft's best certified lower bound, in units of the residual cost; objectives are evaluated here.
Batches and Clarabel take turns, so that both meet the same machine; --batches measures nothing else.
"""

import argparse
import json
import os
import platform
import subprocess
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import problems as P

BEGIN, END = "<!-- table: written by compare.py -->", "<!-- end of table -->"


def cpu_name():
    with open("/proc/cpuinfo") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())


def batch_table(bench_solver, path, problems, rounds):
    """Lines of the table of batches: medians over rounds, in each of which Heft and Clarabel solve the same problems."""
    turns = []
    for _ in range(rounds):
        run = subprocess.run([bench_solver, path, "--batches"], check=True, capture_output=True)
        heft, clarabel = json.loads(run.stdout), {}
        for problem in problems:
            if "ellipsoids" not in problem:
                clarabel.setdefault((problem["bodies"], problem["weight"]), []).append(P.clarabel(problem)[1])
        turns.append((heft, {kind: np.median(times) for kind, times in clarabel.items()}))

    lines = [f"Batches through solve_batch, {turns[0][0]['instruction_set']}, one thread, everything included but building "
             f"problems, which stands beside it with its certificate; medians of {rounds} rounds in which Heft and Clarabel "
             "take turns:\n",
             "| bodies | unknowns | w | batch | certified | cone does not act | mean steps | us per problem | Clarabel us "
             "| times faster: median (least) | us to make it | us to certify it |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]

    def median(key, k):
        return np.median([heft["batches"][k][key] for heft, _ in turns])

    for k, batch in enumerate(turns[0][0]["batches"]):
        ours = np.array([heft["batches"][k]["us"] for heft, _ in turns])
        theirs = np.array([clarabel[batch["bodies"], batch["weight"]] for _, clarabel in turns])
        lines.append(f"| {batch['bodies']} | {batch['parameters']} | {batch['weight']:g} | {batch['count']} "
                     f"| {batch['certified']}/{batch['distinct']} | {batch['one_step']}/{batch['distinct']} "
                     f"| {batch['steps']:.1f} | {np.median(ours):.1f} | {np.median(theirs):.0f} "
                     f"| {np.median(theirs / ours):.0f} ({np.min(theirs / ours):.0f}) "
                     f"| {median('make_us', k):.0f} | {median('certify_us', k):.0f} |")
    return lines + device_lines([heft["batches"] for heft, _ in turns])


def device_lines(turns):
    """The same batches on a GPU, medians over turns, or the reason why there are none."""
    if "why_not" in turns[0][0]["device"]:
        return ["", f"The same batches on a GPU (`BackendKind::cuda`): not measured, {turns[0][0]['device']['why_not']}."]
    lines = ["", "The same batches on a GPU, wall clock, one thread of the host, transfers included:\n",
             "| bodies | w | batch | certified | us per problem |", "|---|---|---|---|---|"]
    for k, batch in enumerate(turns[0]):
        us = np.median([turn[k]["device"]["us"] for turn in turns])
        lines.append(f"| {batch['bodies']} | {batch['weight']:g} | {batch['count']} "
                     f"| {batch['device']['certified']}/{batch['distinct']} | {us:.2f} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench_solver")
    parser.add_argument("--json", help="write every number here")
    parser.add_argument("--readme", help="write the table between the marks of this file")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5, help="turns of batches and Clarabel")
    parser.add_argument("--batches", action="store_true", help="batches only")
    parser.add_argument("--skip-scs", action="store_true")
    options = parser.parse_args()

    problems, kinds = P.random_problems(options.count)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "problems.bin")
        P.write(path, problems)
        batches = batch_table(options.bench_solver, path, problems, options.rounds)
        if options.batches:
            print("\n".join(batches))
            return
        heft = json.loads(subprocess.run([options.bench_solver, path], check=True, capture_output=True).stdout)

    peers = {"clarabel": P.clarabel} | ({} if options.skip_scs else {"scs": P.scs})
    rows = []
    for problem, kind, answer in zip(problems, kinds, heft["problems"]):
        row = {"kind": kind}
        for solver in answer["solvers"]:
            x = np.array(solver["x"])
            row[solver["name"]] = dict(us=solver["us"], ok=solver["certified"], objective=P.objective(problem, x),
                                       cost=P.residual_cost(problem, x), iterations=solver["iterations"])
            row["bound"] = solver["dual"] if "bound" not in row else max(row["bound"], solver["dual"])
        for name, solve in peers.items():
            x, us, status = solve(problem)
            row[name] = dict(us=us, ok="solved" == status.lower(), objective=P.objective(problem, x),
                             cost=P.residual_cost(problem, x))
        rows.append(row)

    lines = []
    names = list(dict.fromkeys(k for row in rows for k in row if isinstance(row[k], dict)))
    lines.append(f"{len(rows)} problems, one thread, {cpu_name()}; compiler {heft['compiler']}\n")
    lines.append("| problems | solver | median us | 90 % us | says solved | worst distance from the optimum / residual cost |")
    lines.append("|---|---|---|---|---|---|")
    for kind in dict.fromkeys(kinds):
        mine = [row for row in rows if row["kind"] == kind]
        for name in names:
            times = [row[name]["us"] for row in mine]
            distance = max((row[name]["objective"] - row["bound"]) / row[name]["cost"] for row in mine)
            solved = sum(bool(row[name]["ok"]) for row in mine)
            lines.append(f"| {kind} | {name} | {np.median(times):.0f} | {np.percentile(times, 90):.0f} | {solved}/{len(mine)} | {distance:.0e} |")
    lines += [""] + batches
    table = "\n".join(lines)
    print(table)
    if options.readme:
        with open(options.readme) as f:
            head, rest = f.read().split(BEGIN)
        with open(options.readme, "w") as f:
            f.write(head + BEGIN + "\n" + table + "\n" + END + rest.split(END)[1])
    if options.json:
        with open(options.json, "w") as f:
            json.dump(dict(rows=rows, compiler=heft["compiler"], machine=platform.platform()), f, default=float)


if __name__ == "__main__":
    main()
