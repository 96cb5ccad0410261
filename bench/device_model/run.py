#!/usr/bin/env python3
"""Computed ceilings of the CUDA kernels: cycles per sample and multiprocessor by pipe, from executed PTX and disassembly.

Usage: bench/device_model/run.py [--json FILE] [--table] [--write README.md] [--places N] [--workload WORD ..]

Builds device_model_workloads in build/ of this tree, runs it on the emulated device, compiles the kernels for every device of
devices.py and combines the two. A ceiling is an upper bound of the speed, not a speed: README.md in this folder says what is counted
and assumed, and how certain each figure is. Exits with 0 if all musts are reached, 1 if one is missed, 77 if there is no nvcc, no
disassembler or no emulated device.
"""
import argparse
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
import latency
import robots
import tables
from devices import DEVICES

TARGET = "device_model_workloads"
FINDINGS = 3  # exit status of programs of the checked harness that did something wrong
JUDGED_DEVICE = "H100"
CEILINGS = {"7-joint arm, fp64 summed": (1.6e9, 2.5e9), "7-joint arm, fp32 summed": (2.2e9, 4e9),
            "36-DoF humanoid, fp64 summed": (60e6, 150e6), "36-DoF humanoid, fp32 summed": (90e6, 250e6)}  # must, goal
SECTORS = {"7-joint arm, fp64 summed": 35.7}  # must: a tenth of those before the moments kernel was rewritten
ROBOT_MS = 0.6, 0.2  # must, goal: device time of a robot with default options
ROBOTS_OF_WAVE, LOGS_OF_ROBOT, ROWS_OF_LOG = 64, 3, 2000  # workers of fleet runs; two training logs and a held-out log


@dataclass(frozen=True)
class Workload:
    name: str
    words: tuple  # of the program
    unit: str = "sample"
    alone: tuple = ()  # words of the program for one log, if the work is a wave of logs


def workloads():
    made = []
    for name, robot, base, samples in (("6-joint arm", "arm6", "fixed", 1024), ("7-joint arm", "arm7", "fixed", 1024),
                                       ("36-DoF humanoid", "humanoid36", "floating", 512)):
        for precision, form in (("fp64", "summed"), ("fp64", "per_channel"), ("fp32", "summed")):
            made.append(Workload(f"{name}, {precision} {form.replace('_', ' ')}",
                                 ("moments", robot, base, precision, form, str(samples))))
    made.append(Workload("batch of 7 bodies, semismooth Newton", ("solve", "8"), "problem"))
    for options in ("default", "all_options"):
        words = lambda logs: ("condition", str(logs), str(ROWS_OF_LOG), options)
        made.append(Workload(f"conditioning in fleets, {options.replace('_', ' ').removesuffix(' options')} options",
                             words(ROBOTS_OF_WAVE * LOGS_OF_ROBOT), "robot", words(1)))
    return made


def program_of(ptx):
    """The name of the program that executes the code of a Device.moments_ptx."""
    return TARGET if ptx == compiled.COUNTED_PTX else f"{TARGET}_{ptx}"


def build_programs(names):
    """Their folder; None if this tree cannot build them."""
    build = ROOT / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", build, "--target", *sorted(names)], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout[-3000:] + done.stderr[-3000:], file=sys.stderr)
        return None
    return build / "bench" / "device_model"


def count(program, words, name, folder):
    """The counts of a workload's launches, the number of its samples, problems or logs, and the bytes that it copied if it says so."""
    profile = folder / "profile.json"
    words = [str(folder / f"{w}.urdf") if w in ("arm6", "arm7", "humanoid36") else w for w in words]
    # enough multiprocessors that every part of the samples has its own block and scratch memory
    environment = {**os.environ, "HEFT_DEVICE_PROFILE": str(profile), "HEFT_DEVICE_MULTIPROCESSORS": "132"}
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True)
    if done.returncode == FINDINGS:  # of the harness: unwritten memory, races; what was counted holds
        print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
    elif done.returncode != 0:
        sys.exit(f"{name}: {done.stderr.strip()}")
    output = done.stdout.split()
    return counts.read(profile.read_text()), int(output[-1]), int(output[1]) if output[0] == "bytes" else 0


def launches_on(compiler, counted, device, keeps_scratch):
    """Launches of the counted kernels, compiled for a device, and their occupancy."""
    launches, occupancy = [], {}
    for kernel in counted:
        made = compiler.kernel(kernel, device)
        resident = made.resident_blocks(device.architecture, kernel.threads_of_block, kernel.shared_bytes)
        launches.append(ceilings.Launch(kernel.kernel, kernel.blocks, kernel.warps, kernel.opcodes, kernel.memory,
                                        made.expansions, resident, keeps_scratch))
        occupancy[kernel.kernel] = {"registers": made.registers, "shared_bytes": kernel.shared_bytes,
                                    "spilled_bytes": made.spilled_bytes, "blocks": resident,
                                    "warps": resident * -(-kernel.threads_of_block // 32)}
    return launches, occupancy


def figures(compiler, workload, counted, samples, device):
    """Cycles and ceilings of a workload on a device, in the form stored as JSON."""
    launches, occupancy = launches_on(compiler, counted, device, workload.unit == "sample")
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


def wave_ms(compiler, counted, of_one_log, num_bytes, robots_of_wave, device):
    """{part: (least, nominal, most) milliseconds per robot} of the device time that latency leaves."""
    launches, alone = (launches_on(compiler, of, device, False)[0] for of in (counted, of_one_log))
    return {part: [1e3 * value / robots_of_wave for value in seconds]
            for part, seconds in latency.wave_seconds(launches, alone, num_bytes, device).items()}


def count_workload(compiler, program, workload, devices, folder, num_places):
    """Sectors, and {device: figures} of devices that execute the code of this program."""
    counted, samples, num_bytes = count(program, workload.words, workload.name, folder)
    samples //= LOGS_OF_ROBOT if workload.alone else 1
    if num_places:
        print_places(counted, samples, workload.unit, num_places)
    of_devices = {device.name: figures(compiler, workload, counted, samples, device) for device in devices}
    if workload.alone:
        of_one_log = count(program, workload.alone, workload.name, folder)[0]
        for device in devices:
            of_devices[device.name]["wave_ms"] = wave_ms(compiler, counted, of_one_log, num_bytes, samples, device)
    for device in devices:
        of_devices[device.name]["sectors"] = sum(ceilings.accesses(kernel.memory["global"], "sectors") for kernel in counted) / samples
    return of_devices


def model(compiler, programs, wanted, devices, num_places):
    """{workload: {unit, devices: {name: figures}}}; programs: their folder."""
    result = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        robots.write_random_robots(folder)
        for workload in wanted:
            found = {}
            for ptx in sorted({device.moments_ptx for device in devices} if workload.words[0] == "moments" else {compiled.COUNTED_PTX}):
                print(f"counting {workload.name}" + (f", compute_{ptx}" if ptx != compiled.COUNTED_PTX else ""), file=sys.stderr)
                of_program = [d for d in devices if d.moments_ptx == ptx or workload.words[0] != "moments"]
                found |= count_workload(compiler, programs / program_of(ptx), workload, of_program, folder, num_places)
            result[workload.name] = {"unit": workload.unit, "devices": {device.name: found[device.name] for device in devices}}
    return result


def musts():
    """{workload: (rate per second, sectors, milliseconds per robot)} on the judged device; None: no must."""
    names = {workload.name for workload in workloads()}
    return {name: (CEILINGS.get(name, (None,))[0], SECTORS.get(name), ROBOT_MS[0] if "default options" in name else None)
            for name in names}


def report(result):
    made = heft_bench.Report()
    for name, of in result.items():
        for device, found in of["devices"].items():
            made.add(f"{device}, {name}: global-memory sectors", found["sectors"], f"sectors/{of['unit']}",
                     must=SECTORS.get(name) if device == JUDGED_DEVICE else None, smaller_is_better=True)
            must, goal = CEILINGS.get(name, (None, None)) if device == JUDGED_DEVICE else (None, None)
            least, nominal, most = found["ceiling"]
            made.add(f"{device}, {name}: ceiling of the most loaded pipe, {found['most_loaded']}", nominal,
                     f"{of['unit']}s/s", must=must, goal=goal,
                     least=least, most=most)
            for part, (least, nominal, most) in found.get("wave_ms", {}).items():
                is_judged = part == "all" and device == JUDGED_DEVICE
                must, goal = ROBOT_MS if is_judged and musts()[name][2] else (None, None)
                what = {"all": "device time, latency included", "bus": "copies"}.get(part, part)
                made.add(f"{device}, {name}: {what}", nominal, "ms/robot", must=must, goal=goal, smaller_is_better=True, least=least,
                         most=most)
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
    parser.add_argument("--table", action="store_true", help="print the tables of README.md")
    parser.add_argument("--write", type=pathlib.Path, metavar="README.md", help="put the tables between the marks of this page")
    parser.add_argument("--places", type=int, default=0, metavar="N", help="print the N lines of the sources that access most")
    parser.add_argument("--workload", nargs="+", default=[""], metavar="WORD", help="only those whose name has one of these")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER", help=f"folder of {TARGET}, if they are built already")
    parser.add_argument("--device", choices=[device.name for device in DEVICES], help="only this one")
    options = parser.parse_args()

    nvcc = shutil.which("nvcc")
    if not nvcc:
        print("nothing to run on: no nvcc on PATH")
        return heft_bench.NOTHING_TO_RUN_ON
    disassembler = compiled.find_disassembler()
    if not disassembler:
        print("nothing to run on: no nvdisasm, and it could not be installed from PyPI")
        return heft_bench.NOTHING_TO_RUN_ON
    known = compiled.known_architectures(nvcc)
    devices = [device for device in DEVICES if device.architecture in known and options.device in (None, device.name)]
    for device in DEVICES:
        if device.architecture not in known:
            print(f"left out: {device.name}, this nvcc does not know sm_{device.architecture}", file=sys.stderr)
    wanted = [w for w in workloads() if any(word in w.name for word in options.workload)]
    programs = options.programs or build_programs({TARGET} | {program_of(device.moments_ptx) for device in devices})
    if not programs:
        print("nothing to run on: the emulated device could not be built")
        return heft_bench.NOTHING_TO_RUN_ON
    result = model(compiled.Compiler(nvcc, disassembler), programs, wanted, devices, options.places)
    made = report(result)
    if options.table or options.write:
        text = tables.markdown(result, heft_bench.commit(), musts())
        print(text)
        if options.write:
            tables.write(options.write, text)
    return made.finish(options.json, shown=not options.table and not options.write)


if __name__ == "__main__":
    sys.exit(main())
