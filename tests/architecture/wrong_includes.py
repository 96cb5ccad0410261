#!/usr/bin/env python3
"""A module sees the headers of the modules that it is linked to, and no others: three wrong includes a module do not compile.

    wrong_includes.py modules.json COMPILER

They are a header for everybody and a header for the modules that it is not linked to, and a header that another
module keeps to itself. A right include a module does compile with the same command, so that the command is no reason.
"""
import concurrent.futures
import os
import subprocess
import sys

import modules as architecture


def wrong_includes(modules, name):
    """Three (include, whose) that must not compile in the module."""
    strangers = [module for module in modules.values() if module.name != name and
                 module.name not in architecture.reachable(modules, name)]
    found = []
    for place in ("include", "shared"):
        other = next((module for module in strangers if module.name != "core" and module.header(place)), None)
        if other:
            found.append((other.header(place), other.name))
    # of a module that it may be linked to, which is the one whose insides tempt most
    others = sorted((module for module in modules.values() if module.name != name and module.private_header()),
                    key=lambda module: module.name not in modules[name].links)
    found.append((others[0].private_header().name, others[0].name))
    root = modules["core"].folder
    if len(found) < 3:  # a module that may see all of one kind: by the path from the root as well
        found.append((str(others[0].private_header().relative_to(root)), others[0].name))
    return found


def right_include(modules, name):
    """A header of the module itself, or of what it is linked to; core has the only one in a folder of the root."""
    if name == "core":
        return "heft/core/inertia.hpp"
    for place in ("include", "shared"):
        if header := modules[name].header(place):
            return header
    return next(modules[other].header("include") for other in modules[name].links)


def compiles(compiler, module, include, syntax):
    paths = [f"-I{path}" for path in module.include_paths]
    done = subprocess.run([compiler, "-std=c++20", *syntax, *paths, "-x", "c++", "-", "-o", os.devnull],
                          input=f'#include "{include}"\n', capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def check(modules, compiler, name):
    complaints = []
    good, why = compiles(compiler, modules[name], right_include(modules, name), ["-E"])
    if not good:
        complaints.append(f'{name}: the right #include "{right_include(modules, name)}" fails: {why.splitlines()[0]}')
    wrong = wrong_includes(modules, name)
    if len(wrong) != 3:
        complaints.append(f"{name}: {len(wrong)} wrong includes tried instead of 3")
    for include, whose in wrong:
        good, why = compiles(compiler, modules[name], include, ["-fsyntax-only"])
        if good:
            complaints.append(f'{name} may #include "{include}", which is of {whose}')
        elif include not in why:
            complaints.append(f'{name}: #include "{include}" fails for another reason: {why.splitlines()[0]}')
    return complaints


def main():
    modules = architecture.read_modules(sys.argv[1])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints = sum(pool.map(lambda name: check(modules, sys.argv[2], name), modules), [])
    print("\n".join(complaints) or f"{3 * len(modules)} wrong includes in {len(modules)} modules fail, {len(modules)} right ones do not")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
