#!/usr/bin/env python3
"""At most 60 headers are installed, and they stand by themselves: an installed header includes installed headers alone,
heft/heft.hpp includes all of them, and each says, in the comment that it begins with, what threads may do.

    public_headers.py ROOT UMBRELLA    UMBRELLA: heft/heft.hpp, which CMake writes
    public_headers.py ROOT --list      names them, without heft/heft.hpp
"""
import pathlib
import re
import sys

MOST = 60  # heft/heft.hpp and heft/version.hpp included
UMBRELLA = "heft/heft.hpp"


def installed_headers(root):
    """{name: path} of the installed headers; a name is that of an include. heft/heft.hpp is not in the sources."""
    root = pathlib.Path(root).resolve()
    named = re.search(r"set\(heft_core_headers ([^)]*)\)", (root / "cmake/public_headers.cmake").read_text())[1].split()
    paths = [root / "include/heft/version.hpp", *(root / "include/heft/core" / name for name in named),
             *root.glob("host/*/*/include/heft/*/*.hpp")]
    return dict(sorted((str(path).rpartition("/include/")[2], path) for path in paths))


def includes(path):
    return re.findall(r'^#include "(.*)"', path.read_text(), re.M)


def complaints_about(headers, umbrella):
    if len(headers) < 30:
        return [f"found only {len(headers)} public headers; are the folders right?"]
    complaints = [f"{name} is not there" for name, path in headers.items() if not path.is_file()]
    if complaints:
        return complaints
    if len(headers) + 1 > MOST:
        complaints.append(f"{len(headers) + 1} headers are installed, more than {MOST}: move what users do not need into shared/")
    for name, path in headers.items():
        complaints += [f"{name} includes {other}, which is not installed" for other in includes(path) if other not in headers]
        if name != "heft/version.hpp" and not re.search(r"\bThreads:", path.read_text().split("#pragma once")[0]):
            complaints.append(f"{name}: has no sentence 'Threads: ..' before #pragma once")
    named = includes(umbrella)
    complaints += [f"{UMBRELLA} leaves out {name}" for name in headers if name not in named]
    complaints += [f"{UMBRELLA} includes {name}, which is not installed" for name in named if name not in headers]
    return complaints


def main():
    headers = installed_headers(sys.argv[1])
    if sys.argv[2] == "--list":
        print(*headers, sep="\n")
        return 0
    complaints = complaints_about(headers, pathlib.Path(sys.argv[2]))
    print(*complaints or [f"{len(headers) + 1} headers are installed"], sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
