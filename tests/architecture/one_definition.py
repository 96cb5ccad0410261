#!/usr/bin/env python3
"""A name that modules share a namespace for is defined once: C++ lets two classes of one name in two files pass in silence, and
which of the two a program then runs is chance.

    one_definition.py ROOT
"""
import collections
import pathlib
import re
import sys

SOURCES = (".hpp", ".cpp", ".cuh", ".cu")
OPENS = re.compile(r"namespace ([\w:]*) ?\{\n")
CLOSES = re.compile(r"\}  // namespace")
# a definition at namespace level begins its line; one that ends in ; is a declaration, one of an alias has no brace
DEFINES = re.compile(r"(?:struct|class|enum class|union)(?: alignas\([^)]*\))? (\w+)(?: final)?(?: :[^:].*)?(?: \{.*)?\n")


def definitions(text):
    """Qualified names of types and inline functions that a file defines for others; those without a namespace's name are its own."""
    namespaces = []
    for line in text.splitlines(keepends=True):
        if opened := OPENS.match(line):
            namespaces.append(opened[1])
        elif CLOSES.match(line) and namespaces:
            namespaces.pop()
        elif defined := DEFINES.fullmatch(line):
            if "" not in namespaces and namespaces:
                yield "::".join([*namespaces, defined[1]])


def main():
    root = pathlib.Path(sys.argv[1])
    files = [path for folder in ("host", "include", "kernels", "tools", "python/src")
             for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES]
    places = collections.defaultdict(set)
    for path in files:
        for name in definitions(path.read_text()):
            places[name].add(str(path.relative_to(root)))
    if len(places) < 200:
        sys.exit(f"{root}: found only {len(places)} types; is the pattern of definitions right?")
    twice = {name: sorted(found) for name, found in places.items() if len(found) > 1}
    for name, found in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(found)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
