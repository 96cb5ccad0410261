#!/usr/bin/env python3
"""Ceilings of the CUDA kernels on paper: cycles a sample and multiprocessor by pipe, from executed PTX and disassembly.

Usage: bench/device_model/run.py [--json FILE] [--table] [--places N] [--keep-baseline COMMIT] [--workload WORD ..]

Works on the tree that it lies in: builds device_model_workloads in build/, runs it on the device that the host plays, compiles
the kernels for every device of devices.py and puts the two together. A ceiling is no speed: README.md beside this file says
what is counted, what is assumed and how sure each figure is. Exits with 0 if all musts are reached, 1 if one is missed, 77 if
there is no nvcc, no disassembler or no device on the host.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[1:1] = [str(ROOT / "bench"), str(ROOT / "bench" / "moments")]

import ceilings
import compiled
import counts
import heft_bench
import robots
from devices import DEVICES

BASELINE = HERE / "baseline.json"
TARGET = "device_model_workloads"
FINDINGS = 3  # exit status of programs of the checked harness that did something wrong
JUDGED_DEVICE = "H100"
CEILINGS = {"7-joint arm, fp64 summed": (1.6e9, 2.5e9), "7-joint arm, fp32 summed": (2.2e9, 4e9),
            "36-DoF humanoid, fp64 summed": (60e6, 150e6), "36-DoF humanoid, fp32 summed": (90e6, 250e6)}  # must, goal
FEW_SECTORS, SECTORS_SHARE = "7-joint arm, fp64 summed", 0.1  # of the baseline's


@dataclass(frozen=True)
class Workload:
    name: str
    words: tuple  # of the program
    unit: str = "sample"


def workloads():
    made = []
    for name, robot, base, samples in (("6-joint arm", "arm6", "fixed", 1024), ("7-joint arm", "arm7", "fixed", 1024),
                                       ("36-DoF humanoid", "humanoid36", "floating", 512)):
        for precision, form in (("fp64", "summed"), ("fp64", "per_channel"), ("fp32", "summed")):
            made.append(Workload(f"{name}, {precision} {form.replace('_', ' ')}",
                                 ("moments", robot, base, precision, form, str(samples))))
    return made + [Workload("batch of 7 bodies, semismooth Newton", ("solve", "8"), "problem")]


def build_program():
    """Path of the program; None if this tree cannot build it."""
    build = ROOT / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", build, "--target", TARGET], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout[-3000:] + done.stderr[-3000:], file=sys.stderr)
        return None
    return build / "bench" / "device_model" / TARGET


def count(program, workload, folder):
    """The counts of a workload's launches, and its number of samples."""
    profile = folder / "profile.json"
    words = [str(folder / f"{w}.urdf") if w in ("arm6", "arm7", "humanoid36") else w for w in workload.words]
    # so many multiprocessors that every part of the samples has a block, and a block's scratch, of its own
    environment = {**os.environ, "HEFT_DEVICE_PROFILE": str(profile), "HEFT_DEVICE_MULTIPROCESSORS": "132"}
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True)
    if done.returncode == FINDINGS:  # of the harness: unwritten memory, races; what was counted holds
        print(f"{workload.name}: {done.stderr.strip()}", file=sys.stderr)
    elif done.returncode != 0:
        sys.exit(f"{workload.name}: {done.stderr.strip()}")
    return counts.read(profile.read_text()), int(done.stdout.split()[-1])


def figures(compiler, workload, counted, samples, device):
    """Cycles and ceilings of a workload on a device, in the form stored as JSON."""
    launches, occupancy = [], {}
    for kernel in counted:
        made = compiler.kernel(kernel, device.architecture)
        resident = made.resident_blocks(device.architecture, kernel.threads_of_block, kernel.shared_bytes)
        launches.append(ceilings.Launch(kernel.kernel, kernel.blocks, kernel.warps, kernel.opcodes, kernel.memory,
                                        made.expansions, resident, workload.unit == "sample"))
        occupancy[kernel.kernel] = {"registers": made.registers, "shared_bytes": kernel.shared_bytes,
                                    "spilled_bytes": made.spilled_bytes, "blocks": resident,
                                    "warps": resident * -(-kernel.threads_of_block // 32)}
    cycles = ceilings.cycles_a_sample(launches, device, samples)
    return {"cycles": {pipe: list(c) for pipe, c in cycles.items()}, "most_loaded": ceilings.most_loaded(cycles),
            "ceiling": list(ceilings.kernel_ceiling(cycles, device)),
            "ceilings": {pipe: list(ceilings.ceiling(c, device)) for pipe, c in cycles.items() if c[1] > 0},
            "occupancy": occupancy,
            "checks": ceilings.cross_checks(launches)}


def print_places(counted, samples, unit, number):
    """The source lines with the most accesses: sectors of global memory and wavefronts of shared memory per sample."""
    for kernel in counted:
        costs = {place: (of["global"]["sectors"] / samples, of["shared"]["wavefronts"] / samples, of["local"]["sectors"] / samples)
                 for place, of in kernel.places.items()}
        totals = tuple(map(sum, zip(*costs.values())))
        print(f"{kernel.kernel}: sectors of global memory, wavefronts of shared memory, sectors of local memory a {unit}")
        for place, cost in [("all", totals), *sorted(costs.items(), key=lambda item: -max(item[1]))[:number]]:
            print("  " + "".join(f"{value:10.3f}" for value in cost) + f"  {place}")


def model(compiler, program, wanted, devices, num_places):
    """{workload: {sectors, unit, devices: {name: figures}}}."""
    result = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        robots.write_random_robots(folder)
        for workload in wanted:
            print(f"counting {workload.name}", file=sys.stderr)
            counted, samples = count(program, workload, folder)
            if num_places:
                print_places(counted, samples, workload.unit, num_places)
            sectors = sum(ceilings.accesses(kernel.memory["global"], "sectors") for kernel in counted) / samples
            result[workload.name] = {
                "unit": workload.unit, "sectors": sectors,
                "devices": {d.name: figures(compiler, workload, counted, samples, d) for d in devices}}
    return result


def report(result, baseline):
    made = heft_bench.Report()
    for name, of in result.items():
        before = baseline["figures"].get(name, {}).get("sectors") if name == FEW_SECTORS and baseline else None
        made.add(f"{name}: global-memory sectors", of["sectors"], f"sectors/{of['unit']}",
                 must=SECTORS_SHARE * before if before else None, smaller_is_better=True)
        for device, found in of["devices"].items():
            must, goal = CEILINGS.get(name, (None, None)) if device == JUDGED_DEVICE else (None, None)
            least, nominal, most = found["ceiling"]
            made.add(f"{device}, {name}: ceiling of the most loaded pipe, {found['most_loaded']}", nominal,
                     f"{of['unit']}s/s", must=must, goal=goal,
                     least=least, most=most)
            for pipe, (least, nominal, most) in found["cycles"].items():
                made.add(f"{device}, {name}: cycles of {pipe}", nominal, f"cycles/{of['unit']}/multiprocessor",
                         least=least, most=most)
            for pipe, (least, nominal, most) in found["ceilings"].items():
                made.add(f"{device}, {name}: ceiling of {pipe} alone", nominal, f"{of['unit']}s/s", least=least, most=most)
            for kernel, held in found["occupancy"].items():
                made.add(f"{device}, {name}: warps of {kernel} that a multiprocessor holds", held["warps"], "warps")
            for check, value in found["checks"].items():
                made.add(f"{device}, {name}: {check}", value, "ratio")
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--table", action="store_true", help="print the tables of README.md, before and now")
    parser.add_argument("--places", type=int, default=0, metavar="N", help="print the N lines of the sources that access most")
    parser.add_argument("--keep-baseline", metavar="COMMIT", help=f"write {BASELINE.name}, what later steps are judged by; COMMIT: "
                        "whose kernels these are")
    parser.add_argument("--workload", nargs="+", default=[""], metavar="WORD", help="only those whose name has one of these")
    parser.add_argument("--program", type=pathlib.Path, help=f"{TARGET}, if it is built already")
    options = parser.parse_args()

    nvcc = shutil.which("nvcc")
    if not nvcc:
        print("nothing to run on: no nvcc on PATH")
        return heft_bench.NOTHING_TO_RUN_ON
    disassembler = compiled.find_disassembler()
    if not disassembler:
        print("nothing to run on: no nvdisasm, and it could not be installed from PyPI")
        return heft_bench.NOTHING_TO_RUN_ON
    program = options.program or build_program()
    if not program:
        print("nothing to run on: the device on the host could not be built")
        return heft_bench.NOTHING_TO_RUN_ON
    known = compiled.known_architectures(nvcc)
    devices = [device for device in DEVICES if device.architecture in known]
    for device in DEVICES:
        if device not in devices:
            print(f"left out: {device.name}, this nvcc does not know sm_{device.architecture}", file=sys.stderr)
    wanted = [w for w in workloads() if any(word in w.name for word in options.workload)]
    result = model(compiled.Compiler(nvcc, disassembler), program, wanted, devices, options.places)
    if options.keep_baseline:
        content = {"commit": options.keep_baseline, "date": datetime.date.today().isoformat(), "figures": result}
        BASELINE.write_text(json.dumps(content, indent=1) + "\n")
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else None
    made = report(result, baseline)
    if options.table:
        import tables
        print(tables.markdown(result, baseline, heft_bench.commit()))
    return made.finish(options.json, shown=not options.table)


if __name__ == "__main__":
    sys.exit(main())
