"""Kernels as ptxas makes them for an architecture: expansion of their PTX and the blocks that a multiprocessor holds.

The disassembler comes from PyPI (requirements.txt) into build/device_model/tools. What was compiled is kept in
build/device_model/code, named by the digest of its PTX.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import expansion
import ptx
import sass
from counts import plain_symbol

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "build" / "device_model"
COUNTED_PTX, MOMENTS = 90, "accumulate_moments"  # architecture of the PTX that the emulator executes, but for this source: devices.py
sys.path.append(str(ROOT / "kernels"))
import check_budget


def find_disassembler():
    """Path of nvdisasm; None if it cannot be found or installed."""
    places = lambda: sorted((HERE / "tools").rglob("bin/nvdisasm"))
    if not places():
        requirements = pathlib.Path(__file__).with_name("requirements.txt")
        try:
            subprocess.run([sys.executable, "-m", "venv", HERE / "tools"], check=True)
            subprocess.run([HERE / "tools/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r",
                            requirements], check=True)
        except (OSError, subprocess.CalledProcessError):
            return shutil.which("nvdisasm")
    return str(places()[0]) if places() else shutil.which("nvdisasm")


def known_architectures(nvcc):
    listed = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout
    return {int(number) for number in re.findall(r"sm_(\d+)\s", listed + "\n")}


def source_of(kernel):
    """The CUDA source that defines a kernel, ignoring template arguments."""
    name = kernel.split("<")[0].split("::")[-1]
    for source in sorted((ROOT / "kernels").rglob("*.cu")):
        text = source.read_text()
        if "__global__" in text and re.search(rf"\b{name}\(", text):
            return source
    raise LookupError(f"no source below kernels/ defines {name}")


@dataclass
class Kernel:
    expansions: dict  # {base: Expansion}
    registers: int
    stack_bytes: int
    spilled_bytes: int
    machine_lines: int
    ptx_lines: int

    def resident_blocks(self, architecture, threads, shared):
        return check_budget.resident_blocks(architecture, threads, self.registers, shared)


class Compiler:
    def __init__(self, nvcc, disassembler):
        self.nvcc, self.disassembler = nvcc, disassembler
        self.sources, self.made = {}, set()

    def kernel(self, counted, device):
        """Kernel of a counts.Counted."""
        source = source_of(counted.kernel)
        key = source, device.architecture
        if key not in self.sources:
            # what was counted must be what is compiled
            self.sources[key] = self.compile(source, device.architecture, device.moments_ptx if source.stem == MOMENTS else COUNTED_PTX)
        return self.sources[key][counted.symbol]

    def compile(self, source, architecture, ptx_architecture):
        """{plain symbol: Kernel} of one source."""
        folder = HERE / "code"
        folder.mkdir(parents=True, exist_ok=True)
        made = folder / f"{source.stem}_{ptx_architecture}.ptx"
        if made not in self.made:
            check_budget.compile_source(self.nvcc, ROOT, source, ["-ptx", f"-arch=compute_{ptx_architecture}"], made)
            self.made.add(made)
        text = made.read_text()
        stem = folder / f"{source.stem}_{architecture}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        report, listing = stem.with_suffix(".report"), stem.with_suffix(".sass")
        if not listing.exists():
            options = [f"-arch=sm_{architecture}", "-cubin", "-Xptxas", "-v", "-Xptxas", "-lineinfo"]
            cubin = stem.with_suffix(".cubin")
            report.write_text(check_budget.compile_source(self.nvcc, ROOT, made, options, cubin))
            done = subprocess.run([self.disassembler, "--print-code", "--print-line-info-ptx", cubin], check=True,
                                  capture_output=True, text=True)
            listing.write_text(done.stdout)
        return read_kernels(text, listing.read_text(), report.read_text())


def read_kernels(ptx_text, listing, report):
    functions = ptx.read(ptx_text)
    used = check_budget.used_resources(report, [])
    kernels = {}
    for symbol, instructions in sass.read(listing).items():
        lines = ptx.lines_of_kernel(functions, symbol)
        if not any(instruction.line in lines for instruction in instructions):
            raise ValueError(f"{symbol}: the disassembly has no lines of PTX")
        registers, _, stack, spilled = used[symbol]
        kernels[plain_symbol(symbol)] = Kernel(
            {base: expansion.expand(lines, instructions, base) for base in expansion.BASES}, registers, stack, spilled,
            len(instructions), len(lines))
    return kernels
