"""Counts of the harness (HEFT_DEVICE_PROFILE, tests/device_on_host/README.md), summed over the launches of a kernel."""
import json
import re
from collections import Counter
from dataclasses import dataclass, field

FORMAT, WARP = 1, 32


@dataclass
class Counted:
    """All launches of one kernel."""
    kernel: str
    symbol: str
    threads_of_block: int
    shared_bytes: int  # of a block, static and dynamic; the most of any launch
    blocks: int = 0
    warps: int = 0
    opcodes: Counter = field(default_factory=Counter)  # {opcode: executions by warps}
    memory: dict = field(default_factory=dict)         # global, shared, local, distinct_sectors, as in the file
    places: dict = field(default_factory=dict)         # {line of the sources: its accesses}


def add_nested(total, more):
    for key, value in more.items():
        if isinstance(value, dict):
            add_nested(total.setdefault(key, {}), value)
        else:
            total[key] = total.get(key, 0) + value


def plain_symbol(symbol):
    """Without the part that names a file's anonymous namespace, which changes with the path."""
    return re.sub(r"_GLOBAL__N__[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}", "_GLOBAL__N_", symbol)


def read(text):
    """[Counted] in the order of the first launches."""
    content = json.loads(text)
    if content["format"] != FORMAT or content["warp"] != WARP or content["sector_bytes"] != 32:
        raise ValueError(f"profile of format {content['format']}, expected {FORMAT}: warps of 32, sectors of 32 bytes")
    found = {}
    for launch in content["launches"]:
        threads = launch["block"][0] * launch["block"][1] * launch["block"][2]
        shared = launch["static_shared_bytes"] + launch["dynamic_shared_bytes"]
        symbol = plain_symbol(launch["symbol"])
        counted = found.setdefault((symbol, threads), Counted(launch["kernel"], symbol, threads, shared))
        counted.shared_bytes = max(counted.shared_bytes, shared)
        counted.blocks += launch["blocks"]
        counted.warps += launch["blocks"] * -(-threads // WARP)
        for opcode, executions in launch["opcodes"].items():
            counted.opcodes[opcode] += executions["warp"]
        add_nested(counted.memory, {area: launch[area] for area in ("global", "shared", "local", "distinct_sectors")})
        add_nested(counted.places, launch["places"])
    return list(found.values())
