#!/usr/bin/env python3
"""Every header that is installed says, in the comment that it begins with, what threads may do.

    public_headers.py ROOT
"""
import pathlib
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    headers = sorted([*root.glob("host/*/include/heft/*/*.hpp"), *root.glob("include/heft/core/*.hpp")])
    if not headers:
        sys.exit(f"{root} has no public headers")
    silent = [header for header in headers
              if "\n// Threads: " not in header.read_text().split("#pragma once")[0]]
    for header in silent:
        print(f"{header.relative_to(root)}: has no line '// Threads: ..' before #pragma once")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
