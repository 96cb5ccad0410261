"""Devices and what their pipes take in, as (least, nominal, most): the range is what we do not know.

Per multiprocessor and cycle. Sources: A = CUDA C++ Programming Guide, throughput of arithmetic instructions by compute
capability; B = datasheet of the device; C = third parties' measurements of the second-level cache of an H100, 5 to 7 TB/s;
D = our own measurements on an H100: 3.0 TB/s of reads and writes together, 36 GB/s from the host on a bus of 55 GB/s; E = third
parties' microbenchmarks of an H100: loads from L2 take about 270 cycles, from HBM 500 to 800, dependent arithmetic 4 to 8. What has no
source is an assumption.
"""
from dataclasses import dataclass

Range = tuple  # (least, nominal, most)


@dataclass(frozen=True)
class Device:
    name: str
    architecture: int
    multiprocessors: int
    moments_ptx: int        # architecture whose PTX has the code that this device executes (kernels/moments/tile_products.hpp)
    clock: Range            # Hz while this code runs
    hbm: Range              # bytes a second of the whole device
    l2_bytes: Range         # of the second-level cache, as far as one multiprocessor finds its data there
    fp64: Range             # instructions of a warp
    fp64_tensor: Range      # m8n8k4 of a warp, 256 multiply-adds
    fp32: Range             # instructions of a warp
    integer_multiply: Range
    alu: Range
    special: Range
    issue: Range
    shared: Range           # wavefronts of 128 bytes
    l1: Range               # wavefronts of 128 bytes: shared, global and local memory together
    l2: Range               # sectors of 32 bytes
    load_latency: Range     # cycles from a load of global memory to its use, on average over L1, L2 and HBM
    step_latency: Range     # cycles from any other instruction to its use
    bus: Range              # bytes a second between host and device


H100 = Device(
    name="H100", architecture=90,
    multiprocessors=132,                    # B, SXM
    moments_ptx=90,
    clock=(1.41e9, 1.755e9, 1.98e9),        # most: B; under a power limit it falls
    hbm=(2.7e12, 3.0e12, 3.35e12),          # D; most: B
    l2_bytes=(25e6, 50e6, 50e6),            # B; least: both halves keep the same
    fp64=(1.8, 2.0, 2.0),                   # A: 64 lanes
    fp64_tensor=(0.25, 0.5, 0.5),           # B: twice the vector rate; m8n8k4 may not reach it
    fp32=(3.6, 4.0, 4.0),                   # A: 128 lanes
    integer_multiply=(2.0, 2.0, 4.0),       # A: 64 lanes; moves dressed up as IMAD may take the other half too
    alu=(2.0, 2.0, 2.0),                    # A: 64 lanes
    special=(0.5, 0.5, 0.5),                # A: 16 lanes, conversions too
    issue=(3.4, 4.0, 4.0),                  # one a cycle and scheduler; bubbles
    shared=(0.9, 1.0, 1.0),                 # 32 banks of 4 bytes
    l1=(0.8, 1.0, 1.0),
    l2=(0.6, 0.875, 1.4),                   # C: 28 bytes; the range is wide
    load_latency=(150, 300, 600),           # E
    step_latency=(4, 6, 10),                # E
    bus=(25e9, 36e9, 55e9))                 # D; least: PCIe 4.0

B200 = Device(
    name="B200", architecture=100,
    multiprocessors=148,
    moments_ptx=100,
    clock=(1.5e9, 1.85e9, 1.965e9),
    hbm=(6.4e12, 7.2e12, 8.0e12),           # most: B
    l2_bytes=(63e6, 126e6, 126e6),
    fp64=(1.8, 2.0, 2.0),                   # A, B: 37 to 40 TF
    fp64_tensor=(0.125, 0.25, 0.25),        # B: no faster than the vector units
    fp32=(3.6, 4.0, 4.0),
    integer_multiply=(2.0, 2.0, 4.0),
    alu=(2.0, 2.0, 4.0),
    special=(0.5, 0.5, 0.5),
    issue=(3.4, 4.0, 4.0),
    shared=(0.9, 1.0, 1.0),
    l1=(0.8, 1.0, 1.0),
    l2=(0.5, 0.875, 1.6),
    load_latency=(150, 350, 700),
    step_latency=(4, 6, 10),
    bus=(25e9, 36e9, 55e9))

DEVICES = (H100, B200)
