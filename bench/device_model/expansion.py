"""How many machine instructions of each pipe one executed PTX instruction costs, told by what ptxas made of a kernel.

ptxas says for every machine instruction which line of PTX it came from. So each PTX opcode of a kernel has its own mix of
machine instructions; the harness says how often each opcode is executed.

- Copies. Where ptxas unrolls a loop, a line has several copies, each executed less often. How many copies a basic block of
  PTX has is told by instructions that become one machine instruction each: accesses to memory and fused multiply-adds.
- Weights. Opcodes cost more in one place than in another (an address that is computed or folded into an access), and the
  counts are per opcode, not per place. Places are weighted by base^(depth in loops), as compilers guess frequencies. The
  nominal base is 10; the same with 1 and with 100 gives the range.
"""
from collections import Counter, defaultdict
from dataclasses import dataclass

NOMINAL_BASE, BASES = 10, (1, 10, 100)


class NotInThisCode(Exception):
    pass


@dataclass
class Expansion:
    per_opcode: dict   # {opcode: {pipe: machine instructions of one execution}}
    per_warp: Counter  # {pipe: machine instructions that belong to no line: once a warp}


def is_countable(opcode):
    """Becomes exactly one machine instruction per copy."""
    name, *modifiers = opcode.split(".")
    return (name in ("ld", "st") and "param" not in modifiers) or name in ("fma", "mma")


def copies_of_blocks(lines, machine_lines):
    """{block: number of copies}; machine_lines: {line: Counter of pipes}."""
    written, made = Counter(), Counter()
    for number, line in lines.items():
        if is_countable(line.opcode):
            written[line.block] += 1
            pipes = machine_lines.get(number, Counter())
            made[line.block] += pipes["memory"] + pipes["fp64"] + pipes["fp32"] + pipes["fp64_tensor"]
    # fewer than written: some of it was found to be superfluous, not copied
    return {block: max(1.0, made[block] / written[block]) for block in written}


def expand(lines, instructions, base=NOMINAL_BASE):
    """Expansion of a kernel: lines as ptx.lines_of_kernel gives them, instructions as sass.read does."""
    machine_lines, per_warp = defaultdict(Counter), Counter()
    for instruction in instructions:
        if instruction.line in lines:
            machine_lines[instruction.line][instruction.pipe] += 1
        else:
            per_warp[instruction.pipe] += 1
    copies = copies_of_blocks(lines, machine_lines)
    weights, sums = Counter(), defaultdict(Counter)
    for number, line in lines.items():
        weight = float(base) ** line.depth
        weights[line.opcode] += weight
        for pipe, count in machine_lines.get(number, {}).items():
            sums[line.opcode][pipe] += weight * count / copies.get(line.block, 1.0)
    per_opcode = {opcode: {pipe: value / weights[opcode] for pipe, value in sums[opcode].items()} for opcode in weights}
    return Expansion(per_opcode, per_warp)


def executed(expansion, opcodes, warps):
    """{pipe: machine instructions executed}, of {opcode: executions by warps} and the number of warps."""
    total = Counter({pipe: count * warps for pipe, count in expansion.per_warp.items()})
    for opcode, count in opcodes.items():
        if opcode not in expansion.per_opcode:
            raise NotInThisCode(f"{opcode} was counted, but is not in the PTX that was compiled for this architecture")
        for pipe, factor in expansion.per_opcode[opcode].items():
            total[pipe] += factor * count
    return total
