#!/usr/bin/env python3
"""A room sees the headers of the rooms that it is linked to, and no others: three wrong includes a room do not compile.

    wrong_includes.py rooms.json COMPILER

They are a header for everybody and a header for the house of rooms that it is not linked to, and a header that another
room keeps to itself. A right include a room does compile with the same command, so that the command is no reason.
"""
import concurrent.futures
import os
import subprocess
import sys

import rooms as architecture


def wrong_includes(rooms, name):
    """Three (include, whose) that must not compile in the room."""
    strangers = [room for room in rooms.values() if room.name != name and
                 room.name not in architecture.reachable(rooms, name)]
    found = []
    for place in ("include", "shared"):
        other = next((room for room in strangers if room.name != "core" and room.header(place)), None)
        if other:
            found.append((other.header(place), other.name))
    # of a room that it may be linked to, which is the one whose insides tempt most
    others = sorted((room for room in rooms.values() if room.name != name and room.private_header()),
                    key=lambda room: room.name not in rooms[name].links)
    found.append((others[0].private_header().name, others[0].name))
    root = rooms["core"].folder
    if len(found) < 3:  # a room that may see all of one kind: by the path from the root as well
        found.append((str(others[0].private_header().relative_to(root)), others[0].name))
    return found


def right_include(rooms, name):
    """A header of the room itself, or of what it is linked to; core has the only one in a folder of the root."""
    if name == "core":
        return "heft/core/inertia.hpp"
    for place in ("include", "shared"):
        if header := rooms[name].header(place):
            return header
    return next(rooms[other].header("include") for other in rooms[name].links)


def compiles(compiler, room, include, syntax):
    paths = [f"-I{path}" for path in room.include_paths]
    done = subprocess.run([compiler, "-std=c++20", *syntax, *paths, "-x", "c++", "-", "-o", os.devnull],
                          input=f'#include "{include}"\n', capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def check(rooms, compiler, name):
    complaints = []
    good, why = compiles(compiler, rooms[name], right_include(rooms, name), ["-E"])
    if not good:
        complaints.append(f'{name}: the right #include "{right_include(rooms, name)}" fails: {why.splitlines()[0]}')
    wrong = wrong_includes(rooms, name)
    if len(wrong) != 3:
        complaints.append(f"{name}: {len(wrong)} wrong includes tried instead of 3")
    for include, whose in wrong:
        good, why = compiles(compiler, rooms[name], include, ["-fsyntax-only"])
        if good:
            complaints.append(f'{name} may #include "{include}", which is of {whose}')
        elif include not in why:
            complaints.append(f'{name}: #include "{include}" fails for another reason: {why.splitlines()[0]}')
    return complaints


def main():
    rooms = architecture.read_rooms(sys.argv[1])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        complaints = sum(pool.map(lambda name: check(rooms, sys.argv[2], name), rooms), [])
    print("\n".join(complaints) or f"{3 * len(rooms)} wrong includes in {len(rooms)} rooms fail, {len(rooms)} right ones do not")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
