"""Estimate of the time of kernels that latency limits: conditioning, where one thread filters one value of a log from its first row
to its last.

A ceiling says nothing about such a kernel: no pipe is busy. The estimate adds, for each launch,

    throughput   the cycles of its busiest pipe, on the multiprocessors that have a block of it
    chain        the instructions of one block, one after another: every load waits for its data, every other instruction for the one
                 before it; times the rounds in which the device takes all blocks

An executor that never idles while work is ready takes no longer than the sum [Brent 1974]. Counts of a chain come from a launch for
one log, where the only busy warp is the longest one. Warps of a block that could overlap are added up, too.
"""
import math

import ceilings


def chain_cycles(launch, device):
    """(least, nominal, most) cycles of one block of a launch, of which one warp works at a time."""
    loads = sum(kind["requests"] for area in ("global", "local") for name, kind in launch.memory[area].items() if name != "store")
    issued = ceilings.machine_instructions(launch)["issue"]
    return tuple((loads * load + max(0, count - loads) * step) / launch.blocks
                 for load, step, count in zip(device.load_latency, device.step_latency, issued))


def rounds(launch, device):
    """How often the device is filled with blocks of a launch."""
    return math.ceil(launch.blocks / (launch.resident * device.multiprocessors))


def launch_seconds(launch, of_one_log, device):
    """{throughput, chain: (least, nominal, most) seconds} of a launch; `of_one_log`: the same kernel, launched for one log."""
    busy = min(launch.blocks, device.multiprocessors)
    pipes = ceilings.cycles_of_launch(launch, device).values()
    throughput = tuple(max(pipe[k] for pipe in pipes) / busy for k in range(3))
    chain = tuple(rounds(launch, device) * cycles for cycles in chain_cycles(of_one_log, device))
    clocks = tuple(reversed(device.clock))
    return {"throughput": tuple(cycles / clock for cycles, clock in zip(throughput, clocks)),
            "chain": tuple(cycles / clock for cycles, clock in zip(chain, clocks))}


def wave_seconds(launches, of_one_log, num_bytes, device):
    """{kernel or "bus" or "all": (least, nominal, most) seconds} of a wave whose copies have this many bytes."""
    alone = {launch.kernel: launch for launch in of_one_log}
    parts = {launch.kernel: ceilings.plus(*launch_seconds(launch, alone[launch.kernel], device).values()) for launch in launches}
    parts["bus"] = ceilings.quotient((num_bytes,) * 3, device.bus)
    return {"all": ceilings.plus(*parts.values()), **parts}
