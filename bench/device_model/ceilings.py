"""Cycles that a multiprocessor spends on one sample (or problem), pipe by pipe, and the ceilings that follow.

A pipe that is never idle gives its ceiling; the most loaded pipe gives that of the kernel. Latency, dependences, barriers
and the tail of a launch are not modeled: the device can only be slower. All figures are (least, nominal, most).
"""
from dataclasses import dataclass

from expansion import BASES, NOMINAL_BASE, executed

SECTOR, SECTORS_A_WAVEFRONT, WARP = 32, 4, 32
PIPES = ("fp64", "fp64 tensor", "fp32 and integer", "ALU", "special", "issue", "shared memory", "L1", "L2", "HBM")


@dataclass
class Launch:
    """A launch of the profile, with the compiled code of its kernel."""
    kernel: str
    blocks: int
    warps: int
    opcodes: dict       # {opcode: executions by warps}
    memory: dict        # members global, shared, local, distinct_sectors of the profile
    expansions: dict    # {base: Expansion}
    resident: int       # blocks that a multiprocessor holds
    keeps_scratch: bool = True  # blocks use the same scratch for one task after the other


def quotient(amount, rate):
    """Cycles of an amount (least, nominal, most) at a rate (least, nominal, most)."""
    return amount[0] / rate[2], amount[1] / rate[1], amount[2] / rate[0]


def plus(*ranges):
    return tuple(map(sum, zip(*ranges)))


def accesses(area, member):
    return sum(kind[member] for kind in area.values())


def wavefronts(area):
    """Cycles of requests by sectors: four sectors at a time, at least one request."""
    return max(accesses(area, "requests"), accesses(area, "sectors") / SECTORS_A_WAVEFRONT)


def machine_instructions(launch):
    """{pipe of sass.py, or "issue" for all: (least, nominal, most)} over the weights of expansion.py."""
    made = {base: executed(launch.expansions[base], launch.opcodes, launch.warps) for base in BASES}
    for counts in made.values():
        counts["issue"] = sum(counts.values())
    pipes = {pipe for counts in made.values() for pipe in counts}
    return {pipe: (min(counts[pipe] for counts in made.values()), made[NOMINAL_BASE][pipe],
                   max(counts[pipe] for counts in made.values())) for pipe in pipes}


def hbm_bytes(launch, device):
    """Least: what is read before it is written. Nominal: the scratch that a task writes, as far as the second-level cache cannot hold that
    of all blocks of the device, is written out and read back once. Most: this happens at every access."""
    distinct, area = launch.memory["distinct_sectors"], launch.memory["global"]
    input_bytes, written = SECTOR * distinct["read_first"], SECTOR * distinct["written"]
    touched = SECTOR * max(0, accesses(area, "sectors") - distinct["read_first"])
    footprint = written / launch.blocks * launch.resident * device.multiprocessors

    def missing(l2):
        return max(0.0, 1 - l2 / footprint) if footprint else 0.0

    if not launch.keeps_scratch:  # memory of its own for every task: all of it leaves the cache some time
        return input_bytes, input_bytes + written, input_bytes + max(written, missing(device.l2_bytes[0]) * touched)
    return (input_bytes, input_bytes + min(2 * written, touched) * missing(device.l2_bytes[1]),
            input_bytes + touched * missing(device.l2_bytes[0]))


def cycles_of_launch(launch, device):
    """{pipe: cycles of one multiprocessor if it did the whole launch alone}."""
    made = machine_instructions(launch)
    of = lambda pipe: made.get(pipe, (0, 0, 0))
    memory = launch.memory
    passes = accesses(memory["shared"], "wavefronts")
    # whether a device serves the same words to the parts of a wide request at once is not known
    shared = accesses(memory["shared"], "least_wavefronts"), passes, passes
    other = wavefronts(memory["global"]) + wavefronts(memory["local"])
    shuffles = sum(count for opcode, count in launch.opcodes.items() if opcode.startswith("shfl"))
    sectors = accesses(memory["global"], "sectors")
    stored = sum(memory["global"][kind]["sectors"] for kind in memory["global"] if kind != "load")
    least_sectors = min(sectors, stored + memory["distinct_sectors"]["read_first"])
    l2 = (least_sectors, sectors, sectors)
    per_multiprocessor = tuple(rate / device.multiprocessors for rate in device.hbm)
    fp64 = quotient(of("fp64"), device.fp64)
    tensor = quotient(of("fp64_tensor"), device.fp64_tensor)
    if tensor[2] > 0:  # whether the two share a pipe is unknown: at worst they do
        tensor = (*tensor[:2], tensor[2] + fp64[2])
    hbm = quotient(hbm_bytes(launch, device), per_multiprocessor)
    return {
        "fp64": fp64,
        "fp64 tensor": tensor,
        "fp32 and integer": plus(quotient(of("fp32"), device.fp32),
                                 quotient(of("integer_multiply"), device.integer_multiply)),
        "ALU": quotient(of("alu"), device.alu),
        "special": quotient(of("special"), device.special),
        "issue": quotient(of("issue"), device.issue),
        "shared memory": quotient(shared, device.shared),
        "L1": quotient(plus(shared, (other + shuffles,) * 3), device.l1),
        "L2": quotient(l2, device.l2),
        # seconds, in cycles of the clock that goes with this end of the range: memory does not follow the clock
        "HBM": tuple(seconds * clock for seconds, clock in zip(hbm, reversed(device.clock))),
    }


def cycles_a_sample(launches, device, samples):
    """{pipe: (least, nominal, most) cycles per sample and multiprocessor}."""
    all_launches = [cycles_of_launch(launch, device) for launch in launches]
    return {pipe: tuple(value / samples for value in plus(*(cycles[pipe] for cycles in all_launches))) for pipe in PIPES}


def ceiling(cycles, device):
    """Samples per second (least, nominal, most) of one pipe; infinite if it is not used."""
    most, nominal, least = (device.multiprocessors * clock / c if c > 0 else float("inf")
                            for clock, c in zip(reversed(device.clock), cycles))
    return least, nominal, most


def most_loaded(cycles):
    return max(cycles, key=lambda pipe: cycles[pipe][1])


def kernel_ceiling(cycles, device):
    """Ceiling over all pipes: each end of the range has its own most loaded pipe."""
    ceilings = [ceiling(cycles[pipe], device) for pipe in cycles]
    return tuple(min(c[k] for c in ceilings) for k in range(3))


def cross_checks(launches):
    """Ratios of figures that must agree: machine instructions of memory over requests that the harness counted, and of fp64 over PTX
    instructions of fp64 (below one where ptxas fuses a product and a sum)."""
    made = [machine_instructions(launch) for launch in launches]
    memory = sum(counts.get("memory", (0, 0, 0))[1] for counts in made)
    fp64 = sum(counts.get("fp64", (0, 0, 0))[1] for counts in made)
    requests = sum(accesses(launch.memory[area], "requests") for launch in launches for area in ("global", "shared", "local"))
    written = sum(count for launch in launches for opcode, count in launch.opcodes.items()
                  if opcode.endswith(".f64") and opcode.split(".")[0] in ("add", "sub", "mul", "fma", "setp"))
    return {"machine accesses to memory over counted ones": memory / requests if requests else None,
            "machine fp64 instructions over PTX ones": fp64 / written if written else None}
