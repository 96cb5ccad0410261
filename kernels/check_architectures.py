#!/usr/bin/env python3
"""Checks on which devices the CUDA objects of a build run, from the code that nvcc embedded in them.

    check_architectures.py [--nvcc NVCC] OBJECT..

A device runs machine code of its own major version and at most its minor version, and PTX of at most its own version, which
its driver compiles (CUDA C++ Programming Guide, Compute Capabilities). Every object must have one of the two for every device
from compute capability 8.0 on, and machine code for the promised devices that this nvcc supports.

The embedded code is a sequence of containers: 16 bytes (magic number, version, size of the header, size of the content), then
entries, each with its own header (kind, version, size of the header, size of the content, .., architecture at byte 28).
"""
import argparse
import pathlib
import struct
import subprocess
import sys

SKIP = 77
MAGIC, CONTAINER, ENTRY = b"\x50\xed\x55\xba", struct.Struct("<4sHHQ"), struct.Struct("<HHIQ")
PTX, MACHINE_CODE = 1, 2
# A100, RTX 30, Orin, RTX 40, H100, B200, B300, Thor, RTX 50, GB10, and one that is not there yet
DEVICES = [80, 86, 87, 89, 90, 100, 103, 110, 120, 121, 990]
PROMISED_MACHINE_CODE = [80, 90, 100, 103, 120]


def embedded(path):
    """[(kind, architecture)] of all containers in a file."""
    data, entries, begin = path.read_bytes(), [], 0
    while (begin := data.find(MAGIC, begin)) >= 0:
        _, version, header, size = CONTAINER.unpack_from(data, begin)
        if version != 1:
            sys.exit(f"{path}: a container of version {version}, which this script does not know")
        at, end = begin + header, begin + header + size
        while at < end:
            kind, _, header, size = ENTRY.unpack_from(data, at)
            if kind not in (PTX, MACHINE_CODE):
                sys.exit(f"{path}: an entry of kind {kind}, which this script does not know")
            entries.append((kind, struct.unpack_from("<I", data, at + 28)[0]))
            at += header + size
        begin = end
    return entries


def has_machine_code(entries, device):
    return any(k == MACHINE_CODE and a // 10 == device // 10 and a <= device for k, a in entries)


def complaints_about(path, known):
    entries = embedded(path)
    names = sorted(f"{'PTX' if kind == PTX else 'sm'}_{architecture}" for kind, architecture in entries)
    print(f"{path.name}: {', '.join(names) or 'nothing embedded'}")
    complaints = []
    for device in DEVICES:
        if has_machine_code(entries, device):
            continue
        if not any(kind == PTX and architecture <= device for kind, architecture in entries):
            complaints.append(f"{path.name}: nothing in it runs on compute capability {device / 10}")
        elif device in PROMISED_MACHINE_CODE and device // 10 in {a // 10 for a in known}:
            complaints.append(f"{path.name}: no machine code for compute capability {device / 10}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", required=True, help="the compiler that made the objects")
    parser.add_argument("objects", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.objects:
        print("skipped: this build has no CUDA objects")
        return SKIP
    codes = subprocess.run([arguments.nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split()
    known = [int(code.removeprefix("sm_")) for code in codes if code.removeprefix("sm_").isdigit()]
    complaints = [c for path in arguments.objects for c in complaints_about(path, known)]
    print("\n".join(complaints) or f"{len(arguments.objects)} objects run wherever they should")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
