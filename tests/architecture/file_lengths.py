#!/usr/bin/env python3
"""No file holds more lines than one can keep in mind: 600.

    file_lengths.py ROOT
"""
import pathlib
import sys

MAX_LINES = 600
SOURCES = (".hpp", ".cpp", ".cuh", ".cu", ".py", ".js", ".css", ".cmake")


def main():
    root = pathlib.Path(sys.argv[1])
    folders = ("bench", "cmake", "examples", "host", "include", "kernels", "python", "tests", "tools")
    lengths = {path: len(path.read_text().splitlines())
               for folder in folders for path in (root / folder).rglob("*") if path.suffix in SOURCES}
    if not lengths:
        sys.exit(f"{root} has no sources")
    long = {path: length for path, length in lengths.items() if length > MAX_LINES}
    for path, length in sorted(long.items()):
        print(f"{path.relative_to(root)}: {length} lines, more than {MAX_LINES}: which second idea can have a file of its own?")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
