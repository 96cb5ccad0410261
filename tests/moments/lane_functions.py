#!/usr/bin/env python3
"""Objects that are compiled for one instruction set define no function under a name that others may define too.

Of equal inline functions the linker keeps one copy, which may be the one that this machine cannot execute. So every
function of lanes_*.cpp that the linker sees must be of the namespace of its instruction set.

    lane_functions.py LIBRARY[=LEAST]..      LEAST functions in every object, default 5
"""
import re
import subprocess
import sys


def functions_by_object(library):
    """{name of an object: its functions that the linker sees, demangled}"""
    listed = subprocess.run(["nm", "--demangle", "--defined-only", "--extern-only", library], check=True,
                            capture_output=True, text=True).stdout
    functions, member = {}, ""
    for line in listed.splitlines():
        if heading := re.fullmatch(r"(\S+\.o):", line):
            member = heading[1]
        elif entry := re.fullmatch(r"[0-9a-f]+ [TWiu] (.*)", line):
            functions.setdefault(member, []).append(entry[1])
    return functions


def foreign(target, functions):
    return [function for function in functions if f"::{target}::" not in function]


def main():
    bad = []
    for argument in sys.argv[1:]:
        library, _, least = argument.partition("=")
        functions = functions_by_object(library)
        for target in ("avx512", "avx2", "baseline"):
            member = f"lanes_{target}.cpp.o"
            if len(functions.get(member, [])) < int(least or 5):
                sys.exit(f"{library}, {member}: too few functions, is this the library?")
            bad += [f"{member}: {function}" for function in foreign(target, functions[member])]
    if bad:
        sys.exit("defined outside the namespace of the instruction set:\n  " + "\n  ".join(bad))


if __name__ == "__main__":
    main()
