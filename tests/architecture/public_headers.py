#!/usr/bin/env python3
"""Every header that is installed says, in the comment that it begins with, what threads may do; heft/heft.hpp names all of them.

    public_headers.py ROOT
"""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    of_modules = sorted(root.glob("host/*/*/include/heft/*/*.hpp"))
    if not of_modules:
        sys.exit(f"{root} has no public headers")
    complaints = [f"{header.relative_to(root)}: has no sentence 'Threads: ..' before #pragma once"
                  for header in [*of_modules, *sorted(root.glob("include/heft/core/*.hpp"))]
                  if not re.search(r"\bThreads:", header.read_text().split("#pragma once")[0])]
    named = re.findall(r'#include "(.*)"', (root / "include/heft/heft.hpp").read_text())
    wanted = sorted(["heft/version.hpp", *("/".join(header.parts[-3:]) for header in of_modules)])
    if named != wanted:
        complaints.append(f"include/heft/heft.hpp: leaves out {sorted(set(wanted) - set(named))}, has what is not there: "
                          f"{sorted(set(named) - set(wanted))}; or they are not in order")
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
