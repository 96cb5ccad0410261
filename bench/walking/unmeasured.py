#!/usr/bin/env python3
"""Robots that walk on feet without sensors: contact forces projected out of the rows, on the logs of run.py.

Usage: bench/walking/unmeasured.py [--heft build/heft] [--robots FOLDER] [--truths 5] [--only go2,g1] [--seconds 20] [--no-peer] [--kept FOLDER]
       [--json FILE]

Estimates see joint torques, IMU and contact states, but no forces. Held-out torques are predicted with the estimate and the measured
forces, as in run.py, so that errors of both are comparable. Flags are thresholds of the simulated vertical force; "late" ones come 20 ms
later, with the default widening. A missing foot is projected while the others are measured. The peer is Khorshidi's method in Python:
projected regressors of Pinocchio, inertias that are consistent, Clarabel; it gets the same log, flags and filters. Both are timed from the
training log to a URDF with the identified inertias, on one thread: processor time of the whole program, without that of starting Python
and its modules. In it Heft estimates one round more, compares least squares, certifies, and writes intervals and the report page.
FOLDER: robots of example-robot-data. Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on.
"""

import argparse
import json
import pathlib
import resource
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
import run  # noqa: E402

THRESHOLD = {"go2": 5, "g1": 10}  # N
LATE_S = 0.02
# held-out joint error, must and goal [%]
LIMITS = {"trot": (4.2, 3.5), "walk": (3.4, 2.9), "step": (4, 3.4), "sway": (5.2, 4.7)}


def add_flags(path, kind, late_s):
    """Appends columns <foot>_on, which tell whether the vertical force exceeds a threshold, `late_s` later."""
    import numpy as np

    names = path.open().readline().strip().split(",")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    late = round(late_s / (table[1, 0] - table[0, 0]))
    flags = []
    for foot in kind.feet:
        on = (np.linalg.norm(table[:, [names.index(f"{foot}_{x}") for x in ("fx", "fy", "fz")]], axis=1) > THRESHOLD[kind.name])
        flags.append(np.concatenate([np.repeat(on[:1], late), on[:len(on) - late]]).astype(float))
    other = path.with_name(f"{path.stem}_{late}.csv")
    np.savetxt(other, np.column_stack([table, *flags]), delimiter=",", fmt="%.9g", comments="",
               header=",".join(names + [f"{foot}_on" for foot in kind.feet]))
    return other


def projected(kind, measured=()):
    """Configuration without wrenches, but those of `measured` feet."""
    config = run.config_of(kind, True, False)
    is_point = len(next(iter(kind.feet.values()))) == 1
    config["wrenches"] = [wrench for wrench in config["wrenches"] if wrench["name"] in measured]
    config["contacts"] = [{"frame": foot, "type": "point" if is_point else "plane", "state": f"{foot}_on",
                           "radius": kind.loaded_radius if is_point else 0} for foot in kind.feet if foot not in measured]
    config["estimation"]["bootstrap"] = 0
    return config


def known_friction(result):
    """Identified columns of the joints as expressions."""
    shape = {"viscous": "qd_{j}", "coulomb": "tanh(qd_{j}/0.05)", "reflected_inertia": "qdd_{j}"}
    known = {}
    for column in result["columns"]:
        if column["kind"] in shape:
            joint = column["joints"][0]
            known.setdefault(joint, []).append(f"({column['value']!r})*" + shape[column["kind"]].format(j=joint))
    return {joint: "+".join(terms) for joint, terms in known.items()}


class Judge:
    """Held-out error of an estimate when the forces are measured."""

    def __init__(self, bench, kind, paths):
        self.bench, self.kind, self.paths = bench, kind, paths

    def of(self, urdf, known=None):
        config = run.config_of(self.kind, True, False)
        config["estimation"].update({"prior_weight": 1e6, "bootstrap": 0})
        if known is not None:
            config.update({"columns": [], "known_torque": known})
        return 100 * run.joint_error(self.bench.identify(urdf, config, *self.paths), self.paths[1])

    def of_result(self, result):
        urdf = self.bench.folder / "judged.urdf"
        shutil.copy(self.bench.folder / "result" / "identified.urdf", urdf)
        return self.of(urdf, known_friction(result))


def processor_time(work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def figures_of(bench, kind, motion, truth, options):
    import numpy as np

    paths = bench.logs(kind, truth, motion, options.seconds)
    if paths is None:
        return None
    judge = Judge(bench, kind, paths)
    least = judge.of(bench.folder / "true.urdf")
    mass, com = run.true_whole(bench.folder / "true.urdf")
    prior = bench.folder / "prior.urdf"
    flagged, late = [[add_flags(path, kind, late_s) for path in paths] for late_s in (0, LATE_S)]

    def fit(config, logs):
        return bench.identify(prior, config, *logs)

    found = fit(projected(kind), flagged)
    figures = {"truth": truth, "error": judge.of_result(found), "true parameters": least,
               "mass": 100 * abs(found["whole"]["mass"] / mass - 1),
               "com": 1e3 * float(np.linalg.norm(np.array(found["whole"]["com"]) - com)),
               "lost": {contact["frame"]: contact["information_lost"] for contact in found["contacts"]}}
    figures["late"] = judge.of_result(fit(projected(kind), late)) / figures["error"]
    measured = run.config_of(kind, True, False)
    measured["estimation"]["bootstrap"] = 0
    complete = judge.of_result(fit(measured, paths))
    missing = next(iter(kind.feet))
    others = [foot for foot in kind.feet if foot != missing]
    figures["missing"] = judge.of_result(fit(projected(kind, others), flagged)) / complete
    if not options.no_peer:
        import peer

        _, figures["heft_s"] = processor_time(
            lambda: bench.identify(prior, projected(kind), flagged[0], None, "--threads", "1"))
        answer = peer.identify(prior, flagged[0], kind, bench.folder / "peer.urdf")
        figures["peer_s"] = answer.seconds
        figures["peer"] = judge.of(bench.folder / "peer.urdf", answer.known)
    print(f"{kind.name}:", json.dumps(figures), flush=True)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default="build/heft")
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--truths", type=int, default=5)
    parser.add_argument("--only", default="go2,g1", help="robots")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--kept", type=pathlib.Path, help="folder that keeps simulated logs for the next run, as in run.py")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    heft_bench.require(("numpy", "mujoco", "pinocchio") + (() if options.no_peer else ("scipy", "clarabel")), (options.heft,),
                       "pip install numpy mujoco pin scipy clarabel")
    import simulated

    robots = options.robots or simulated.robots_folder()
    heft_bench.require(files=(robots or "example-robot-data",), remedy="pip install example-robot-data, or name --robots")
    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory() as scratch:
        bench = run.Bench(options.heft, pathlib.Path(scratch), robots, options.kept)
        for kind, (words, motion, *_) in ((kind, gait) for kind in (simulated.GO2, simulated.G1) for gait in run.gaits(kind)):
            if kind.name not in options.only.split(","):
                continue
            figures = [figures_of(bench, kind, motion, truth, options) for truth in range(1, options.truths + 1)]
            figures = [one for one in figures if one is not None]
            of = lambda key: run.median([one[key] for one in figures if key in one])  # noqa: E731
            must, goal = LIMITS[words]
            name = f"{kind.name}, {words}"
            report.add(f"{name}: held-out joint error, null space, threshold flags", of("error"), "%", must, goal, smaller_is_better=True)
            report.add(f"{name}: that of the true parameters", of("true parameters"), "%")
            report.add(f"{name}: null space, total mass", of("mass"), "%", 1, 0.4, smaller_is_better=True)
            report.add(f"{name}: null space, center of mass of the whole robot", of("com"), "mm", 4, 1.5, smaller_is_better=True)
            report.add(f"{name}: flags 20 ms late, ratio of the errors", of("late"), "1", 1.15, 1.05, smaller_is_better=True)
            report.add(f"{name}: a missing foot projected, ratio of the errors", of("missing"), "1", 1.25, 1.15, smaller_is_better=True)
            if not options.no_peer and figures:
                pairs = [(one["error"] / one["peer"], one["peer_s"] / one["heft_s"]) for one in figures]
                report.add(f"{name}: error over that of the Python projection with Clarabel", run.median([pair[0] for pair in pairs]), "1", 1,
                           smaller_is_better=True)
                report.add(f"{name}: times as fast as the Python projection with Clarabel", run.median([pair[1] for pair in pairs]), "1", 50)
    sys.exit(report.finish(options.json))


if __name__ == "__main__":
    main()
