#!/usr/bin/env python3
"""Designs of others for the same robot and limits: FIGAROH and Drake as they come from PyPI, objectives of FloBaRoID and dynamic_calibration
stated in Heft's problem.

Usage: bench/excite/peers.py [--figaroh PYTHON] [--drake PYTHON] [--budget 300] [--seeds 1] [--robots 10] [--scratch DIR] [--json F] [--docs]

--figaroh names an interpreter that has figaroh and cyipopt, --drake one that has drake; what is not named, or does not run, is said and left
out. The robot is the Panda of setup.py for ten seconds, limits only. Every peer may use --budget seconds of processor time (the issue's
30 minutes are the option --budget 1800) from each seed. Designs are held against simulated robots as in worth.py: the peer's torque error
held out over that of Heft's design. FloBaRoID maximizes log det of the unweighted regressor, here d with the same noise of all joints and
hardly any prior, Fourier series; dynamic_calibration minimizes the condition number, Fourier series.
Exit codes: 0 all figures reached, 1 one missed, 77 nothing to run on.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import heft_bench  # noqa: E402

try:
    import run
    import setup
    import worth
except ModuleNotFoundError as missing:
    print(f"skipped: {missing.name} is missing")
    sys.exit(heft_bench.NOTHING_TO_RUN_ON)

UNWEIGHTED = "beliefs: {relative_inertia: 1000, noise: [1, 1, 1, 1, 1, 1, 1], viscous: [100, 100, 100, 100, 100, 100, 100], " \
             "coulomb: [100, 100, 100, 100, 100, 100, 100], rotor: [100, 100, 100, 100, 100, 100, 100]}\n" \
             "columns: [viscous, {coulomb: {tanh_width: 0.08}}, reflected_inertia]\n"


class Peers:
    def __init__(self, options, robots, scratch):
        self.options, self.scratch, self.report = options, scratch, heft_bench.Report()
        self.panda = scratch / "panda.urdf"
        self.panda.write_text(setup.with_fixed_fingers((robots / "panda_description/urdf/panda.urdf").read_text()))
        self.bare = scratch / "bare.urdf"  # limits only: no shapes
        self.bare.write_text(re.sub(r"<(collision|visual)>.*?</\1>", "", self.panda.read_text(), flags=re.DOTALL))
        self.judge = setup.Setup(self.panda)
        self.robots = worth.Robots(self.judge, options.robots)
        model, given = self.judge.model, setup.GIVEN_LIMITS
        middle = (model.lowerPositionLimit + model.upperPositionLimit) / 2
        sizes = {"position": model.upperPositionLimit - middle, "velocity": model.velocityLimit, "acceleration": setup.ACCELERATION,
                 "jerk": setup.JERK, "torque": model.effortLimit}
        self.limits = scratch / "limits.json"
        self.limits.write_text(json.dumps({"middle": middle.tolist()} | {name: (given["scales"][name] * size).tolist() for name, size in sizes.items()}))

    def error(self, path):
        return self.robots.errors(worth.read_motion(path))[2]

    def heft(self, name, limits, *flags):
        """Path of the motion, and CPU time in seconds."""
        config = self.scratch / f"{name}.yaml"
        config.write_text(limits)
        out = self.scratch / name
        words = [self.options.heft, "excite", "--robot", self.panda, "--config", config, "--ignore-collisions", "--duration", 10, "--threads", 1, "--quiet",
                 "--out", out, *flags]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
        return out / "trajectory.csv", json.loads((out / "design.json").read_text())["search"]["cpu_s"]

    def peer(self, name, python, script, *numbers):
        """The best of its seeds by its own criterion: its report and the path of its motion, or None."""
        best = None
        for seed in range(self.options.seeds):
            out = self.scratch / f"{name}_{seed}_{self.options.budget:.0f}.csv"
            written = out.with_suffix(".json")
            if not written.exists():
                words = [python, "-W", "ignore", HERE / script, self.bare, *numbers, self.options.budget, seed, out]
                try:
                    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=20 * self.options.budget + 300)
                except (OSError, subprocess.TimeoutExpired) as error:
                    print(f"{name}: does not run: {error}")
                    return None
                if done.returncode:
                    print(f"{name}: does not run: {done.stderr.strip().splitlines()[-1:]}")
                    return None
                written.write_text(done.stdout.strip().splitlines()[-1])
            report = json.loads(written.read_text())
            print(f"{name}, seed {seed}: {report}")
            if report["condition"] is not None and (best is None or report["condition"] < best[0]["condition"]):
                best = report, out
        if best is None:
            print(f"{name}: no motion within its limits in {self.options.budget:.0f} s of processor time")
        return best

    def run(self):
        ours, seconds = self.heft("ours", setup.LIMITS, "--starts", 8)
        mine = self.error(ours)
        self.report.add("held-out torque error of Heft's design, 8 starts", mine, "residual rms")
        self.report.add("processor time of Heft's design", seconds, "s")
        stated = {"dynamic_calibration's objective (condition number, Fourier)": self.heft(
                      "dynamic", setup.LIMITS, "--objective", "condition", "--motion", "fourier_rest", "--starts", 8)[0],
                  "FloBaRoID's objective (unweighted log det, Fourier)": self.heft(
                      "flobaroid", setup.LIMITS.split("beliefs:")[0] + UNWEIGHTED, "--motion", "fourier_rest", "--starts", 8)[0]}
        for name, path in stated.items():
            self.report.add(f"torque error less than that of {name}", 100 * (1 - mine / self.error(path)), "%",
                            must=15 if "condition" in name else None)
        for name, python, script, numbers in (("FIGAROH", self.options.figaroh, "peer_figaroh.py", [10]),
                                              ("Drake", self.options.drake, "peer_drake.py", [self.limits, 10])):
            found = self.peer(name, python, script, *numbers) if python else None
            if not python:
                print(f"{name}: left out, no interpreter is named")
            if found is None:
                continue
            report, path = found
            self.report.add(f"torque error less than {name}'s, {self.options.budget:.0f} s a seed, ended {report['stopped']}",
                            100 * (1 - mine / self.error(path)), "%", must=15)
            self.report.add(f"Heft's time over {name}'s", seconds / report["cpu_s"], "", must=0.01, smaller_is_better=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heft", default=str(heft_bench.ROOT / "build" / "heft"))
    parser.add_argument("--figaroh")
    parser.add_argument("--drake")
    parser.add_argument("--budget", type=float, default=300, help="seconds of processor time a seed")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--robots", type=int, default=10)
    parser.add_argument("--scratch", help="folder in which motions of peers stay, and are not made again")
    parser.add_argument("--json")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    robots = setup.robots_folder()
    if robots is None or not pathlib.Path(options.heft).exists():
        print("skipped: example-robot-data (PyPI) or heft is missing")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory(prefix="heft-peers-") as folder:
        scratch = pathlib.Path(options.scratch or folder).resolve()
        scratch.mkdir(parents=True, exist_ok=True)
        peers = Peers(options, robots, scratch)
        peers.run()
    if options.docs:
        run.write_docs(peers.report)
    return peers.report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
