#!/usr/bin/env python3
"""Fuzzes the readers of the Python module: NPZ, MAT-files before 7.3 and from 7.3 on, classic netCDF, gzip.

Usage: tests/fuzz/tables.py [seconds, 600 if not given] [--seed N] [format ..]

Damages good files of every format and reads them. Only numbers or a HeftError may come out: no other exception, no crash, no more than
20 s, no more than 2 GB. Keeps inputs that fail in the folder fuzz_failures. Exit codes: 0 sound, 1 something failed, 77 heft_robot, scipy
or h5py are missing.
"""

import argparse
import gzip
import io
import os
import pathlib
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import zipfile

ODD = [0, 1, 2, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1]
MEMORY, SECONDS = 2 << 30, 20


def columns(np, num_rows=40):
    time = np.arange(num_rows) / 100
    return {"t": time, "q": np.column_stack([np.sin(time), np.cos(time)]), "tau": np.column_stack([time, -time])}


def seeds(folder):
    """Good files by format: bytes, and how to damage what is inside an archive."""
    import h5py
    import numpy as np
    import scipy.io

    data, made = columns(np), {"npz": [], "mat": [], "mat73": [], "nc": [], "gz": []}
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, **data, names=np.array(["a", "b"]))
        made["npz"].append(file.getvalue())
    for compressed in (False, True):
        file = io.BytesIO()
        scipy.io.savemat(file, {**data, "log": {"x": data["t"]}, "note": "arm"}, do_compression=compressed)
        made["mat"].append(file.getvalue())
    path = folder / "seed.mat"
    with h5py.File(path, "w", userblock_size=512, libver="earliest") as file:
        for name, values in data.items():
            file.create_dataset(name, data=values.T).attrs["MATLAB_class"] = np.bytes_("double")
        file.create_dataset("packed", data=data["t"], compression="gzip")
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")
    made["mat73"].append(path.read_bytes())
    path = folder / "seed.nc"
    with scipy.io.netcdf_file(path, "w") as file:
        file.createDimension("row", len(data["t"]))
        for name in ("t", "q1"):
            variable = file.createVariable(name, "f8", ("row",))
            variable.units, variable.scale_factor = "degrees" if name == "q1" else "s", 0.5
            variable[:] = data["t"]
    made["nc"].append(path.read_bytes())
    made["gz"].append(gzip.compress(b"t,q1,tau1\n" + b"".join(b"%g,1,2\n" % t for t in data["t"])))
    return made


def damaged(content, rng, others):
    """Some bytes replaced, moved, cut or repeated."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at, kind = rng.randrange(len(content) or 1), rng.randrange(6)
        if kind == 0 and content:
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            code = rng.choice("<H >H <I >I <Q >Q".split())
            value = struct.pack(code, rng.choice(ODD) & (256 ** struct.calcsize(code) - 1))
            content[at:at + len(value)] = value
        elif kind == 2:
            del content[at:at + rng.choice((1, 4, 100, len(content)))]
        elif kind == 3:
            piece = content[at:at + rng.choice((1, 8, 64))]
            content[at:at] = piece * rng.choice((1, 3))
        elif kind == 4:
            other = rng.choice(others)
            begin = rng.randrange(len(other))
            content[at:at + 32] = other[begin:begin + 32]
        elif content:
            content[at] = rng.randrange(256)
    return bytes(content)


def damaged_inside(content, rng, others):
    """Damage inside the archive, whose own checksums are right."""
    try:
        if content.startswith(b"PK"):
            out = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(out, "w") as again:
                for info in archive.infolist():
                    inner = archive.read(info)
                    again.writestr(info.filename, damaged(inner[:200], rng, others) + inner[200:] if rng.random() < 0.5 else inner)
            return out.getvalue()
        if content.startswith(b"\x1f\x8b"):
            return gzip.compress(damaged(gzip.decompress(content), rng, others))
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        pass
    return damaged(content, rng, others)


def read(path, out):
    """Says what is wrong with what came out; empty: nothing."""
    import heft_robot as heft
    from heft_robot import tables

    try:
        if tables.format_of(path) is not None:
            tables.convert(path, out)
        else:
            heft.read_log(path).read()
    except heft.HeftError as error:
        return "" if error.where and str(error) else "an error without a place"
    except MemoryError:
        return "out of memory"
    except Exception as error:  # noqa: BLE001  whatever it is, it should have been a HeftError
        return f"{type(error).__name__}: {error}"
    return ""


def run(names, made, seconds, seed, folder, failures):
    """In a process of its own, which may crash: reads damaged files until the time is over."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY + (1 << 31), MEMORY + (1 << 31)))
    rng, end, count, num_failed = random.Random(seed), time.monotonic() + seconds, 0, 0
    everything = [content for name in names for content in made[name]]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)  # warnings of libraries
    while time.monotonic() < end:
        name = names[count % len(names)]
        content = rng.choice((damaged, damaged_inside))(rng.choice(made[name]), rng, everything)
        path = folder / f"input.{name.removesuffix('73')}"
        path.write_bytes(content)
        signal.alarm(SECONDS)  # ends the process
        what = read(str(path), str(folder / "out.csv"))
        signal.alarm(0)
        count += 1
        if what:
            num_failed += 1
            keep(path, failures, f"{name}_{seed}_{count}")
            print(f"{name}: {what}", flush=True)
    print(f"{count} inputs, {num_failed} failed", flush=True)
    return num_failed


def keep(path, failures, name):
    failures.mkdir(exist_ok=True)
    (failures / f"{name}{path.suffix}").write_bytes(path.read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("seconds", nargs="?", type=float, default=600)
    parser.add_argument("formats", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        import h5py  # noqa: F401
        import heft_robot  # noqa: F401
        import scipy  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return 77
    failures, end, num_failed = pathlib.Path("fuzz_failures"), time.monotonic() + options.seconds, 0
    with tempfile.TemporaryDirectory(prefix="heft-fuzz-") as name:
        folder = pathlib.Path(name)
        made = seeds(folder)
        names = options.formats or list(made)
        for round_ in range(options.seed, options.seed + 1000):
            left = end - time.monotonic()
            if left <= 0:
                break
            child = os.fork()
            if child == 0:
                os._exit(min(1, run(names, made, left, round_, folder, failures)))
            status = os.waitpid(child, 0)[1]
            num_failed += status != 0
            if os.WIFSIGNALED(status):
                what = "took too long" if os.WTERMSIG(status) == signal.SIGALRM else f"signal {os.WTERMSIG(status)}"
                for path in folder.glob("input.*"):
                    keep(path, failures, f"crash_{round_}")
                print(f"crash: {what}", flush=True)
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
