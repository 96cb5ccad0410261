#!/usr/bin/env python3
"""What a module's archive needs of another module is visible there, so that both can also be shared libraries.

    names_modules_need.py BUILD

A build of shared libraries, which takes minutes, would say the same at its link.
"""
import collections
import pathlib
import re
import subprocess
import sys

# readelf -sW: number, value, size, type, binding, visibility, section, name
SYMBOL = re.compile(r"\s*\d+: [0-9a-f]+ +\S+ +\w+ +(GLOBAL|WEAK) +(DEFAULT|HIDDEN|INTERNAL|PROTECTED) +(\w+) +(_Z\w*4heft\w+)")


def main():
    archives = [path for folder in ("host", "kernels") for path in sorted((pathlib.Path(sys.argv[1]) / folder).rglob("libheft_*.a"))]
    if len(archives) < 15:
        sys.exit(f"{sys.argv[1]}: only {len(archives)} archives of modules; is this the build folder?")
    needed, visible, hidden = collections.defaultdict(set), collections.defaultdict(set), collections.defaultdict(set)
    for archive in archives:
        module = archive.stem.removeprefix("libheft_")
        listed = subprocess.run(["readelf", "-sW", archive], stdout=subprocess.PIPE, text=True, check=True).stdout
        for binding, visibility, section, name in SYMBOL.findall(listed):
            if section == "UND":
                needed[name].add(module)
            elif visibility in ("DEFAULT", "PROTECTED"):
                visible[name].add(module)
            else:
                hidden[name].add(module)
    if sum(name in visible for name in needed) < 200:
        sys.exit("modules need next to nothing of each other; is the pattern of symbols right?")
    complaints = []
    for name in sorted(set(needed) & set(hidden) - set(visible)):
        for module in sorted(needed[name] - hidden[name]):
            complaints.append((module, name, min(hidden[name])))
    names = subprocess.run(["c++filt"], input="\n".join(name for _, name, _ in complaints), stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    for (module, _, owner), name in zip(complaints, names):
        print(f"{module} needs {name}, which {owner} hides: #pragma GCC visibility push(default) in its header")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
