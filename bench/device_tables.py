#!/usr/bin/env python3
"""The table of one part of bench/on_device.sh, in Markdown on standard output, from the figures of its steps.

Usage: bench/device_tables.py PART FOLDER --device NAME --driver VERSION --commit COMMIT

Every table begins with date, device, driver and commit. What a step did not leave is named as missing, never left out.
"""
import argparse
import csv
import datetime
import json
import math
import pathlib
import re

# of the counters that ncu reads: what bench/device_model calls the pipe; how many of the unit a multiprocessor does in a
# cycle does not enter here: the model's ceilings do
COUNTERS = [("smsp__inst_executed.sum", "instructions of warps"), ("sm__inst_executed_pipe_fp64.sum", "of them fp64"),
            ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts of shared memory"),
            ("lts__t_sectors_op_read.sum", "sectors read from L2"), ("lts__t_sectors_op_write.sum", "sectors written to L2"),
            ("dram__bytes.sum", "bytes of HBM")]
UNITS = {"ns": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1, "second": 1, "nsecond": 1e-9, "byte": 1,
         "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "cycle": 1, "inst": 1, "sector": 1, "": 1}


def conformance(folder, names=("moments", "solver")):
    yield "| tests | run | failed | skipped |"
    yield "|---|---|---|---|"
    for name in names:
        path = folder / f"{name}.json"
        if not path.exists():
            yield f"| {name} | missing | | |"
            continue
        cases = [case for suite in json.loads(path.read_text())["testsuites"] for case in suite["testsuite"]]
        run = [case for case in cases if case["status"] == "RUN"]
        skipped = sum(case["result"] == "SKIPPED" for case in run)
        failed = sum(bool(case.get("failures")) for case in run)
        yield f"| {name} | {len(run) - skipped} | {failed} | {skipped} |"


def sanitizer(folder):
    yield "| tool | tests | findings |"
    yield "|---|---|---|"
    for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
        for name in ("moments", "solver", "motions"):
            path = folder / f"{tool}_{name}.txt"
            text = path.read_text(errors="replace") if path.exists() else ""
            run = re.search(r"\[==========\] (\d+) tests? from .* ran", text)
            found = re.findall(r"(?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards?)", text)
            count = sum(int(a or b) for a, b in found) if found else "missing"
            tests = "eight motions" if name == "motions" else run.group(1) if run else "missing"
            yield f"| {tool}, {name} | {tests} | {count} |"


def bench_rows(folder):
    for path in sorted(folder.glob("*.json")):
        for row in json.loads(path.read_text()).get("rows", []):
            if "robot" in row:
                yield path.stem, row


def tables(folder):
    yield "| robot | what | rows | Msample/s | ns a sample | G multiply-adds/s | of peak |"
    yield "|---|---|---|---|---|---|---|"
    for name, row in bench_rows(folder):
        what = name.removeprefix(row["robot"] + "_").replace("_", " ")
        if "streamed" in row:
            yield f"| {row['robot']} | {what}, {row['streamed']} samples | | {1e3 / row['ns_per_sample']:.1f} " \
                  f"| {row['ns_per_sample']:.2f} | | |"
            continue
        yield f"| {row['robot']} | {what} | {row['precision']} {row['form']} | {1e-6 * row['samples_per_s']:.1f} " \
              f"| {row['ns_per_sample']:.2f} | {1e-9 * row['multiply_adds_per_s']:.0f} | {100 * row['share_of_peak']:.0f} % |"
    yield ""
    peers = folder / "solver_kernels.txt"
    lines = [line for line in peers.read_text().splitlines() if line.startswith("|")] if peers.exists() else []
    yield from lines or ["The solver's kernels beside cuSOLVER's: missing."]


def launch_counters(path):
    """[{metric: value in base units}] of a table written by ncu: names, units, then one line per launch."""
    text = path.read_text(errors="replace") if path.exists() else ""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    if len(lines) < 3:
        return []
    names, units, *launches = csv.reader(lines)
    asked = {"gpu__time_duration.sum"} | {metric for metric, _ in COUNTERS}  # ncu lists what the device is, too
    return [{name: float(value.replace(",", "")) * UNITS[unit]
             for name, unit, value in zip(names, units, values) if name in asked} for values in launches]


def last_number(path):
    """The last line that is an integer: the samples of a workload."""
    lines = re.findall(r"^(\d+)$", path.read_text(errors="replace"), re.M) if path.exists() else []
    return int(lines[-1]) if lines else 0


def ceilings(folder):
    """{(robot, precision): rows of the model with the ceilings of this device}."""
    path = folder / "model.json"
    found = {}
    for row in json.loads(path.read_text())["rows"] if path.exists() else []:
        words = re.fullmatch(r"(\w+), (.+), (fp64|fp32) summed: ceiling of the most loaded pipe, .*", row["name"])
        if words:
            robot = {"7-joint arm": "arm7", "6-joint arm": "arm6", "36-DoF humanoid": "humanoid36"}.get(words[2])
            found[words[1], robot, words[3]] = row
    return found


def model(folder, device, robots=("arm7", "arm6", "humanoid36")):
    """Kernels alone: the device's counters next to the model's figures."""
    known = ceilings(folder)
    chip = next((name for name, _, _ in known if name.lower() in device.lower().replace("h200", "h100")), None)  # but for its memory
    yield "| robot | rows | Gsample/s | on paper at most (range) | of it | " + " | ".join(w for _, w in COUNTERS) + " |"
    yield "|---|---|---|---|---|" + "---|" * len(COUNTERS)
    for robot in robots:
        for precision in ("fp64", "fp32"):
            name = f"counters_{robot}_{precision}"
            launches = launch_counters(folder / f"{name}.csv")
            samples = last_number(folder / f"{name}.txt")
            if not launches or not samples:
                yield f"| {robot} | {precision} | missing |" + " |" * (2 + len(COUNTERS))
                continue
            rate = samples / sum(launch["gpu__time_duration.sum"] for launch in launches)
            row = known.get((chip, robot, precision))
            paper = f"{1e-9 * row['value']:.2f} ({1e-9 * row['least']:.2f} to {1e-9 * row['most']:.2f})" if row else "no figure"
            share = f"{100 * rate / row['value']:.0f} %" if row else ""
            counts = [sum(launch.get(metric, math.nan) for launch in launches) / samples for metric, _ in COUNTERS]
            yield f"| {robot} | {precision} | {1e-9 * rate:.3f} | {paper} | {share} | " + \
                " | ".join(f"{count:.3g}" for count in counts) + " |"
    yield ""
    yield "Counts are a sample's. What is on paper is a ceiling of the most loaded pipe (bench/device_model)."


def runs(folder, name="runs"):
    path = folder / f"{name}.json"
    yield "| what | figure |"
    yield "|---|---|"
    for row in json.loads(path.read_text())["rows"] if path.exists() else [{"name": name, "value": None, "unit": ""}]:
        value = "missing" if row["value"] is None else f"{row['value']:.4g} {row['unit']}"
        yield f"| {row['name']} | {value}{'' if row.get('ok', True) else ', **missed**'} |"


def waves(folder):
    yield from conformance(folder, ["logs"])
    for name in ("fleet", "long", "waves"):
        yield ""
        yield from runs(folder, name)


def large_fleet(folder):
    yield from runs(folder, "fleet")


def kernels(folder, device):
    yield "| conditioning of 192 logs of 2000 rows | ms | us per log | GB/s, copies included |"
    yield "|---|---|---|---|"
    for options in ("default", "all_options"):
        path = folder / f"conditioning_{options}.txt"
        found = re.search(r"^bytes (\d+) seconds (\S+)$", path.read_text(errors="replace"), re.M) if path.exists() else None
        if not found:
            yield f"| {options.replace('_', ' ')} | missing | | |"
            continue
        seconds, logs = float(found[2]), last_number(path)
        yield f"| {options.replace('_', ' ')} | {1e3 * seconds:.2f} | {1e6 * seconds / logs:.1f} | {1e-9 * int(found[1]) / seconds:.1f} |"
    yield ""
    yield from tables(folder)
    yield ""
    yield from model(folder, device, ("arm7", "humanoid36"))


def peer(folder):
    """Heft's batches, by lanes of one thread and by the device, and Moreau's."""
    path = folder / "batches.txt"
    found = re.search(r"^{.*}$", path.read_text(errors="replace"), re.M | re.S) if path.exists() else None
    yield "| what | figure |"
    yield "|---|---|"
    for batch in json.loads(found[0])["batches"] if found else []:
        if batch["bodies"] == 7:
            what, device = f"{batch['count']} problems of 7 bodies, w {batch['weight']:g}: Heft", batch["device"]
            yield f"| {what}, {batch['certified']}/{batch['distinct']} certified, CPU, one thread | {batch['us']:.4g} us a problem |"
            for key, threads in (("us", "one thread"), ("us_all_threads", "all threads")):
                figure = f"{device[key]:.4g} us a problem" if key in device else device["why_not"]
                yield f"| {what}, device, fed by {threads} | {figure} |"
    if not found:
        yield "| Heft | missing |"
    yield from list(runs(folder, "moreau"))[2:]


def motions(folder):
    yield "| robot | motions with gradient per second, all cores | device | times as fast | worst difference of values, gradients |"
    yield "|---|---|---|---|---|"
    for robot in ("arm7", "demo_arm", "humanoid36"):
        path = folder / f"scores_{robot}.txt"
        found = re.search(r"^{.*}$", path.read_text(errors="replace"), re.M) if path.exists() else None
        if not found:
            yield f"| {robot} | missing | | | |"
            continue
        row = json.loads(found[0])
        yield f"| {robot} | {row['host_motions_a_second']:.4g} | {row['device_motions_a_second']:.4g} " \
              f"| {row['times_as_fast']:.3g} | {row['value_error']:.1e}, {row['gradient_error']:.1e} |"
    yield ""
    yield "| design of 64 starts | status | log det | evaluations | CPU s | device s | launches |"
    yield "|---|---|---|---|---|---|---|"
    for backend in ("cpu", "cuda"):
        path = folder / f"design_{backend}" / "design.json"
        if not path.exists():
            yield f"| {backend} | missing | | | | | |"
            continue
        design = json.loads(path.read_text())
        wave = design.get("provenance", {}).get("wave", {"device_s": 0, "launches": 0})
        yield f"| {backend} | {design['status']} | {design['log_det']:.3f} | {design['search']['evaluations']} " \
              f"| {design['search']['cpu_s']:.2f} | {wave['device_s']:.2f} | {wave['launches']} |"


def profile(_folder):
    yield "kernels.ncu-rep in profile.tar.gz; open it with Nsight Compute."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["conformance", "sanitizer", "model", "tables", "runs", "profile", "waves", "kernels", "motions",
                                         "large_fleet", "peer"])
    parser.add_argument("folder", type=pathlib.Path)
    for name in ("device", "driver", "commit"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    made = {"conformance": conformance, "sanitizer": sanitizer, "tables": tables, "runs": runs, "profile": profile,
            "waves": waves, "motions": motions, "large_fleet": large_fleet, "peer": peer,
            "model": lambda folder: model(folder, options.device), "kernels": lambda folder: kernels(folder, options.device)}[options.part](
                options.folder)
    print(f"{options.part}, {datetime.datetime.now().isoformat(' ', 'minutes')}: {options.device}, driver {options.driver}, "
          f"commit {options.commit}\n")
    print("\n".join(made))


if __name__ == "__main__":
    main()
