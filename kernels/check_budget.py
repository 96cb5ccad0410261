#!/usr/bin/env python3
"""Compares the budgets in the headers of CUDA sources with the report of ptxas.

    check_budget.py [--nvcc NVCC] [--architectures 80 90-real .. --objects FOLDER]

A budget is a table in a source's header comment, one line per kernel:

    //   name_kernel  registers  shared  stack  spilled  blocks on sm_80  on sm_90  on sm_100  on sm_120

The numbers are upper bounds: registers per thread, bytes of shared memory per block, bytes of stack and of spilled stores per
thread; and the exact number of blocks of `// Threads of a block: N` on a multiprocessor. Compiles for every architecture of the
table that the installed nvcc supports, or for those given by their names in CMake, and can keep the objects for
check_architectures.py. Exits with 77 if there is no nvcc.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
# of a multiprocessor: threads, blocks, bytes of shared memory of which every block takes 1024 more than it asks for
# (CUDA C++ Programming Guide, technical specifications by compute capability)
MULTIPROCESSORS = {80: (2048, 32, 164 * 1024), 90: (2048, 32, 228 * 1024), 100: (2048, 32, 228 * 1024),
                   120: (1536, 24, 100 * 1024)}
REGISTERS, REGISTERS_A_WARP_COME_IN, RESERVED_SHARED = 65536, 256, 1024


def stated_budgets(source):
    """{kernel: (registers, shared, stack, spilled, {architecture: blocks})} and the threads of a block."""
    text = source.read_text()
    rows = re.findall(r"^//\s+(\w+_kernel)((?:\s+\d+){%d})\s*$" % (4 + len(MULTIPROCESSORS)), text, re.M)
    threads = re.search(r"^// Threads of a block: (\d+)", text, re.M)
    budgets = {}
    for name, numbers in rows:
        values = [int(n) for n in numbers.split()]
        budgets[name] = (*values[:4], dict(zip(MULTIPROCESSORS, values[4:])))
    return budgets, int(threads.group(1)) if threads else 0


def required_options(source):
    """Options that the header of a source requires (heft_nvcc_options() in find_cuda.cmake)."""
    line = re.search(r"^// Options of nvcc: (.+)", source.read_text(), re.M)
    return line.group(1).split() if line else []


def compile_source(nvcc, root, source, options, output):
    command = [nvcc, *required_options(source), "-std=c++17", "-O3", f"-I{root}", f"-I{root / 'include'}",
               f"-I{root / 'host/foundation/base/include'}", f"-I{root / 'kernels/shared'}", "--expt-relaxed-constexpr",
               "-Werror=cross-execution-space-call", *options, str(source), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stderr + done.stdout


def used_resources(report, kernels, architecture=None):
    """{kernel: (registers, shared, stack, spilled)} from the report of ptxas -v; of one architecture if the report has several."""
    used = {}
    parts = re.split(r"Compiling entry function '([^']+)' for 'sm_(\d+)'", report)
    for mangled, compiled_for, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        if architecture not in (None, int(compiled_for)):
            continue
        name = next((k for k in kernels if re.search(rf"\d{k}", mangled)), mangled)
        registers = re.search(r"Used (\d+) registers", text)
        shared = re.search(r"(\d+) bytes smem", text)
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores", text)
        resources = (int(registers.group(1)), int(shared.group(1)) if shared else 0, int(frame.group(1)),
                     int(frame.group(2)))
        used[name] = tuple(map(max, used.get(name, resources), resources))  # the most of a template's instances
    return used


def resident_blocks(architecture, threads, registers, shared):
    most_threads, most_blocks, most_shared = MULTIPROCESSORS[architecture]
    a_warp = -(-registers * 32 // REGISTERS_A_WARP_COME_IN) * REGISTERS_A_WARP_COME_IN
    blocks = [most_threads // threads, most_blocks, REGISTERS // a_warp // (threads // 32)]
    if shared > 0:
        blocks.append(most_shared // (shared + RESERVED_SHARED))
    return min(blocks)


def check(source, budgets, threads, architecture, report):
    complaints = []
    used = used_resources(report, budgets, architecture)
    for name in sorted(set(used) ^ set(budgets)):
        complaints.append(f"{name}: {'is not in the table' if name in used else 'was not compiled'}")
    for name in sorted(set(used) & set(budgets)):
        *limits, blocks = budgets[name]
        found = resident_blocks(architecture, threads, *used[name][:2])
        print(f"  sm_{architecture:<4}{name:<24}" + "".join(f"{u:>8} of{m:>6}" for u, m in zip(used[name], limits)) +
              f"{found:>5} blocks")
        for what, value, limit in zip(("registers", "bytes shared", "bytes of stack", "bytes spilled"), used[name], limits):
            if value > limit:
                complaints.append(f"{name}: {value} {what}, but the header states {limit}")
        if found != blocks[architecture]:
            complaints.append(f"{name}: {found} blocks per multiprocessor, but the header states {blocks[architecture]}")
    return [f"{source.name}, sm_{architecture}: {complaint}" for complaint in complaints]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default=shutil.which("nvcc"), help="the compiler; default: from PATH")
    parser.add_argument("--architectures", nargs="+", default=[f"{a}-real" for a in MULTIPROCESSORS], help="80: PTX and machine code, 80-real: machine code")
    parser.add_argument("--objects", type=pathlib.Path, help="folder for the objects; default: they are not kept")
    options = parser.parse_args()
    nvcc = options.nvcc
    if not nvcc or not shutil.which(nvcc):
        print("skipped: no nvcc on PATH, so the budgets of the CUDA kernels are not checked")
        return SKIP
    root = pathlib.Path(__file__).resolve().parent.parent
    known = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split()
    asked = [a for a in options.architectures if f"sm_{a.removesuffix('-real')}" in known]
    if not asked:
        sys.exit(f"this nvcc knows none of {', '.join(options.architectures)}: write 80 or 80-real")
    architectures = [int(a.removesuffix("-real")) for a in asked]
    generate = [f"-gencode=arch=compute_{number},code=[{'' if a.endswith('-real') else f'compute_{number},'}sm_{number}]"
                for a, number in zip(asked, architectures)]
    complaints, num_tables = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        objects = options.objects or pathlib.Path(scratch)
        objects.mkdir(parents=True, exist_ok=True)
        for source in sorted([*(root / "kernels").rglob("*.cu"), *(root / "bench").rglob("*.cu")]):
            budgets, threads = stated_budgets(source)
            if not budgets:
                if "__global__" in source.read_text():
                    complaints.append(f"{source.name}: has kernels, but its header states no budget")
                continue
            num_tables += 1
            print(f"{source.name}: registers, shared, stack, spilled: used of the stated limit")
            report = compile_source(nvcc, root, source, [*generate, "-c", "-Xptxas", "-v"], objects / f"{source.stem}.o")
            for a in architectures:
                complaints += check(source, budgets, threads, a, report)
    print("\n".join(complaints) or f"{num_tables} budgets hold")
    return 1 if complaints or num_tables == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
