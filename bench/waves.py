#!/usr/bin/env python3
"""What a device gains in the main jobs, --backend cpu and cuda: logs conditioned together, fleets of arms, and a long log.

Usage: bench/waves.py --heft build/heft [--only logs,fleet,long] [--logs 2,32,256] [--rows 2000] [--robots 640] [--copies 1]
                      [--long 1000000] [--threads N] [--json FILE]

logs: heft identify of an arm with more and more logs of --rows rows: times, the stage that reads and conditions, provenance.wave.
fleet: --robots arms with two training logs and a held-out log of 2000 rows (NPY), 200 resamples and diagnosis; --copies K runs every arm K
times under other names, for a larger fleet of the same files. long: heft identify with one log of --long rows.
Every part compares masses. Exit codes: 0 all agree and were conditioned by the device, 1 not, 77 no device answers.
"""
import argparse
import array
import concurrent.futures
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import device_runs  # noqa: E402
import heft_bench  # noqa: E402

RATE = 500
AGREEMENT = 1e-9  # of masses, relative to the largest
FLEET_ROWS, FLEET_RATE, RESAMPLES = 2000, 100, 200
PARTS = ("logs", "fleet", "long")
STAGE = "read, condition and accumulate"


def write_npy(path, csv_path):
    """Writes time, positions and torques of a log as NPY, without numpy; returns the names of the columns."""
    names, *lines = csv_path.read_text().splitlines()
    names = names.split(",")
    wanted = [0] + [k for prefix in ("q_", "tau_") for k, name in enumerate(names) if name.startswith(prefix)]
    table = array.array("d")
    for line in lines:
        cells = line.split(",")
        table.extend(float(cells[k]) for k in wanted)
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(lines)}, {len(wanted)}), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + table.tobytes())
    return [names[k] for k in wanted]


def cpu_seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def masses_of(result):
    return [body["parameters"]["m"] for body in result["bodies"]]


class Waves(device_runs.Runs):
    def log(self, rows, seed):
        folder = self.scratch / f"log_{rows}_{seed}"
        if not folder.exists():
            self.call("simulate", "--robot", device_runs.ARM, "--duration", rows / RATE, "--held-out", 1, "--rate", RATE, "--seed", seed,
                      "--trajectory-seed", seed, "--out", folder)
        return folder / "train.csv"

    def identified(self, backend, logs):
        """result.json and seconds, of the second run: the first reads the files into the system's cache."""
        out = self.scratch / f"{backend}_{len(logs)}"
        words = ["identify", "--robot", device_runs.ARM]
        for log in logs:
            words += ["--log", log]
        words += ["--backend", backend, "--threads", self.options.threads, "--estimation.seek_faults", "false",
                  "--estimation.bootstrap", 0, "--quiet", "--out", out]
        for _ in range(2):
            seconds = self.call(*words, codes=(0, 4))
        return json.loads((out / "result.json").read_text()), seconds

    def compare(self, name, logs):
        here, cpu_s = self.identified("cpu", logs)
        there, cuda_s = self.identified("cuda", logs)
        wave = there["provenance"]["wave"]
        masses = [masses_of(result) for result in (here, there)]
        worst = max(abs(a - b) for a, b in zip(*masses)) / max(map(abs, masses[0]))
        self.report.add(f"{name}: masses differ, relative", worst, "", must=AGREEMENT, smaller_is_better=True)
        self.report.add(f"{name}: logs left to the host", len(wave["on_host"]), "", must=0, smaller_is_better=True)
        for what, result, seconds in (("cpu", here, cpu_s), ("cuda", there, cuda_s)):
            self.report.add(f"{name}: {what}, whole run", seconds, "s")
            self.report.add(f"{name}: {what}, {STAGE}", result["timings"][STAGE]["value"], "s")
        for key, unit in (("device_s", "s"), ("host_cpu_s", "s"), ("bytes_up", "bytes"), ("bytes_down", "bytes"), ("launches", "")):
            self.report.add(f"{name}: wave, {key}", wave[key], unit)

    def logs(self):
        for count in self.options.logs:
            self.compare(f"{count} logs of {self.options.rows} rows", [self.log(self.options.rows, seed) for seed in range(count)])

    def long(self):
        """Both backends by turns. Logs of more than 64 MB are streamed, which the host conditions."""
        log, found = self.log(self.options.long, 1), {}
        for backend in device_runs.BACKENDS:
            out = self.scratch / f"long_{backend}"
            for _ in range(2):  # the first run reads the file into the system's cache
                seconds = self.call("identify", "--robot", device_runs.ARM, "--log", log, "--backend", backend, "--threads",
                                    self.options.threads, "--quiet", "--out", out, codes=(0, 4))
            found[backend] = json.loads((out / "result.json").read_text()), seconds
            self.report.add(f"one log of {self.options.long} rows: {backend}, whole run", seconds, "s")
        (here, cpu_s), (there, cuda_s) = found.values()
        worst = max(abs(a - b) for a, b in zip(masses_of(here), masses_of(there))) / max(map(abs, masses_of(here)))
        self.report.add(f"one log of {self.options.long} rows: times as fast", cpu_s / cuda_s, "")
        self.report.add(f"one log of {self.options.long} rows: masses differ, relative", worst, "", must=AGREEMENT, smaller_is_better=True)

    def fleet_logs(self, robot):
        """The NPY logs of an arm, and the names of their columns."""
        names = []
        for turn, name in enumerate("ab"):
            made = self.scratch / f"made_{robot}_{name}"
            self.call("simulate", "--robot", device_runs.ARM, "--duration", FLEET_ROWS / FLEET_RATE, "--held-out", FLEET_ROWS / FLEET_RATE,
                      "--rate", FLEET_RATE, "--seed", robot, "--trajectory-seed", 2 * robot + turn, "--out", made)
            names = write_npy(self.scratch / f"r{robot}_{name}.npy", made / "train.csv")
            if turn == 1:
                write_npy(self.scratch / f"r{robot}_held_out.npy", made / "held_out.csv")
            for file in made.iterdir():
                file.unlink()
        return names

    def fleet_manifest(self):
        robots = range(1, self.options.robots + 1)
        with concurrent.futures.ProcessPoolExecutor(self.options.threads) as pool:  # numbers are parsed in Python
            names = list(pool.map(self.fleet_logs, robots))[0]
        (self.scratch / "arm.yaml").write_text(f"log: {{columns: [{', '.join(names)}]}}\nestimation: {{bootstrap: {RESAMPLES}}}\n"
                                               "columns: [viscous, coulomb: {tanh_width: 0.03}, offset]\n")
        lines = ["robot_id,robot,log,config,role"]
        for copy in range(self.options.copies):
            lines += [f"r{robot}-{copy},{device_runs.ARM},r{robot}_{log}.npy,arm.yaml,{role}" for robot in robots
                      for log, role in (("a", "train"), ("b", "train"), ("held_out", "validate"))]
        manifest = self.scratch / "fleet.csv"
        manifest.write_text("\n".join(lines) + "\n")
        return manifest

    def fleet(self):
        manifest, count, found, speed = self.fleet_manifest(), self.options.robots * self.options.copies, {}, {}
        what = f"fleet of {count} arms"
        for backend in device_runs.BACKENDS:
            store, begin = self.scratch / f"store_{backend}", cpu_seconds_of_children()
            seconds = self.call("fleet", "run", manifest, "--store", store, "--no-pages", "--quiet", "--jobs", self.options.threads,
                                "--backend", backend)
            cpu_s, speed[backend] = cpu_seconds_of_children() - begin, count / seconds
            document = json.loads((store / "fleet.json").read_text())
            found[backend] = [(robot, json.loads((store / robot["result"]).read_text())) for robot in document["robots"]]
            self.report.add(f"{what}: {backend}", speed[backend], "robots/s")
            self.report.add(f"{what}: {backend}, CPU time", 1e3 * cpu_s / count, "ms/robot")
        self.report.add(f"{what}: times as fast", speed["cuda"] / speed["cpu"], "")
        wave = document["provenance"]["wave"]
        for key, unit, scale in (("device_s", "ms", 1e3), ("bytes_up", "MB", 1e-6), ("bytes_down", "MB", 1e-6)):
            self.report.add(f"{what}: wave, {key} per robot", scale * wave[key] / count, unit)
        self.report.add(f"{what}: wave, launches", wave["launches"], "")
        self.report.add(f"{what}: logs left to the host", sum(entry["logs"] for entry in wave["on_host"]), "", must=0, smaller_is_better=True)
        worst = max(abs(a / b - 1) for (_, here), (_, there) in zip(*found.values()) for a, b in zip(masses_of(here), masses_of(there)))
        self.report.add(f"{what}: masses differ, relative", worst, "", must=AGREEMENT, smaller_is_better=True)
        different = sum(any(here[key] != there[key] for key in ("verdict", "doubts", "certified"))
                        for (here, _), (there, _) in zip(*found.values()))
        self.report.add(f"{what}: other verdicts or doubts", different, "robots", must=0, smaller_is_better=True)

    def run(self):
        """All parts; one that fails is a missed figure and does not stop the others."""
        for part in self.options.only.split(","):
            try:
                getattr(self, part)()
            except (RuntimeError, OSError, KeyError, ValueError) as error:
                print(f"{part}: {error}", flush=True)
                self.report.add(f"{part}: failed", None, "", must=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft")
    parser.add_argument("--logs", type=lambda text: [int(count) for count in text.split(",")], default=[2, 32, 256])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas")
    parser.add_argument("--robots", type=int, default=640)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--long", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json")
    options = parser.parse_args()
    if unknown := set(options.only.split(",")) - set(PARTS):
        parser.error(f"unknown part: {', '.join(sorted(unknown))}; parts are {', '.join(PARTS)}")
    inventory = subprocess.run([options.heft, "info"], capture_output=True, text=True).stdout
    if "backend cuda (" not in inventory:
        print(inventory + "no device answers")
        return heft_bench.NOTHING_TO_RUN_ON
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(heft_bench.MISSED))  # of a time limit: removes the scratch folder
    with tempfile.TemporaryDirectory() as scratch:
        waves = Waves(options, scratch)
        waves.run()
    return waves.report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
