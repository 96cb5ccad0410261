#!/usr/bin/env python3
"""The cost of a convex problem on a device, counted and not timed: the table of docs/gpu.md.

    bench/device_model/solver_way.py                       # the table, in markdown
    bench/device_model/solver_way.py --write docs/gpu.md   # puts it there
    bench/device_model/solver_way.py --check docs/gpu.md   # exit status 1 if the page has another one

Sizes are those of kernels/solve/layout.hpp; rates the nominal ones of an H100 in devices.py, the bus a PCIe 4.0 x16 at 25 GB/s.
Times are what one pipe would take if it never waited: floors, by which ways are compared, no speeds.
"""
import argparse
import pathlib
import sys
from dataclasses import dataclass

from devices import H100

BEGIN, END = "<!-- table: bench/device_model/solver_way.py -->", "<!-- end of table -->"
TILE, TILE_STRIDE, SVEC, DOUBLE = 4, 17, 10, 8
NOMINAL = 1
BUS = 25e9                                                                     # bytes a second
MADDS = H100.multiprocessors * H100.clock[NOMINAL] * H100.fp64[NOMINAL] * 32   # a second, without tensor cores
L2 = H100.multiprocessors * H100.clock[NOMINAL] * H100.l2[NOMINAL] * 32        # bytes a second
LIBRARY_BLOCK = 32                                                             # columns that a blocked Cholesky takes at once


@dataclass(frozen=True)
class Problem:
    """A robot of revolute joints with two friction terms each, whose signs are constrained."""
    bodies: int

    @property
    def unknowns(self):
        return SVEC * self.bodies + 2 * self.bodies

    @property
    def tiles(self):
        return -(-self.unknowns // TILE)

    @property
    def structural(self):
        """Columns of the rows: at most seven per body that turns about one axis, and the friction."""
        return 7 * self.bodies + 2 * self.bodies

    def problem_bytes(self):
        triangle = TILE_STRIDE * self.tiles * (self.tiles + 1) // 2
        return DOUBLE * (triangle + 4 * TILE * self.tiles + 3)

    def answer_bytes(self):
        return DOUBLE * (2 * self.unknowns + 4)

    def moments_bytes(self):
        return DOUBLE * (self.structural + 1) * (self.structural + 2) // 2

    def factor_madds(self):
        return self.unknowns ** 3 // 6

    def dense_regrouping_madds(self):
        """W'G W by two products of full matrices."""
        S, P = self.structural, self.unknowns
        return S * S * P + S * P * P

    def factor_bytes_by_block(self):
        """Tiles that a block reads and writes while it factors in device memory: two read and one changed per product."""
        updates = sum(k * (k + 1) // 2 for k in range(self.tiles))
        return 4 * DOUBLE * TILE * TILE * updates

    def factor_bytes_by_library(self):
        """The triangle right of every block of columns, read and written once, and the block itself read for it."""
        n, left = 0, self.unknowns
        while left > 0:
            left -= min(LIBRARY_BLOCK, left)
            n += DOUBLE * (left * (left + 1) + 2 * LIBRARY_BLOCK * left)
        return n


def us(amount, rate):
    return f"{1e6 * amount / rate:.2g} us"


def table():
    arm, humanoid = Problem(7), Problem(31)

    def row(what, words):
        return f"| {what} | {words(arm)} | {words(humanoid)} |"

    def sized(amount, rate, unit, per):
        return lambda p: f"{amount(p) / per:.3g} {unit}, {us(amount(p), rate)}"

    return "\n".join([
        f"| a problem | {arm.bodies} bodies, {arm.unknowns} unknowns | {humanoid.bodies} bodies, {humanoid.unknowns} unknowns |",
        "|---|---|---|",
        row("up the bus, as a packed problem", sized(Problem.problem_bytes, BUS, "KB", 1e3)),
        row("up the bus, as structural moments", sized(Problem.moments_bytes, BUS, "KB", 1e3)),
        row("down the bus", sized(Problem.answer_bytes, BUS, "KB", 1e3)),
        row("W'G W by full products: multiply-adds", sized(Problem.dense_regrouping_madds, MADDS, "M", 1e6)),
        row("a factor: multiply-adds", sized(Problem.factor_madds, MADDS, "M", 1e6)),
        row("a factor in device memory by a block: L2", sized(Problem.factor_bytes_by_block, L2, "MB", 1e6)),
        row("the same by blocks of 32 columns: L2", sized(Problem.factor_bytes_by_library, L2, "MB", 1e6)),
        row("who is not done: down and up, a step", lambda p: "40 bytes, and one wait for all"),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    options = parser.parse_args()
    page = options.write or options.check
    if not page:
        print(table())
        return 0
    text = page.read_text()
    head, rest = text.split(BEGIN)
    made = f"{head}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"
    if options.write:
        page.write_text(made)
        return 0
    if made != text:
        print(f"{page} has another table: bench/device_model/solver_way.py --write {page}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
